import type { ToolCall } from "../core/call.ts";
import type { ApprovedCall } from "../core/door.ts";
import type { Layer } from "../core/layer.ts";
import { marker } from "../core/marker.ts";
import type { Overflow, Owner } from "../core/ports/store.ts";
import type { ToolOutput } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { createPace } from "../text/pace.ts";
import { oneLine } from "../text/visible.ts";
import { grouped } from "../text/words.ts";
import type { OverflowConfig } from "./config.ts";
import { type Summarise, summaryOf } from "./overflow-summary.ts";

export interface OverflowParts {
  readonly store: Pick<Overflow, "put">;
  readonly config: Pick<OverflowConfig, "threshold" | "max_overflow_bytes">;
  readonly nonce: string;
  /** Whom a text is kept for. */
  readonly ownerOf: (turn: TurnContext) => Owner;
  /** Says in a few words what a text too long to show holds. Null when it cannot; then its beginning and its end are shown. */
  readonly summarise?: Summarise;
}

export interface Overflowing {
  readonly layer: Layer<ApprovedCall>;
  /** The same for an output that is no call's. */
  keep(output: ToolOutput, turn: TurnContext): Promise<ToolOutput>;
}

/** Shows what is kept here, in pieces of its own size. */
const READS_OVERFLOW = "read_overflow";

/**
 * Keeps what the model does not see: the whole of a text too long to show, of any tool, and the raw text of a shortened one. It lies outside the
 * filter, so what arrives here is redacted, and notes that are not ours are escaped.
 */
export function overflow({ store, config, nonce, ownerOf, summarise }: OverflowParts): Overflowing {
  const keep = async (text: string, turn: TurnContext, handle?: number): Promise<Keeping> => {
    const { whole, text: fitting } = await within(text, config.max_overflow_bytes);
    try {
      const id = await store.put({ owner: ownerOf(turn), text: fitting, ...(handle !== undefined && { handle }) });
      return { id, whole };
    } catch (error) {
      return { id: null, why: oneLine(error instanceof Error ? error.message : String(error), 200) };
    }
  };

  const withRawKept = async ({ shortened, ...output }: ToolOutput, turn: TurnContext): Promise<ToolOutput> => {
    if (!shortened) return output;
    const kept = await keep(shortened.raw, turn, shortened.handle);
    if (kept.id !== null) return output;
    return { ...output, text: `${output.text}\n${marker(nonce, `raw#${shortened.handle} could not be kept: ${kept.why}`)}` };
  };

  const withListKept = async ({ list, ...output }: ToolOutput, turn: TurnContext): Promise<ToolOutput> => {
    if (!list) return output;
    const kept = await keep(list.text, turn);
    // What cannot be kept is shown, however long it is.
    const note = kept.id === null ? `${list.says}; all of them:` : `${list.says}; read_overflow shows all: overflow:${kept.id}`;
    return { ...output, text: [output.text, marker(nonce, note), ...(kept.id === null ? [list.text] : [])].join("\n") };
  };

  const bounded = async (output: ToolOutput, turn: TurnContext, from?: { call: ToolCall; signal: AbortSignal }): Promise<ToolOutput> => {
    const { text } = output;
    if (text.length <= config.threshold) return output;
    const kept = await keep(text, turn);
    const note = (left: string) => marker(nonce, `${leftOut(left)}${advice(kept)}`);
    const summary = summarise && from ? await summaryOf(text, summarise, from) : null;
    const told = summary && `${summary}\n${note(text)}`;
    const shown = told && told.length <= config.threshold ? told : headAndTail(text, config.threshold, note);
    return { ...output, text: shown, truncated: true, ...(kept.id !== null && { overflow: kept.id }) };
  };

  return {
    layer: async ({ call }, { turn, signal }, next) => {
      const outcome = await next();
      const { output } = outcome;
      if (!output || (!output.shortened && !output.list && output.text.length <= config.threshold)) return outcome;
      const clean = await withListKept(await withRawKept(output, turn), turn);
      return { ...outcome, output: call.tool.name === READS_OVERFLOW ? clean : await bounded(clean, turn, { call, signal }) };
    },
    keep: async (output, turn) => bounded(await withListKept(await withRawKept(output, turn), turn), turn),
  };
}

type Keeping = { readonly id: string; readonly whole: boolean } | { readonly id: null; readonly why: string };

function leftOut(left: string): string {
  const lines = lineEnds(left);
  return `${grouped(left.length)} characters${lines > 1 ? ` in ${grouped(lines)} lines` : ""} left out`;
}

function lineEnds(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) found++;
  return found;
}

