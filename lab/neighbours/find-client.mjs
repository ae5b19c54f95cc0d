// The clients in their pinned versions, each in a folder of its own outside of the repository: ZEPH_NEIGHBOURS_DIR, or a folder below the cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { VERSIONS } from "./clients.mjs";

const folder = process.env.ZEPH_NEIGHBOURS_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "zeph-neighbours");
const NODE = { package: "node", version: "24" };
const ownNode = Number(process.versions.node.split(".")[0]);

/** The words that start a client and the folder of its programs; or why it cannot be started. */
export function findClient(name) {
  const { package: id, version, wants } = VERSIONS[name];
  const found = installed(name, id);
  if (found !== version)
    return { missing: found ? `version ${found} is installed, ${version} is wanted` : "not installed; --install fetches it" };
  const bin = join(folder, name, "node_modules/.bin");
  const program = join(bin, name);
  if (wants === null || ownNode >= wants) return { argv: [program], bin };
  const node = join(folder, "node24/node_modules/node/bin/node");
  return existsSync(node) ? { argv: [node, program], bin } : { missing: `it wants Node ${wants}; --install fetches one` };
}

/** What is there in the wanted version is kept. */
export function installClients(names) {
  const node = names.some((name) => ownNode < (VERSIONS[name].wants ?? 0)) ? [["node24", NODE]] : [];
  for (const [name, { package: id, version }] of [...names.map((one) => [one, VERSIONS[one]]), ...node]) {
    const found = installed(name, id);
    if (found === version || (name === "node24" && found)) continue;
    process.stderr.write(`installing ${id}@${version}\n`);
    const at = join(folder, name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), '{"private":true}');
    const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact", `${id}@${version}`];
    const { status, stderr } = spawnSync("npm", words, { cwd: at, encoding: "utf8", timeout: 600_000 });
    if (status !== 0) process.stderr.write(`${stderr.trim()}\n`);
  }
}

function installed(name, id) {
  const file = join(folder, name, "node_modules", id, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}
