import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { processKey } from "../../src/files/agent-process.ts";
import { askPeer } from "../../src/host/ask-peer.ts";
import { openStore } from "../../src/store/open.ts";
import { claudeBash, type HookdBox, openHookdBox, untilGone, ZEPH } from "./hookd-box.ts";
import { startStandIn } from "./stand-in-client.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const native = join(root, `vendor/zeph-hook-linux-${process.arch}`);

let box: HookdBox;
beforeEach(() => {
  box = openHookdBox();
});
afterEach(() => box.remove());

describe.runIf(process.platform === "linux")("the process at the other end of a socket", () => {
  /** A program that connects, and the end of the connection that is here. */
  async function connected(code: string) {
    const path = join(box.work, "s");
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    const accepted = new Promise<Socket>((resolve) => void server.once("connection", resolve));
    const child = spawn(process.execPath, ["-e", `const socket = require("net").connect(${JSON.stringify(path)}); ${code}`]);
    const socket = await accepted;
    const acceptedAt = performance.now();
    socket.on("error", () => {});
    onTestFinished(() => {
      child.kill("SIGKILL");
      socket.destroy();
      server.close();
    });
    return { child, question: { socket, acceptedAt, writable: [] } };
  }

  it("is told by the system, and what it sends is read all the same", async () => {
    const { child, question } = await connected(`socket.write("hello")`);
    expect(await askPeer(question)).toEqual({ pid: child.pid, key: processKey(child.pid!), uid: process.getuid?.() });
    const text = new Promise((resolve) => void question.socket.once("data", (bytes) => resolve(String(bytes))));
    expect(await text).toBe("hello");
  });

  it("is not told when it has ended, though it left its connection to another process", async () => {
    const { child, question } = await connected(
      `socket.on("connect", () => {
        require("child_process").spawn("sleep", ["600"], { detached: true, stdio: ["ignore", "ignore", "ignore", socket._handle.fd] }).unref();
        process.exit();
      });`,
    );
    await new Promise((resolve) => void (child.exitCode === null ? child.once("close", resolve) : resolve(null)));
    expect(question.socket.readableEnded).toBe(false);
    expect(await askPeer(question)).toBeNull();
  });

  it("is not told without the program that asks", async () => {
    const { question } = await connected("");
    expect(await askPeer(question, () => ({ why: "it is not there" }))).toBeNull();
  });
});

const says = (more: object) => box.say({ v: 1, cwd: box.work, client: "claude", event: "pre", input: claudeBash("ls", box.work), ...more });

it("hookd goes on whatever version a process of the user says it is of, and answers it", async () => {
  await box.warm();
  const first = (await box.hello())!;
  expect(JSON.parse(await box.say({ v: 1, zeph: "x", hello: true }))).toMatchObject({ pid: first.pid });
  expect(JSON.parse(await says({ zeph: "99.0.0" }))).toMatchObject({ exit: 0 });
  expect((await box.hello())?.pid).toBe(first.pid);
});

it.runIf(process.platform === "linux")("a ticket is not for a process that only says that it is below the agent", async () => {
  await box.run([process.execPath, ZEPH, "hook", "install", "claude", "--mode", "walls", "--yes"]);
  await box.warm();
  const claude = startStandIn("claude", box);
  onTestFinished(claude.end);
  const child = Number((await claude.run("sleep 600 >/dev/null 2>&1 & echo $!")).stdout);
  onTestFinished(() => void process.kill(child, "SIGKILL"));
  const ticketFor = async (command: string): Promise<string> => {
    const { stdout } = await claude.run(`${native} claude pre`, claudeBash(command, box.work));
    return /exec ([0-9a-f]{32})/.exec(stdout)![1]!;
  };
  const said = await box.say({ v: 1, exec: [], ticket: await ticketFor("echo ran"), cwd: box.work, frames: true, pid: child });
  expect(said).toContain("this ticket was used, is too old, or is for another command or session");
  expect(await claude.run(`${native} exec ${await ticketFor("echo ran")}`)).toMatchObject({ code: 0, stdout: "ran\n" });
});

it("what a session has read is known to the next hookd, however the first one ended", async () => {
  writeFileSync(join(box.work, ".env"), "SECRET=abc\n");
  const event = (name: string, input: object, id: string, response?: object) => ({
    ...{ session_id: "s", transcript_path: "/x", cwd: box.work, permission_mode: "default", tool_name: name, tool_input: input },
    ...{ tool_use_id: id, hook_event_name: response ? "PostToolUse" : "PreToolUse" },
    ...(response && { tool_response: response }),
  });
  const call = async (name: string, input: object, id: string, response?: object) => {
    await says({ input: event(name, input, id) });
    if (response) await says({ event: "post", input: event(name, input, id, response) });
  };
  const push = async () =>
    JSON.parse(await says({ input: event("Bash", { command: "git push origin main" }, `p${Math.random()}`) })).stdout as string;
  await box.warm();
  expect(await push()).not.toContain("sentinel");
  const file = { filePath: join(box.work, ".env"), content: "SECRET=abc", numLines: 1, startLine: 1, totalLines: 1 };
  await call("Read", { file_path: file.filePath }, "r", { type: "text", file });
  const url = "https://stranger.example.com/";
  await call("WebFetch", { url, prompt: "x" }, "w", { bytes: 1, code: 200, codeText: "OK", result: "x", durationMs: 1, url });
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    expect(await push()).toContain("zeph sentinel");
    const { pid } = (await box.hello())!;
    process.kill(pid, signal);
    await untilGone(pid);
    await box.warm();
  }
  expect(await push()).toContain("zeph sentinel");
  // And where there is no hookd at all.
  const alone = await box.run([process.execPath, ZEPH, "hook", "run", "claude", "pre"], {
    stdin: JSON.stringify(event("Bash", { command: "git push origin main" }, "alone")),
  });
  expect(alone.stdout).toContain("zeph sentinel");
});

it("two processes that judge calls of one session at once lose no count of it", { timeout: 60_000 }, async () => {
  writeFileSync(join(box.work, "a.txt"), "a");
  const config = join(box.env.HOME!, ".config/zeph");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.toml"), COUNTED);
  await box.run([process.execPath, ZEPH, "hook", "run", "claude", "pre"], { stdin: pre("begin") });
  const ids = Array.from({ length: 8 }, (_, n) => `call${n}`);
  // Without hookd each is a process of its own.
  const ends = await Promise.all(ids.map((id) => box.run([process.execPath, ZEPH, "hook", "run", "claude", "pre"], { stdin: pre(id) })));
  expect(ends.map(({ code }) => code)).toEqual(ids.map(() => 0));
  const store = openStore(join(box.env.HOME!, ".local/state/zeph/zeph.db"));
  const { items } = store.sessionMemory.read({ workspace: box.work, owner: "caller client:claude together" }, 0)!;
  await store.close();
  expect([...items.keys()].filter((name) => name.startsWith("quota "))).toHaveLength(9);
  // Of the steps as many are kept as the longest sequence needs.
  expect(JSON.parse(items.get("sentinel.conversations ")!)).toMatchObject({ calls: 9 });
});

const COUNTED = `[tools]
max_tool_calls_per_session = 50
[tools.governance]
trajectory_enabled = true
block_risky_patterns = true
blocked_sequences = [["read", "b.txt", "bash", "ls"]]
`;
const pre = (id: string): string =>
  JSON.stringify({
    ...{ session_id: "together", transcript_path: "/x", cwd: box.work, permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Read", tool_input: { file_path: join(box.work, "a.txt") }, tool_use_id: id },
  });
