import { answeredWords, type ZephEvent } from "../../../core/event.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { ToolRequest } from "../../../core/request.ts";
import type { CallOutputs } from "../chat/call-outputs.ts";
import { createCharacterJoiner } from "../terminal/text-writer.ts";
import { createPastCalls, type PastCalls } from "./past-calls.ts";
import type { ScreenWriter } from "./screen-writer.ts";
import type { Theme } from "./theme.ts";
import { callLines, type ShownCall } from "./view/call.ts";
import { createMarkdownStream, type MarkdownStream } from "./view/markdown/stream.ts";
import {
  backgroundLines,
  budgetLines,
  compactedLines,
  goalLines,
  noteLines,
  reloadLines,
  retryLines,
  thoughtLines,
  turnEndLines,
  warningLines,
} from "./view/notices.ts";
import type { RunningCall } from "./view/work.ts";

/** Makes lines of the events of turns: finished ones for the scrollback, and what is still under way. */
export interface TurnLines {
  event(event: ZephEvent): void;
  /** A call of the person's own has ended. */
  ownEnded(request: Pick<ToolRequest, "name" | "args">, outcome: Outcome, ms: number): void;
  /** The end of what the model says, which may still change. */
  tail(): readonly string[];
  /** Calls that have not ended. */
  calls(): readonly RunningCall[];
  /** How long the model has been waited for; null while it speaks or calls run. */
  thinkingMs(): number | null;
  /** A turn is over, however it ended. */
  rest(): void;
  /** So long a person thought about a call: that is not the time of the call. */
  asked(callId: string, ms: number): void;
  readonly kept: PastCalls;
}

export interface TurnLinesParts {
  readonly writer: Pick<ScreenWriter, "commit" | "size">;
  readonly outputs: CallOutputs;
  theme(): Theme;
}

/** Lines that are longer than this are hard to read, however wide the window is. */
export const WIDEST_PROSE = 100;
/** A shorter thought is not worth a line. */
const LONG_THOUGHT_MS = 1000;
const LONGEST_THOUGHT = 256 * 1024;

interface Running extends RunningCall {
  readonly since: number;
  readonly askedMs: number;
}

export function createTurnLines({ writer, outputs, theme }: TurnLinesParts): TurnLines {
  const running = new Map<string, Running>();
  const kept = createPastCalls();
  const joiner = createCharacterJoiner();
  let began: number | null = null;
  let waitsSince: number | null = null;
  let voice: MarkdownStream | null = null;
  let said = 0;
  let thought: { text: string; readonly since: number } | null = null;
  /** What stands above: words of the model stand apart from calls. */
  let above: "text" | "call" | null = null;
  const width = () => writer.size().columns - 1;
  const prose = () => Math.min(WIDEST_PROSE, width());
  const indent = (lines: readonly string[]) => lines.map((line) => (line === "" ? "" : ` ${line}`));
  const say = (text: string) => {
    if (text === "") return;
    if (voice === null && above === "call") writer.commit([""]);
    voice ??= createMarkdownStream(prose() - 1, theme());
    above = "text";
    const lines = indent(voice.push(text));
    said += lines.length;
    writer.commit(lines);
  };
  const endText = () => {
    say(joiner.rest());
    const rest = indent(voice?.end() ?? []);
    voice = null;
    said += rest.length;
    writer.commit(rest);
  };
  const endThought = () => {
    if (!thought) return;
    const { text, since } = thought;
    thought = null;
    outputs.think(text);
    const ms = performance.now() - since;
    if (ms >= LONG_THOUGHT_MS) writer.commit(thoughtLines(ms, prose(), theme()));
  };
  const ended = ({ request, outcome, ms, isOwn = false }: Omit<ShownCall, "n">) => {
    const n = outputs.add(request as ToolRequest, outcome);
    kept.add({ request, outcome, ms, n });
    if (above === "text") writer.commit([""]);
    above = "call";
    writer.commit(callLines({ request, outcome, ms, n, isOwn }, width(), theme()));
  };
  const show: { readonly [T in ZephEvent["type"]]?: (event: Extract<ZephEvent, { type: T }>) => void } = {
    turn_start: () => {
      began = performance.now();
      waitsSince = began;
      above = null;
    },
    text: ({ text }) => say(joiner.add(text)),
    thinking({ text }) {
      thought ??= { text: "", since: performance.now() };
      if (thought.text.length < LONGEST_THOUGHT) thought.text += text;
    },
    tool_start: ({ request }) =>
      void running.set(request.id, { name: request.name, args: request.args, ms: 0, since: performance.now(), askedMs: 0 }),
    progress({ callId, progress: { message, done, total } }) {
      const call = running.get(callId);
      if (!call) return;
      const progress = {
        ...(message !== undefined && { message }),
        ...(done !== undefined && { done }),
        ...(total !== undefined && { total }),
      };
      running.set(callId, { ...call, progress });
    },
    tool_end({ request, outcome, durationMs }) {
      const askedMs = running.get(request.id)?.askedMs ?? 0;
      running.delete(request.id);
      ended({ request, outcome, ms: Math.max(0, durationMs - askedMs) });
    },
    answered: (event) => writer.commit(noteLines(answeredWords(event), prose(), theme())),
    background: (event) => writer.commit(backgroundLines(event, prose(), theme())),
    retry(event) {
      writer.commit(retryLines(event, event.discards ? said : 0, prose(), theme()));
      said = 0;
    },
    budget: (event) => writer.commit(budgetLines(event, prose(), theme())),
    usage: () => {
      said = 0;
    },
    plan: ({ goal }) => writer.commit(goalLines(goal, prose(), theme())),
    compacted: (event) => writer.commit(compactedLines(event, prose(), theme())),
    reload: (event) => writer.commit(reloadLines(event, prose(), theme())),
    warning: ({ message }) => writer.commit(warningLines(message, prose(), theme())),
    done({ why, message, totals }) {
      const ms = performance.now() - (began ?? performance.now());
      writer.commit(["", ...turnEndLines({ why, totals, ms, ...(message !== undefined && { message }) }, prose(), theme())]);
    },
  };
  const rest = () => {
    endText();
    endThought();
    running.clear();
    began = null;
    waitsSince = null;
    above = null;
  };
  return {
    kept,
    ownEnded: (request, outcome, ms) => ended({ request, outcome, ms, isOwn: true }),
    rest,
    event(event) {
      if (!SILENT.has(event.type)) endText();
      if (event.type !== "thinking" && event.type !== "usage") endThought();
      (show[event.type] as ((event: ZephEvent) => void) | undefined)?.(event);
      if (event.type === "done") rest();
      else if (began !== null && event.type !== "progress") waitsSince = performance.now();
    },
    tail: () => indent(voice?.tail() ?? []),
    calls: () => [...running.values()].map((call) => ({ ...call, ms: performance.now() - call.since - call.askedMs })),
    thinkingMs: () => (began === null || waitsSince === null || (voice?.tail().length ?? 0) > 0 ? null : performance.now() - waitsSince),
    asked(callId, ms) {
      const call = running.get(callId);
      if (call) running.set(callId, { ...call, askedMs: call.askedMs + ms });
    },
  };
}

/** They come in the middle of what is said. */
const SILENT: ReadonlySet<ZephEvent["type"]> = new Set(["text", "usage", "thinking", "progress", "egress", "run_start", "run_end"]);
