// Breaks a source file in one place at a time, runs the tests that load it, and names the places where no test minded.
import { fork } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { reachOf, readImports } from "./import-graph.mjs";
import { applyMutant, findMutants } from "./mutate/mutants.mjs";

const USAGE = `Usage: npm run mutate -- <file> [...] [options]
  --limit <n>      at most n mutants of a file, spread over it
  --lines <a-b>    only mutants on these lines
  --skip <kinds>   leave out kinds: condition, operator, negation, default, literal, method, statement
  --tests <files>  run these test files, separated by commas, instead of the nearest that import the file
  --reach <n>      how many test files (4)
  --seconds <n>    time limit for one mutant (ten times what the tests take, at least 60)
  --json           print the report as JSON
Exit code: 0 no mutant survived, 1 some did, 2 nothing could be tried.
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: "string" },
    lines: { type: "string" },
    skip: { type: "string", default: "" },
    tests: { type: "string" },
    reach: { type: "string", default: "4" },
    seconds: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || positionals.length === 0) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const say = (text) => process.stderr.write(`${text}\n`);
let running = null;
// The tests' own folder goes with them, also when they are stopped.
const folder = mkdtempSync(join(tmpdir(), "zeph-mutate-"));
chmodSync(folder, 0o755);
process.on("exit", () => {
  endTests();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const reports = [];
for (const file of positionals.map((name) => relative(".", name))) reports.push(await mutate(file));
if (values.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
process.exit(reports.some(({ survivors }) => survivors.length > 0) ? 1 : 0);

async function mutate(file) {
  if (!existsSync(file)) stop(`There is no file ${file}.`);
  const text = readFileSync(file, "utf8");
  const mutants = chosen(findMutants(file, text));
  const tests = values.tests?.split(",") ?? nearestTests(file).slice(0, Number(values.reach));
  if (tests.length === 0) stop(`No test file imports ${file}. Name some with --tests.`);
  const runner = openRunner(file, tests);
  const whole = await runner.run(null, 600_000);
  if (whole.failure !== null) stop(`The tests fail without any change: ${whole.failure}`);
  say(`${file}: ${mutants.length} mutants, ${whole.count} tests in ${tests.join(", ")} (${(whole.ms / 1000).toFixed(1)} s)`);
  const limit = values.seconds ? Number(values.seconds) * 1000 : Math.max(60_000, whole.ms * 10);
  const survivors = [];
  const counts = { killed: 0, "timed out": 0 };
  for (const [n, mutant] of mutants.entries()) {
    const { failure, ms } = await runner.run(applyMutant(text, mutant), limit);
    const fate = ms === null ? "timed out" : failure === null ? "survived" : "killed";
    if (fate === "survived") survivors.push(mutant);
    else counts[fate]++;
    if (fate === "survived") say(`  ${nameOf(file, mutant)}`);
    else if ((n + 1) % 20 === 0) say(`  ${n + 1} of ${mutants.length} tried`);
  }
  runner.close();
  say(`${file}: ${counts.killed} killed, ${counts["timed out"]} timed out, ${survivors.length} survived`);
  return { file, tests, mutants: mutants.length, killed: counts.killed, timedOut: counts["timed out"], survivors };
}

function chosen(all) {
  const [first = 1, last = Number.POSITIVE_INFINITY] = (values.lines ?? "").split("-").filter(Boolean).map(Number);
  const skipped = values.skip.split(",");
  const left = all.filter(({ line, kind }) => line >= first && line <= last && !skipped.includes(kind));
  const limit = Number(values.limit ?? left.length);
  return left.length <= limit ? left : Array.from({ length: limit }, (_, n) => left[Math.floor((n * left.length) / limit)]);
}

/** Test files that load the file: those with the fewest imports in between first, and of these the smallest. Stress takes too long. */
function nearestTests(file) {
  const imports = readImports();
  const importers = new Map();
  for (const [from, names] of imports) for (const name of names) importers.set(name, [...(importers.get(name) ?? []), from]);
  const distances = new Map([[file, 0]]);
  for (const [one, distance] of distances)
    for (const next of importers.get(one) ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  return [...distances]
    .filter(([name]) => name.endsWith(".test.ts") && !name.startsWith("test/stress/"))
    .map(([name, distance]) => ({ name, distance, size: reachOf(name, imports).size }))
    .sort((one, other) => one.distance - other.distance || one.size - other.size)
    .map(({ name }) => name);
}

/** One process runs the tests against one mutant after the other. If it hangs it is ended, and the next mutant gets a new one. */
function openRunner(file, tests) {
  const start = () => {
    running = fork(new URL("./mutate/trial.mjs", import.meta.url), [JSON.stringify({ file, tests })], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, TMPDIR: folder },
      detached: true,
    });
    return answer(running, 600_000);
  };
  return {
    async run(text, limit) {
      if (!running) await start();
      running.send({ text });
      const outcome = await answer(running, limit);
      if (outcome.ms === null) endTests();
      return outcome;
    },
    close: endTests,
  };
}

/** With all they started: a test may hang in a process of its own. */
function endTests() {
  try {
    if (running) process.kill(-running.pid, "SIGKILL");
  } catch {
    // They have ended already.
  }
  running = null;
}

function answer(child, limit) {
  return new Promise((resolve) => {
    const finish = (outcome) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(outcome);
    };
    const timer = setTimeout(finish, limit, { ms: null, failure: "the time limit" });
    child.once("message", finish);
    child.once("exit", () => finish({ ms: null, failure: "the process of the tests ended" }));
  });
}

function nameOf(file, { line, kind, from, to }) {
  return `${file}:${line} ${kind}: ${shorten(from)} → ${shorten(to)}`;
}

function shorten(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

function stop(why) {
  say(why);
  process.exit(2);
}
