import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Question, ZephEvent } from "../../src/core/event.ts";
import { ToolRequest } from "../../src/core/request.ts";
import { askPeer } from "../../src/host/ask-peer.ts";
import { type FindPeer, type LiveServer, openLiveServer } from "../../src/live/live-server.ts";
import { noteWithoutWalls, refusalHere } from "../../src/live/without-walls.ts";
import { startClient } from "./orphan-client.ts";

const question = (call_id: string, more: Partial<Question> = {}): Question => ({
  call_id,
  tool: "write",
  args: { path: "a.txt", content: "the key is hunter2" },
  why: ["no rule allows it"],
  touches: [],
  ...more,
});
const started = (args: unknown): ZephEvent => ({
  type: "tool_start",
  request: ToolRequest.from({ id: "c1", name: "bash", args }, () => true)!,
});
const anything = () => null;
const findPeer: FindPeer = (connection, writable) => askPeer({ ...connection, writable });

/** A server in a folder of its own, with one runtime. */
async function open(folder = join(realpathSync(mkdtempSync(join(tmpdir(), "zeph-live-"))), "live")) {
  const server = await openLiveServer(folder, findPeer);
  onTestFinished(() => {
    server.close();
    rmSync(join(folder, ".."), { recursive: true, force: true });
  });
  const seat = server.join({
    kind: "chat",
    workspace: "/w",
    log: join(folder, "..", "audit.jsonl"),
    redact: (text) => text.replaceAll("hunter2", "***"),
  });
  const socket = join(folder, `${process.pid}.sock`);
  return { folder, server, seat, socket };
}

