// The commands people run: check after each change, test before it is handed on, all of it in CI. Words after the first go to vitest, but for `--rounds`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printChaosTable } from "./chaos-table.mjs";
import { setup as writeRules } from "./rules.mjs";
import { runWithSecondChance } from "./second-run.mjs";
import { setup as writeWatchAssets } from "./watch-assets.mjs";

const program = (name) => `node_modules/.bin/${name}`;
const vitest = (...projects) => [program("vitest"), "run", ...projects.flatMap((name) => ["--project", name])];

const STEPS = {
  // What did not change since the last run is not looked at again.
  types: [program("tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"],
  lint: [program("biome"), "check", "--error-on-warnings"],
  unused: [program("knip")],
  "set-up": ["scripts/test-setup.mjs", "--without-peers"],
  "set-up of everything": ["scripts/test-setup.mjs"],
  "set-up of the fleet": ["scripts/test-setup.mjs", "--without-peers", "--with-servers"],
  "set-up of the browser": ["scripts/test-setup.mjs", "--without-peers", "--with-browser"],
  build: ["scripts/build.mjs"],
};
/** Lanes run side by side, the steps of a lane one after the other, and then the tests. Layout, imports and words are tests of the project `unit`. */
const LANES = [
  ["build", "unused"],
  ["types", "lint"],
];
/** `effort` is the share of examples and sizes that repeated tests take (test/effort.ts), `stress` that of the project stress, which then takes property tests and long tables from the others. `secondChance`: a few files that failed are run again (scripts/second-run.mjs). */
const COMMANDS = {
  check: { lanes: [["types"], ["lint"]], tests: vitest("unit"), effort: 0.1 },
  test: { lanes: [["set-up"], ...LANES], tests: vitest("unit", "process"), effort: 0.1 },
  all: {
    lanes: [["set-up of everything"], ...LANES],
    tests: vitest("unit", "process", "peers", "stress", "fleet", "browser"),
    effort: 0.2,
    stress: 1,
    secondChance: true,
  },
  fleet: { lanes: [["set-up of the fleet"], ["build"]], tests: vitest("fleet"), effort: 0.2 },
  browser: { lanes: [["set-up of the browser"], ["build"]], tests: vitest("browser"), effort: 0.2 },
};

const [name = "check", ...given] = process.argv.slice(2);
const { rest, table } = readRounds(given);
const command = COMMANDS[name];
if (!command) {
  process.stderr.write(`There is no "${name}". One of: ${Object.keys(COMMANDS).join(", ")}.\n`);
  process.exit(2);
}
writeRules();
writeWatchAssets();
const passed = await Promise.all(command.lanes.map(runLane));
if (passed.includes(false)) process.exit(1);
process.env.EFFORT ??= String(command.effort);
if (command.stress !== undefined) process.env.EFFORT_STRESS ??= String(command.stress);
const runTests = (words, env = {}) => run([...command.tests, ...words], "inherit", env).ended;
process.exitCode = await (command.secondChance ? runWithSecondChance(runTests, rest) : runTests(rest));
if (table) {
  process.stdout.write(printChaosTable(join(table, "rounds")));
  rmSync(table, { recursive: true });
}

/** `--rounds 20` repeats the failures that are provoked on a fleet so often, and prints a table of them. */
function readRounds(words) {
  const at = words.indexOf("--rounds");
  if (at === -1) return { rest: words, table: null };
  const rounds = Number(words[at + 1]);
  if (!Number.isInteger(rounds) || rounds < 1) {
    process.stderr.write("--rounds wants a number: --rounds 20.\n");
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "zeph-rounds-"));
  process.env.ROUNDS = String(rounds);
  process.env.FLEET_TABLE = join(folder, "rounds");
  return { rest: words.toSpliced(at, 2), table: folder };
}

async function runLane(steps) {
  let passed = true;
  for (const step of steps) passed = (await runQuietly(step, STEPS[step])) && passed;
  return passed;
}

/** Prints one line, and what the step had to say only when it failed or warned. */
async function runQuietly(step, args) {
  const started = Date.now();
  const { child, ended } = run(args, ["ignore", "pipe", "pipe"]);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk));
  const code = await ended;
  process.stdout.write(`${code === 0 ? "✓" : "✗"} ${step} ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  const text = Buffer.concat(said).toString().trim();
  if (text !== "" && (code !== 0 || step.startsWith("set-up"))) process.stdout.write(`${text}\n`);
  return code === 0;
}

function run(args, stdio, env = {}) {
  const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } });
  return { child, ended: new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1))) };
}
