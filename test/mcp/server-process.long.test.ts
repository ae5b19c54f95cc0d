import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, box } from "../e2e/zeph.ts";
import { connected } from "./server-support.ts";

const TOKEN = "a-token-for-this-test-only";
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const INITIALIZE = line({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const bash = (id: number, args: object) => line({ id, method: "tools/call", params: { name: "bash", arguments: args } });
/** Whether any process has this in its command line. */
const running = (text: string) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(text);
      } catch {
        return false;
      }
    });

function started(...args: Parameters<ReturnType<typeof box>["start"]>) {
  const place = box();
  const child = place.start(...args);
  let out = "";
  let err = "";
  child.stdout.on("data", (piece) => {
    out += piece;
  });
  child.stderr.on("data", (piece) => {
    err += piece;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { ...place, child, ended, out: () => out, err: () => err };
}

describe("zeph mcp", () => {
  it.each(["stdin", "SIGINT", "SIGTERM"] as const)(
    "ends by %s in time, with nothing left running and nothing but messages on stdout",
    async (how) => {
      const { child, ended, cwd, out, err } = started(["mcp"]);
      const mark = `${50 + ["stdin", "SIGINT", "SIGTERM"].indexOf(how)}.${process.pid}`;
      child.stdin.write(
        INITIALIZE + bash(1, { command: `sleep ${mark}1`, background: true }) + bash(2, { command: `touch began; sleep ${mark}2` }),
      );
      await expect.poll(() => existsSync(join(cwd, "began"))).toBe(true);
      expect(running(`sleep ${mark}`)).toBe(true);
      const began = performance.now();
      if (how === "stdin") child.stdin.end();
      else child.kill(how);
      expect(await ended).toBe(0);
      expect(performance.now() - began).toBeLessThan(25_000);
      await expect.poll(() => running(`sleep ${mark}`)).toBe(false);
      for (const text of out().trim().split("\n")) expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0" });
      expect(err()).toContain(`working in ${cwd}`);
    },
  );

  it("answers initialize before anything of the rest is read: also where the rest is not there", async () => {
    const at = mkdtempSync(join(tmpdir(), "zeph-first-"));
    onTestFinished(() => rmSync(at, { recursive: true, force: true }));
    mkdirSync(join(at, "dist/cli"), { recursive: true });
    for (const part of ["bin", "package.json", "dist/cli/first-answer.cjs"]) cpSync(part, join(at, part), { recursive: true });
    const child = spawn(process.execPath, [join(at, "bin/zeph.cjs"), "mcp"], { cwd: at });
    let out = "";
    child.stdout.on("data", (piece) => {
      out += piece;
    });
    child.stdin.write(INITIALIZE);
    // Its stdin stays open: that keeps nobody.
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      id: 0,
      result: { serverInfo: { name: "zeph" }, capabilities: { tools: {}, resources: {}, prompts: {} } },
    });
  });

  it("ends without a word of Node's when its client has left before the first answer", async () => {
    const { child, ended, err } = started(["mcp"]);
    child.stdout.destroy();
    child.stdin.write(INITIALIZE);
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(err()).not.toMatch(/Unhandled|node:internal/);
  });

  it("ends with a usage error though its client waits, when the configuration is wrong", async () => {
    const place = box();
    place.config('autonomy = "nonsense"\n');
    const child = place.start(["mcp"]);
    child.stdin.write(INITIALIZE);
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(2);
  });

  it("serves a client of the SDK: its tools, resources and prompts, and says that the client asks", async () => {
    const { cwd, env } = box();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "mcp", "--asked-by-client"],
      cwd,
      env,
      stderr: "pipe",
    });
    let err = "";
    transport.stderr!.on("data", (piece) => {
      err += piece;
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("bash");
    const { isError } = await client.callTool({ name: "write", arguments: { path: "a.txt", content: "x" } });
    expect([isError, existsSync(join(cwd, "a.txt")), err.includes("--asked-by-client: edits and commands")]).toEqual([
      undefined,
      true,
      true,
    ]);
    const [today] = (await client.readResource({ uri: "zeph://audit/today" })).contents;
    expect(today).toMatchObject({ text: expect.stringMatching(/1 call, 0 of them not made[\s\S]*write .*done, asked by the client/) });
    const { messages } = await client.getPrompt({ name: "explain-call" });
    expect(JSON.stringify(messages)).toContain("the client, which asks about each call itself");
  });

  it("answers a line of 10 MB with an error that names its id, and lives on", async () => {
    const { child, ended, out } = started(["mcp"]);
    const answers = () =>
      out()
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((text) => JSON.parse(text));
    child.stdin.write(INITIALIZE + line({ method: "notifications/initialized" }));
    child.stdin.write(bash(1, { command: `: ${"x".repeat(10 * 1024 * 1024)}` }));
    child.stdin.write(`${"[".repeat(10 * 1024 * 1024)}\n`);
    child.stdin.write(line({ id: 2, method: "tools/list" }));
    await expect.poll(() => answers().some(({ id }) => id === 2)).toBe(true);
    expect(answers().find(({ id }) => id === 1)).toMatchObject({ error: { message: expect.stringContaining("longer than 4 MiB") } });
    expect(answers().find(({ id }) => id === null)).toMatchObject({ error: { code: -32_600 } });
    // Deep, and short enough to be read.
    child.stdin.write(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}}\n`,
    );
    child.stdin.write(line({ id: 4, method: "tools/list" }));
    await expect.poll(() => answers().some(({ id }) => id === 4)).toBe(true);
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it("serves over HTTP with a token of its own, which no command sees", async () => {
    const { err, child, ended } = started(["mcp", "--http", "--port", "0"], { ZEPH_MCP_TOKEN: TOKEN });
    await expect.poll(err).toMatch(/http:\S+\/mcp/);
    // It was given, so it is not said again.
    expect(err()).not.toContain(TOKEN);
    const client = await connected(/http:\S+/.exec(err())![0]);
    const { content } = await client.callTool({ name: "bash", arguments: { command: "env; echo fine" } });
    expect(JSON.stringify(content)).toContain("fine");
    expect(JSON.stringify(content)).not.toContain(TOKEN);
    await client.close();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("makes a token where none is given, and takes no other machine in without one", async () => {
    const { err, child, ended } = started(["mcp", "--http", "--port", "0"]);
    await expect.poll(err).toMatch(/Authorization: Bearer [\w-]{43}\n/);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    for (const args of [
      ["--host", "0.0.0.0"],
      ["--port", "http"],
      ["--token", "short"],
      ["--workspace", "/no/such/folder"],
    ]) {
      const { code, stdout, stderr } = await box().runProcess(["mcp", "--http", ...args]);
      expect([args, code, stdout]).toEqual([args, 2, ""]);
      expect(stderr).not.toBe("");
    }
  });
});
