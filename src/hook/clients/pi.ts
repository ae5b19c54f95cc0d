import { isRecord } from "../../text/json.ts";
import type { HookClient } from "../client.ts";
import { readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import {
  createCommandRow,
  createEditsRow,
  createFindRow,
  createListRow,
  createReadRow,
  createSearchRow,
  createWriteRow,
} from "../tools.ts";

/** An extension of ours runs inside of it. It asks nobody by itself, so what no rule speaks of is asked about by us. */
export const pi: HookClient = {
  name: "pi",
  tested: "0.87.1",
  can: {
    ask: "extension",
    rewrite: "bare",
    replaceOutput: "text",
    context: "no",
    asksWithInput: true,
    asksItself: false,
    crash: "stops",
    timeout: "waits",
    modes: ["guard", "walls", "filter"],
  },
  fields: {
    pre: { ev: "text", toolName: "text", input: "object", hasUI: "flag", session: "text?", toolCallId: "text?" },
    post: {
      ev: "text",
      toolName: "text",
      content: "list",
      isError: "flag",
      input: "object?",
      session: "text?",
      toolCallId: "text?",
    },
  },
  tools: {
    bash: createCommandRow({ timeout: "number?" }),
    read: createReadRow("path", { offset: "number?", limit: "number?" }),
    write: createWriteRow("path", "content"),
    edit: createEditsRow("path", "edits", "oldText", "newText"),
    ls: createListRow("path", { limit: "number?" }),
    grep: createSearchRow("pattern", "path", {
      glob: "text?",
      ignoreCase: "flag?",
      literal: "flag?",
      context: "number?",
      limit: "number?",
    }),
    find: createFindRow("pattern", "path", { limit: "number?" }),
  },
  harmless: new Set(),
  read(event, sent, at) {
    if (sent.ev !== (event === "pre" ? "tool_call" : "tool_result"))
      return { kind: "unread", why: "pi sent another event than it was asked for" };
    const call = readFields(pi, event, event === "post" && sent.input === undefined ? { ...sent, input: {} } : sent, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    if (event === "pre") return { kind: "pre", call, hasPerson: sent.hasUI === true };
    const { content, isError } = sent;
    return { kind: "post", call, end: { text: textIn(content), outcome: isError === true ? "failed" : "ok", response: content } };
  },
  writePre(answer) {
    if (answer.kind === "silent") return sayJson({ verdict: "silent" });
    if (answer.kind === "rewrite") return sayJson({ verdict: "silent", args: answer.args });
    return sayJson({ verdict: answer.kind, reason: answer.why, ...("args" in answer && answer.args && { args: answer.args }) });
  },
  writePost(answer, { response }) {
    if (answer.kind === "keep") return SAY_NOTHING;
    const others = (Array.isArray(response) ? response : []).filter((part) => !(isRecord(part) && part.type === "text"));
    return sayJson({ content: [{ type: "text", text: answer.text }, ...others] });
  },
};

const NAMES = { cwd: "cwd", session: "session", callId: "toolCallId", tool: "toolName", args: "input" } as const;

const textIn = (content: unknown): string | null => {
  const texts = (Array.isArray(content) ? content : []).flatMap((part) =>
    isRecord(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : [],
  );
  return texts.length > 0 ? texts.join("\n") : null;
};
