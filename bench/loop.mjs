// `npm run bench:loop`: what an agent costs on top of the least a loop can be, on the same fake model. `--write` puts the table into docs/performance.md.
// `--only bash` (or grep, read) measures the gaps of that call alone, and writes nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRuntime } from "../dist/lib/index.js";
import { startServer } from "./loop-server.mjs";
import { median, versus } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-loop-")));
const work = join(base, "work");
const quick = process.argv.includes("--quick");
const CALLS = quick ? 20 : 60;
const ROUNDS = quick ? 2 : 5;
const WALLED_LIMIT = 4.5;
const TURNS = quick ? 1000 : 10_000;
const KINDS = ["read", "grep", "bash"];
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : null;
if (only !== null && !KINDS.includes(only)) throw new Error(`--only takes one of ${KINDS.join(", ")}.`);
const rows = [];
const row = (what, figure, limit, holds) => {
  rows.push({ what, figure, limit, holds });
  process.stderr.write(`${holds ? "ok  " : "MISS"} ${what}: ${figure} (limit ${limit})\n`);
};

furnish();
const server = await startServer();
try {
  const first = await gaps();
  if (only === null) {
    requests(first);
    await long();
  }
} finally {
  await server.close();
  rmSync(base, { recursive: true, force: true });
}
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write") && only === null) write(table);
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

function furnish() {
  mkdirSync(join(work, "tree"), { recursive: true });
  writeFileSync(join(work, "data.txt"), Array.from({ length: 400 }, (_, n) => `line ${n} of a file that somebody wrote\n`).join(""));
  for (let n = 0; n < 200; n++) writeFileSync(join(work, "tree", `f${n}.txt`), `some text\nneedle${n} is here\nmore text\n`);
}

/** Interleaved: each round runs every client once, so that a busy machine slows all of them. */
async function gaps() {
  const clients = {
    bare: (url) => [join(root, "bench/loop-bare.mjs"), url],
    open: (url) => [join(root, "bin/zeph.cjs"), ...config(url, false), "run", "go", "--max-turns", "100"],
    walled: (url) => [join(root, "bin/zeph.cjs"), ...config(url, true), "run", "go", "--max-turns", "100"],
  };
  const found = {};
  const kept = {};
  const starts = [];
  let peak = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of only === null ? KINDS : [only])
      for (const [name, argv] of Object.entries(clients)) {
        if (name === "walled" && kind !== "bash") continue;
        const run = server.run(kind, CALLS);
        const began = performance.now();
        await client(argv(run.url), run);
        // The first run of all makes the code that the others start with.
        if (name === "open" && round > 0) starts.push(run.first - began);
        if (run.gaps.length !== CALLS) throw new Error(`${name} made ${run.gaps.length} of ${CALLS} calls (${kind}).`);
        found[`${kind} ${name}`] = [...(found[`${kind} ${name}`] ?? []), median(run.gaps)];
        if (name === "open" && kind === "read") kept.bodies ??= run.bodies;
        if (name !== "bare") peak = Math.max(peak, run.peak);
        run.forget();
      }
  const at = (key) => median(found[key]);
  const limits = { read: 2, grep: 1.5, bash: 1.5 };
  for (const kind of only === null ? KINDS : [only]) {
    const [ours, bare] = [at(`${kind} open`), at(`${kind} bare`)];
    row(
      `gap between an answer and the next request, ${kind}${kind === "bash" ? " without walls" : ""}, p50 against a bare loop`,
      `${(ours / bare).toFixed(2)} × (${ours.toFixed(2)} ms against ${bare.toFixed(2)} ms)`,
      `${limits[kind]} ×`,
      ours / bare <= limits[kind],
    );
  }
  if (only !== null && only !== "bash") return kept.bodies;
  const [walled, loop] = [at("bash walled"), at("bash bare")];
  row(
    "the same, bash behind walls",
    `${(walled / loop).toFixed(2)} × (${walled.toFixed(2)} ms against ${loop.toFixed(2)} ms)`,
    `${WALLED_LIMIT} ×`,
    walled / loop <= WALLED_LIMIT,
  );
  const wall = await wallCost();
  const extra = at("bash walled") - at("bash open");
  row(
    "bash behind walls: what it adds in the loop, against what the walls cost a single call",
    `${(extra / wall).toFixed(2)} × (${extra.toFixed(1)} ms against ${wall.toFixed(1)} ms)`,
    "1.5 ×",
    extra / wall <= 1.5,
  );
  row(`most memory over ${CALLS} calls`, `${Math.round(peak)} MB`, "110 MB", peak <= 110);
  const first = median(starts);
  row("zeph run, from its start to its first request", `${first.toFixed(0)} ms`, "200 ms", first <= 200);
  return kept.bodies;
}

