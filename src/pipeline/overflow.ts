import type { ToolCall } from "../core/call.ts";
import { type Draft, type DraftPart, type Keeping, textOf, textOfPart } from "../core/draft.ts";
import { facetsOf } from "../core/facets.ts";
import type { InnerLayer } from "../core/layer.ts";
import { marker } from "../core/marker.ts";
import type { Overflow, Owner } from "../core/ports/printed/overflow.ts";
import { isPrinted, type PrintedStreams } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { charactersWithinBudget } from "../filters/giant.ts";
import { createPace } from "../text/pace.ts";
import { boundedMiddle, oneLine } from "../text/visible.ts";
import { grouped } from "../text/words.ts";
import type { OverflowConfig } from "./config.ts";
import { type Summarise, summaryOf } from "./overflow-summary.ts";

export interface OverflowParts {
  readonly store: Pick<Overflow, "put">;
  readonly config: Pick<OverflowConfig, "threshold" | "max_overflow_bytes">;
  readonly nonce: string;
  /** The conversation or session a text is kept for. */
  readonly ownerOf: (turn: TurnContext) => Owner;
  /** Sums up a text too long to show. Null when it cannot; then the beginning and the end of the text are shown. */
  readonly summarise?: Summarise;
}

interface KeepFor {
  readonly turn: TurnContext;
  readonly call?: ToolCall | undefined;
  readonly handle?: number;
}

export interface OverflowLayer {
  readonly layer: InnerLayer;
  /** The same for an output that belongs to no call. */
  keep(draft: Draft, turn: TurnContext): Promise<Draft>;
}

/**
 * Keeps what the model does not see: the whole of a text too long to show, of any tool, and the raw text of a shortened one. It lies outside the
 * filter, so what arrives here is redacted, and notes that are not ours are escaped.
 */
export function createOverflowLayer({ store, config, nonce, ownerOf, summarise }: OverflowParts): OverflowLayer {
  const keep = async (text: string, { turn, call, handle }: KeepFor): Promise<Keeping> => {
    const { whole, text: fitting } = await within(text, config.max_overflow_bytes);
    try {
      const id = await store.put({
        owner: ownerOf(turn),
        text: fitting,
        ...(handle !== undefined && { handle }),
        ...(call && { callId: call.id }),
      });
      return { id, whole };
    } catch (error) {
      return { id: null, why: oneLine(error instanceof Error ? error.message : String(error), 200) };
    }
  };

  /** Stores what a draft only carries: the text a mark stands for, and a list. What cannot be stored is said, and a list is shown. */
  const withCarriedKept = async (draft: Draft, of: KeepFor): Promise<Draft> => {
    const note = (text: string): DraftPart => ({ kind: "note", text: marker(nonce, text) });
    const shown: DraftPart[] = [];
    const last: DraftPart[] = [];
    for (const part of draft.parts) {
      if (part.kind === "list") {
        const kept = await keep(part.text, of);
        if (kept.id === null) last.push(note(`${part.says}; all of them:`), { kind: "text", text: part.text });
        else last.push(note(`${part.says}; read_overflow shows all: overflow:${kept.id}`));
      } else if (part.kind === "omitted" && part.whole !== undefined) {
        const { whole, ...mark } = part;
        const kept = await keep(whole, { ...of, handle: mark.handle });
        if (kept.id === null) last.unshift(note(`raw#${mark.handle} could not be kept: ${kept.why}`));
        shown.push(mark);
      } else shown.push(part);
    }
    return { ...draft, parts: [...shown, ...last] };
  };

  const bounded = async (draft: Draft, turn: TurnContext, from?: { call: ToolCall; signal: AbortSignal }): Promise<Draft> => {
    const text = textOf(draft.parts);
    if (text.length <= config.threshold) return draft;
    const kept = await keep(text, { turn, call: from?.call });
    const cut = (left: string): DraftPart => ({ kind: "cut", characters: left.length, lines: lineEnds(left), kept, nonce });
    const summary = summarise && from ? await summaryOf(text, summarise, from) : null;
    const told: readonly DraftPart[] | null = summary ? [{ kind: "text", text: summary }, cut(text)] : null;
    const parts = told && textOf(told).length <= config.threshold ? told : headAndTail(text, config.threshold, cut);
    return { ...draft, parts, truncated: true, ...(kept.id !== null && { overflow: kept.id }) };
  };

  return {
    layer: async ({ call }, { turn, signal }, next) => {
      const outcome = await next();
      if (!outcome.output) return outcome;
      const draft = withStreams(await withCarriedKept(outcome.output, { turn, call }), config.threshold);
      return { ...outcome, output: facetsOf(call.tool).shape === "pieces" ? draft : await bounded(draft, turn, { call, signal }) };
    },
    keep: async (draft, turn) => bounded(await withCarriedKept(draft, { turn }), turn),
  };
}

