import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, type Box, box, jsonLines } from "../e2e/zeph.ts";
import { connected, TOKEN, textOf } from "./server-support.ts";

interface Connecting {
  readonly flags?: readonly string[];
  /** Absent: the client cannot put questions. */
  readonly person?: () => ElicitResult;
}

/** A client of a `zeph mcp` that is a process of its own. */
async function connect(here: Box, { flags = [], person }: Connecting = {}) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: person ? { elicitation: { form: {} } } : {} });
  let questions = 0;
  if (person)
    client.setRequestHandler("elicitation/create", async () => {
      questions++;
      return person();
    });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...flags],
    cwd: here.cwd,
    env: here.env,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, questions: () => questions };
}

const WRITE = { path: "a.txt", content: "written\n" };
const write = (client: Client, args: object = WRITE) => client.callTool({ name: "write", arguments: { ...args } });
const idIn = (result: { content?: unknown }): string => /zeph answer ([0-9a-f]{8}) once/.exec(textOf(result))?.[1] ?? "";
const open = async (here: Box) => JSON.parse((await here.run(["answer", "--json"])).stdout) as { call_id: string }[];
const written = (here: Box) => existsSync(join(here.cwd, "a.txt"));
const logged = async (here: Box) =>
  jsonLines((await here.run(["audit", "tail", "--json"])).stdout).filter(({ kind, tool }) => kind === "call" && tool === "write");

describe("a call of a client that cannot ask", () => {
  it("is kept as a question, runs once when it is made again after a yes, and asks anew after that", async () => {
    const here = box();
    const { client } = await connect(here, { flags: ["mcp"] });
    const first = await write(client);
    expect(first.isError).toBe(true);
    expect(textOf(first)).toMatch(/category: confirmation_required[\s\S]*was not run[\s\S]*make the same call again/);
    // The same call is the same question.
    expect(idIn(await write(client))).toBe(idIn(first));
    expect(await open(here)).toHaveLength(1);
    const answered = await here.run(["answer", idIn(first), "once", "--by", "ada", "--reason", "fine"]);
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining("when the client makes the same call again") });
    expect([written(here), await open(here)]).toEqual([false, []]);
    expect((await here.run(["answer", idIn(first), "no"])).stderr).toContain("is open");
    // Another call is not covered.
    expect((await write(client, { ...WRITE, content: "other\n" })).isError).toBe(true);
    expect((await write(client)).isError).toBeUndefined();
    expect(readFileSync(join(here.cwd, "a.txt"), "utf8")).toBe("written\n");
    expect((await write(client)).isError).toBe(true);
    const log = await logged(here);
    expect(log.filter(({ outcome }) => outcome === "ok")).toMatchObject([{ approved_by: "ada", reason: "fine" }]);
  });

  it("is refused with the person's reason after a no, and a yes for the session counts in the session", async () => {
    const here = box();
    const { client } = await connect(here, { flags: ["mcp"] });
    await here.run(["answer", idIn(await write(client)), "no", "--reason", "use staging"]);
    expect(textOf(await write(client))).toContain("The user said no: use staging");
    expect(written(here)).toBe(false);
    await here.run(["answer", idIn(await write(client)), "session"]);
    expect((await write(client)).isError).toBeUndefined();
    expect((await write(client, { ...WRITE, content: "more\n" })).isError).toBeUndefined();
  });

  it("is not covered by a yes when the file became another one, or a rule forbids it by now", async () => {
    const here = box();
    const { client } = await connect(here, { flags: ["mcp"] });
    const first = idIn(await write(client));
    await here.run(["answer", first, "once"]);
    writeFileSync(join(here.cwd, "a.txt"), "mine\n");
    const second = idIn(await write(client));
    expect(second).not.toBe(first);
    expect(readFileSync(join(here.cwd, "a.txt"), "utf8")).toBe("mine\n");
    await here.run(["answer", second, "once"]);
    here.config('[[tools.permissions.write]]\npattern = "*"\naction = "deny"\n');
    await expect.poll(async () => textOf(await write(client, { ...WRITE, path: "probe.txt" }))).toContain("category: policy_blocked");
    expect(textOf(await write(client))).toContain("category: policy_blocked");
    expect(readFileSync(join(here.cwd, "a.txt"), "utf8")).toBe("mine\n");
  });

  it("is still answerable after the server was killed, and runs once for the next session", async () => {
    const here = box();
    const { client, transport } = await connect(here, { flags: ["mcp"] });
    const id = idIn(await write(client));
    const gone = new Promise((resolve) => {
      client.onclose = () => resolve(null);
    });
    process.kill(transport.pid!, "SIGKILL");
    await gone;
    expect((await here.runProcess(["answer", id, "once"])).code).toBe(0);
    const next = await connect(here, { flags: ["mcp"] });
    const both = await Promise.all([write(next.client), write(next.client)]);
    expect(both.filter(({ isError }) => !isError)).toHaveLength(1);
    expect((await logged(here)).filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
  });
});

