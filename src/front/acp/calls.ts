import { resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { answerJson } from "../../core/answer.ts";
import type { ZephEvent } from "../../core/event.ts";
import type { Outcome } from "../../core/layer.ts";
import type { Media } from "../../core/media/media.ts";
import type { Progress, ToolOutput } from "../../core/tool.ts";
import { failureReason } from "../../question/failure-reason.ts";
import { rollbackWords } from "../../question/rollback-words.ts";
import { boundedMiddle, visible } from "../../text/visible.ts";
import { duration } from "../../text/words.ts";
import { callTitle, kindOf, type NamedCall, placesOf } from "./call-titles.ts";
import { diffPieces } from "./diffs.ts";
import { fenced } from "./fenced.ts";
import { redactCall } from "./redact-call.ts";
import type { Wire } from "./wire.ts";

/** The calls of a session that are under way, as the editor is told of them. */
export interface EditorCalls {
  readonly cwd: string;
  began(id: string, asked: NamedCall): Promise<void>;
  progress(id: string, progress: Progress): Promise<void>;
  /** It runs in a terminal of the editor's. */
  inTerminal(id: string, terminalId: string): Promise<void>;
  ended(event: Extract<ZephEvent, { type: "tool_end" }>): Promise<void>;
  /** How a call is shown where a person is asked about it. It was announced before, or is now. */
  asked(id: string, asked: NamedCall, content: readonly ToolCallContent[]): Promise<ToolCallUpdate>;
  /** The person said yes. */
  goesOn(id: string): Promise<void>;
  /** Nobody waits for them any more: those that are under way have failed. */
  drop(why: string): Promise<void>;
}

/** More of an output than an editor should lay out at once. The whole of it is kept where the text says. */
const LONGEST_TEXT = 400_000;
const LONGEST_INPUT = 200_000;

export function createEditorCalls(wire: Wire, cwd: string, redact: (text: string) => string): EditorCalls {
  const running = new Map<string, { terminal: string | null }>();
  const update = (more: ToolCallUpdate) => wire.update({ sessionUpdate: "tool_call_update", ...more });
  const began: EditorCalls["began"] = (id, asked) => {
    running.set(id, { terminal: null });
    return wire.update({ sessionUpdate: "tool_call", ...aboutCall(id, redactCall(asked, redact), cwd), status: "in_progress" });
  };
  return {
    cwd,
    began,
    async progress(id, progress) {
      const call = running.get(id);
      if (call && call.terminal === null) await update({ toolCallId: id, content: [textContent(progressText(progress))] });
    },
    async inTerminal(id, terminalId) {
      const call = running.get(id);
      if (!call) return;
      call.terminal = terminalId;
      await update({ toolCallId: id, status: "in_progress", content: [{ type: "terminal", terminalId }] });
    },
    async ended({ request: { id, name, args }, outcome, durationMs }) {
      const call = running.get(id);
      if (!call) return;
      running.delete(id);
      const terminal: ToolCallContent[] = call.terminal === null ? [] : [{ type: "terminal", terminalId: call.terminal }];
      const locations = locationsOf(outcome.output, cwd);
      await update({
        toolCallId: id,
        status: outcome.ok ? "completed" : outcome.waiting ? "pending" : "failed",
        content: [...terminal, ...diffContent(outcome.output, cwd), ...said(outcome, name), ...mediaContent(outcome.output?.media)],
        ...undoneTitle(redactCall({ name, args }, redact), outcome, durationMs),
        rawOutput: factsOf(outcome, durationMs),
        ...(locations.length > 0 && { locations }),
      });
    },
    async asked(id, asked, content) {
      if (!running.has(id)) await began(id, asked);
      return { ...aboutCall(id, redactCall(asked, redact), cwd), status: "pending", content: [...content] };
    },
    async goesOn(id) {
      if (running.has(id)) await update({ toolCallId: id, status: "in_progress" });
    },
    async drop(why) {
      const left = [...running];
      running.clear();
      for (const [toolCallId, { terminal }] of left) {
        const shown: ToolCallContent[] = terminal === null ? [] : [{ type: "terminal", terminalId: terminal }];
        await update({ toolCallId, status: "failed", content: [...shown, textContent(why)] });
      }
    },
  };
}

/** An editor shows the title as the line of the call: it says that the call was undone. */
function undoneTitle(asked: NamedCall, { output }: Outcome, ms: number): { readonly title?: string } {
  const undone = rollbackWords(output);
  if (undone === null) return {};
  const ended = output?.exitCode === undefined ? [] : [`exit ${output.exitCode}`];
  return { title: `${callTitle(asked)}: ${[...ended, duration(ms), undone].join(", ")}` };
}

/** The fixed facts about a call, whose secrets were taken out before. */
export const aboutCall = (toolCallId: string, asked: NamedCall, cwd: string) => ({
  toolCallId,
  title: callTitle(asked),
  name: asked.name,
  kind: kindOf(asked.name),
  locations: placesOf(asked, cwd),
  rawInput: inputOf(asked),
});

/** A command is never cut: it is what a person says yes to. Other texts, such as the content of a file, are shown in part. */
function inputOf({ name, args }: NamedCall): unknown {
  if (typeof args !== "object" || args === null || name === "bash") return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, typeof value === "string" ? boundedMiddle(value, LONGEST_INPUT) : value]),
  );
}

