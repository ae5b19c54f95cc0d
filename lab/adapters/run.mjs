// Runs the examples of the adapters against the real packages, with scripted models, and compiles programs against their real types:
// npm run lab:adapters [-- name …]. It needs a package registry unless ZEPH_ADAPTERS names a folder where a run before has installed everything.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADAPTERS, BESIDES, NODE } from "./packages.mjs";

const root = join(import.meta.dirname, "..", "..");
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(ADAPTERS, name));
if (unknown.length > 0) {
  console.error(`There is no adapter ${unknown.join(", ")}. There are ${Object.keys(ADAPTERS).join(", ")}.`);
  process.exit(2);
}
const kept = process.env.ZEPH_ADAPTERS;
const base = kept ?? mkdtempSync(join(tmpdir(), "zeph-adapters-"));
if (!kept) process.on("exit", () => rmSync(base, { recursive: true, force: true }));

/** Nothing of this is told to anybody. */
const QUIET = {
  DO_NOT_TRACK: "1",
  NO_COLOR: "1",
  MASTRA_TELEMETRY_DISABLED: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  LANGCHAIN_TRACING_V2: "false",
  AI_SDK_LOG_WARNINGS: "false",
};

let failed = 0;
for (const [name, { example, node22, packages }] of Object.entries(ADAPTERS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const begun = performance.now();
  const folder = join(base, name);
  let problem = null;
  try {
    install(folder, { ...BESIDES, ...packages });
    const node = node22 ? newerNode() : process.execPath;
    runProgram(node, folder, join(root, "examples", example));
    const attacks = join(import.meta.dirname, "attacks", `${name}.mjs`);
    if (existsSync(attacks)) runProgram(node, folder, attacks);
    compileTypes(folder, name);
  } catch (error) {
    problem = error;
    failed += 1;
  }
  console.log(`${problem ? "FAILED" : "ok    "} ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  if (problem) console.log(String(problem.message).split("\n").slice(-40).join("\n"));
}
process.exitCode = failed > 0 ? 1 : 0;

/** Once, unless the versions have changed. Other people's wishes for versions of each other do not count: those here are tested. */
function install(folder, dependencies) {
  const manifest = JSON.stringify({ private: true, type: "module", dependencies });
  const file = join(folder, "package.json");
  if (existsSync(join(folder, "node_modules")) && existsSync(file) && readFileSync(file, "utf8") === manifest) return;
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  writeFileSync(file, manifest);
  const args = ["install", "--legacy-peer-deps", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  symlinkSync(root, join(folder, "node_modules", "zeph"));
}

/** The Node that runs this, where it is new enough. */
function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(base, "node");
  install(folder, { [name]: NODE });
  return join(folder, "node_modules", name, "bin", "node");
}

/** It checks itself, says nothing on stderr and leaves nothing behind. */
function runProgram(node, folder, file) {
  cpSync(join(root, "examples", "scratch"), join(folder, "scratch"), { recursive: true });
  copyFileSync(file, join(folder, "program.mjs"));
  const temporary = mkdtempSync(join(base, "t-"));
  try {
    const env = { ...process.env, ...QUIET, TMPDIR: temporary };
    const { status, stderr, stdout } = spawnSync(node, ["program.mjs"], { cwd: folder, env, encoding: "utf8", timeout: 300_000 });
    if (status !== 0 || stderr !== "") throw new Error(`${file} ended with ${status}\n${stdout}${stderr}`);
    const left = readdirSync(temporary).filter((name) => name.startsWith("zeph-"));
    if (left.length > 0) throw new Error(`${file} left ${left.join(", ")} behind.`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The types of the package have to take what the adapter hands out, here and on the page for people. */
function compileTypes(folder, name) {
  copyFileSync(join(import.meta.dirname, "types", `${name}.ts`), join(folder, "types.ts"));
  const section = readFileSync(join(root, "docs", "adapters.md"), "utf8").split(`\n## \`zeph/${name}\`\n`)[1];
  const [, given, code] = /<!-- given: (.+) -->\n```ts\n([\s\S]*?)```/.exec(section);
  writeFileSync(join(folder, "page.ts"), `${given};\n${code}\nexport {};\n`);
  const how = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--types",
    "node",
    "types.ts",
    "page.ts",
  ];
  const { status, stdout } = spawnSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), ...how], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The types do not fit.\n${stdout}`);
}
