import { SERVER_PREFIX } from "../../core/facets.ts";
import type { HookClient } from "../client.ts";
import { namesEvent, readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import { createCommandRow, createEditRow, createReadRow, createSearchRow, createWriteRow } from "../tools.ts";

/** From its documentation alone. Each of its events has an input of its own; they are brought into one form first. */
export const cursor: HookClient = {
  name: "cursor",
  tested: null,
  can: {
    ask: "shown",
    rewrite: "bare",
    replaceOutput: "no",
    context: "no",
    asksWithInput: false,
    asksItself: true,
    crash: "unknown",
    timeout: "unknown",
    modes: ["guard"],
  },
  fields: {
    pre: {
      hook_event_name: "text",
      conversation_id: "text",
      generation_id: "text?",
      workspace_roots: "list?",
      cwd: "text?",
      tool_name: "text",
      tool_input: "object",
    },
    post: { hook_event_name: "text" },
  },
  tools: {
    Shell: createCommandRow({ cwd: "text?", description: "text?", timeout: "number?", is_background: "flag?" }, "command", "cwd"),
    Read: createReadRow("file_path", { content: "text?", offset: "number?", limit: "number?" }),
    Write: createWriteRow("file_path", "content"),
    StrReplace: createEditRow("file_path", "old_string", "new_string", { replace_all: "flag?" }),
    Grep: createSearchRow("pattern", "path", { glob: "text?" }),
  },
  harmless: new Set(),
  read(event, sent, at) {
    if (event === "post") return { kind: "unread", why: "nothing is heard of cursor after a call" };
    const input = inOneForm(sent);
    if (!input) return { kind: "unread", why: "cursor sent another event than it was asked for" };
    const call = readFields(cursor, event, input, NAMES, at);
    return typeof call === "string" ? { kind: "unread", why: call } : { kind: "pre", call };
  },
  writePre(answer) {
    if (answer.kind === "silent") return SAY_NOTHING;
    if (answer.kind === "rewrite") return sayJson({ updated_input: answer.args });
    return sayJson({
      permission: answer.kind,
      user_message: answer.why,
      agent_message: answer.why,
      ...("args" in answer && answer.args && { updated_input: answer.args }),
    });
  },
  writePost: () => SAY_NOTHING,
};

const NAMES = { cwd: "cwd", session: "conversation_id", callId: "", tool: "tool_name", args: "tool_input" } as const;

type Fields = Readonly<Record<string, unknown>>;

function inOneForm(sent: Fields): Fields | null {
  if (namesEvent(sent, "preToolUse")) return sent;
  // A server may call its tools by the names of cursor's own.
  if (namesEvent(sent, "beforeMCPExecution"))
    return { ...sent, tool_name: typeof sent.tool_name === "string" ? `${SERVER_PREFIX}cursor__${sent.tool_name}` : sent.tool_name };
  const { command, file_path, content, ...rest } = sent;
  if (namesEvent(sent, "beforeShellExecution")) return { ...rest, tool_name: "Shell", tool_input: { command } };
  if (namesEvent(sent, "beforeReadFile"))
    return { ...rest, tool_name: "Read", tool_input: { file_path, ...(content !== undefined && { content }) } };
  return null;
}
