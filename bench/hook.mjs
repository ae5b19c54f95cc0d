// What a hook costs an agent, as ratios to the bare start of Node within one run; and what `zeph exec` adds to a command behind the same walls.
// Rounds are interleaved, so that a busy machine is busy for all of them alike.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runWalled } from "../dist/lib/sandbox.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = Number(process.argv[2] ?? 25);
const base = mkdtempSync(join(tmpdir(), "zeph-bench-hook-"));
for (const name of ["run", "home", "w0", "w1", "w2", "w3"]) mkdirSync(join(base, name));
chmodSync(join(base, "run"), 0o700);
const env = { PATH: process.env.PATH, HOME: join(base, "home"), XDG_RUNTIME_DIR: join(base, "run") };
const cwd = join(base, "w0");
const native = join(root, `vendor/zeph-hook-linux-${process.arch}`);
const node = [process.execPath, join(root, "bin/hook-client.cjs")];
const small = existsSync(native) ? [native] : node;

/** Milliseconds from the start of a program to its end. */
function time([file, ...args], { input = "", at = cwd } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(file, args, { cwd: at, env, stdio: [input === "" ? "ignore" : "pipe", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.stderr.on("data", (chunk) => (said += chunk));
    child.stdin?.end(input);
    child.on("close", (code) =>
      code === 0 ? resolve(performance.now() - started) : reject(new Error(`${file} ${args}: ${code} ${said}`)),
    );
  });
}

const call = (at) =>
  JSON.stringify({
    session_id: "s",
    transcript_path: "/x",
    cwd: at,
    prompt_id: "p",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git status" },
    tool_use_id: "t",
  });
const hook = (client, at = cwd) => time([...client, "claude", "pre"], { input: call(at), at });

const hello = () =>
  new Promise((resolve, reject) => {
    const socket = connect(join(base, "run/zeph/hook.sock"));
    socket.on("error", reject).on("data", (text) => {
      resolve(JSON.parse(text));
      socket.end();
    });
    socket.write('{"v":1,"hello":true}\n');
  });

const CELLS = {
  "node -e 0": () => time([process.execPath, "-e", "0"]),
  "sh -c true": () => time(["sh", "-c", "true"]),
  "native client, judged": () => hook(small),
  "bin/zeph-hook, judged": () => hook([join(root, "bin/zeph-hook")]),
  "node client, judged": () => hook(node),
  "true behind the walls": async () => {
    const started = performance.now();
    await runWalled("true", { cwd });
    return performance.now() - started;
  },
  "zeph-hook exec -- true": () => time([...small, "exec", "--", "true"]),
  "zeph exec -- true": () => time([process.execPath, join(root, "bin/zeph.cjs"), "exec", "--", "true"]),
};

try {
  const cold = await hook(small);
  for (const name of ["w1", "w2", "w3"]) await hook(small, join(base, name));
  const { pid, workspaces } = await hello();
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  const took = Object.fromEntries(Object.keys(CELLS).map((name) => [name, []]));
  for (const run of Object.values(CELLS)) await run();
  for (let round = 0; round < ROUNDS; round++) for (const [name, run] of Object.entries(CELLS)) took[name].push(await run());
  const at = (name, share) => took[name].toSorted((a, b) => a - b)[Math.floor(took[name].length * share)];
  console.log(`${ROUNDS} rounds\n\n| | min ms | p50 ms | x node -e 0 |\n|---|---|---|---|`);
  for (const name of Object.keys(CELLS))
    console.log(
      `| ${name} | ${at(name, 0).toFixed(1)} | ${at(name, 0.5).toFixed(1)} | ${(at(name, 0.5) / at("node -e 0", 0.5)).toFixed(2)} |`,
    );
  const more = (name, share) => (at(name, share) - at("true behind the walls", share)).toFixed(1);
  console.log(
    `\nadded by zeph-hook exec: ${more("zeph-hook exec -- true", 0)} ms (min), ${more("zeph-hook exec -- true", 0.5)} ms (p50); bar 60`,
  );
  console.log(`added by zeph exec: ${more("zeph exec -- true", 0)} ms (min), ${more("zeph exec -- true", 0.5)} ms (p50); bar 60`);
  console.log(`first answer, cold: ${cold.toFixed(0)} ms; bar 1000`);
  console.log(`hookd with ${workspaces} workspaces: ${rss.toFixed(0)} MB; bar 150`);
  process.kill(pid, "SIGTERM");
} finally {
  spawnSync("sleep", ["3"]);
  rmSync(base, { recursive: true, force: true });
}
