import type { Draft, DraftPart } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import { LONG_TEXT } from "../core/ports/texts.ts";
import { createPace, type Pace } from "../text/pace.ts";
import type { OutcomeTexts } from "./redact-texts.ts";

const MAX_DEPTH = 20;
/** Data of more values than this is long, however short they are. */
const MANY_VALUES = 2_000;

/** The parts of an outcome that hold text. */
export interface Produced {
  readonly output?: Draft | undefined;
  readonly error?: ToolError | undefined;
}

/** Whether there is so much text that a thread has to work on it. */
export function isLongOutcome({ output, error }: Produced): boolean {
  let size = error?.message.length ?? 0;
  let values = 0;
  const measure = (value: unknown, depth: number): boolean => {
    if (++values > MANY_VALUES) return true;
    if (typeof value === "string") size += value.length;
    else if (Array.isArray(value) && depth < MAX_DEPTH) {
      // Before anything else: the names of a long list's places are made one by one.
      if (values + value.length > MANY_VALUES) return true;
      for (const item of value) if (measure(item, depth + 1)) return true;
    } else if (isNested(value) && depth < MAX_DEPTH)
      for (const name in value) if (measure(Reflect.get(value, name), depth + 1)) return true;
    return size > LONG_TEXT;
  };
  if (!output) return size > LONG_TEXT;
  size += output.diff?.length ?? 0;
  for (const part of output.parts) if ("text" in part) size += part.text.length;
  return measure(output.raw, 0) || measure(output.locations, 0);
}

export interface GatheredTexts extends OutcomeTexts {
  /** Some data lie too deep to be looked at. */
  readonly deep: boolean;
}

/** All texts, one by one. A long list is gathered in slices. */
export async function gatherTexts({ output, error }: Produced): Promise<GatheredTexts> {
  const into: { others: string[]; deep: boolean } = { others: [], deep: false };
  if (output) {
    if (output.diff !== undefined) into.others.push(output.diff);
    for (const part of output.parts) if (part.kind === "list") into.others.push(part.text);
    for (const { path } of output.locations ?? []) into.others.push(path);
    await collect(output.raw, into, 0, createPace());
  }
  const texts = output?.parts.flatMap((part) => (hasShownText(part) ? [part.text] : [])) ?? [];
  return { texts, message: error?.message ?? null, ...into };
}

/** Whether the part's own text is read, and not a mark or a note in its place. */
export const hasShownText = (part: DraftPart): part is Extract<DraftPart, { kind: "text" | "printed" | "note" }> =>
  part.kind === "text" || part.kind === "printed" || part.kind === "note";

/** The same outcome with other texts in the places of its own. */
export async function replaceTexts(
  { output, error }: Produced,
  { texts, others, message }: OutcomeTexts,
  pace = createPace(),
): Promise<Produced> {
  return {
    ...(output && { output: await draftWith(output, texts, others, pace) }),
    ...(error && { error: errorWith(error, message ?? error.message) }),
  };
}

async function draftWith(output: Draft, texts: readonly string[], others: readonly string[], pace: Pace): Promise<Draft> {
  let at = 0;
  const next = (): string => others[at++]!;
  let shown = 0;
  const diff = output.diff === undefined ? undefined : next();
  return {
    ...output,
    ...(diff !== undefined && { diff }),
    parts: output.parts.map((part) =>
      hasShownText(part) ? { ...part, text: texts[shown++]! } : part.kind === "list" ? { ...part, text: next() } : part,
    ),
    ...(output.locations && { locations: output.locations.map((location) => ({ ...location, path: next() })) }),
    ...(output.raw !== undefined && { raw: await mapped(output.raw, next, 0, pace) }),
  };
}

function errorWith(error: ToolError, message: string): ToolError {
  if (message === error.message && !error.output) return error;
  // The cause and the output as it was may hold the value too, so they do not travel on; the outcome carries the output.
  return new ToolError(error.category, message, error.advice === undefined ? {} : { advice: error.advice });
}

async function collect(value: unknown, into: { others: string[]; deep: boolean }, depth: number, pace: Pace): Promise<void> {
  if (typeof value === "string") into.others.push(value);
  if (!isNested(value)) return;
  if (depth >= MAX_DEPTH) {
    into.deep = true;
    return;
  }
  let seen = 0;
  for (const item of Object.values(value)) {
    // No promise for what is a plain string: there may be many.
    if (typeof item === "string") into.others.push(item);
    else if (isNested(item)) await collect(item, into, depth + 1, pace);
    if (++seen % 1000 === 0) await pace.step();
  }
}

/** Data too deep to look at is not handed on. */
async function mapped(value: unknown, next: () => string, depth: number, pace: Pace): Promise<unknown> {
  if (typeof value === "string") return next();
  if (!isNested(value)) return value;
  if (depth >= MAX_DEPTH) return null;
  const items: unknown[] = [];
  for (const item of Object.values(value)) {
    items.push(typeof item === "string" ? next() : isNested(item) ? await mapped(item, next, depth + 1, pace) : item);
    if (items.length % 1000 === 0) await pace.step();
  }
  if (Array.isArray(value)) return items;
  return Object.fromEntries(Object.keys(value).map((name, n) => [name, items[n]]));
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;
