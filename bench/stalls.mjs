// `npm run bench:stalls`: how long the event loop stands still while tools bring ten megabytes of somebody's text. `--write` puts the table into
// docs/performance.md. Words as arguments run only the rows that hold one of them.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { createAgent, createRuntime, defineTool, filterOutput, scriptModel } from "../dist/lib/index.js";
import { at } from "./measure.mjs";
import { TEXTS } from "./stalls-texts.mjs";

const LIMIT_MS = 50;
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const root = fileURLToPath(new URL("..", import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-stalls-")));
const work = join(base, "work");
const fileOf = (name) => `${name.replace(/\W+/g, "-")}.txt`;
const rows = [];

mkdirSync(work, { recursive: true });
const config = {
  store: { path: join(base, "b.db") },
  audit: { path: join(base, "audit.jsonl") },
  autonomy: "full",
  agent: { context_budget_tokens: 100_000_000 },
  tools: {},
};
/** What a tool of a stranger returns. */
let given = { text: "" };
const stranger = {
  id: "stranger",
  list: () => [
    defineTool({
      name: "give",
      description: "Gives what it was told to.",
      effect: "reads",
      input: z.object({ n: z.number(), text: z.string().optional() }),
      touches: () => [],
      async run() {
        if (given instanceof Error) throw given;
        return given;
      },
    }),
  ],
};
const zeph = await createRuntime({ cwd: work, config, toolsets: [stranger] });
try {
  await rest();
  await outputs();
  await others();
  await inAgents();
  await alone();
} finally {
  await zeph.close();
  rmSync(base, { recursive: true, force: true });
}
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write")) write(table);
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

/** The ticker alone: what is measured below cannot be smaller. */
async function rest() {
  await zeph.call("bash", { command: "true" });
  await row("nothing at all, for one second", () => new Promise((resolve) => setTimeout(resolve, 1000)));
}

async function outputs() {
  for (const [name, make] of Object.entries(TEXTS)) {
    if (!isWanted(name)) continue;
    const file = fileOf(name);
    writeFileSync(join(work, file), make());
    await row(`bash, as the file is: ${name}`, () => zeph.call("bash", { command: `cat ${file}` }));
    await row(`bash, by rules: ${name}`, () =>
      zeph.call("bash", {
        command: `npm test < /dev/null > /dev/null 2>&1; ./${file.replace(/txt$/, "sh")}; node -e 'process.stdout.write(require("fs").readFileSync("${file}"))'`,
      }),
    );
    await row(`bash, one program: ${name}`, () =>
      zeph.call("bash", { command: `node -e 'process.stdout.write(require("fs").readFileSync("${file}"))'` }),
    );
    await row(`bash, an error: ${name}`, () => zeph.call("bash", { command: `cat ${file} >&2; exit 3` }));
    await row(`read: ${name}`, () => zeph.call("read", { path: file, limit: 1_000_000 }));
    await row(`grep: ${name}`, () => zeph.call("grep", { pattern: ".", path: file, limit: 5000 }));
    const text = readFileSync(join(work, file), "utf8");
    given = { text };
    await row(`a tool's text: ${name}`, () => zeph.call("give", { n: 1 }));
    given = { text: "short", raw: { lines: text.split("\n"), text }, diff: text };
    await row(`a tool's data: ${name}`, () => zeph.call("give", { n: 2 }));
    const { ToolError } = await import("../dist/lib/index.js");
    given = new ToolError("permanent_failure", text);
    await row(`a tool's error: ${name}`, () => zeph.call("give", { n: 3 }));
    given = { text: "short" };
    await row(`arguments: ${name}`, () => zeph.call("give", { n: 4, text }));
    await row(`write: ${name}`, () => zeph.call("write", { path: "written.txt", content: text }));
    await row(`edit: ${name}`, () =>
      zeph.call("edit", { path: "written.txt", old_string: text.slice(5_000_000, 5_000_100), new_string: "x" }),
    );
    await row(`a command of it: ${name}`, () => zeph.call("bash", { command: `cat <<'END' | tail -1\n${text}\nEND` }));
  }
}

async function others() {
  const text = TEXTS["lines of api_key="]();
  given = { text };
  const outcome = await zeph.call("give", { n: 5 });
  const id = outcome.output?.overflow;
  await row("read_overflow: the middle", () => zeph.call("read_overflow", { id, lines: { from: 100_000, to: 100_100 } }));
  await row("read_overflow: an expression", () => zeph.call("read_overflow", { id, regex: "zzz+$" }));
}

async function inAgents() {
  for (const name of ["lines of api_key=", "200,000 different lines", "equal lines of an error"]) {
    if (!isWanted(name)) continue;
    const text = TEXTS[name]();
    writeFileSync(join(work, fileOf(name)), text);
    const request = (id, tool, args) => [{ type: "request", request: { id, name: tool, args } }];
    const cat = `cat ${fileOf(name)}`;
    const turns = {
      "an agent, a command prints it": [request("1", "bash", { command: cat })],
      "an agent, a command prints it in the background": [
        request("2", "bash", { command: cat, background: true }),
        request("3", "bash", { command: "sleep 5" }),
      ],
      "an agent writes it": [request("4", "write", { path: "model.txt", content: text })],
      "an agent says it": [[{ type: "text", text }]],
      "an agent is told it by a person": [],
    };
    for (const [what, rounds] of Object.entries(turns)) {
      const end = [{ type: "text", text: "done" }];
      const agent = await createAgent({
        cwd: work,
        config: { ...config, store: { path: join(base, "agent.db") }, audit: { path: join(base, "agent.jsonl") } },
        model: scriptModel([request("0", "bash", { command: "true" }), end, ...rounds, end, end]),
      });
      const drain = async (said) => {
        for await (const _ of agent.send(said));
      };
      // What is loaded with the first turn is loaded.
      await drain("go");
      await row(`${what}: ${name}`, async () => {
        await drain(rounds.length === 0 ? text : "now");
        // What ran in the background is told at the beginning of the next turn.
        if (what.includes("background")) await drain("and now");
      });
      await agent.close();
    }
  }
}

/** Without a runtime. The synchronous call holds the loop for as long as it takes. */
async function alone() {
  const raw = TEXTS["lines of api_key="]();
  await row(
    "filterOutput, synchronous: lines of api_key=",
    async () => filterOutput({ command: "make", raw, exitCode: 0 }),
    Number.POSITIVE_INFINITY,
  );
}

async function row(what, work, limit = LIMIT_MS) {
  if (!isWanted(what)) return;
  const gaps = [];
  let last = performance.now();
  let longest = 0;
  let used = ownTime();
  let busiest = 0;
  let when = 0;
  const started = last;
  const tick = () => {
    const now = performance.now();
    gaps.push(now - last);
    const cpu = ownTime();
    busiest = Math.max(busiest, cpu - used);
    used = cpu;
    if (now - last > longest) [longest, when] = [now - last, last - started];
    last = now;
  };
  const timer = setInterval(tick, 1);
  let outcome;
  try {
    outcome = await work();
  } catch (error) {
    outcome = error;
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  const took = performance.now() - started;
  const [p50, p99, p100] = [at(0.5, gaps), at(0.99, gaps), Math.max(...gaps)];
  const holds = (busiest || p100) <= limit;
  rows.push({ what, p50, p99, p100, busiest, took, limit, holds });
  const failed =
    outcome?.ok === false && !what.includes("error")
      ? ` (${outcome.error.message.slice(0, 100)})`
      : outcome instanceof Error
        ? ` (${outcome.message})`
        : "";
  process.stderr.write(
    `${holds ? "ok  " : "MISS"} ${what}: p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} p100 ${p100.toFixed(1)} ms (busy ${busiest.toFixed(1)}) after ${when.toFixed(0)} of ${took.toFixed(0)} ms${failed}\n`,
  );
}

/** Milliseconds this thread has worked: a busy machine makes the loop wait without having anything to do. */
function ownTime() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}

function isWanted(what) {
  return (
    only.length === 0 || only.some((word) => what.includes(word)) || Object.keys(TEXTS).some((name) => what === name && only.length > 0)
  );
}

function report() {
  const machine = `Machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}.`;
  const lines = rows.map(
    ({ what, p50, p99, p100, busiest, took, limit, holds }) =>
      `| ${what} | ${[p50, p99, p100, busiest].map((ms) => ms.toFixed(1)).join(" | ")} | ${took.toFixed(0)} | ${Number.isFinite(limit) ? `${limit} ms` : "none"} | ${holds ? "yes" : "no"} |`,
  );
  return `${machine} Milliseconds between two ticks of a timer of 1 ms.\n\n| What | p50 | p99 | longest | busy | it took | Limit | Holds |\n|---|---|---|---|---|---|---|---|\n${lines.join("\n")}\n`;
}

function write(table) {
  const file = join(root, "docs/performance.md");
  const [before, , after] = readFileSync(file, "utf8").split(/(<!-- bench:stalls -->[\s\S]*<!-- \/bench:stalls -->)/);
  writeFileSync(file, `${before}<!-- bench:stalls -->\n\n${table}\n<!-- /bench:stalls -->${after}`);
}
