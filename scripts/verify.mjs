// The commands people run: check after each change, test before a change is handed on, long for the tests that take minutes. Words after the first go to vitest.
import { spawn } from "node:child_process";
import { setup as writeRules } from "./rules.mjs";
import { printSizes } from "./sizes.mjs";
import { setup as writeWatchAssets } from "./watch-assets.mjs";

const program = (name) => `node_modules/.bin/${name}`;
const vitest = (...projects) => [program("vitest"), "run", ...projects.flatMap((name) => ["--project", name])];

const STEPS = {
  types: [program("tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"],
  lint: [program("biome"), "check", "--error-on-warnings"],
  unused: [program("knip")],
  build: ["scripts/build.mjs"],
};
/** Lanes run side by side, the steps of a lane one after the other, and the tests after all lanes. */
const COMMANDS = {
  check: { lanes: [["types"], ["lint"]], tests: vitest("unit") },
  test: {
    lanes: [
      ["build", "unused"],
      ["types", "lint"],
    ],
    tests: vitest("unit", "system"),
  },
  long: { lanes: [["build"]], tests: vitest("long", "stress", "peers", "fleet", "browser") },
};

const [name = "check", ...words] = process.argv.slice(2);
const command = COMMANDS[name];
if (!command) {
  process.stderr.write(`There is no "${name}". One of: ${Object.keys(COMMANDS).join(", ")}.\n`);
  process.exit(2);
}
writeRules();
writeWatchAssets();
const passed = await Promise.all(command.lanes.map(runLane));
if (passed.includes(false)) process.exit(1);
if (name === "check") printSizes();
process.exitCode = await run([...command.tests, ...words], "inherit").ended;

async function runLane(steps) {
  let passed = true;
  for (const step of steps) passed = (await runQuietly(step, STEPS[step])) && passed;
  return passed;
}

/** Prints one line, and the output of the step only when it failed. */
async function runQuietly(step, args) {
  const started = Date.now();
  const { child, ended } = run(args, ["ignore", "pipe", "pipe"]);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  const code = await ended;
  process.stdout.write(`${code === 0 ? "✓" : "✗"} ${step} ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  const text = Buffer.concat(chunks).toString().trim();
  if (text !== "" && code !== 0) process.stdout.write(`${text}\n`);
  return code === 0;
}

function run(args, stdio) {
  const child = spawn(process.execPath, args, { stdio });
  return { child, ended: new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1))) };
}