/** Facts that the text does not hold. Some clients print all of them, so they are few. */
function factsOf(outcome: Outcome, durationMs: number): object {
  const { ok, error, decision, exit_code, truncated, stdout, stderr, sandbox, overflow, cached, duration_ms } = answerJson(
    outcome,
    durationMs,
  );
  return {
    ok,
    ...(exit_code !== undefined && { exit_code }),
    ...(stdout !== undefined && { stdout, stderr }),
    ...(error && { error, decision }),
    ...(truncated && { truncated }),
    ...(overflow && { overflow }),
    ...(sandbox && { sandbox: sandbox.backend }),
    ...(cached && { cached }),
    duration_ms,
  };
}

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });

export const mediaContent = (media: readonly Media[] = []): ToolCallContent[] =>
  media.map(({ kind, data, mediaType }) => ({ type: "content", content: { type: kind, data, mimeType: mediaType } }));

const QUOTED: readonly string[] = ["execute", "read", "search"];

/** The output of a call, in a block of its own where it is not prose. */
export function resultText(text: string, tool: string): string {
  const shown = boundedMiddle(visible(text), LONGEST_TEXT);
  return QUOTED.includes(kindOf(tool)) && shown.trim() !== "" ? fenced(shown) : shown;
}

function said(outcome: Outcome, tool: string): ToolCallContent[] {
  const printed = outcome.output && outcome.output.text.trim() !== "" ? [textContent(resultText(outcome.output.text, tool))] : [];
  return outcome.ok ? printed : [textContent(visible(failureReason(outcome))), ...printed];
}

function diffContent(output: ToolOutput | undefined, cwd: string): ToolCallContent[] {
  if (output?.diff === undefined) return [];
  const [only, another] = output.locations ?? [];
  const where = only && !another ? { cwd, path: only.path } : { cwd };
  return diffPieces(output.diff, where);
}

const MOST_LOCATIONS = 100;
const locationsOf = (output: ToolOutput | undefined, cwd: string): ToolCallLocation[] =>
  (output?.locations ?? [])
    .slice(0, MOST_LOCATIONS)
    .map(({ path, line }) => ({ path: resolve(cwd, path), ...(line !== undefined && { line }) }));

function progressText({ message = "", done, total }: Progress): string {
  const far = done === undefined ? "" : total === undefined ? `${done}` : `${done} of ${total}`;
  return visible(boundedMiddle([message, far && `(${far})`].filter((part) => part !== "").join(" ") || "…", 2000));
}
