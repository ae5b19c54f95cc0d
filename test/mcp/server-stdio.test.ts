import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ServingStdio, serveOverStdio } from "../../src/runtime/serve/start.ts";
import { place } from "./server-support.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { content?: { text: string }[]; tools?: { name: string }[]; isError?: boolean; [key: string]: unknown };
  readonly error?: { code: number };
  readonly params?: unknown;
}

/** A client that writes lines and reads lines. */
function piped(given: Partial<ServingStdio> & Pick<ServingStdio, "cwd" | "settings">) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stop = new AbortController();
  const came: Message[] = [];
  const folders: string[] = [];
  const warnings: string[] = [];
  let rest = "";
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    came.push(...lines.map((line) => JSON.parse(line) as Message));
  });
  const ended = serveOverStdio({
    workspaces: [],
    stdin,
    stdout,
    signal: stop.signal,
    warn: (message) => warnings.push(message),
    working: (folder) => folders.push(folder),
    ...given,
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const say = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const found = (find: (message: Message) => boolean) =>
    expect
      .poll(() => came.find(find))
      .toBeTruthy()
      .then(() => came.find(find)!);
  const answer = (id: number) => found((message) => message.id === id && message.method === undefined);
  const initialize = async (capabilities: object = {}) => {
    say({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } },
    });
    await answer(0);
    say({ method: "notifications/initialized" });
  };
  const call = (id: number, name: string, args: object, meta: object = {}) => {
    say({ id, method: "tools/call", params: { name, arguments: args, ...(Object.keys(meta).length > 0 && { _meta: meta }) } });
    return answer(id);
  };
  return { stdin, stop, ended, came, folders, warnings, say, found, answer, initialize, call };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const textOf = ({ result }: Message) => result?.content?.[0]?.text;