/** What a command printed, stream by stream, each as long as the text of a command may be. The data is redacted already. */
function withStreams(draft: Draft, threshold: number): Draft {
  const { raw, sizes } = draft;
  if (!isPrinted(raw)) return draft;
  const { stdout, stderr } = raw;
  const cutToBudget = (text: string) => boundedMiddle(text, Math.min(threshold, charactersWithinBudget(text)));
  const streams: PrintedStreams = {
    stdout: cutToBudget(stdout),
    stderr: cutToBudget(stderr),
    stdoutBytes: sizes?.stdout ?? Buffer.byteLength(stdout),
    stderrBytes: sizes?.stderr ?? Buffer.byteLength(stderr),
  };
  return { ...draft, streams };
}

function lineEnds(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) found++;
  return found;
}

/** The beginning and the end with a note between them, together no longer than that. A limit shorter than the note leaves the note. */
function headAndTail(text: string, limit: number, cut: (left: string) => DraftPart): DraftPart[] {
  // The longest the note can become; the text left out is only known once it is measured.
  const room = Math.max(0, limit - textOfPart(cut(text)).length - 2);
  const headEnd = endOfHead(text, Math.ceil(room / 2));
  const tailStart = startOfTail(text, text.length - Math.floor(room / 2));
  return [
    { kind: "text", text: text.slice(0, headEnd) },
    cut(text.slice(headEnd, tailStart)),
    { kind: "text", text: text.slice(tailStart) },
  ];
}

/** At a line end when one is near, else between two characters. The line end itself is not shown: the note stands on its own line. */
function endOfHead(text: string, most: number): number {
  const line = text.lastIndexOf("\n", most);
  return line >= most / 2 ? line : isInsidePair(text, most) ? most - 1 : most;
}

function startOfTail(text: string, least: number): number {
  const line = text.indexOf("\n", least - 1) + 1;
  return line > 0 && text.length - line >= (text.length - least) / 2 ? line : isInsidePair(text, least) ? least + 1 : least;
}

const isInsidePair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));

/** As much of the beginning and the end as fits into so many bytes. Megabytes are measured in steps, with a turn for others between them. */
async function within(text: string, most: number): Promise<{ readonly whole: boolean; readonly text: string }> {
  // No character takes more than three bytes for each of its units, and none less than one.
  const isWhole = most === 0 || text.length * 3 <= most || (text.length <= most && (await bytesOf(text)) <= most);
  if (isWhole) return { whole: true, text };
  const head = text.slice(0, await unitsWithin(text, Math.ceil(most / 2)));
  const tail = await endWithin(text, Math.floor(most / 2));
  const lost = text.length - head.length - tail.length;
  const note = `(${grouped(lost)} characters stood here and were not kept: tools.overflow.max_overflow_bytes is ${grouped(most)})`;
  return { whole: false, text: `${head}\n${note}\n${tail}` };
}

const STEP = 1_000_000;
const stepFrom = (text: string, at: number): string => text.slice(at, at + STEP + (isInsidePair(text, at + STEP) ? 1 : 0));

async function bytesOf(text: string): Promise<number> {
  const pace = createPace();
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const step = stepFrom(text, at);
    bytes += Buffer.byteLength(step);
    at += step.length;
    await pace.step();
  }
  return bytes;
}

/** How much of a text fits into so many bytes, cut between characters. */
async function unitsWithin(text: string, bytes: number): Promise<number> {
  const pace = createPace();
  const room = new Uint8Array(Math.min(bytes, 3 * STEP));
  let units = 0;
  for (let left = bytes; left > 0; ) {
    const { read, written } = new TextEncoder().encodeInto(stepFrom(text, units), room.subarray(0, left));
    units += read;
    left -= written;
    if (read === 0) break;
    await pace.step();
  }
  return units;
}

/** The end of a text that fits into so many bytes. */
async function endWithin(text: string, bytes: number): Promise<string> {
  const start = Math.max(0, text.length - bytes);
  const end = text.slice(isInsidePair(text, start) ? start + 1 : start);
  const excess = (await bytesOf(end)) - bytes;
  if (excess <= 0) return end;
  const units = await unitsWithin(end, excess);
  const isEnough = (await bytesOf(end.slice(0, units))) === excess;
  return end.slice(isEnough ? units : units + (isInsidePair(end, units + 1) ? 2 : 1));
}
