import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLIENTS, claudeBash, type HookdBox, LAUNCHER, openHookdBox } from "./hookd-box.ts";

const isRoot = process.getuid?.() === 0;
let box: HookdBox;
beforeEach(() => {
  box = openHookdBox();
});
afterEach(() => box.remove());

/** Somebody who listens in place of hookd. */
async function impostor(meet: (socket: Socket) => void): Promise<() => void> {
  mkdirSync(box.folder, { recursive: true, mode: 0o700 });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    meet(socket);
  });
  const path = join(box.folder, "hook.sock");
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  return () => {
    server.close();
    rmSync(path, { force: true });
  };
}

describe.each(CLIENTS)("The %s client", (_name, client) => {
  const ask = (command: string) => box.run([...client, "claude", "pre"], { stdin: claudeBash(command, box.work) });

  it("starts hookd, and prints what it answers", async () => {
    let answered = await ask("sudo ls /");
    // On a slow machine it is not there within the two seconds that a client waits; the call is denied, and a later one finds it.
    while (answered.code === 2) answered = await ask("sudo ls /");
    const { code, stdout } = answered;
    expect([code, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([0, "deny"]);
    const alive = await box.hello();
    await ask("ls");
    expect((await box.hello())?.pid).toBe(alive?.pid);
  });

  it.each([
    ["ends without a word", (socket: Socket) => socket.end(), /ended without an answer/],
    ["answers with garbage", (socket: Socket) => socket.end('{"stdout":""}\n'), /something that is no answer/],
    ["never answers", () => {}, /no answer in time/],
    ["answers with half a frame", (socket: Socket) => socket.end("o\0\0\0\u0009ab"), /ended without an answer/],
  ])("denies a call when hookd %s", async (_how, meet, why) => {
    const end = await impostor(meet);
    const { code, stdout, stderr } = await ask("ls");
    end();
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(why);
    expect(stderr).toContain("the call is not made");
  });

  it("refuses a folder that others can enter", async () => {
    const end = await impostor((socket) => socket.end("x\0\0\0\u0001\0"));
    chmodSync(box.folder, 0o755);
    const { code, stderr } = await ask("ls");
    end();
    expect([code, stderr]).toEqual([2, expect.stringContaining("not private")]);
  });

  it.runIf(isRoot)("refuses a socket of another user", async () => {
    const end = await impostor((socket) => socket.end("x\0\0\0\u0001\0"));
    chownSync(join(box.folder, "hook.sock"), 65534, 65534);
    const { code, stderr } = await ask("ls");
    end();
    expect([code, stderr]).toEqual([2, expect.stringContaining("somebody else")]);
  });

  it("fails when hookd is killed under way, and the next one starts another", async () => {
    await box.warm();
    const child = box.start([...client, "exec", "--", "echo ready; sleep 1000"]);
    const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
    let said = "";
    child.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    await new Promise((resolve) => void child.stdout!.once("data", resolve));
    const first = (await box.hello())!;
    process.kill(first.pid, "SIGKILL");
    expect(await ended).toBe(2);
    expect(said).toContain("it ended while the command ran");
    await ask("sudo ls");
    while (!(await box.hello())) await ask("sudo ls");
    expect((await box.hello())?.pid).not.toBe(first.pid);
  });
});

it("hookd keeps sixteen workspaces open, and answers about any number", async () => {
  const client = CLIENTS[0]![1];
  await box.warm();
  for (let n = 0; n < 18; n++) {
    const cwd = join(box.work, `w${n}`);
    mkdirSync(cwd);
    const { stdout } = await box.run([...client, "claude", "pre"], { stdin: claudeBash("sudo ls", cwd) });
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
  }
  expect((await box.hello())?.workspaces).toBe(16);
});

it.each([
  ["no JSON", "hello\n"],
  ["another language", '{"v":2}\n'],
  ["no folder", '{"v":1,"client":"claude","event":"pre"}\n'],
  ["a command that is no list", '{"v":1,"cwd":"/","exec":"ls"}\n'],
  ["no UTF-8", "\u{fffd}\xff\n"],
])("hookd refuses a line with %s, and goes on", async (_what, line) => {
  await box.warm();
  const said = JSON.parse(await box.say(line));
  expect([said.exit, said.stdout]).toEqual([2, ""]);
  expect(await box.hello()).not.toBeNull();
});

it("the launcher finds its client through a link", async () => {
  await box.warm();
  const link = join(box.work, "zeph-hook");
  symlinkSync(LAUNCHER, link);
  const { code, stdout } = await box.run([link, "claude", "pre"], { stdin: claudeBash("sudo ls", box.work) });
  expect([code, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([0, "deny"]);
});

it("a folder that a project put into PATH does not decide which Node starts hookd", async () => {
  const folder = join(box.work, "node_modules/.bin");
  const proof = join(box.work, "proof");
  mkdirSync(folder, { recursive: true });
  for (const to of [folder, box.work]) writeFileSync(join(to, "node"), `#!/bin/sh\necho "$@" >> ${proof}\n`, { mode: 0o700 });
  for (const first of [folder, box.work, ".", "", "node_modules/.bin", `${box.env.HOME}/../work/node_modules/.bin`]) {
    const env = { ...box.env, PATH: `${first}:${box.env.PATH}` };
    const child = spawn(LAUNCHER, ["claude", "pre"], { cwd: box.work, env, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(claudeBash("sudo ls", box.work));
    await new Promise((resolve) => void child.on("close", resolve));
    expect([first, existsSync(proof)]).toEqual([first, false]);
    const running = await box.hello();
    if (running) process.kill(running.pid);
    await expect.poll(() => box.hello()).toBeNull();
  }
});

it("variables that a project's .env may bring decide neither who answers nor by which settings", async () => {
  const evil = join(box.work, "evil");
  writeFileSync(evil, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
  // Somebody who lets everything through, at a socket in the project.
  const runtime = join(box.work, "x/zeph");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const server = createServer((socket) => socket.once("data", () => socket.end(Buffer.from([0x78, 0, 0, 0, 1, 0]))));
  await new Promise<void>((resolve) => server.listen(join(runtime, "hook.sock"), resolve));
  mkdirSync(join(box.work, "x/zeph/hook"), { recursive: true, mode: 0o700 });
  await box.warm();
  for (const env of [
    { ZEPH_HOOK_NODE: "1", ZEPH_NODE: evil },
    { XDG_RUNTIME_DIR: join(box.work, "x") },
    { XDG_STATE_HOME: join(box.work, "x") },
    { NODE_OPTIONS: `--require=${evil}` },
  ]) {
    const child = spawn(LAUNCHER, ["claude", "pre"], { cwd: box.work, env: { ...box.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    child.stdin.end(claudeBash("sudo ls", box.work));
    await new Promise((resolve) => void child.on("close", resolve));
    expect(said, JSON.stringify(env)).toContain('"permissionDecision":"deny"');
  }
  server.close();
});
