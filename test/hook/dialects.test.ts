import { describe, expect, it } from "vitest";
import { createWallsGate } from "../../src/gates/walls.ts";
import type { BeforeAnswer, ClientName } from "../../src/hook/client.ts";
import { HOOK_CLIENTS } from "../../src/hook/find-client.ts";
import { gatedIn } from "../gate-judges.ts";
import { workspace } from "../workspace.ts";

const ARGS = { command: "b" };
const claudeLike = (said: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said } });
const pre = (name: ClientName, answer: BeforeAnswer) => HOOK_CLIENTS[name].writePre(answer).stdout;

describe("What is said before a call", () => {
  it.each<[ClientName, BeforeAnswer, string]>([
    ["claude", { kind: "rewrite", args: ARGS }, claudeLike({ updatedInput: ARGS })],
    [
      "claude",
      { kind: "allow", why: "w", args: ARGS },
      claudeLike({ permissionDecision: "allow", permissionDecisionReason: "w", updatedInput: ARGS }),
    ],
    [
      "codex",
      { kind: "allow", why: "w", args: ARGS },
      claudeLike({ permissionDecision: "allow", permissionDecisionReason: "w", updatedInput: ARGS }),
    ],
    ["codex", { kind: "allow", why: "w" }, ""],
    ["codex", { kind: "rewrite", args: ARGS }, ""],
    ["codex", { kind: "ask", why: "w" }, claudeLike({ permissionDecision: "deny", permissionDecisionReason: "w" })],
    ["codex", { kind: "silent" }, ""],
    [
      "copilot",
      { kind: "allow", why: "w", args: ARGS },
      '{"permissionDecision":"allow","permissionDecisionReason":"w","modifiedArgs":{"command":"b"}}',
    ],
    ["gemini", { kind: "rewrite", args: ARGS }, '{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"b"}}}'],
    ["gemini", { kind: "ask", why: "w" }, '{"decision":"ask","reason":"w","systemMessage":"w"}'],
    ["gemini", { kind: "allow", why: "w" }, ""],
    ["qwen", { kind: "rewrite", args: ARGS }, ""],
    ["qwen", { kind: "allow", why: "w", args: ARGS }, ""],
    ["opencode", { kind: "rewrite", args: ARGS }, '{"verdict":"silent","args":{"command":"b"}}'],
    ["opencode", { kind: "ask", why: "w" }, '{"verdict":"ask","reason":"w"}'],
    ["pi", { kind: "rewrite", args: ARGS }, '{"verdict":"silent","args":{"command":"b"}}'],
    ["cursor", { kind: "ask", why: "w" }, '{"permission":"ask","user_message":"w","agent_message":"w"}'],
    ["cursor", { kind: "rewrite", args: ARGS }, '{"updated_input":{"command":"b"}}'],
  ])("%s is told %j", (name, answer, expected) => expect(pre(name, answer)).toBe(expected));

  it("every client is told a denial, and none is told to allow what was not allowed", () => {
    for (const { name, writePre } of Object.values(HOOK_CLIENTS)) {
      expect([name, writePre({ kind: "deny", why: "because" }).stdout.includes("because")]).toEqual([name, true]);
      for (const kind of ["deny", "ask"] as const)
        expect([name, writePre({ kind, why: "w" }).stdout.includes("allow")]).toEqual([name, false]);
      expect([name, writePre({ kind: "silent" }).stdout.includes("allow")]).toEqual([name, false]);
    }
  });
});

describe("What is said after a call", () => {
  const post = (name: ClientName, response: unknown) =>
    HOOK_CLIENTS[name].writePost({ kind: "replace", text: "t" }, { text: "x", outcome: "ok", response }).stdout;
  it.each<[ClientName, unknown, string]>([
    ["claude", { stdout: "x", stderr: "y", isImage: false }, '{"stdout":"t","stderr":"","isImage":false}'],
    ["claude", "x", '"t"'],
    ["claude", { type: "text", file: { content: "x", numLines: 1 } }, '{"type":"text","file":{"content":"t","numLines":1}}'],
  ])("%s gets an output of the shape it had: %j", (name, response, updated) =>
    expect(post(name, response)).toBe(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":${updated}}}`),
  );
  it.each<[ClientName, unknown, string]>([
    ["claude", { odd: 1 }, ""],
    ["codex", "x", '{"decision":"block","reason":"t"}'],
    ["copilot", { resultType: "failure", textResultForLlm: "x" }, '{"modifiedResult":{"resultType":"failure","textResultForLlm":"t"}}'],
    ["gemini", { llmContent: "x" }, '{"decision":"deny","reason":"t"}'],
    ["qwen", { llmContent: "x" }, ""],
    ["opencode", { output: "x" }, '{"output":"t"}'],
    ["pi", [{ type: "image" }, { type: "text", text: "x" }], '{"content":[{"type":"text","text":"t"},{"type":"image"}]}'],
    ["cursor", "x", ""],
  ])("%s gets another text as it takes one: %j", (name, response, expected) => expect(post(name, response)).toBe(expected));
});

it("the events of cursor are brought into one form, and a server's tool is never taken for one of its own", () => {
  const common = { conversation_id: "c", generation_id: "g", workspace_roots: ["/w"], cwd: "/w" };
  const read = (more: object) => HOOK_CLIENTS.cursor.read("pre", { ...common, ...more }, { cwd: "/" });
  expect(read({ hook_event_name: "beforeShellExecution", command: "ls" })).toMatchObject({
    kind: "pre",
    call: { tool: "Shell", args: { command: "ls" } },
  });
  expect(read({ hook_event_name: "beforeReadFile", file_path: "/w/a", content: "x" })).toMatchObject({ call: { tool: "Read" } });
  expect(read({ hook_event_name: "beforeMCPExecution", tool_name: "Read", tool_input: {} })).toMatchObject({
    call: { tool: "mcp__cursor__Read" },
  });
  expect(read({ hook_event_name: "stop" })).toMatchObject({ kind: "unread" });
});

it("the gate walls has nothing to ask where the client runs the command, and asks where we do", async () => {
  const place = workspace();
  const gated = gatedIn(place);
  const gate = createWallsGate(
    { enabled: true, fallback: "ask" },
    { walls: async () => ({ backend: "none", layers: [], network: "open" }) },
  );
  const judged = async (walls: "none" | "ours") => {
    const client = { name: "claude", session: "s", walls, unruled: "left to it" } as const;
    return (await gate.judge(gated.call("bash", { command: "ls" }), gated.turn({ client }))).kind;
  };
  expect([await judged("none"), await judged("ours")]).toEqual(["pass", "ask"]);
  await gated.close();
  place.remove();
});