function config(url, walls) {
  return [
    "--set",
    `llm.providers=${JSON.stringify([{ name: "fake", type: "anthropic", model: "m", base_url: `${url}/v1` }])}`,
    "--set",
    `tools.sandbox.enabled=${walls}`,
    "--set",
    'tools.permissions={"bash":[{"pattern":"*","action":"allow"}]}',
  ];
}

async function client(argv, run) {
  const env = {
    PATH: process.env.PATH,
    HOME: base,
    XDG_STATE_HOME: join(base, "state"),
    XDG_CONFIG_HOME: join(base, "config"),
    ANTHROPIC_API_KEY: "none",
  };
  const child = spawn(process.execPath, argv, { cwd: work, env, stdio: ["ignore", "ignore", "pipe"] });
  run.pid = child.pid;
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-2000);
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A client ended with ${code}: ${said}`);
}

/** What the walls cost a call that no model asked for. */
async function wallCost() {
  const open = (name, enabled) =>
    createRuntime({
      cwd: work,
      store: "memory",
      config: {
        audit: { path: join(base, `${name}.jsonl`) },
        tools: { sandbox: { enabled }, permissions: { bash: [{ pattern: "*", action: "allow" }] } },
      },
    });
  const [walled, bare] = [await open("walled", true), await open("bare", false)];
  const echo = (zeph, n) => zeph.call("bash", { command: `echo ${n}` });
  let n = 0;
  const call = async (zeph) => {
    const outcome = await echo(zeph, n++);
    if (!outcome.ok) throw new Error(outcome.error.message);
  };
  await versus(
    () => call(walled),
    () => call(bare),
    10,
  );
  const { ours, yardstick } = await versus(
    () => call(walled),
    () => call(bare),
    60,
  );
  await walled.close();
  await bare.close();
  return ours - yardstick;
}

/** From the requests themselves: how large, and whether a provider's cache can hold the beginning of each. */
function requests(bodies) {
  const size = bodies[0].length;
  row("first request with the default tools", `${(size / 1000).toFixed(1)} kB`, "12 kB", size <= 12_000);
  const parsed = bodies.map((body) => JSON.parse(body));
  const head = ({ system, tools }) => JSON.stringify([system, tools]);
  const unmarked = ({ messages }) => JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value));
  const stable = parsed.every(
    (one, n) => n === 0 || (head(one) === head(parsed[0]) && unmarked(one).startsWith(unmarked(parsed[n - 1]).slice(0, -1))),
  );
  row(
    `each of ${bodies.length} requests begins with the one before it, byte for byte (cache marks apart)`,
    stable ? "yes" : "no",
    "yes",
    stable,
  );
}

async function long() {
  const db = join(base, "long.db");
  process.stderr.write(`growing a conversation to ${TURNS} turns\n`);
  const { points } = await node(["--expose-gc", join(root, "bench/loop-long.mjs"), "grow", db, String(TURNS)]);
  const early = points[4].heap;
  const late = points[9].heap;
  row(
    `heap after ${TURNS} turns of one conversation, against half as many`,
    `${late.toFixed(1)} MB against ${early.toFixed(1)} MB`,
    "1.1 ×",
    late <= 1.1 * early,
  );
  const times = [];
  for (let n = 0; n < 3; n++) times.push((await node([join(root, "bench/loop-long.mjs"), "resume", db])).resumeMs);
  row(`resuming it, to the first request`, `${Math.round(median(times))} ms`, "300 ms", median(times) < 300);
}

async function node(argv) {
  const child = spawn(process.execPath, argv, { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}.`);
  return JSON.parse(out);
}

function report() {
  const lines = rows.map(({ what, figure, limit, holds }) => `| ${what} | ${figure} | ${limit} | ${holds ? "yes" : "no"} |`);
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}`;
  return `\nMachine: ${machine}. ${ROUNDS} interleaved rounds of ${CALLS} calls; gates and audit on.\n\n| What | Measured | Limit | Holds |\n|---|---|---|---|\n${lines.join("\n")}\n\n`;
}

function write(text) {
  const file = join(root, "docs/performance.md");
  const page = readFileSync(file, "utf8");
  writeFileSync(file, page.replace(/(<!-- bench:loop -->\n)[\s\S]*?(<!-- \/bench:loop -->)/, `$1${text}$2`));
}
