// `npm run bench:mcp`: many clients of one `zeph mcp --http`, and what a call costs over stdio and HTTP next to the same call in the library.
// Everything is measured from outside the server's process. `--quick` for a look; `start`, `idle`, `many`, `single` and `beside` as arguments run only
// those parts.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createRuntime } from "../dist/lib/index.js";
import { at, median, timed } from "./measure.mjs";

const BIN = fileURLToPath(new URL("../bin/zeph.cjs", import.meta.url));
const quick = process.argv.includes("--quick");
const SESSIONS = quick ? 20 : 100;
const CALLS = quick ? 20 : 100;
const SINGLE = quick ? 100 : 500;
const STARTS = quick ? 7 : 31;
/** As many as a server takes by itself. */
const IDLE = quick ? 50 : 1000;
const TOKEN = "a-token-for-this-benchmark";
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-mcp-")));
const work = join(base, "work");
const env = {
  PATH: process.env.PATH,
  HOME: base,
  XDG_CONFIG_HOME: join(base, "config"),
  XDG_STATE_HOME: join(base, "state"),
  ZEPH_MCP_TOKEN: TOKEN,
};
const settings = [
  "tools.result_cache.enabled=false",
  "tools.overflow.threshold=2000",
  'tools.permissions={"write":[{"pattern":"*","action":"allow"}],"bash":[{"pattern":"*","action":"allow"}]}',
].map((one) => `--set=${one}`);

furnish();
const server = spawn(process.execPath, [BIN, ...settings, "mcp", "--http", "--port", "0", "--sessions", "1200", "--workspace", work], {
  cwd: work,
  env,
});
const url = await new Promise((resolve, reject) => {
  let said = "";
  server.stderr.on("data", (piece) => {
    said += piece;
    const [found] = /http:\S+/.exec(said) ?? [];
    if (found) resolve(found);
  });
  server.once("exit", () => reject(new Error(said)));
});
try {
  if (isWanted("start")) await start();
  if (isWanted("idle")) await idle();
  if (isWanted("many")) await many();
  if (isWanted("single")) await single();
  if (isWanted("beside")) await beside();
} finally {
  server.removeAllListeners("exit");
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const took = timed(() => ended);
  server.kill("SIGTERM");
  process.stdout.write(`ended in ${Math.round(await took)} ms\n`);
  rmSync(base, { recursive: true, force: true });
}

function furnish() {
  for (const folder of ["config/zeph", "state"]) mkdirSync(join(base, folder), { recursive: true });
  for (let n = 0; n < SESSIONS; n++) {
    mkdirSync(join(work, `w${n}`), { recursive: true });
    writeFileSync(join(work, `w${n}`, "mine.txt"), `this is ${n}.`);
    writeFileSync(join(work, `w${n}`, "long.txt"), Array.from({ length: 400 }, (_, line) => `line ${line} of session ${n}.`).join("\n"));
  }
}

/** From the start of `zeph mcp` to its first answers, beside a Node that does nothing, in turns. The first starts are left out: they keep V8's code. */
async function start() {
  const bare = () => timed(() => new Promise((resolve) => spawn(process.execPath, ["-e", "0"], { env }).once("exit", resolve)));
  for (let n = 0; n < 2; n++) await firstAnswers();
  const times = { node: [], initialize: [], "tools/list": [] };
  for (let n = 0; n < STARTS; n++) {
    times.node.push(await bare());
    const answers = await firstAnswers();
    times.initialize.push(answers.initialize);
    times["tools/list"].push(answers["tools/list"]);
  }
  const least = median(times.node);
  const told = (name) =>
    `zeph mcp: ${name} is answered after ${(median(times[name]) / least).toFixed(2)} × node -e 0 (${median(times[name]).toFixed(0)} ms against ${least.toFixed(0)} ms)`;
  process.stdout.write(
    `${median(times.initialize) <= 2 * least ? "ok  " : "MISS"} ${told("initialize")}, limit 2 ×\n     ${told("tools/list")}\n`,
  );
}

/** How long after the start of the process each answer came. */
async function firstAnswers() {
  const begun = performance.now();
  const child = spawn(process.execPath, [BIN, "mcp"], { cwd: join(work, "w0"), env, stdio: ["pipe", "pipe", "ignore"] });
  const say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "bench", version: "1" };
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  const answers = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line);
    if (id === 1) {
      answers.initialize = performance.now() - begun;
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/list" });
    }
    if (id === 2) {
      answers["tools/list"] = performance.now() - begun;
      child.stdin.end();
    }
  }
  return answers;
}

/** Sessions that have run no command, each in a folder of its own. */
async function idle() {
  // What the first session reads is there for all.
  await (await connect(0)).close();
  const before = rss();
  const clients = [];
  for (let n = 0; n < IDLE; n += 10) {
    for (let i = n; i < n + 10; i++) mkdirSync(join(work, `w${i}`), { recursive: true });
    clients.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => connect(n + i)))));
  }
  const each = (rss() - before) / IDLE;
  process.stdout.write(
    `${each <= 1 ? "ok  " : "MISS"} ${IDLE} sessions that have run no command: ${each.toFixed(2)} MB each (limit 1 MB)\n`,
  );
  await Promise.all(clients.map((client) => client.close()));
}

