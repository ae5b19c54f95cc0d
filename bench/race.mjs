// `npm run bench:race`: Zeph beside other agents, all with the same scripted model on loopback. `--help` lists the flags.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KINDS, sameCalls, taskCalls } from "./race-calls.mjs";
import { WAYS } from "./race-clients.mjs";
import { findRival, installRivals } from "./race-install.mjs";
import { readOptions } from "./race-options.mjs";
import { endClients } from "./race-process.mjs";
import { runOnce } from "./race-run.mjs";
import { createTable, writeTable } from "./race-table.mjs";
import { furnishWork } from "./race-work.mjs";

const options = readOptions(process.argv.slice(2));
if (options.install) installRivals(options.ways.map((name) => WAYS[name].rival).filter(Boolean));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-race-")));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    endClients();
    clean();
    process.stderr.write("\nended; nothing was written\n");
    process.exit(130);
  });

const rows = new Map(options.ways.map((name) => [name, findRow(name)]));
for (const [name, { out }] of rows) if (out) process.stderr.write(`left out, ${name}: ${out}\n`);
const total = [...rows.values()].filter(({ out }) => !out).length * (1 + options.rounds * KINDS.length);
let done = 0;
try {
  const work = furnishWork(join(base, "work"));
  // The task comes first: it also warms the disk, and sets up a home as a first start does.
  for (const name of options.ways) await runTask(name, work);
  for (let round = 0; round < options.rounds; round++)
    for (const kind of KINDS) for (const name of inTurn(options.ways, round)) await runRound(name, round, kind, work);
} finally {
  clean();
}
const table = createTable(rows, { ...options, taskCalls: taskCalls("").length });
process.stdout.write(table);
if (options.write) writeTable(table);
else process.stderr.write("With --write the table goes into docs/performance.md.\n");

function findRow(name) {
  const rival = WAYS[name].rival ? findRival(WAYS[name].rival) : { bin: [], runs: null };
  const place = join(base, String(options.ways.indexOf(name)));
  return { place, bin: rival.bin, runs: rival.runs, out: rival.missing, rounds: [], misses: new Set() };
}

async function runTask(name, work) {
  const row = rows.get(name);
  const run = await attempt(name, "task", 0, { kind: "task", work, steps: taskCalls });
  if (run?.asked === false) row.out = run.problem;
  if (run?.gap !== undefined) row.task = { tokens: run.tokens(taskCalls("").length), beside: run.beside };
}

async function runRound(name, round, kind, work) {
  const row = rows.get(name);
  const run = await attempt(name, kind, round + 1, { kind, work, steps: (here) => sameCalls(kind, options.calls, here) });
  if (!run?.isShown) return;
  const { tokens, ...figures } = run;
  row.rounds[round] = { ...row.rounds[round], [kind]: figures };
  if (kind === "read") row.request ??= { bytes: run.bytes, tokens: tokens(0) };
}

async function attempt(name, kind, round, run) {
  const row = rows.get(name);
  if (row.out) return null;
  const said = `${String(++done).padStart(String(total).length)} of ${total}  ${round === 0 ? "" : `round ${round}, `}${kind}: ${name}`;
  const log = options.log && join(options.log, `${name.replace(/\W+/g, "-")}.${kind}.${round}.jsonl`);
  const started = performance.now();
  const result = await runOnce(name, row.bin, { ...run, place: row.place, log });
  if (result.problem) row.misses.add(`${kind}: ${result.problem}`);
  const gap = result.gap === undefined ? "" : `, ${result.gap.toFixed(1)} ms a call`;
  process.stderr.write(
    `${said}${gap}, ${((performance.now() - started) / 1000).toFixed(1)} s${result.problem ? `; ${result.problem}` : ""}\n`,
  );
  return result;
}

/** Nobody is always the first, or always behind the same one. */
function inTurn(names, round) {
  const from = (round * 2) % names.length;
  return [...names.slice(from), ...names.slice(0, from)];
}

function clean() {
  rmSync(base, { recursive: true, force: true, maxRetries: 3 });
}