describe("zeph mcp --later", () => {
  it("asks nobody through a client that could, and zeph answer serves it", async () => {
    const here = box();
    const { client, questions } = await connect(here, { flags: ["mcp", "--later"], person: () => ({ action: "decline" }) });
    const id = idIn(await write(client));
    expect(await here.run(["answer", id, "once", "--json"])).toMatchObject({ code: 0, stdout: expect.stringContaining('"kept"') });
    expect((await write(client)).isError).toBeUndefined();
    expect(questions()).toBe(0);
  });
});

describe("a command of a session without walls", () => {
  it("cannot answer what the session asked", async () => {
    const here = box();
    const yes = () => ({ action: "accept", content: { answer: "yes, once" } }) as const;
    await here.run(["call", "write", JSON.stringify(WRITE), "--later"]);
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    const { client, questions } = await connect(here, { flags: ["--set", "tools.sandbox.enabled=false", "mcp"], person: yes });
    const folders = Object.entries(here.env).map(([name, value]) => `${name}=${value}`);
    const command = ["env", "-i", ...folders, process.execPath, BIN, "answer", id, "once"].join(" ");
    const result = await client.callTool({ name: "bash", arguments: { command } });
    expect(questions()).toBeGreaterThan(0);
    expect(textOf(result)).toContain("was started by an agent");
    expect([await open(here), written(here)]).toEqual([[expect.anything()], false]);
  });

  it("cannot answer over HTTP what it asked itself, with a token it has found", async () => {
    const here = box();
    const yes = () => ({ action: "accept", content: { answer: "yes, once" } }) as const;
    const server = here.start(["--set", "tools.sandbox.enabled=false", "mcp", "--http", "--port", "0"], { ZEPH_MCP_TOKEN: TOKEN });
    let said = "";
    server.stderr.on("data", (piece) => {
      said += piece;
    });
    await expect.poll(() => said).toMatch(/http:\S+\/mcp/);
    const url = /http:\S+/.exec(said)![0];
    here.write("post.mjs", postScript(url));
    const client = await connected(url, {
      capabilities: { elicitation: { form: {} } },
      prepare: (one) => one.setRequestHandler("elicitation/create", async () => yes()),
    });
    const result = await client.callTool({ name: "bash", arguments: { command: `${process.execPath} post.mjs` } });
    expect(textOf(result)).toContain("403 Forbidden: an agent started the process that answers");
    expect(written(here)).toBe(false);
    // The same from a process that no agent started.
    const { stdout } = await promisify(execFile)(process.execPath, ["post.mjs"], { cwd: here.cwd });
    expect([stdout, written(here)]).toEqual(["200\n", true]);
  });
});

/** Asks for a write, and says yes to it. */
const postScript = (url: string): string => `
const post = async (more) => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const response = await fetch(${JSON.stringify(url)}, {
    method: "POST",
    headers: {
      authorization: "Bearer ${TOKEN}",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "write",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "write", arguments: ${JSON.stringify(WRITE)}, _meta, ...more } }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text.startsWith("{") ? text : text.slice(text.lastIndexOf("data: ") + 6)) };
};
const { body } = await post({});
const { requestState } = body.result;
const { status, body: answer } = await post({ requestState, inputResponses: { answer: { action: "accept", content: { answer: "yes, once" } } } });
console.log([status, ...(answer.error ? [answer.error.message] : [])].join(" "));
`;
