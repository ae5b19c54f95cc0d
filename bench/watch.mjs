// The index of an audit log of 100,000 lines: how long it takes to make, to bring up to date and to ask, and what memory that costs.
import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chainedLines } from "../dist/modules/store/audit/chain.js";
import { openAuditIndex } from "../dist/modules/store/audit-index/open-index.js";
import { timed } from "./measure.mjs";

const LINES = 100_000;
const ROUNDS = 40;

const [, program, wanted] = process.argv;
// In a process of its own: its memory is not the index's.
if (wanted !== undefined) {
  writeLog(wanted);
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), "zeph-bench-watch-"));
const audit = join(folder, "audit.jsonl");
const file = join(folder, "index.db");
execFileSync(process.execPath, [program, audit]);
const idle = rss();

let index;
const building = await timed(async () => {
  index = openAuditIndex(file, audit);
  await index.totals();
});
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
    appendFileSync(audit, chainedLines([entry(LINES)], "0".repeat(64)).text);
    return index.find(page);
  },
};
const rows = [];
for (const [name, way] of Object.entries(ways)) {
  const times = [];
  for (let n = 0; n < ROUNDS; n++) times.push(await timed(way));
  times.sort((a, b) => a - b);
  rows.push({ question: name, p50: ms(times[ROUNDS / 2]), p95: ms(times[Math.floor(ROUNDS * 0.95)]) });
}
index.close();
const opening = await timed(async () => {
  index = openAuditIndex(file, audit);
  await index.find(page);
});
index.close();

console.log(`${LINES} lines, ${megabytes(statSync(audit).size)} of log, ${megabytes(statSync(file).size)} of index`);
console.log(`made in ${ms(building)} ms; opened again and asked in ${ms(opening)} ms`);
console.log(`memory: ${megabytes(idle)} before, ${megabytes(rss())} after`);
console.table(rows);
rmSync(folder, { recursive: true });

function writeLog(audit) {
  const fd = openSync(audit, "wx", 0o600);
  let prev = "0".repeat(64);
  for (let from = 0; from < LINES; from += 1000) {
    const { text, hashes } = chainedLines(
      Array.from({ length: 1000 }, (_, n) => entry(from + n)),
      prev,
    );
    writeSync(fd, text);
    prev = hashes.at(-1);
  }
  closeSync(fd);
}

function entry(n) {
  const id = `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const common = {
    ts: new Date(Date.UTC(2026, 7, 1) + n * 90_000).toISOString(),
    call_id: id,
    session_id: `session-${Math.floor(n / 200)}`,
  };
  if (n % 12 === 5)
    return {
      kind: "egress",
      ...common,
      tool: "fetch",
      url: `https://host-${n % 30}.example/x`,
      host: `host-${n % 30}.example`,
      hop: 0,
      ...(n % 5 ? { status: 200, bytes: 12_000 } : { blocked: "not allowed" }),
      duration_ms: 31.2,
    };
  const tool = ["bash", "read", "edit", "bash", "grep", "write", "bash", "fetch"][n % 8];
  const args =
    tool === "bash"
      ? { command: ["npm test", "git status", `node scripts/build-${n % 900}.mjs --all`, "npm run lint -- src"][n % 4] }
      : { path: `src/area-${n % 40}/module-${n % 2000}.ts` };
  if (n % 12 === 3) return { kind: "intent", ...common, tool, args, approved_by: "rules", cwd: "/home/somebody/projects/app" };
  const outcome = n % 13 === 0 ? "denied" : n % 29 === 0 ? "failed" : "ok";
  return {
    kind: "call",
    ...common,
    turn_id: `turn-${Math.floor(n / 10)}`,
    tool,
    args,
    trust: "trusted",
    phase: "planner",
    cwd: "/home/somebody/projects/app",
    outcome,
    ...(outcome === "ok" && { approved_by: "rules" }),
    ...(outcome !== "ok" && {
      error_category: "policy_blocked",
      error: `"${JSON.stringify(args)}" is not allowed here by the rules of this project.`,
    }),
    ...(outcome === "denied" && { gate: ["permissions", "files", "policy"][n % 3], rule: "no rule" }),
    sandbox: "bubblewrap",
    duration_ms: 12.5,
    caller_id: `caller-${n % 5}`,
  };
}

function rss() {
  return process.memoryUsage().rss;
}
function ms(value) {
  return Math.round(value * 10) / 10;
}
function megabytes(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
