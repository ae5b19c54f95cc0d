// `npm run bench:gates`: what it costs to decide about a call, with every gate on against the default. `--write` puts the tables into docs.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CALLER, CHAINS, filled, SEQUENCES, serve } from "./gates-chain.mjs";
import { CALLS } from "./gates-config.mjs";
import { gateCosts } from "./gates-each.mjs";
import { at, median } from "./measure.mjs";

const self = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const KINDS = Object.keys(CALLS);
const BLOCK = 250;
const WARM = 20;
const BLOCKS = 12;

const child = process.argv.indexOf("--chain");
if (child === -1) await main();
else await serve(process.argv[child + 1], process.argv[child + 2]);

async function main() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bench-gates-")));
  const work = join(base, "work");
  mkdirSync(join(work, "src"), { recursive: true });
  for (let n = 0; n < 200; n++) writeFileSync(join(work, `src/file-${n}.ts`), "export {};\n");
  try {
    const times = await measured(base);
    const each = await gateCosts({ work, base, config: CHAINS.mixed, filled: (file) => filled(file, work), kinds: CALLS, caller: CALLER });
    finish(rowsOf(times), each);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Everybody takes turns, so that a busy machine slows all of them. */
async function measured(base) {
  const chains = {};
  for (const name of Object.keys(CHAINS)) {
    chains[name] = fork(self, ["--chain", name, base]);
    await once(chains[name], "message");
  }
  const times = Object.fromEntries(Object.keys(CHAINS).map((name) => [name, Object.fromEntries(KINDS.map((kind) => [kind, []]))]));
  for (let block = 0; block < WARM + BLOCKS; block++)
    for (const [name, chain] of Object.entries(chains))
      for (const kind of KINDS) {
        chain.send({ kind, count: BLOCK });
        const [list] = await once(chain, "message");
        if (block >= WARM) times[name][kind].push(...list);
      }
  for (const chain of Object.values(chains)) {
    chain.send({ kind: null });
    await once(chain, "exit");
  }
  return times;
}

function rowsOf(times) {
  const row = (what, name, kind, limit) => {
    const [ours, bare] = [median(times[name][kind]), median(times.default[kind])];
    const figure = `${us(ours)} (p95 ${us(at(0.95, times[name][kind]))}), ${(ours / bare).toFixed(2)} × the default's ${us(bare)}`;
    const holds = limit === null || ours <= limit;
    process.stderr.write(`${holds ? "ok  " : "MISS"} ${what}: ${figure}${limit === null ? "" : ` (limit ${limit} µs)`}\n`);
    return { what, figure, limit: limit === null ? "none" : `${limit} µs`, holds };
  };
  const every = `every gate on, 256 rules of which 16 are expressions, ${SEQUENCES.toLocaleString("en")} sequences`;
  return [
    ...KINDS.map((kind) => row(`${kind}, ${every}`, "mixed", kind, 150)),
    ...KINDS.map((kind) => row(`${kind}, the same with 256 expressions`, "expressions", kind, 1000)),
    ...KINDS.map((kind) => row(`${kind}, the same when each of 256 rules speaks of every tool`, "everyTool", kind, null)),
  ];
}

function finish(rows, each) {
  const table = report(rows, each);
  process.stdout.write(table);
  if (process.argv.includes("--write")) for (const file of ["docs/performance.md", "docs/gates.md"]) write(file, table);
  process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;
}

function report(rows, each) {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}`;
  const lines = rows.map(({ what, figure, limit, holds }) => `| ${what} | ${figure} | ${limit} | ${holds ? "yes" : "no"} |`);
  const gates = Object.entries(each).map(
    ([name, kinds]) => `| \`${name}\` | ${KINDS.map((kind) => `${tenths(kinds[kind].p50)} (${tenths(kinds[kind].p95)})`).join(" | ")} |`,
  );
  return `
\`zeph.judge\` from the request to the verdict, p50 of ${(BLOCK * BLOCKS).toLocaleString("en")}, each configuration in a process of its own, taking turns. Machine: ${machine}.

| Call | Measured | Limit | Holds |
|---|---|---|---|
${lines.join("\n")}

Each on its own, with the rules of the first row: microseconds, p50 and in brackets p95. Paths and commands that others have looked at already cost less in a row.

| Gate | ${KINDS.join(" | ")} |
|---|${KINDS.map(() => "---").join("|")}|
${gates.join("\n")}

`;
}

function write(name, table) {
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
