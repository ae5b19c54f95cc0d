import { isRecord } from "../../text/json.ts";
import type { ClientEnd, HookClient } from "../client.ts";
import { namesEvent, readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import type { FieldShape } from "../shape.ts";
import {
  createCommandRow,
  createEditRow,
  createFindRow,
  createListRow,
  createNamedFetchRow,
  createReadRow,
  createSearchRow,
  createWriteRow,
} from "../tools.ts";

const COMMON: FieldShape = {
  session_id: "text",
  transcript_path: "text?",
  cwd: "text",
  hook_event_name: "text",
  timestamp: "text?",
  tool_name: "text",
  tool_input: "object",
  mcp_context: "object?",
  original_request_name: "text?",
};

const SEARCH: FieldShape = { case_sensitive: "flag?", respect_git_ignore: "flag?", respect_gemini_ignore: "flag?" };

export const gemini: HookClient = {
  name: "gemini",
  tested: "0.61.0",
  can: {
    ask: "terminal",
    rewrite: "bare",
    replaceOutput: "as an error",
    asksItself: true,
    crash: "runs",
    timeout: "runs",
    modes: ["guard", "walls", "filter"],
  },
  fields: { pre: COMMON, post: { ...COMMON, tool_response: "object" } },
  tools: {
    run_shell_command: createCommandRow({ description: "text?", dir_path: "text?", is_background: "flag?" }, "command", "dir_path"),
    read_file: createReadRow("file_path", { start_line: "number?", end_line: "number?", offset: "number?", limit: "number?" }),
    write_file: createWriteRow("file_path", "content"),
    replace: createEditRow("file_path", "old_string", "new_string", {
      instruction: "text?",
      expected_replacements: "number?",
      allow_multiple: "flag?",
    }),
    list_directory: createListRow("dir_path", { ignore: "list?", file_filtering_options: "object?" }),
    grep_search: createSearchRow("pattern", "dir_path", { include: "text?", include_pattern: "text?", ...SEARCH }),
    glob: createFindRow("pattern", "dir_path", SEARCH),
    web_fetch: createNamedFetchRow("prompt"),
  },
  harmless: new Set(["write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode", "complete_task"]),
  read(event, input, at) {
    if (!namesEvent(input, event === "pre" ? "BeforeTool" : "AfterTool"))
      return { kind: "unread", why: "gemini sent another event than it was asked for" };
    const call = readFields(gemini, event, input, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    return event === "pre" ? { kind: "pre", call } : { kind: "post", call, end: endOf(input.tool_response) };
  },
  writePre(answer) {
    if (answer.kind === "deny") return sayJson({ decision: "deny", reason: answer.why });
    if (answer.kind === "ask") return sayJson({ decision: "ask", reason: answer.why, systemMessage: answer.why });
    if (!("args" in answer) || !answer.args) return SAY_NOTHING;
    return sayJson({ hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: answer.args } });
  },
  writePost: (answer) => (answer.kind === "replace" ? sayJson({ decision: "deny", reason: answer.text }) : SAY_NOTHING),
};

/** It has no id of its own for a call. */
const NAMES = { cwd: "cwd", session: "session_id", callId: "", tool: "tool_name", args: "tool_input" } as const;

function endOf(response: unknown): ClientEnd {
  const { llmContent, error } = isRecord(response) ? response : ({} as Record<string, unknown>);
  return {
    text: typeof llmContent === "string" ? llmContent : null,
    outcome: error === undefined || error === null ? "ok" : "failed",
    response,
  };
}
