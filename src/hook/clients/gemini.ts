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

/** Every tool may be told to wait for the one before it. */
const ORDER: FieldShape = { wait_for_previous: "flag?" };
const SEARCH: FieldShape = { ...ORDER, case_sensitive: "flag?", respect_git_ignore: "flag?", respect_gemini_ignore: "flag?" };

export const gemini: HookClient = {
  name: "gemini",
  tested: "0.61.0",
  can: {
    ask: "terminal",
    rewrite: "bare",
    replaceOutput: "as an error",
    context: "no",
    asksWithInput: true,
    asksItself: true,
    crash: "runs",
    timeout: "runs",
    modes: ["guard", "walls", "filter"],
  },
  fields: { pre: COMMON, post: { ...COMMON, tool_response: "object" } },
  tools: {
    run_shell_command: createCommandRow(
      { description: "text?", dir_path: "text?", is_background: "flag?", delay_ms: "number?", ...ORDER },
      "command",
      "dir_path",
    ),
    read_file: createReadRow("file_path", { start_line: "number?", end_line: "number?", offset: "number?", limit: "number?", ...ORDER }),
    write_file: createWriteRow("file_path", "content", ORDER),
    replace: createEditRow("file_path", "old_string", "new_string", {
      instruction: "text?",
      expected_replacements: "number?",
      allow_multiple: "flag?",
      ...ORDER,
    }),
    list_directory: createListRow("dir_path", { ignore: "list?", file_filtering_options: "object?", ...ORDER }),
    grep_search: createSearchRow("pattern", "dir_path", {
      include: "text?",
      include_pattern: "text?",
      exclude_pattern: "text?",
      names_only: "flag?",
      max_matches_per_file: "number?",
      total_max_matches: "number?",
      ...SEARCH,
    }),
    glob: createFindRow("pattern", "dir_path", SEARCH),
    web_fetch: createNamedFetchRow("prompt"),
  },
  // Not among them: google_web_search, which leaves the machine, activate_skill and what servers offer.
  harmless: new Set([
    ...["write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode", "complete_task", "update_topic", "invoke_agent"],
    ...["list_background_processes", "read_background_output", "get_internal_docs"],
  ]),
  read(event, input, at) {
    if (!namesEvent(input, event === "pre" ? "BeforeTool" : "AfterTool"))
      return { kind: "unread", why: "gemini sent another event than it was asked for" };
    const call = readFields(gemini, event, input, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    return event === "pre" ? { kind: "pre", call } : { kind: "post", call, end: endOf(input.tool_response) };
  },
  writePre(answer) {
    if (answer.kind === "deny") return sayJson({ decision: "deny", reason: answer.why });
    const other = "args" in answer && answer.args && { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: answer.args } };
    if (answer.kind === "ask") return sayJson({ decision: "ask", reason: answer.why, systemMessage: answer.why, ...other });
    return other ? sayJson(other) : SAY_NOTHING;
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
