// `npm run bench:race -- --install`: the rivals in their pinned versions, each in a folder of its own outside of the repository.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { NEWER_NODE, RIVALS } from "./race-clients.mjs";

const folder = process.env.ZEPH_RACE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "zeph-race");

/** How to start a client, or why it cannot be. */
export function findRival(name) {
  const { package: id, version, bin, wants } = RIVALS[name];
  const found = installed(name, id);
  if (found !== version)
    return { missing: found ? `version ${found} is installed, ${version} is wanted` : `not installed${reasonOf(name)}` };
  const program = join(folder, name, "node_modules/.bin", bin);
  if (wants === null) return { bin: [program], runs: "as a program of its own" };
  const isOurs = Number(process.versions.node.split(".")[0]) >= wants;
  if (isOurs) return { bin: [process.execPath, program], runs: `on Node ${process.versions.node}` };
  const node = join(folder, "node/node_modules", NEWER_NODE.package, "bin/node");
  if (!existsSync(node)) return { missing: `it wants Node ${wants}, and none is installed${reasonOf("node")}` };
  return { bin: [node, program], runs: `on Node ${NEWER_NODE.version}` };
}

/** What is there in the wanted version is kept. */
export function installRivals(names) {
  const wanted = { ...RIVALS, node: NEWER_NODE };
  for (const name of [...names, "node"]) {
    const { package: id, version } = wanted[name];
    if (installed(name, id) === version) continue;
    process.stderr.write(`installing ${id}@${version}\n`);
    const at = join(folder, name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), '{"private":true}');
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${id}@${version}`];
    const { status, stderr } = spawnSync("npm", args, { cwd: at, encoding: "utf8", timeout: 600_000 });
    const problem = stderr.split("\n").find((line) => /^npm error (?!code)/.test(line));
    writeFileSync(join(at, "problem.txt"), status === 0 ? "" : (problem?.replace(/^npm error \w* ?/, "") ?? `npm ended with ${status}`));
    if (status !== 0) process.stderr.write(`  ${problem ?? stderr}\n`);
  }
}

function installed(name, id) {
  const file = join(folder, name, "node_modules", id, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

function reasonOf(name) {
  const file = join(folder, name, "problem.txt");
  const reason = existsSync(file) ? readFileSync(file, "utf8") : "";
  return reason === "" ? "; `npm run bench:race -- --install` fetches it" : `: ${reason}`;
}
