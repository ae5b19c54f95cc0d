import { isRecord } from "../../text/json.ts";
import type { BeforeAnswer, ClientEnd, HookClient } from "../client.ts";
import { namesEvent, readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import type { FieldShape } from "../shape.ts";
import {
  createCommandRow,
  createEditRow,
  createEditsRow,
  createFetchRow,
  createFindRow,
  createReadRow,
  createSearchRow,
  createWriteRow,
} from "../tools.ts";

const COMMON: FieldShape = {
  session_id: "text",
  transcript_path: "text?",
  cwd: "text",
  prompt_id: "text?",
  permission_mode: "text?",
  hook_event_name: "text",
  tool_name: "text",
  tool_input: "object",
  tool_use_id: "text",
  mcp_server: "texts?",
};

export const claude: HookClient = {
  name: "claude",
  tested: "2.1.325",
  can: {
    ask: "shown",
    rewrite: "bare",
    replaceOutput: "text",
    context: "before",
    asksWithInput: true,
    asksItself: true,
    crash: "stops if installed so",
    timeout: "stops if installed so",
    modes: ["guard", "walls", "filter"],
  },
  fields: { pre: COMMON, post: { ...COMMON, tool_response: "any", duration_ms: "number?" } },
  tools: {
    Bash: createCommandRow({ description: "text?", timeout: "number?", run_in_background: "flag?", dangerouslyDisableSandbox: "flag?" }),
    Read: createReadRow("file_path", { offset: "number?", limit: "number?", pages: "text?", allow_large: "flag?" }),
    Write: createWriteRow("file_path", "content"),
    Edit: createEditRow("file_path", "old_string", "new_string", { replace_all: "flag?" }),
    MultiEdit: createEditsRow("file_path", "edits", "old_string", "new_string"),
    NotebookEdit: createEditRow("notebook_path", "cell_id", "new_source", {
      cell_type: "text?",
      edit_mode: "text?",
      cell_number: "number?",
    }),
    Grep: createSearchRow("pattern", "path", {
      glob: "text?",
      type: "text?",
      output_mode: "text?",
      "-A": "number?",
      "-B": "number?",
      "-C": "number?",
      context: "number?",
      "-n": "flag?",
      "-i": "flag?",
      head_limit: "number?",
      offset: "number?",
      multiline: "flag?",
    }),
    Glob: createFindRow("pattern", "path"),
    WebFetch: createFetchRow("url", { prompt: "text?", offset: "number?" }),
    Monitor: { ...createCommandRow({ description: "text?", timeout_ms: "number?", persistent: "flag?" }), lasts: true },
  },
  // Not among them: what leaves the machine (WebSearch, SendMessage), and what runs a project's own text (Skill, Workflow, EnterWorktree).
  harmless: new Set([
    ...["ListAgents", "ReportFindings", "ScheduleWakeup", "CronCreate", "CronDelete", "CronList", "DeferredToolPlaceholder"],
    ...[
      "Task",
      "Agent",
      "TodoWrite",
      "TaskCreate",
      "TaskUpdate",
      "TaskList",
      "TaskGet",
      "TaskOutput",
      "TaskStop",
      "KillShell",
      "BashOutput",
    ],
    ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch"],
  ]),
  read(event, input, at) {
    if (!namesEvent(input, event === "pre" ? "PreToolUse" : "PostToolUse"))
      return { kind: "unread", why: "claude sent another event than it was asked for" };
    const call = readFields(claude, event, input, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    return event === "pre" ? { kind: "pre", call } : { kind: "post", call, end: endOf(input) };
  },
  writePre: (answer) => {
    const said = saidBefore(answer);
    return said ? sayJson({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said } }) : SAY_NOTHING;
  },
  writePost(answer, { response }) {
    const updated = answer.kind === "replace" ? (answer.response ?? withText(response, answer.text)) : undefined;
    return updated === undefined
      ? SAY_NOTHING
      : sayJson({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: updated } });
  },
};

const NAMES = { cwd: "cwd", session: "session_id", callId: "tool_use_id", tool: "tool_name", args: "tool_input" } as const;

function saidBefore(answer: BeforeAnswer): object | null {
  if (answer.kind === "silent") return null;
  const other = "args" in answer && answer.args && { updatedInput: answer.args };
  const told = "context" in answer && answer.context !== undefined && { additionalContext: answer.context };
  if (answer.kind === "rewrite") return { ...other, ...told };
  const { kind: permissionDecision, why: permissionDecisionReason } = answer;
  return { permissionDecision, permissionDecisionReason, ...other, ...told };
}

function endOf({ tool_response: response, duration_ms }: Readonly<Record<string, unknown>>): ClientEnd {
  const isFailed = isRecord(response) && (response.interrupted === true || response.is_error === true);
  return {
    text: textOf(response),
    outcome: isFailed ? "failed" : "ok",
    ...(typeof duration_ms === "number" && { durationMs: duration_ms }),
    response,
  };
}

/** A command prints on two streams; a file has its content; a server answers with a text. */
function textOf(response: unknown): string | null {
  if (typeof response === "string") return response;
  if (!isRecord(response)) return null;
  const { stdout, stderr, file } = response;
  if (typeof stdout === "string") return typeof stderr === "string" && stderr !== "" ? `${stdout}\n${stderr}` : stdout;
  return isRecord(file) && typeof file.content === "string" ? file.content : null;
}

/** The same answer with another text in it. One of another shape would be ignored, so there is none. */
function withText(response: unknown, text: string): unknown {
  if (typeof response === "string") return text;
  if (!isRecord(response)) return undefined;
  if (typeof response.stdout === "string") return { ...response, stdout: text, stderr: "" };
  return isRecord(response.file) && typeof response.file.content === "string"
    ? { ...response, file: { ...response.file, content: text } }
    : undefined;
}
