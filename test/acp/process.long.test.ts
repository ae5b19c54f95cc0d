import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended } from "../e2e/zeph.ts";
import { editorOn, until } from "./editor.ts";

const HANGING = 'autonomy = "full"\n';

function started(here: Box) {
  const child = here.start(["acp"]);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const lines: string[] = [];
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const [seen, read] = output.tee();
  void (async () => {
    for await (const chunk of seen) lines.push(...String(Buffer.from(chunk)).split("\n").filter(Boolean));
  })();
  const stream: Stream = ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, read);
  return { child, stream, lines, stderr: () => stderr };
}

describe("zeph acp", () => {
  test("a whole session over pipes; nothing but the protocol is on stdout", async () => {
    const here = scripted(box(), [[says("I look."), calls("read", { path: "a.txt" })], [says("done")]]);
    here.write("a.txt", "one\n");
    const { child, stream, lines, stderr } = started(here);
    const editor = editorOn(stream);
    expect(await editor.initialize()).toMatchObject({ protocolVersion: 1, agentInfo: { name: "zeph" } });
    const sessionId = await editor.begin(here.cwd);
    expect(await editor.prompt(sessionId, "look")).toBe("end_turn");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
    expect(editor.text()).toBe("I look.done");
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect([code, stderr()]).toEqual([0, ""]);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  test.each([
    ["its stdin ends", (child: ReturnType<Box["start"]>) => void child.stdin.end()],
    ["SIGTERM", (child: ReturnType<Box["start"]>) => void child.kill("SIGTERM")],
    ["SIGINT", (child: ReturnType<Box["start"]>) => void child.kill("SIGINT")],
  ])("ends within 2 s when %s, and what ran ends with it", async (_name, end) => {
    const here = scripted(box(), [[calls("bash", { command: "echo $$ > pid; sleep 71.5" })], [says("x")]], HANGING);
    const { child, stream } = started(here);
    const editor = editorOn(stream);
    await editor.initialize();
    const sessionId = await editor.begin(here.cwd);
    void editor.prompt(sessionId, "go").catch(() => {});
    await until("the command runs", () => running("sleep 71.5", here.cwd));
    const began = performance.now();
    end(child);
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    await until("the command is over", () => !running("sleep 71.5", here.cwd));
  });

  test("a message over 16 MiB is answered with an error that names its id, and the next one is read", async () => {
    const { child, lines, stderr } = started(scripted(box(), [[says("still here")]]));
    const long = "x".repeat(17 * 1024 * 1024);
    const prompt = (id: number, first: object) =>
      `${JSON.stringify({ jsonrpc: "2.0", ...first, method: "session/prompt", params: { id: 99, prompt: [{ type: "text", text: long }] }, id })}\n`;
    const answers = () => lines.map((line) => JSON.parse(line));
    child.stdin.write(prompt(41, {}));
    child.stdin.write(prompt(42, { other: { id: 7 } }));
    child.stdin.write(`${long}\n`);
    child.stdin.write('{"jsonrpc":"2.0","id":43,"method":"initialize","params":{"protocolVersion":1}}\n');
    await until("the last message is answered", () => answers().some(({ id }) => id === 43));
    expect(answers().map(({ id, error }) => [id, error?.message.split(" and ")[0]])).toEqual([
      [41, "The message is longer than 16 MiB"],
      [42, "The message is longer than 16 MiB"],
      [null, "The message is longer than 16 MiB"],
      [43, undefined],
    ]);
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect([code, stderr()]).toEqual([0, ""]);
  });

  test("garbage, unknown methods and bad parameters are answered and end nothing", async () => {
    const here = scripted(box(), [[says("still here")]]);
    const { child, lines } = started(here);
    const ask = (line: string) => void child.stdin.write(`${line}\n`);
    ask("this is no JSON");
    ask("[1,2]");
    ask('{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}');
    ask('{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"x"}}');
    ask('{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":1}}');
    await until("it is initialized", () => lines.some((line) => JSON.parse(line).id === 3));
    ask('{"jsonrpc":"2.0","id":4,"method":"no/such","params":{}}');
    ask('{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":7}}');
    ask('{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}}');
    ask('{"jsonrpc":"2.0","id":99,"result":{}}');
    ask('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":null}}');
    ask(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "session/new", params: { cwd: here.cwd, mcpServers: [] } }));
    await until("the last is answered", () => lines.some((line) => JSON.parse(line).id === 7));
    const answers = lines.map((line) => JSON.parse(line)).filter(({ method }) => method === undefined);
    const codes = Object.fromEntries(answers.filter(({ id }) => id !== null).map(({ id, error }) => [id, error?.code ?? "ok"]));
    expect(codes).toEqual({ 1: -32600, 2: -32602, 3: "ok", 4: -32601, 5: -32602, 6: -32002, 7: "ok" });
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([-32700, -32600]);
    child.stdin.end();
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  test("a line of 40 MB fills no memory and ends nothing", async () => {
    const { child, lines } = started(scripted(box(), []));
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (let n = 0; n < 40; n++) child.stdin.write(piece);
    child.stdin.write('\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    await until("it answers", () => lines.some((line) => JSON.parse(line).id === 1));
    child.stdin.end();
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  test("a broken configuration is told to whoever opens a session", async () => {
    const here = box();
    here.config("autonomy = 7\n");
    const { stream } = started(here);
    const editor = editorOn(stream);
    await editor.initialize();
    await expect(editor.begin(here.cwd)).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("autonomy") });
  });

  test("without any model it says how to get one", async () => {
    const here = box();
    const { stream } = started(here);
    const editor = editorOn(stream);
    await editor.initialize();
    const sessionId = await editor.begin(here.cwd);
    expect(await editor.prompt(sessionId, "hello")).toBe("end_turn");
    expect(editor.text()).toMatch(/ANTHROPIC_API_KEY.*new session/s);
  });

  test("words are refused", async () => {
    const here = scripted(box(), []);
    const { code, stderr } = await ended(here.start(["acp", "now"]));
    expect([code, stderr]).toEqual([2, expect.stringContaining("too many arguments for 'acp'")]);
  });
});

/** Whether such a command runs in this folder. */
function running(command: string, cwd: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() === command && readlinkSync(`/proc/${pid}/cwd`) === cwd
        );
      } catch {
        return false;
      }
    });
}
