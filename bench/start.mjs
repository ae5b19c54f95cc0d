// `node bench/start.mjs [rounds]`: how long a person waits for the prompt of the chat, in a pseudo-terminal, against `node -e 0`;
// and how long until what they typed meanwhile is taken. The pseudo-terminal's own start counts against us.
// Both take turns in one run, so a busy machine slows both. Needs `npm run build` and `script` (util-linux).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, timed } from "./measure.mjs";

/** Of util-linux: a pseudo-terminal. */
const SCRIPT = "script";
const LIMIT = 2;
/** What a chat holds that nobody has said anything in yet, in MB. */
const LIMIT_IDLE = 92;
const SETTLED_MS = 1000;
const rounds = Number(process.argv[2] ?? 40);
const zeph = fileURLToPath(new URL("../bin/zeph.cjs", import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-start-")));
const env = {
  PATH: process.env.PATH,
  TERM: "xterm",
  LANG: "C.UTF-8",
  HOME: base,
  XDG_STATE_HOME: join(base, "state"),
  XDG_CONFIG_HOME: join(base, "config"),
};
const work = join(base, "work");

/** From the start of the process to the prompt, and to the greeting, which comes when everything is read. */
async function start() {
  const began = performance.now();
  const child = spawn(SCRIPT, ["-qec", `exec '${process.execPath}' '${zeph}'`, "/dev/null"], { cwd: work, env });
  let shown = "";
  let prompt = 0;
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      shown += chunk;
      if (prompt === 0 && shown.includes("❯ ")) prompt = performance.now() - began;
      if (shown.includes("/help")) resolve();
    });
    child.on("close", () => reject(new Error(`It ended before the prompt: ${shown}`)));
  });
  return { child, prompt, ready: performance.now() - began };
}

/** Memory of the chat in the pseudo-terminal when it has settled, in MB. */
async function idleMemory() {
  const { child } = await start();
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  await leave(child);
  return rss;
}

/** Ctrl-D, and the end of it: nothing of this round runs beside the next one. */
async function leave(child) {
  child.stdin.write("\u0004");
  await once(child, "close");
}

async function bare() {
  await once(spawn(process.execPath, ["-e", "0"], { cwd: work, env, stdio: "ignore" }), "close");
}

try {
  mkdirSync(work, { recursive: true });
  mkdirSync(join(base, "config/zeph"), { recursive: true });
  writeFileSync(join(work, "turns.json"), JSON.stringify([[{ type: "text", text: "Hello." }]]));
  writeFileSync(join(base, "config/zeph/config.toml"), '[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\n');
  const times = { prompt: [], ready: [], bare: [] };
  for (let round = -3; round < rounds; round++) {
    const yardstick = await timed(bare);
    const { child, prompt, ready } = await start();
    await leave(child);
    if (round < 0) continue;
    times.bare.push(yardstick);
    times.prompt.push(prompt);
    times.ready.push(ready);
  }
  const one = median(times.bare);
  const against = (ms) => `${(ms / one).toFixed(2)} × (${ms.toFixed(0)} ms against ${one.toFixed(0)} ms)`;
  const holds = median(times.prompt) / one <= LIMIT;
  process.stdout.write(
    `${holds ? "ok  " : "MISS"} zeph to the first prompt against node -e 0: ${against(median(times.prompt))} (limit ${LIMIT} ×)\n`,
  );
  process.stdout.write(`     the same until everything is read: ${against(median(times.ready))}\n`);
  const idle = await idleMemory();
  process.stdout.write(
    `${idle <= LIMIT_IDLE ? "ok  " : "MISS"} memory of a chat in which nothing was said: ${idle.toFixed(0)} MB (limit ${LIMIT_IDLE} MB)\n`,
  );
  process.exitCode = holds && idle <= LIMIT_IDLE ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
