// `npm run bench:fleet-store`: what the store costs on PostgreSQL, beside the SQLite file, in one run. Starts a server of its own, which waits for its disk.
// `--quick` for a look; `--write` puts the table into docs/performance.md.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "../dist/lib/index.js";
import { openStore } from "../dist/modules/store/open.js";
import { initStore } from "../dist/modules/store/pg/migrate.js";
import { openSharedStore } from "../dist/modules/store/pg/open-shared.js";
import { startPostgres } from "../scripts/fleet-servers.mjs";
import { at, median, timed } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const quick = process.argv.includes("--quick");
const RUNS = quick ? 1 : 5;
const WRITES = quick ? 50 : 300;
const CALLS = { read: quick ? 40 : 150, bash: quick ? 15 : 40 };
/** Of FLEET's bars: a round of `read` at most three times as long, one of `bash` at most a fifth longer. */
const LIMITS = { "agent, `read`, a whole round": 3, "agent, `bash` in the sandbox, a whole round": 1.2 };
const MEMORIES = 300;
/** The first rounds load what they need. */
const WARM = 10;

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-fleet-store-")));
const work = join(base, "work");
mkdirSync(work);
for (const name of ["a.txt", "b.txt"]) writeFileSync(join(work, name), "a line of a file that somebody wrote\n".repeat(400));
const server = await startPostgres();
const found = new Map();
try {
  await initStore(server.url);
  for (let run = 1; run <= RUNS; run++) {
    process.stderr.write(`run ${run} of ${RUNS}\n`);
    for (const kind of ["sqlite", "pg"]) for (const [what, times] of Object.entries(await storeTimes(kind, run))) keep(what, kind, times);
    for (const tool of ["read", "bash"]) {
      const what = tool === "read" ? "agent, `read`, a whole round" : "agent, `bash` in the sandbox, a whole round";
      for (const kind of ["sqlite", "pg"]) keep(what, kind, await agentTimes(kind, tool, run));
    }
  }
} finally {
  await server.stop();
  rmSync(base, { recursive: true, force: true });
}
const rows = [...found].map(([what, { sqlite, pg }]) => {
  const ratios = sqlite.map((one, run) => pg[run].p50 / one.p50);
  const limit = LIMITS[what];
  return {
    what,
    sqlite,
    pg,
    ratio: median(ratios),
    worst: Math.max(...ratios),
    limit,
    holds: limit === undefined || median(ratios) <= limit,
  };
});
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write")) write(table);
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

function keep(what, kind, times) {
  const known = found.get(what) ?? { sqlite: [], pg: [] };
  known[kind].push({ p50: at(0.5, times), p99: at(0.99, times) });
  found.set(what, known);
}

function openFor(kind, name) {
  const local = join(base, `${name}.db`);
  return kind === "sqlite" ? openStore(local) : openSharedStore({ url: server.url, tenant: name, local });
}

async function storeTimes(kind, run) {
  const store = openFor(kind, `store-${kind}-${run}`);
  const { id } = await store.conversations.create("/w", "t");
  const answer = { role: "assistant", model: "m", parts: [{ type: "request", id: "1", callId: "c", name: "read", args: { path: "a" } }] };
  const result = { role: "tool", id: "1", text: "a line of a result\n".repeat(100) };
  const long = "a line of a long text\n".repeat(700);
  for (let n = 0; n < MEMORIES; n++)
    await store.memories.save({ content: `memory ${n} about the zebra and word${n % 7}`, workspace: "/w", untrusted: false });
  const times = async (action, count = WRITES) => {
    const all = [];
    for (let n = 0; n < WARM; n++) await action(-n - 1);
    for (let n = 0; n < count; n++) all.push(await timed(() => action(n)));
    return all;
  };
  const wholeCall = async (n) => {
    await store.conversations.append(id, [answer]);
    await store.overflow.put({ owner: { conversation: id }, text: long });
    await store.trajectories.add({ workspace: "/w", callId: `${run} ${n}`, steps: [["read", "a.txt"]], ended: "ok" });
    await store.reputation.add("m", { good: 1, bad: 0 });
    await store.conversations.append(id, [result]);
  };
  const measured = {
    "append, an answer and a result": await times(() => store.conversations.append(id, [answer, result])),
    "overflow, 15 kB": await times(() => store.overflow.put({ owner: { conversation: id }, text: long })),
    "all writes of a call": await times(wholeCall),
    [`search of ${MEMORIES} memories`]: await times((n) =>
      store.memories.search({ text: `zebra word${Math.abs(n) % 7}`, workspace: "/w", limit: 5 }),
    ),
  };
  await store.close();
  return measured;
}

/** From the end of one call to the end of the next: the model's answer, the gates, the call, and everything that is kept of it. */
async function agentTimes(kind, tool, run) {
  const name = `agent-${kind}-${tool}-${run}`;
  const count = CALLS[tool] + WARM;
  const args = (n) => (tool === "read" ? { path: n % 2 ? "a.txt" : "b.txt", offset: 1 + (n >> 1), limit: 100 } : { command: `true ${n}` });
  const model = {
    id: "bench/model",
    contextTokens: 10_000_000,
    async *stream({ messages }) {
      const done = messages.filter(({ role }) => role === "tool").length;
      if (done === count) yield { type: "text", text: "done" };
      else yield { type: "request", request: { id: `r${done}`, name: tool, args: args(done) } };
      yield { type: "end", finish: done === count ? "stop" : "calls" };
    },
  };
  const agent = await createAgent({
    cwd: work,
    model,
    ...(kind === "pg" && { store: server.url }),
    config: {
      autonomy: "full",
      audit: { path: join(base, `${name}.jsonl`) },
      store: { path: join(base, `${name}.db`) },
      fleet: { tenant: name },
    },
    confirm: async () => "once",
  });
  const times = [];
  let last = 0;
  for await (const event of agent.send("go", { maxTurns: count + 5 })) {
    if (event.type !== "tool_end") continue;
    const now = performance.now();
    if (last !== 0) times.push(now - last);
    last = now;
  }
  await agent.close();
  if (times.length < count - 1) throw new Error(`${name}: ${times.length + 1} of ${count} calls were made.`);
  return times.slice(WARM);
}

function report() {
  const ms = (runs) => `${median(runs.map(({ p50 }) => p50)).toFixed(2)} (${median(runs.map(({ p99 }) => p99)).toFixed(1)})`;
  const lines = rows.map(
    ({ what, sqlite, pg, ratio, worst, limit, holds }) =>
      `| ${what} | ${ms(sqlite)} | ${ms(pg)} | ${ratio.toFixed(2)} × | ${worst.toFixed(2)} × | ${limit === undefined ? "" : `${limit} ×${holds ? "" : ", missed"}`} |`,
  );
  return ["| p50 (p99) in ms | SQLite | PostgreSQL | Ratio | Worst run | Limit |", "|---|---|---|---|---|---|", ...lines, ""].join("\n");
}

function write(text) {
  const page = join(root, "docs/performance.md");
  const [begin, end] = ["<!-- bench:fleet-store -->", "<!-- /bench:fleet-store -->"];
  const old = readFileSync(page, "utf8");
  if (!old.includes(begin)) throw new Error(`${page} has no place for the table: ${begin}`);
  writeFileSync(page, `${old.slice(0, old.indexOf(begin) + begin.length)}\n${text}${old.slice(old.indexOf(end))}`);
}
