// `npm run bench:terminal`: what the chat's screen writes and how soon a key is seen, in a pseudo-terminal of 100 × 30.
// The model is a script that says 1,000 tokens, one each 5 ms. Needs `script` (util-linux).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { at } from "./measure.mjs";

const SCRIPT = "script";
const TOKENS = 1000;
const KEYS = 40;
const zeph = fileURLToPath(new URL("../bin/zeph.cjs", import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-terminal-")));
const work = join(base, "work");
const env = {
  PATH: process.env.PATH,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  HOME: base,
  XDG_STATE_HOME: join(base, "state"),
  XDG_CONFIG_HOME: join(base, "config"),
};
let isGood = true;
const row = (what, value, limit, unit) => {
  const holds = value <= limit;
  isGood &&= holds;
  process.stdout.write(`${holds ? "ok  " : "MISS"} ${what}: ${value.toFixed(value < 10 ? 1 : 0)} ${unit} (limit ${limit} ${unit})\n`);
};
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A chat in the pseudo-terminal, with everything it wrote and when. */
function open(more = {}) {
  const command = `stty cols 100 rows 30; exec '${process.execPath}' '${zeph}'`;
  const child = spawn(SCRIPT, ["-qec", command, "/dev/null"], { cwd: work, env: { ...env, ...more } });
  const written = [];
  let text = "";
  let wake = () => {};
  child.stdout.on("data", (chunk) => {
    written.push({ when: performance.now(), bytes: chunk.length, text: String(chunk) });
    text += chunk;
    wake();
  });
  return {
    child,
    written,
    type: (keys) => child.stdin.write(keys),
    mark: () => text.length,
    text: () => text,
    async see(wanted, from = 0) {
      while (!text.includes(wanted, from)) {
        if (child.exitCode !== null) throw new Error(`It ended: ${text.slice(-500)}`);
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
    memory() {
      const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
    },
    async leave() {
      child.stdin.write("\u0003\u0004");
      await once(child, "close");
    },
  };
}

/** From a letter to its place on the screen, one after the other. */
async function keyTimes(chat) {
  const times = [];
  for (let n = 0; n < KEYS; n++) {
    const letter = String.fromCharCode(97 + (n % 26));
    const from = chat.mark();
    const began = performance.now();
    chat.type(letter);
    await chat.see(letter, from);
    times.push(performance.now() - began);
    await rest(20);
  }
  return times;
}

/** Frames that began within any one second. */
function mostFrames(written) {
  const begins = written.flatMap(({ when, text }) => Array(text.split("\u001b[?2026h").length - 1).fill(when));
  return begins.reduce((most, when, n) => Math.max(most, begins.slice(n).filter((other) => other < when + 1000).length), 0);
}

try {
  mkdirSync(work, { recursive: true });
  mkdirSync(join(base, "config/zeph"), { recursive: true });
  const words = Array.from({ length: TOKENS }, (_, n) => (n % 60 === 59 ? "stop.\n\n" : n % 12 === 11 ? "**bold** " : "words "));
  const turns = [[{ type: "text", text: `${words.join("")}\n\nTHE END` }], [{ type: "text", text: `${words.join("")}\n\nTHE LAST` }]];
  writeFileSync(join(work, "turns.json"), JSON.stringify({ pace: { ms_per_token: 5 }, turns }));
  writeFileSync(join(base, "config/zeph/config.toml"), '[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\n');

  const plain = open({ ZEPH_UI_SCREEN: "plain" });
  await plain.see("/help");
  plain.type("go\r");
  await plain.see("THE END");
  await rest(500);
  const yardstick = plain.memory();
  await plain.leave();

  const chat = open();
  await chat.see("/help");
  await rest(1000);
  row("memory of a chat in which nothing was said", chat.memory(), 92, "MB");
  row("a key on the screen when nothing else happens, p95", at(0.95, await keyTimes(chat)), 5, "ms");
  chat.type("\u0003");
  await rest(700);
  const before = chat.written.length;
  chat.type("go\r");
  await chat.see("THE END");
  await rest(500);
  const answer = chat.written.slice(before);
  row(`bytes for ${TOKENS} tokens`, answer.reduce((sum, { bytes }) => sum + bytes, 0) / 1000, 60, "kB");
  row("frames in any one second", mostFrames(answer), 31, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  row("screens cleared, scrollbacks wiped, cursors sent home", chat.text().split(/\u001b\[(?:[23]J|H|1;1H)/).length - 1, 0, "");
  row("memory over the plain chat's after the same answer", Math.max(0, chat.memory() - yardstick), 12, "MB");
  await rest(700);
  chat.type("go\r");
  await rest(500);
  row("a key on the screen while the model speaks, p95", at(0.95, await keyTimes(chat)), 16, "ms");
  await chat.see("THE LAST");
  await rest(700);
  chat.type("\u0003");
  await rest(300);
  const from = chat.mark();
  const began = performance.now();
  chat.type(`\u001b[200~${"a line that was pasted\n".repeat(5600)}\u001b[201~`);
  await chat.see("pasted 5", from);
  row("129 kB pasted until they are shown", performance.now() - began, 100, "ms");
  await chat.leave();
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