describe.skipIf(process.platform !== "linux")("the socket of a running process", () => {
  it("is private, tells what runs, and is gone when the process has left", async () => {
    const { folder, server, seat, socket } = await open();
    expect([statSync(folder).mode & 0o777, statSync(socket).mode & 0o777]).toEqual([0o700, 0o600]);
    seat.event({ type: "turn_start", turnId: "t", conversation: "conv", model: "m" });
    seat.event(started({ command: "echo hunter2" }));
    const client = startClient(socket, folder);
    expect(await client.hears("hello")).toMatchObject({
      pid: process.pid,
      version: expect.any(String),
      runs: [
        { kind: "chat", workspace: "/w", model: "m", conversation: "conv", calls: [{ call_id: "c1", args: { command: "echo ***" } }] },
      ],
      questions: [],
    });
    seat.event({ type: "text", text: "hunt" });
    seat.event({ type: "warning", message: `hunter2 ${"x".repeat(100_000)}` });
    const told = await client.hears("event");
    expect(told.event).toMatchObject({ type: "warning", message: expect.stringMatching(/^\*\*\* x+…$/) });
    expect(told.event.message.length).toBeLessThan(5_000);
    seat.leave();
    await client.hears("run_end");
    server.close();
    await client.hears("closed");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("does not look at an event that nobody hears", async () => {
    const { seat } = await open();
    let looks = 0;
    const message = () => {
      looks++;
      return "x";
    };
    seat.event({
      type: "warning",
      get message() {
        return message();
      },
    });
    expect(looks).toBe(0);
  });

  it.each([
    ["a process that names another one", String(process.ppid)],
    ["a process that has another one hold the file, and names that one", "lent"],
    ["a process that names the agent itself", String(process.pid)],
    ["a process that has closed the file", "not-held"],
    ["a process that only reads the file, as a search index does", "reading"],
    ["a process that does not know the text", "wrong-text"],
  ])("refuses %s", async (_, how) => {
    const { folder, seat, socket } = await open();
    seat.ask(question("q1"), anything);
    const client = startClient(socket, folder, how);
    expect(await client.hears("refused")).toMatchObject({ why: "The process did not show which one it is." });
    await client.hears("closed");
    expect(client.lines.map(({ type }) => type)).toEqual(["client", "prove", "refused", "closed"]);
    expect(readdirSync(folder)).toEqual([`${process.pid}.sock`]);
  });

  it("takes no answer where the system does not tell who answers, once commands run without walls", async () => {
    const { folder } = await open();
    expect(refusalHere(folder, null)).toBeNull();
    onTestFinished(noteWithoutWalls(folder));
    expect(refusalHere(folder, null)).toContain("This agent runs commands without walls");
    expect(refusalHere(folder, process.ppid)).toBeNull();
  });

  it("refuses what the process itself has started, and takes no answer from it", async () => {
    const { folder, seat, socket } = await open();
    const asked = seat.ask(question("q1"), anything);
    const client = startClient(socket, folder, "honest", "below");
    expect((await client.hears("refused")).why).toContain("was started by an agent");
    await client.hears("closed");
    // Still open: nobody has answered it.
    expect(asked.end({})).toBe(true);
  });

  it("refuses a process below an agent that has another log and listens in the same folder", async () => {
    const { folder, socket } = await open();
    const client = startClient(socket, folder, "honest", "below a listener");
    expect((await client.hears("refused")).why).toContain("was started by an agent");
  });

  it("lets a process in that is below nobody who listens, though a killed agent left a socket with the number of the process above", async () => {
    const { folder, socket } = await open();
    const client = startClient(socket, folder, "honest", "below a left socket");
    expect((await client.hears("hello")).pid).toBe(process.pid);
  });

  it("takes the first answer, and tells who comes second who was faster", async () => {
    const { folder, seat, socket } = await open();
    const asked = seat.ask(question("q1"), (said) => (said.by === "ada" ? "Not you." : null));
    const [one, other] = [startClient(socket, folder), startClient(socket, folder)];
    expect((await one.hears("hello")).questions).toMatchObject([{ call_id: "q1", question: { args: { content: "the key is ***" } } }]);
    await other.hears("hello");
    one.says({ answer: "once", call_id: "q1", by: "ada", where: "zeph watch" });
    expect(await one.hears("answer_refused")).toMatchObject({ why: "Not you." });
    one.says({ answer: "once", call_id: "q1", by: "maria\u001b[2J", where: "zeph watch", reason: "fine" });
    expect(await asked.answered).toEqual({ answer: "once", by: "maria\\u001b[2J", where: "zeph watch", reason: "fine" });
    expect(await one.hears("answer_taken")).toMatchObject({ call_id: "q1" });
    expect(await other.hears("question_end")).toMatchObject({ answered: { answer: "once", where: "zeph watch" } });
    other.says({ answer: "no", call_id: "q1", by: "bob" });
    expect((await other.hears("answer_refused")).why).toMatch(/^Too late: the question was answered in zeph watch by maria.*: once\.$/);
    // The end here comes too late as well.
    expect(asked.end({ answered: { answer: "no" } })).toBe(false);
  });

  it("never takes an answer to one question of a call for the next one", async () => {
    const { folder, seat, socket } = await open();
    const client = startClient(socket, folder);
    await client.hears("hello");
    seat.ask(question("q1"), anything).end({ answered: { answer: "once", by: "user", where: "the terminal" } });
    const next = seat.ask(question("q1", { wants: "It wants to reach example.com." }), anything);
    client.says({ answer: "always", call_id: "q1", by: "maria" });
    expect((await client.hears("answer_refused")).why).toBe("Too late: the question was answered in the terminal by user: once.");
    client.says({ answer: "no", call_id: "q1.2", by: "maria" });
    expect((await next.answered).answer).toBe("no");
  });

  it("takes only a no for a question that cannot be shown whole", async () => {
    const { folder, seat, socket } = await open();
    const asked = seat.ask(question("q1", { args: { content: "x".repeat(700_000) } }), anything);
    const client = startClient(socket, folder);
    expect((await client.hears("hello")).questions).toMatchObject([{ too_long: true, question: { args: {} } }]);
    client.says({ answer: "once", call_id: "q1", by: "maria" });
    expect((await client.hears("answer_refused")).why).toContain("too long");
    client.says({ answer: "no", call_id: "q1", by: "maria" });
    expect((await asked.answered).answer).toBe("no");
  });

  it.each([
    ["sends a line without an end", "x".repeat(100_000)],
    ["sends no JSON", "what?"],
    ["sends what is no answer", { answer: "perhaps", call_id: "q1", by: "maria" }],
    ["answers without a name", { answer: "once", call_id: "q1", by: "  " }],
  ])("cuts off a client that %s", async (_, line) => {
    const { folder, seat, socket } = await open();
    const asked = seat.ask(question("q1"), anything);
    const client = startClient(socket, folder);
    await client.hears("hello");
    client.says(line);
    await client.hears("closed");
    expect(asked.end({})).toBe(true);
  });

  it("cuts off a client that does not read, and serves the others", async () => {
    const { folder, seat, socket } = await open();
    const slow = startClient(socket, folder);
    const other = startClient(socket, folder);
    await slow.hears("hello");
    await other.hears("hello");
    const { pid } = await slow.hears("client");
    process.kill(pid, "SIGSTOP");
    for (let n = 0; n < 40; n++) {
      seat.ask(question(`q${n}`, { args: { content: "y".repeat(300_000) } }), anything).end({});
      // Who reads is not cut off.
      await expect.poll(() => other.lines.filter(({ type }) => type === "question_end").length, { interval: 5 }).toBe(n + 1);
    }
    process.kill(pid, "SIGCONT");
    await slow.hears("closed");
    expect(slow.lines.filter(({ type }) => type === "question").length).toBeLessThan(40);
  });

  it("lets only so many in at once", async () => {
    const { folder, socket } = await open();
    const clients = Array.from({ length: 16 }, () => startClient(socket, folder));
    for (const client of clients) await client.hears("hello");
    const more = startClient(socket, folder);
    await more.hears("closed");
    expect(more.lines.map(({ type }) => type)).toEqual(["client", "closed"]);
  });

  it("is found behind a path that is too long for a socket", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-live-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const long = join(root, "x".repeat(150));
    mkdirSync(long);
    const { folder, socket } = await open(join(long, "live"));
    expect(existsSync(socket)).toBe(true);
    const short = join(root, "s");
    const { symlinkSync } = await import("node:fs");
    symlinkSync(folder, short);
    const client = startClient(join(short, `${process.pid}.sock`), folder);
    await client.hears("hello");
  });

  it("removes what dead processes left, and makes its folder private", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-live-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const folder = join(root, "live");
    mkdirSync(folder, 0o755);
    chmodSync(folder, 0o755);
    const dead = spawn("true");
    await new Promise((done) => dead.once("close", done));
    for (const name of [`${dead.pid}.sock`, `${dead.pid}-ab.proof`, `${dead.pid}.at`, `${process.pid}.sock`, "notes.txt"])
      writeFileSync(join(folder, name), "");
    await open(folder);
    expect(readdirSync(folder).sort()).toEqual([`${process.pid}.sock`, "notes.txt"].sort());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

it("a server that cannot listen says so", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-live-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "live"), "");
  await expect(openLiveServer(join(root, "live"), findPeer) as Promise<LiveServer>).rejects.toThrow("is no folder of this user");
});
