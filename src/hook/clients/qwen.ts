import { isRecord } from "../../text/json.ts";
import type { ClientEnd, HookClient } from "../client.ts";
import { namesEvent, readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import type { FieldShape } from "../shape.ts";
import {
  createCommandRow,
  createEditRow,
  createFetchRow,
  createFindRow,
  createListRow,
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
  permission_mode: "text?",
  prompt_id: "text?",
  tool_name: "text",
  tool_input: "object",
  tool_use_id: "text",
  tool_call_id: "text?",
};

/** It takes no other input before a call and no other output after it. */
export const qwen: HookClient = {
  name: "qwen",
  tested: "0.24.4",
  can: {
    ask: "shown",
    rewrite: "no",
    replaceOutput: "no",
    context: "no",
    asksWithInput: false,
    asksItself: true,
    crash: "runs",
    timeout: "runs",
    modes: ["guard"],
  },
  fields: { pre: COMMON, post: { ...COMMON, tool_response: "any", duration_ms: "number?" } },
  tools: {
    run_shell_command: createCommandRow(
      { description: "text?", directory: "text?", is_background: "flag?", timeout: "number?" },
      "command",
      "directory",
    ),
    read_file: createReadRow("file_path", { offset: "number?", limit: "number?", pages: "text?" }),
    write_file: createWriteRow("file_path", "content", { record_as_artifact: "flag?" }),
    edit: createEditRow("file_path", "old_string", "new_string", { replace_all: "flag?" }),
    notebook_edit: createEditRow("notebook_path", "cell_id", "new_source", { cell_type: "text?", edit_mode: "text?" }),
    list_directory: createListRow("path", { ignore: "list?", file_filtering_options: "object?" }),
    grep_search: createSearchRow("pattern", "path", { glob: "text?", limit: "number?" }),
    glob: createFindRow("pattern", "path"),
    web_fetch: createFetchRow("url", { prompt: "text?" }),
  },
  // What is called through `tool_call` is hooked under its own name.
  harmless: new Set([
    ...["todo_write", "task", "agent", "exit_plan_mode", "ask_user_question"],
    ...["get_goal", "update_goal", "list_agents", "tool_search"],
  ]),
  read(event, input, at) {
    if (!namesEvent(input, event === "pre" ? "PreToolUse" : "PostToolUse"))
      return { kind: "unread", why: "qwen sent another event than it was asked for" };
    const call = readFields(qwen, event, input, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    return event === "pre" ? { kind: "pre", call } : { kind: "post", call, end: endOf(input) };
  },
  writePre: (answer) =>
    answer.kind === "ask" || answer.kind === "deny"
      ? sayJson({
          hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: answer.kind, permissionDecisionReason: answer.why },
        })
      : SAY_NOTHING,
  writePost: () => SAY_NOTHING,
};

const NAMES = { cwd: "cwd", session: "session_id", callId: "tool_use_id", tool: "tool_name", args: "tool_input" } as const;

function endOf({ tool_response: response, duration_ms }: Readonly<Record<string, unknown>>): ClientEnd {
  const { llmContent, error } = isRecord(response) ? response : ({} as Record<string, unknown>);
  const text = typeof llmContent === "string" ? llmContent : null;
  const exit = text === null ? null : /^Exit Code: (\d+)$/m.exec(text);
  return {
    text,
    outcome: error === undefined || error === null ? "ok" : "failed",
    ...(exit && { exitCode: Number(exit[1]) }),
    ...(typeof duration_ms === "number" && { durationMs: duration_ms }),
    response,
  };
}