function advice(kept: Keeping): string {
  if (kept.id === null) return ` and not kept: ${kept.why}`;
  return `; read_overflow shows ${kept.whole ? "all of it" : "what is kept of it, the middle is not"}: overflow:${kept.id}`;
}

/** The beginning and the end with a note between them, together no longer than that. A limit shorter than the note leaves the note. */
function headAndTail(text: string, limit: number, note: (left: string) => string): string {
  // The longest the note can become; the text left out is only known once it is measured.
  const room = Math.max(0, limit - note(text).length - 2);
  const headEnd = endOfHead(text, Math.ceil(room / 2));
  const tailStart = startOfTail(text, text.length - Math.floor(room / 2));
  const parts = [text.slice(0, headEnd), note(text.slice(headEnd, tailStart)), text.slice(tailStart)];
  return parts.filter((part) => part !== "").join("\n");
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

/** As much of the beginning and the end as fits into so many bytes. */
async function within(text: string, most: number): Promise<{ readonly whole: boolean; readonly text: string }> {
  // No character takes more than three bytes for each of its units.
  if (most === 0 || text.length * 3 <= most) return { whole: true, text };
  const headEnd = await endWithin(text, Math.ceil(most / 2));
  if (headEnd === text.length || (await endWithin(text, most)) === text.length) return { whole: true, text };
  const tailStart = await startWithin(text, Math.floor(most / 2));
  const lost = `(${grouped(tailStart - headEnd)} characters stood here and were not kept: tools.overflow.max_overflow_bytes is ${grouped(most)})`;
  return { whole: false, text: `${text.slice(0, headEnd)}\n${lost}\n${text.slice(tailStart)}` };
}

/** So many characters are counted in one go. */
const COUNTED = 128 * 1024;

/** How far from its beginning a text fits into so many bytes, cut between characters. */
async function endWithin(text: string, most: number): Promise<number> {
  const pace = createPace();
  let left = most;
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + COUNTED - (isInsidePair(text, at + COUNTED) ? 1 : 0));
    const bytes = Buffer.from(part, "utf8");
    if (bytes.length > left) return at + bytes.subarray(0, characterAt(bytes, left, -1)).toString("utf8").length;
    left -= bytes.length;
    at += part.length;
    await pace.step();
  }
  return text.length;
}

/** The same from its end. */
async function startWithin(text: string, most: number): Promise<number> {
  const pace = createPace();
  let left = most;
  for (let end = text.length; end > 0; ) {
    const start = Math.max(0, end - COUNTED);
    const part = text.slice(isInsidePair(text, start) ? start + 1 : start, end);
    const bytes = Buffer.from(part, "utf8");
    if (bytes.length > left) return end - bytes.subarray(characterAt(bytes, bytes.length - left, 1)).toString("utf8").length;
    left -= bytes.length;
    end -= part.length;
    await pace.step();
  }
  return 0;
}

/** The nearest place in that direction where a character begins; bytes 10xxxxxx go on with one. */
function characterAt(bytes: Buffer, at: number, direction: 1 | -1): number {
  let place = at;
  while (place > 0 && place < bytes.length && (bytes[place]! & 0xc0) === 0x80) place += direction;
  return place;
}
