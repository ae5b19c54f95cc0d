// `npm run bench:gates`: what it costs to decide about a call, with every gate on against the default. `--write` puts the tables into docs.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRuntime } from "../dist/lib/index.js";
import { openStore } from "../dist/lib/store/open.js";
import { CALLS, everyTool, everything, rules, sequence } from "./gates-config.mjs";
import { gateCosts } from "./gates-each.mjs";
import { at, median, timed } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const SEQUENCES = 1000;
const ROUNDS = 3000;
const WARM = 4000;
const KINDS = Object.keys(CALLS);
/** A turn of an agent: the gates that judge only those judge too. */
const CALLER = { phase: "executor", conversationId: "bench" };

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bench-gates-")));
const work = join(base, "work");
mkdirSync(join(work, "src"), { recursive: true });
for (let n = 0; n < 200; n++) writeFileSync(join(work, `src/file-${n}.ts`), "export {};\n");

const CHAINS = {
  default: {},
  mixed: everything(rules(16)),
  expressions: everything(rules(256)),
  everyTool: everything(everyTool()),
};

const CHAINS_COUNT = Object.keys(CHAINS).length;

const times = {};
try {
  const runtimes = {};
  for (const [name, config] of Object.entries(CHAINS)) runtimes[name] = await opened(name, config);
  await measure(runtimes);
  for (const zeph of Object.values(runtimes)) await zeph.close();
  times.each = await gateCosts({ work, base, config: CHAINS.mixed, filled, kinds: CALLS, caller: CALLER });
} finally {
  rmSync(base, { recursive: true, force: true });
}

const rows = [
  ...KINDS.map((kind) =>
    row(`${kind}, every gate on, 256 rules of which 16 are expressions, ${SEQUENCES.toLocaleString("en")} sequences`, "mixed", kind, 150),
  ),
  ...KINDS.map((kind) => row(`${kind}, the same with 256 expressions`, "expressions", kind, 1000)),
  ...KINDS.map((kind) => row(`${kind}, the same when each of 256 rules speaks of every tool`, "everyTool", kind, null)),
];
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write")) for (const file of ["docs/performance.md", "docs/gates.md"]) write(file);
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

/** A runtime whose store knows the sequences and whose gates have seen a few calls. */
async function opened(name, config) {
  const store = join(base, `${name}.db`);
  await filled(store);
  const zeph = await createRuntime({ cwd: work, store, config: { audit: { path: join(base, `${name}.jsonl`) }, ...config } });
  for (let n = 0; n < 12; n++) {
    const outcome = await zeph.call("read", { path: `src/file-${n}.ts` }, CALLER);
    if (!outcome.ok) throw new Error(`${name}: ${outcome.error.message} (${outcome.decision.gate}: ${outcome.decision.why})`);
  }
  for (const [kind, call] of Object.entries(CALLS)) {
    const { verdict, gate, why } = await zeph.judge(...call(0), CALLER);
    if (verdict === "deny") throw new Error(`${name}, ${kind}: ${gate} ${why}`);
  }
  return zeph;
}

async function filled(file) {
  const store = openStore(file);
  for (let n = 0; n < SEQUENCES; n++)
    await store.trajectories.add({ workspace: work, callId: `call-${n}`, steps: sequence(n), ended: n % 3 === 0 ? "violation" : "error" });
  const kept = await store.trajectories.count(work);
  if (kept.error + kept.violation !== SEQUENCES) throw new Error(`The store keeps ${JSON.stringify(kept)}.`);
  await store.close();
  return file;
}

/** Everybody takes turns, so that a busy machine slows all of them. */
async function measure(runtimes) {
  for (const name of Object.keys(runtimes)) times[name] = Object.fromEntries(KINDS.map((kind) => [kind, []]));
  for (let n = 0; n < WARM + ROUNDS; n++)
    for (const [place, [name, zeph]] of Object.entries(runtimes).entries())
      for (const [kind, call] of Object.entries(CALLS)) {
        // Nobody may find what another one has left in a memory they share.
        const [tool, args] = call(n * CHAINS_COUNT + place);
        const ms = await timed(() => zeph.judge(tool, args, CALLER));
        if (n >= WARM) times[name][kind].push(ms * 1000);
      }
}

function row(what, name, kind, limit) {
  const [ours, bare] = [median(times[name][kind]), median(times.default[kind])];
  const figure = `${us(ours)} (p95 ${us(at(0.95, times[name][kind]))}), ${(ours / bare).toFixed(2)} × the default's ${us(bare)}`;
  const holds = limit === null || ours <= limit;
  process.stderr.write(`${holds ? "ok  " : "MISS"} ${what}: ${figure}${limit === null ? "" : ` (limit ${limit} µs)`}\n`);
  return { what, figure, limit: limit === null ? "none" : `${limit} µs`, holds };
}

function report() {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}`;
  const lines = rows.map(({ what, figure, limit, holds }) => `| ${what} | ${figure} | ${limit} | ${holds ? "yes" : "no"} |`);
  const gates = Object.entries(times.each).map(
    ([name, kinds]) => `| \`${name}\` | ${KINDS.map((kind) => `${tenths(kinds[kind].p50)} (${tenths(kinds[kind].p95)})`).join(" | ")} |`,
  );
  return `
\`zeph.judge\` from the request to the verdict, p50 of ${ROUNDS.toLocaleString("en")} in turns. Machine: ${machine}.

| Call | Measured | Limit | Holds |
|---|---|---|---|
${lines.join("\n")}

Each on its own, with the rules of the first row: microseconds, p50 and in brackets p95.

| Gate | ${KINDS.join(" | ")} |
|---|${KINDS.map(() => "---").join("|")}|
${gates.join("\n")}

`;
}

function write(name) {
  const file = join(root, name);
  const page = readFileSync(file, "utf8");
  const marked = /(<!-- bench:gates -->\n)[\s\S]*?(<!-- \/bench:gates -->)/;
  if (!marked.test(page)) throw new Error(`${name} has no place for the table.`);
  writeFileSync(file, page.replace(marked, `$1${table}$2`));
}

function us(value) {
  return `${value.toFixed(0)} µs`;
}
function tenths(value) {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
