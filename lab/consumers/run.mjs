// Installs the package as others do, from its tarball, and builds and runs small programs with it: npm run lab:consumers [-- name …].
// It needs a package registry, takes some minutes and is no part of the other tests.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CONSUMERS } from "./consumers.mjs";
import { OVERRIDES, TOOLS } from "./packages.mjs";
import { createRunner } from "./runner.mjs";

const here = import.meta.dirname;
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(CONSUMERS, name));
if (unknown.length > 0) {
  console.error(`There is no consumer ${unknown.join(", ")}. There are ${Object.keys(CONSUMERS).join(", ")}.`);
  process.exit(2);
}

const base = mkdtempSync(join(tmpdir(), "zeph-consumers-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
install();

let failed = 0;
for (const [name, consume] of Object.entries(CONSUMERS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const begun = performance.now();
  let problem = null;
  try {
    await consume(createRunner(prepare(name), base));
  } catch (error) {
    problem = error;
    failed += 1;
  }
  console.log(`${problem ? "FAILED" : "ok    "} ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  if (problem) console.log(String(problem.message).split("\n").slice(-30).join("\n"));
}
process.exitCode = failed > 0 ? 1 : 0;

function install() {
  const run = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const [{ filename }] = JSON.parse(run(["pack", "--json", "--ignore-scripts", "--pack-destination", base], join(here, "..", "..")));
  const dependencies = { ...TOOLS, zod: TOOLS["zod-last"], zeph: `file:${filename}` };
  writeFileSync(join(base, "package.json"), JSON.stringify({ private: true, type: "module", dependencies, overrides: OVERRIDES }));
  run(["install", "--no-audit", "--no-fund", "--loglevel=error"], base);
}

/** A folder of its own for a consumer, with the program and what it has besides. */
function prepare(name) {
  const folder = join(base, name);
  mkdirSync(folder);
  for (const file of readdirSync(here))
    if (/^(?:program|main|start|schemas)\.mjs$|^types\.ts$/.test(file)) cpSync(join(here, file), join(folder, file));
  if (readdirSync(here).includes(name)) cpSync(join(here, name), folder, { recursive: true });
  symlinkSync(join(base, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  return pathToFileURL(`${folder}/`);
}