/** Each session in a folder of its own; everything it reads says whose it is. */
async function many() {
  const before = rss();
  let clients = [];
  const opening = await timed(async () => {
    for (let n = 0; n < SESSIONS; n += 10) {
      const some = Array.from({ length: Math.min(10, SESSIONS - n) }, (_, i) => connect(n + i));
      clients = [...clients, ...(await Promise.all(some))];
    }
  });
  const each = (rss() - before) / SESSIONS;
  let mixed = 0;
  const total = await timed(() => Promise.all(clients.map((client, n) => atWork(client, n))));
  process.stdout.write(
    `${SESSIONS} sessions: opened in ${Math.round(opening)} ms, ${each.toFixed(1)} MB each; ${SESSIONS * CALLS} calls in ${(total / 1000).toFixed(1)} s, ${(total / SESSIONS / CALLS).toFixed(2)} ms of the server for each; ${mixed} mixed up\n`,
  );
  await Promise.all(clients.map((client) => client.close()));

  async function atWork(client, n) {
    const call = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      return { text: result.content.map(({ text }) => text).join("\n"), overflow: result._meta?.["zeph/call"]?.overflow };
    };
    for (let at = 0; at < CALLS; at += 5) {
      if (!(await call("read", { path: "mine.txt" })).text.includes(`this is ${n}.`)) mixed++;
      await call("write", { path: "note.txt", content: `note of ${n}, ${at}.` });
      if (!(await call("read", { path: "note.txt" })).text.includes(`note of ${n}, ${at}.`)) mixed++;
      const { overflow } = await call("read", { path: "long.txt" });
      if (!(await call("read_overflow", { id: overflow ?? "", pattern: "line 200 " })).text.includes(`line 200 of session ${n}.`)) mixed++;
    }
  }
}

/** One call after the other: the library, stdio, and HTTP in both eras, taking turns. */
async function single() {
  const cwd = join(work, "w0");
  const zeph = await createRuntime({
    cwd,
    store: join(base, "lib.db"),
    config: { audit: { path: join(base, "lib.jsonl") }, tools: { result_cache: { enabled: false } } },
  });
  const stdio = new Client({ name: "bench", version: "1" });
  await stdio.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, ...settings, "mcp"], cwd, env, stderr: "ignore" }));
  const legacy = await connect(0);
  const modern = await connect(1);
  const args = { path: "mine.txt" };
  const ways = {
    library: () => zeph.call("read", args),
    stdio: () => stdio.callTool({ name: "read", arguments: args }),
    "HTTP 2025-11-25": () => legacy.callTool({ name: "read", arguments: args }),
    "HTTP 2026-07-28": () => modern.callTool({ name: "read", arguments: args }),
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let n = 0; n < SINGLE; n++) for (const [way, work] of Object.entries(ways)) times[way].push(await timed(work));
  const least = median(times.library);
  for (const [way, all] of Object.entries(times))
    process.stdout.write(`${way}: ${median(all).toFixed(2)} ms a call, ${(median(all) / least).toFixed(1)} × the library\n`);
  await Promise.all([stdio.close(), legacy.close(), modern.close(), zeph.close()]);
}

/** One session prints, another one reads: what it waits while nobody prints, and while somebody does. */
async function beside() {
  const [printing, reading] = [await connect(0), await connect(1)];
  const lines = {
    "plain lines": "yes 'a line of a log that somebody prints again and again'",
    "different lines": "seq 1 100000000",
    "lines of api_key=": "yes 'api_key=kJ8sd02mXz71QpLw93vBn46Tr'",
  };
  const reads = async (until) => {
    const waits = [];
    let isOver = false;
    void until.then(() => {
      isOver = true;
    });
    while (!isOver) {
      waits.push(await timed(() => reading.callTool({ name: "read", arguments: { path: "mine.txt" } })));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return waits;
  };
  const told = (what, waits) => {
    const [p50, p99, longest] = [at(0.5, waits), at(0.99, waits), Math.max(...waits)].map((ms) => ms.toFixed(1));
    const holds = Number(p99) <= 50 ? "ok  " : "MISS";
    process.stdout.write(
      `${holds} read beside ${what}: p50 ${p50} p99 ${p99} longest ${longest} ms (${waits.length} reads; limit 50 ms p99)\n`,
    );
  };
  await reads(new Promise((resolve) => setTimeout(resolve, 1000)));
  told("nothing", await reads(new Promise((resolve) => setTimeout(resolve, 3000))));
  for (const [what, command] of Object.entries(lines)) {
    const call = printing.callTool({ name: "bash", arguments: { command: `${command} | head -c 100000000` } }, { timeout: 600_000 });
    told(`100 MB of ${what}`, await reads(call));
    const { content, isError } = await call;
    if (isError) process.stdout.write(`     (${content[0].text.slice(0, 200)})\n`);
  }
  await Promise.all([printing.close(), reading.close()]);
}

function isWanted(part) {
  const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  return words.length === 0 || words.includes(part);
}

async function connect(n) {
  const client = new Client({ name: "bench", version: "1" }, n % 2 === 1 ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {});
  const at = new URL(`${url}?workspace=${encodeURIComponent(join(work, `w${n}`))}&session=s${n}`);
  await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }));
  await client.listTools();
  return client;
}

function rss() {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
}
