import { expect, it } from "vitest";
import { codex } from "../../hook/clients/codex.ts";
import { translateCall } from "../../hook/tools.ts";
import { openStore } from "../../store/open.ts";
import { createSessionFolders } from "./session-folders.ts";

const call = (cwd: string, session = "s") => ({ cwd, session, callId: null, tool: "Bash", args: { command: "ls" } });

it("a session that goes below the folder it began in keeps that folder", async () => {
  const inSession = createSessionFolders(openStore("memory").sessionMemory);
  expect(await inSession("claude", call("/work"))).toEqual({ call: call("/work"), besides: null });
  expect(await inSession("claude", call("/work/sub"))).toEqual({ call: { ...call("/work"), at: "/work/sub" }, besides: null });
  expect((await inSession("claude", call("/work/sub", "other"))).call.cwd).toBe("/work/sub");
});

it("a session that goes elsewhere keeps the folder it began in, and is judged by the rules of both, also for the next process", async () => {
  const store = openStore("memory");
  await createSessionFolders(store.sessionMemory)("claude", call("/work"));
  for (const inSession of [createSessionFolders(store.sessionMemory), createSessionFolders(store.sessionMemory)])
    expect(await inSession("claude", call("/elsewhere"))).toEqual({
      call: { ...call("/work"), at: "/elsewhere" },
      besides: call("/elsewhere"),
    });
  expect(await createSessionFolders(store.sessionMemory)("claude", call("/work"))).toEqual({ call: call("/work"), besides: null });
});

it("what is called from another folder is judged with names from there", () => {
  const args = { command: "touch x", input: "" };
  const moved = translateCall(codex.tools, { tool: "Bash", args: { command: args.command }, at: "/work/it's" });
  expect(moved).toMatchObject({ calls: [{ tool: "bash", args: { command: "cd '/work/it'\\''s'\ntouch x" } }] });
  const patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch";
  expect(translateCall(codex.tools, { tool: "apply_patch", args: { input: patch }, at: "/work/sub" })).toMatchObject({
    calls: [{ args: { path: "/work/sub/a" } }, { args: { source: "/work/sub/a", destination: "/work/sub/b" } }],
  });
});

it("the folder that a model names to Codex for a command is not taken for the session's", () => {
  const input = {
    session_id: "s",
    cwd: "/etc",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "c",
  };
  expect(codex.read("pre", input, { cwd: "/work" })).toMatchObject({ kind: "pre", call: { cwd: "/work", at: "/etc" } });
  expect(codex.read("pre", { ...input, cwd: "/work" }, { cwd: "/work" })).toMatchObject({ call: { cwd: "/work" } });
});