describe("over stdio", () => {
  it("both eras are served, and a session is one turn: cd carries on", async () => {
    const { work, settings } = place();
    mkdirSync(join(work, "deep"));
    writeFileSync(join(work, "deep", "a.txt"), "found\n");
    for (const meta of [{}, META]) {
      const client = piped({ cwd: work, settings: settings() });
      if (meta !== META) await client.initialize();
      expect((await client.call(1, "bash", { command: "cd deep && export WORD=kept" }, meta)).result!.isError).toBeUndefined();
      expect(textOf(await client.call(2, "bash", { command: "cat a.txt && echo $WORD" }, meta))).toContain("found\nkept");
      client.stdin.end();
      await client.ended;
    }
  });

  it("lines that are no messages end nothing", async () => {
    const { work, settings } = place();
    const client = piped({ cwd: work, settings: settings() });
    client.stdin.write('garbage\n{"jsonrpc":"1.0"}\n[]\n\n{}\n');
    await client.initialize();
    client.say({ id: 1, method: "no/such/method" });
    expect((await client.answer(1)).error).toMatchObject({ code: -32601 });
    client.say({ id: 2, method: "tools/call", params: { name: 7 } });
    expect((await client.answer(2)).error).toMatchObject({ code: -32602 });
    expect((await client.call(3, "list_directory", { path: "." })).result!.isError).toBeUndefined();
  });

  it("a line without end fills no memory, and the connection lives", async () => {
    const { work, settings } = place();
    const client = piped({ cwd: work, settings: settings() });
    await client.initialize();
    for (let n = 0; n < 6; n++) client.stdin.write("x".repeat(1024 * 1024));
    client.stdin.write("\n");
    expect((await client.call(3, "list_directory", { path: "." })).result!.isError).toBeUndefined();
  });

  it("a client's only root is where it works; without one, or with several, it is where it was started", async () => {
    const { root, work, settings } = place();
    const other = join(root, "other");
    mkdirSync(other);
    const uri = (path: string) => pathToFileURL(path).href;
    for (const [roots, workspaces, folder] of [
      [[uri(other)], [], other],
      [[], [], work],
      [[uri(other), uri(work)], [], work],
      [[uri(join(root, "none"))], [], work],
      [["https://example.org/"], [], work],
      // With folders given, only those.
      [[uri(other)], [work], work],
      [[uri(other)], [root], other],
    ] as const) {
      const client = piped({ cwd: work, settings: settings(), workspaces });
      await client.initialize({ roots: {} });
      client.say({ id: 1, method: "tools/list" });
      const asked = await client.found(({ method }) => method === "roots/list");
      client.say({ id: asked.id, result: { roots: roots.map((at) => ({ uri: at })) } });
      await client.answer(1);
      expect(client.folders).toEqual([folder]);
      client.stdin.end();
      await client.ended;
    }
  });

  it("it does not work in all of the machine or of the home, whoever names it, and says so", async () => {
    const { root, work, settings } = place();
    for (const [cwd, folder, workspaces] of [
      ["/", null, []],
      [work, "/", []],
      [work, homedir(), []],
      [work, join(root, "state"), []],
      [work, root, [root]],
    ] as const) {
      const client = piped({ cwd, settings: settings(), workspaces });
      await client.initialize(folder === null ? {} : { roots: {} });
      client.say({ id: 1, method: "tools/list" });
      if (folder !== null) {
        const asked = await client.found(({ method }) => method === "roots/list");
        client.say({ id: asked.id, result: { roots: [{ uri: pathToFileURL(folder).href }] } });
      }
      const refused = await client.answer(1);
      expect([folder, refused.error]).toEqual([
        folder,
        { code: -32600, message: expect.stringMatching(/no session may work.*--workspace/) },
      ]);
      expect(client.folders).toEqual([]);
      client.stdin.end();
      await client.ended;
    }
  });

  it("the first list does not wait for a server behind it, and the client is told when that has come", async () => {
    const { work, settings } = place();
    const good = fileURLToPath(new URL("./client-good.mjs", import.meta.url));
    const words = [join(work, "go"), process.execPath, good];
    const args = ["-c", 'until [ -e "$0" ]; do sleep 0.05; done; exec "$@"', ...words];
    const server = { name: "slow", command: "/bin/sh", args, allow_read: [dirname(dirname(dirname(good)))] };
    const client = piped({ cwd: work, settings: settings({}, { mcp: { servers: [server] } }) });
    await client.initialize();
    const names = async (id: number) => {
      client.say({ id, method: "tools/list" });
      return (await client.answer(id)).result!.tools!.map(({ name }) => name);
    };
    const before = await names(1);
    expect(before).toContain("bash");
    expect(before).not.toContain("mcp__slow__greet");
    expect(client.came.some(({ method }) => method === "notifications/tools/list_changed")).toBe(false);
    writeFileSync(join(work, "go"), "");
    await client.found(({ method }) => method === "notifications/tools/list_changed");
    expect(await names(2)).toEqual(expect.arrayContaining([...before, "mcp__slow__greet"]));
  });

  it("a request that was answered before is not answered again, and the next one of its id is", async () => {
    const { work, settings } = place();
    const client = piped({ cwd: work, settings: settings(), answered: { id: 0 } });
    client.say({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    });
    client.say({ method: "notifications/initialized" });
    client.say({ id: 1, method: "ping" });
    await client.answer(1);
    expect(client.came.map(({ id }) => id)).toEqual([1]);
    client.say({ id: 0, method: "ping" });
    await client.answer(0);
  });

  it("cancelled, left or stopped, a command ends at once", async () => {
    const { work, settings } = place();
    const leave = [
      (client: ReturnType<typeof piped>) => client.say({ method: "notifications/cancelled", params: { requestId: 5 } }),
      (client: ReturnType<typeof piped>) => client.stdin.end(),
      (client: ReturnType<typeof piped>) => client.stop.abort(),
    ];
    for (const [n, act] of leave.entries()) {
      const client = piped({ cwd: work, settings: settings() });
      await client.initialize();
      await client.call(1, "bash", { command: "true" });
      client.say({ id: 5, method: "tools/call", params: { name: "bash", arguments: { command: `touch began${n}; sleep 40` } } });
      await expect.poll(() => existsSync(join(work, `began${n}`))).toBe(true);
      const began = performance.now();
      act(client);
      if (n > 0) await client.ended;
      else {
        // The shell of the session is free again.
        expect(textOf(await client.call(6, "bash", { command: "echo next" }))).toContain("next");
        client.stdin.end();
        await client.ended;
      }
      expect(performance.now() - began).toBeLessThan(50_000);
    }
  });

  it("what ended in the background is told with the next result", async () => {
    const { work, settings } = place();
    const client = piped({ cwd: work, settings: settings() });
    await client.initialize();
    let id = 1;
    await client.call(1, "bash", { command: "until [ -e go ]; do sleep 0.05; done; echo from behind", background: true });
    writeFileSync(join(work, "go"), "");
    await expect
      .poll(async () => JSON.stringify((await client.call(++id, "list_directory", { path: "." })).result!.content))
      .toMatch(/\[background complete\] run_id=\S+ exit_code=0\\nfrom behind/);
  });
});
