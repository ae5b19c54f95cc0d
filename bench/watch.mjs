// `npm run bench:watch`: `zeph watch` over an audit log with 100,000 calls. First its index by itself, then the real program: how soon it is ready, how
// fast its pages come, what it holds. `--write` puts the table into docs/performance.md.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chainedLines } from "../dist/modules/store/audit/chain.js";
import { openAuditIndex } from "../dist/modules/store/audit-index/open-index.js";
import { at, timed } from "./measure.mjs";
import { entry, LINES } from "./watch-log.mjs";
import { measurePage } from "./watch-page.mjs";

const ROUNDS = 40;
const BUILT_MS = 10_000;
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bench-watch-")));
const [work, state] = [join(base, "work"), join(base, "state")];
mkdirSync(work);
mkdirSync(join(state, "zeph"), { recursive: true, mode: 0o700 });
const audit = join(state, "zeph", "audit.jsonl");
execFileSync(process.execPath, [fileURLToPath(new URL("watch-log.mjs", import.meta.url)), audit, work]);
const env = { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: base, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(base, "config") };

// The second start finds the index made.
const [fresh, again] = [await measurePage(work, env), await measurePage(work, env)];
const asked = await askIndex();
const load = loadavg()[0];
const size = statSync(audit).size;
rmSync(base, { recursive: true });

const sizes = Object.values(fresh.sizes);
// A whole page asks three.
const worst = asked.filter(({ name }) => name !== "whole page").reduce((a, b) => (b.p50 > a.p50 ? b : a));
const rows = [
  ["ready: the link is printed", ...upTo(again.ready, 600)],
  ["first page of all, with the index made", ...upTo(fresh.first, BUILT_MS)],
  ["first page, when the index is there", ms(again.first), "", ""],
  ["memory after each page, the largest, when the index was made by the first one", ...upTo(Math.max(...sizes), 110, megabytes)],
  ["memory after each page, when the index is there", megabytes(Math.max(...Object.values(again.sizes))), "", ""],
  ["memory, the most at any moment while the index was made", ...upTo(fresh.most, 110, megabytes)],
  [`\`/log\` with and without filters and words, ${again.log.length} times: p50`, ms(at(0.5, again.log)), "", ""],
  ["the same: p95", ...upTo(at(0.95, again.log), 60)],
  [`one question to the index, the slowest kind (${worst.name}): p50`, ...upTo(worst.p50, 20)],
  [`the whole chain checked, ${LINES.toLocaleString("en")} lines`, ...upTo(Math.min(fresh.verify, again.verify), 1200)],
  ["one call, judged by the rules of now, the first time and with its runtime open", `${ms(again.call)}, ${ms(again.callAgain)}`, "", ""],
];
const table = [
  `Machine: ${cpus().length} × ${cpus()[0].model}, Node ${process.versions.node}, load ${load.toFixed(1)}. The log: ${LINES.toLocaleString("en")} lines, ${megabytes(size / 2 ** 20)}.`,
  "",
  "| What | Measured | Limit | Holds |",
  "|---|---|---|---|",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
].join("\n");
console.log(table);
console.table(asked.map(({ name, p50, p95 }) => ({ question: name, p50: ms(p50), p95: ms(p95) })));
if (process.argv.includes("--write")) {
  const page = new URL("../docs/performance.md", import.meta.url);
  const marks = /(<!-- bench:watch -->\n\n)[\s\S]*?(\n\n<!-- \/bench:watch -->)/;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(marks, (_all, head, tail) => `${head}${table}${tail}`),
  );
}
if (rows.some(([, , , holds]) => holds === "no")) process.exitCode = 1;

/** Each kind of question by itself, in this process. */
async function askIndex() {
  const index = openAuditIndex(join(base, "index.db"), audit);
  await index.totals();
  const page = { from: 0, limit: 40 };
  const ways = {
    newest: () => index.find(page),
    "one tool": () => index.find({ ...page, tool: "read" }),
    "refused, by a gate": () => index.find({ ...page, outcome: "denied", gate: "permissions" }),
    "tool, outcome, since": () => index.find({ ...page, tool: "bash", outcome: "failed", since: Date.UTC(2026, 9, 1) }),
    "last page": () => index.find({ from: 83_000, limit: 40 }),
    "a rare word": () => index.find({ ...page, text: "module-777." }),
    "a frequent word": () => index.find({ ...page, text: "Npm" }),
    "a frequent word and a tool": () => index.find({ ...page, text: "src", tool: "edit" }),
    "an id": () => index.find({ ...page, text: "00000abc" }),
    "a session": () => index.find({ ...page, session: "session-7" }),
    "one call": () => index.call("00000abc-0000-4000-8000-000000000000"),
    choices: () => index.choices(),
    totals: () => index.totals(),
    "totals since": () => index.totals(Date.UTC(2026, 9, 1)),
    "whole page": () => Promise.all([index.find({ ...page, text: "src" }), index.choices(), index.totals()]),
    "one line more": () => {
      appendFileSync(audit, chainedLines([entry(LINES, work)], "0".repeat(64)).text);
      return index.find(page);
    },
  };
  const found = [];
  for (const [name, way] of Object.entries(ways)) {
    const times = [];
    for (let n = 0; n < ROUNDS; n++) times.push(await timed(way));
    found.push({ name, p50: at(0.5, times), p95: at(0.95, times) });
  }
  index.close();
  return found;
}

function upTo(value, limit, shown = ms) {
  return [shown(value), shown(limit), value <= limit ? "yes" : "no"];
}
function ms(value) {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
function megabytes(value) {
  return `${Math.round(value)} MB`;
}
