import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { connected, place, REVISIONS, type Revision, serving, TOKEN, textOf } from "./server-support.ts";

type Params = ElicitRequest["params"];

/** A client with a person who answers like this. */
const asked = (url: string, revision: Revision, answer: (params: Params) => ElicitResult | Promise<ElicitResult>) => {
  const questions: Params[] = [];
  const prepare = (client: Client) =>
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      questions.push(params);
      return answer(params);
    });
  return connected(url, { revision, capabilities: { elicitation: { form: {} } }, prepare }).then((client) => ({ client, questions }));
};
const saying = (answer: string): ElicitResult => ({ action: "accept", content: { answer } });
const write = (client: Client, path: string) => client.callTool({ name: "write", arguments: { path, content: "written\n" } });

const open = async () => {
  const { work, settings, audit } = place();
  return { work, audit, ...(await serving({ cwd: work, settings: settings() })) };
};

describe.each(REVISIONS)("a question to a client of %s", (revision) => {
  it("shows the whole call and why, and a yes is a yes once", async () => {
    const { work, url, audit } = await open();
    const { client, questions } = await asked(url, revision, () => saying("yes, once"));
    expect((await write(client, "a.txt")).isError).toBeUndefined();
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("written\n");
    expect(questions[0]!.message).toMatch(
      /^Zeph asks before it runs write:\n {2}\S.{10,}\n {2}path {5}a\.txt\n {2}content\n {4}\| written\n {2}touches {2}write a\.txt/,
    );
    await write(client, "b.txt");
    expect(questions).toHaveLength(2);
    // Asked and answered, each call was made once.
    expect(audit().filter(({ tool, kind }) => tool === "write" && kind !== "intent")).toHaveLength(2);
  });

  it("is put while a command runs that wants to reach a name, and the answer lets it go on or refuses it", async () => {
    const { url, audit } = await open();
    for (const [answer, why] of [
      ["yes, once", /was not reached/],
      ["no", /the user said no/],
    ] as const) {
      const { client, questions } = await asked(url, revision, ({ message }) =>
        saying(message.startsWith("Zeph asks before") ? "yes, once" : answer),
      );
      const result = await client.callTool({ name: "bash", arguments: { command: "curl -sS http://nowhere.example/; echo went on" } });
      if (!audit().some(({ kind }) => kind === "egress")) return;
      expect(questions.map(({ message }) => message.split("\n")[0])).toEqual([
        "Zeph asks before it runs bash:",
        "Zeph asks: `curl -sS http://nowhere.example/; echo went on` wants to reach nowhere.example:80.",
      ]);
      expect(textOf(result)).toContain("went on");
      expect(textOf(result)).toMatch(why);
    }
    expect(audit().filter(({ tool, kind }) => tool === "bash" && kind === "call")).toHaveLength(2);
  });

  it("a yes for the session is not asked for again, a no is the person's, and an open question is neither", async () => {
    const { work, url } = await open();
    const answers = [saying("yes, for this session")];
    const session = await asked(url, revision, () => answers.shift()!);
    await write(session.client, "a.txt");
    await write(session.client, "a.txt");
    expect(session.questions).toHaveLength(1);
    for (const [answer, category] of [
      [{ action: "decline" }, "policy_blocked"],
      [saying("no"), "policy_blocked"],
      [{ action: "cancel" }, "confirmation_required"],
      [saying("always: everything"), "confirmation_required"],
      [{ action: "accept", content: {} }, "confirmation_required"],
    ] as const) {
      const { client } = await asked(url, revision, () => answer as ElicitResult);
      const result = await client.callTool({ name: "delete_path", arguments: { path: "a.txt" } }).catch((error) => ({
        isError: true,
        content: [{ type: "text", text: `category: confirmation_required ${String(error)}` }],
      }));
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(`category: ${category}`);
      expect(existsSync(join(work, "a.txt"))).toBe(true);
    }
  });

  it("is not put to a client that cannot ask: it is kept, and says what to do", async () => {
    const { work, url } = await open();
    const client = await connected(url, { revision });
    const result = await write(client, "a.txt");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/category: confirmation_required[\s\S]*zeph answer [0-9a-f]{8} once[\s\S]*\[tools\.permissions\]/);
    expect(existsSync(join(work, "a.txt"))).toBe(false);
  });

  it("names a tool that is none as an error of the protocol", async () => {
    const { url } = await open();
    const client = await connected(url, { revision });
    await expect(client.callTool({ name: "reed", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"read"'),
    });
    await expect(client.callTool({ name: "compress_context", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect((await client.callTool({ name: "read", arguments: {} })).isError).toBe(true);
  });
});

it("over a connection there is one question at a time", async () => {
  const { url } = await open();
  let open_ = 0;
  let most = 0;
  const { client } = await asked(url, "2025-11-25", async () => {
    most = Math.max(most, ++open_);
    await new Promise((resolve) => setTimeout(resolve, 20));
    open_--;
    return saying("yes, once");
  });
  await Promise.all(["a", "b", "c", "d"].map((name) => write(client, name)));
  expect(most).toBe(1);
});

describe("an answer that comes with the next request", () => {
  const post = async (url: string, params: object, name = "write") => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta: meta, ...params } }),
    });
    const text = await response.text();
    return JSON.parse(text.startsWith("{") ? text : text.slice(text.lastIndexOf("data: ") + 6)) as {
      result?: { resultType: string; requestState: string; inputRequests: object; isError?: boolean };
      error?: { code: number };
    };
  };
  const call = { arguments: { path: "a.txt", content: "one\n" } };
  const yes = { inputResponses: { answer: saying("yes, once") } };

  it("is good once, for this call, in this session", async () => {
    const { work, url } = await open();
    const first = await post(url, call);
    expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: { answer: { method: "elicitation/create" } } });
    const state = { requestState: first.result!.requestState };
    const other = { arguments: { path: "a.txt", content: "two\n" } };
    expect((await post(url, { ...other, ...state, ...yes })).error).toMatchObject({ code: -32602 });
    expect((await post(url, { arguments: { path: "a.txt" }, ...state, ...yes }, "delete_path")).error).toMatchObject({ code: -32602 });
    expect((await post(`${url}?session=other`, { ...call, ...state, ...yes })).error).toMatchObject({ code: -32602 });
    expect((await post(url, { ...call, requestState: `${state.requestState}x`, ...yes })).error).toMatchObject({ code: -32602 });
    expect(existsSync(join(work, "a.txt"))).toBe(false);
    const both = await Promise.all([post(url, { ...call, ...state, ...yes }), post(url, { ...call, ...state, ...yes })]);
    expect(both.map(({ error }) => error?.code).sort()).toEqual([-32602, undefined]);
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one\n");
    writeFileSync(join(work, "a.txt"), "mine\n");
    expect((await post(url, { ...call, ...state, ...yes })).error).toMatchObject({ code: -32602 });
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("mine\n");
  });

  it("that is none is asked for again, and an answer without a question is none", async () => {
    const { work, url } = await open();
    const first = await post(url, { ...call, ...yes });
    expect(first.result!.resultType).toBe("input_required");
    for (const inputResponses of [{}, { answer: 7 }, { answer: { action: "perhaps" } }, { other: saying("yes, once") }]) {
      const again = await post(url, { ...call, inputResponses, requestState: first.result!.requestState }).then((answer) =>
        answer.error ? post(url, call) : answer,
      );
      expect(again.result!.resultType).toBe("input_required");
      Object.assign(first.result!, { requestState: again.result!.requestState });
    }
    expect(existsSync(join(work, "a.txt"))).toBe(false);
  });
});
