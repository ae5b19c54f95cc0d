import { isRecord } from "../../text/json.ts";
import type { ClientEnd, HookClient } from "../client.ts";
import { readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import type { FieldShape } from "../shape.ts";
import {
  createCommandRow,
  createEachRow,
  createEditRow,
  createFindRow,
  createPatchRow,
  createReadRow,
  createSearchRow,
  createWriteRow,
} from "../tools.ts";

const COMMON: FieldShape = { sessionId: "text", timestamp: "number", cwd: "text", toolName: "text", toolArgs: "any" };

/** Under one of two names, by the model. */
const SEARCH = createEachRow(
  "paths",
  createSearchRow("pattern", "paths", {
    glob: "text?",
    type: "text?",
    output_mode: "text?",
    "-A": "number?",
    "-B": "number?",
    "-C": "number?",
    "-n": "flag?",
    "-i": "flag?",
    head_limit: "number?",
    multiline: "flag?",
  }),
);

export const copilot: HookClient = {
  name: "copilot",
  tested: "1.0.102",
  can: {
    ask: "shown",
    rewrite: "with allow",
    replaceOutput: "text",
    context: "no",
    asksWithInput: false,
    asksItself: true,
    crash: "stops",
    timeout: "runs",
    modes: ["guard", "walls", "filter"],
  },
  fields: { pre: COMMON, post: { ...COMMON, toolResult: "any" } },
  tools: {
    bash: createCommandRow({
      description: "text?",
      sessionId: "text?",
      shellId: "text?",
      async: "flag?",
      mode: "text?",
      detach: "flag?",
      initial_wait: "number?",
      timeout: "number?",
    }),
    view: createReadRow("path", { view_range: "list?", forceReadLargeFiles: "flag?" }),
    create: createWriteRow("path", "file_text"),
    edit: createEditRow("path", "old_str", "new_str"),
    apply_patch: createPatchRow("input"),
    grep: SEARCH,
    rg: SEARCH,
    glob: createEachRow("paths", createFindRow("pattern", "paths")),
  },
  // Not among them: what is asked of its databases (`sql` can attach any file), and what a skill brings.
  harmless: new Set([
    ...["read_bash", "stop_bash", "list_bash", "report_intent", "update_todo", "ask_user"],
    ...["task", "read_agent", "list_agents", "write_agent", "fetch_copilot_cli_documentation"],
  ]),
  read(event, sent, at) {
    // Some models are given a tool for patches that takes a text in place of arguments.
    const isPatch = sent.toolName === "apply_patch" && typeof sent.toolArgs === "string";
    const input = isPatch ? { ...sent, toolArgs: { input: sent.toolArgs } } : sent;
    const call = readFields(copilot, event, input, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    return event === "pre" ? { kind: "pre", call } : { kind: "post", call, end: endOf(input.toolResult) };
  },
  writePre(answer) {
    if (answer.kind === "silent") return SAY_NOTHING;
    if (answer.kind === "rewrite") return sayJson({ modifiedArgs: answer.args });
    const { kind: permissionDecision, why: permissionDecisionReason } = answer;
    return sayJson({
      permissionDecision,
      permissionDecisionReason,
      ...("args" in answer && answer.args && { modifiedArgs: answer.args }),
    });
  },
  writePost(answer, { response }) {
    if (answer.kind === "keep" || !isRecord(response)) return SAY_NOTHING;
    return sayJson({ modifiedResult: { resultType: response.resultType ?? "success", textResultForLlm: answer.text } });
  },
};

/** It has no id of its own for a call. */
const NAMES = { cwd: "cwd", session: "sessionId", callId: "", tool: "toolName", args: "toolArgs" } as const;

const EXIT = /<(?:shellId: \S+ )?completed with exit code (\d+)>\s*$|<shellId: \S+ completed with exit code (\d+)>\s*$/;

function endOf(response: unknown): ClientEnd {
  const { resultType, textResultForLlm: text } = isRecord(response) ? response : ({} as Record<string, unknown>);
  const exit = typeof text === "string" ? EXIT.exec(text) : null;
  return {
    text: typeof text === "string" ? text : null,
    outcome: resultType === "success" ? "ok" : "failed",
    ...(exit && { exitCode: Number(exit[1] ?? exit[2]) }),
    response,
  };
}
