// `npm run bench:acp`: what an editor costs. The same turn with the same ten calls, told over pipes to an editor in another process,
// against an agent whose events are read where they are made. Both take turns in one run.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { at, median } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const CALLS = 10;
const ROUNDS = Number(process.env.ROUNDS ?? 60);

if (process.argv[2] === "plain") await plain();
else await main();

async function main() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bench-acp-")));
  const work = join(base, "work");
  mkdirSync(work);
  for (let n = 0; n < CALLS; n++) writeFileSync(join(work, `${n}.txt`), `line of file ${n}, which somebody reads\n`.repeat(100));
  const turn = [
    ...Array.from({ length: CALLS }, (_, n) => [{ type: "request", request: { id: "", name: "read", args: { path: `${n}.txt` } } }]),
    [{ type: "text", text: "Done." }],
  ];
  const turns = Array.from({ length: ROUNDS + 10 }, () => turn).flat();
  for (const [n, events] of turns.entries())
    if (events[0].request) events[0] = { ...events[0], request: { ...events[0].request, id: `c${n}` } };
  writeFileSync(join(base, "turns.json"), JSON.stringify(turns));
  mkdirSync(join(base, "config", "zeph"), { recursive: true });
  writeFileSync(
    join(base, "config", "zeph", "config.toml"),
    `[tools.result_cache]\nenabled = false\n[agent]\nmax_tool_iterations = 20\ncontext_budget_tokens = 50000000\n[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "${join(base, "turns.json")}"\n`,
  );
  const env = { ...process.env, HOME: base, XDG_CONFIG_HOME: join(base, "config") };
  const open = (file, args, state) =>
    fork(file, args, { cwd: work, env: { ...env, XDG_STATE_HOME: join(base, state) }, stdio: ["pipe", "pipe", "inherit", "ipc"] });
  try {
    const direct = open(fileURLToPath(import.meta.url), ["plain"], "plain");
    const failed = once(direct, "exit").then(() => {
      throw new Error("The plain loop ended.");
    });
    failed.catch(() => {});
    await Promise.race([once(direct, "message"), failed]);
    const agent = open(join(root, "bin/zeph.cjs"), ["acp"], "acp");
    const editor = await editorOf(agent, work);
    const times = { plain: [], acp: [] };
    for (let n = -5; n < ROUNDS; n++) {
      direct.send("go");
      const [alone] = await Promise.race([once(direct, "message"), failed]);
      const shown = await editor.turn();
      if (n < 0) continue;
      times.plain.push(alone);
      times.acp.push(shown);
    }
    const ratio = median(times.acp) / median(times.plain);
    const told = editor.counted();
    direct.kill();
    agent.stdin.end();
    await once(agent, "exit");
    const holds = ratio <= 1.3 && told === (ROUNDS + 5) * CALLS;
    const table = `\nMachine: ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}. ${ROUNDS} turns each, taking turns.\n\n| What | Measured | Limit | Holds |\n|---|---|---|---|\n| a turn with ${CALLS} calls, told to an editor over pipes, against the plain loop, p50 | ${ratio.toFixed(2)} × (${median(times.acp).toFixed(1)} ms against ${median(times.plain).toFixed(1)} ms; p95 ${at(0.95, times.acp).toFixed(1)} against ${at(0.95, times.plain).toFixed(1)}) | 1.3 × | ${holds ? "yes" : "no"} |\n\n`;
    process.stdout.write(table);
    if (process.argv.includes("--write")) write(table);
    process.exitCode = holds ? 0 : 1;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** An editor that reads every message and shows none. */
async function editorOf(child, cwd) {
  let ended = 0;
  let last = 0;
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === "session/update" && params.update.sessionUpdate === "tool_call_update" && params.update.status === "completed") ended++;
    if (method === undefined) waiting.get(id)?.(result ?? error);
  });
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    });
  await request("initialize", { protocolVersion: 1 });
  const { sessionId } = await request("session/new", { cwd, mcpServers: [] });
  return {
    counted: () => ended,
    async turn() {
      const began = performance.now();
      const { stopReason } = await request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
      if (stopReason !== "end_turn") throw new Error(`It stopped: ${stopReason}.`);
      return performance.now() - began;
    },
  };
}

/** The loop alone, in a process of its own like the other. It is told when to take a turn, and says how long that took. */
async function plain() {
  const { createAgent } = await import("../dist/lib/index.js");
  const agent = await createAgent({ cwd: process.cwd() });
  process.on("disconnect", () => process.exit());
  process.on("unhandledRejection", (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
  process.on("message", async () => {
    const began = performance.now();
    let calls = 0;
    for await (const event of agent.send("go")) if (event.type === "tool_end" && event.outcome.ok) calls++;
    if (calls !== CALLS) throw new Error(`There were ${calls} calls.`);
    process.send(performance.now() - began);
  });
  process.send("ready");
}

function write(text) {
  const file = join(root, "docs/performance.md");
  const page = readFileSync(file, "utf8");
  writeFileSync(file, page.replace(/(<!-- bench:acp -->\n)[\s\S]*?(<!-- \/bench:acp -->)/, `$1${text}$2`));
}
