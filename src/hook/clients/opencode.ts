import { isRecord } from "../../text/json.ts";
import type { HookClient } from "../client.ts";
import { readFields, SAY_NOTHING, sayJson } from "../dialect.ts";
import {
  createCommandRow,
  createEditRow,
  createFetchRow,
  createFindRow,
  createListRow,
  createPatchRow,
  createReadRow,
  createSearchRow,
  createWriteRow,
} from "../tools.ts";

/** A plugin of ours runs inside of it, and sends what it is given: `input` with the tool and its ids, `args`, and afterwards `output`. */
export const opencode: HookClient = {
  name: "opencode",
  tested: "1.18.33",
  can: {
    ask: "extension",
    rewrite: "bare",
    replaceOutput: "text",
    context: "no",
    asksWithInput: false,
    asksItself: true,
    crash: "stops",
    timeout: "waits",
    modes: ["guard", "walls", "filter"],
  },
  fields: {
    pre: { ev: "text", input: "object", args: "object", canAsk: "flag?" },
    post: { ev: "text", input: "object", output: "object?" },
  },
  tools: {
    bash: createCommandRow({ description: "text?", timeout: "number?", workdir: "text?" }, "command", "workdir"),
    read: createReadRow("filePath", { offset: "number?", limit: "number?" }),
    write: createWriteRow("filePath", "content"),
    edit: createEditRow("filePath", "oldString", "newString", { replaceAll: "flag?" }),
    // In place of write and edit, for some models.
    apply_patch: createPatchRow("patchText"),
    list: createListRow("path", { ignore: "list?" }),
    grep: createSearchRow("pattern", "path", { include: "text?" }),
    glob: createFindRow("pattern", "path"),
    webfetch: createFetchRow("url", { format: "text?", timeout: "number?" }),
  },
  harmless: new Set(["todowrite", "todoread", "task", "question", "plan_enter", "plan_exit"]),
  read(event, sent, at) {
    const { ev, input, args, output, canAsk } = sent;
    if (ev !== (event === "pre" ? "before" : "after")) return { kind: "unread", why: "opencode sent another event than it was asked for" };
    const inner = isRecord(input) ? input : {};
    const call = readFields(opencode, event, { ...inner, ...sent, args: event === "pre" ? args : inner.args }, NAMES, at);
    if (typeof call === "string") return { kind: "unread", why: call };
    const isText = [inner.sessionID, inner.callID].every((one) => typeof one === "string");
    if (!isText) return { kind: "unread", why: "opencode sent no ids of the session and the call" };
    if (event === "pre") return { kind: "pre", call, hasPerson: canAsk === true };
    const text = isRecord(output) && typeof output.output === "string" ? output.output : null;
    return { kind: "post", call, end: { text, outcome: "ok", response: output } };
  },
  writePre(answer) {
    if (answer.kind === "silent") return sayJson({ verdict: "silent" });
    if (answer.kind === "rewrite") return sayJson({ verdict: "silent", args: answer.args });
    return sayJson({ verdict: answer.kind, reason: answer.why, ...("args" in answer && answer.args && { args: answer.args }) });
  },
  writePost: (answer) => (answer.kind === "replace" ? sayJson({ output: answer.text }) : SAY_NOTHING),
};

const NAMES = { cwd: "directory", session: "sessionID", callId: "callID", tool: "tool", args: "args" } as const;
