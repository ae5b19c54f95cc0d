import type { HookClient } from "../client.ts";
import { namesEvent, readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import type { FieldShape } from "../shape.ts";
import { createCommandRow, createPatchRow, createReadRow } from "../tools.ts";

const COMMON: FieldShape = {
  session_id: "text",
  turn_id: "text?",
  transcript_path: "text or null?",
  cwd: "text",
  hook_event_name: "text",
  model: "text?",
  permission_mode: "text?",
  tool_name: "text",
  tool_input: "object",
  tool_use_id: "text",
};

/** A question, a bare permission and an unknown word make the hook fail, and the call runs: none of them is ever said. */
export const codex: HookClient = {
  name: "codex",
  tested: "0.166.0",
  can: {
    ask: "never",
    rewrite: "with allow",
    replaceOutput: "as an error",
    context: "no",
    asksWithInput: false,
    asksItself: true,
    crash: "runs",
    timeout: "runs",
    modes: ["guard", "walls", "filter"],
  },
  fields: { pre: COMMON, post: { ...COMMON, tool_response: "any" } },
  tools: {
    Bash: createCommandRow(),
    apply_patch: createPatchRow("command", "input", "patch"),
    view_image: createReadRow("path", { detail: "text?" }),
  },
  // What other agents of it do passes the hook as well. Resources of servers are not among them.
  harmless: new Set([
    ...["update_plan", "request_user_input", "get_goal", "create_goal", "update_goal"],
    ...["spawn_agent", "send_input", "wait_agent", "close_agent", "resume_agent"],
  ]),
  read(event, input, at) {
    if (!namesEvent(input, event === "pre" ? "PreToolUse" : "PostToolUse"))
      return { kind: "unread", why: "codex sent another event than it was asked for" };
    const told = readFields(codex, event, input, NAMES, at);
    if (typeof told === "string") return { kind: "unread", why: told };
    // What it tells is the folder that the model wants the command in. The hook itself is started in that of the session.
    const call = told.cwd === at.cwd || !at.cwd.startsWith("/") ? told : { ...told, cwd: at.cwd, at: told.cwd };
    if (event === "pre") return { kind: "pre", call };
    const { tool_response: response } = input;
    return { kind: "post", call, end: { text: typeof response === "string" ? response : null, outcome: "ok", response } };
  },
  writePre(answer) {
    if (answer.kind === "deny" || answer.kind === "ask")
      return decided({ permissionDecision: "deny", permissionDecisionReason: answer.why });
    if (answer.kind === "allow" && answer.args)
      return decided({ permissionDecision: "allow", permissionDecisionReason: answer.why, updatedInput: answer.args });
    return SAY_NOTHING;
  },
  writePost: (answer) => (answer.kind === "replace" ? sayJson({ decision: "block", reason: answer.text }) : SAY_NOTHING),
};

const NAMES = { cwd: "cwd", session: "session_id", callId: "tool_use_id", tool: "tool_name", args: "tool_input" } as const;

const decided = (said: object) => sayJson({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said } });
