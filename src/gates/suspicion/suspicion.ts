import type { ToolCall } from "../../core/call.ts";
import { bounded } from "../../text/visible.ts";
import { unheardNames } from "./names.ts";
import { type PathFacts, unheardPaths } from "./paths.ts";
import { createSaidWords, type Words } from "./words.ts";

/** What a conversation has heard, and what it was warned about. It lives as long as the conversation is remembered, whatever rules come and go. */
export interface Hearing {
  /** Null from the moment something was said that nobody listened to: what was not heard cannot be missed. */
  words: Words | null;
  /** Something has been said. Before that there is nothing to compare with. */
  hasBegun: boolean;
  readonly warned: Set<string>;
}

export const newHearing = (): Hearing => ({ words: null, hasBegun: false, warned: new Set() });

/** Hears what was said. A hearing that does not listen to all of it does not listen at all. */
export function hear(hearing: Hearing, listens: "listens" | "does not", text: string, but?: string): void {
  if (listens === "listens" && !hearing.hasBegun) hearing.words = createSaidWords();
  hearing.hasBegun = true;
  if (listens === "listens") hearing.words?.add(text, but);
  else hearing.words = null;
}

export interface Suspect {
  readonly kind: "path" | "name";
  readonly thing: string;
}

/** Of one call, and warnings in one conversation. More would not be read. */
const MOST_IN_CALL = 5;
const MOST_WARNINGS = 30;

/** What a model may have made up in this call. A guess, and never a reason to refuse. */
export function suspectsIn(call: ToolCall, { words: heard }: Hearing, facts: PathFacts): readonly Suspect[] {
  if (!heard) return [];
  const paths = unheardPaths(call, heard, facts).map((thing): Suspect => ({ kind: "path", thing }));
  const names = unheardNames(call, heard, facts).map((thing): Suspect => ({ kind: "name", thing }));
  return [...paths, ...names].slice(0, MOST_IN_CALL);
}

/** For the audit log. */
export const suspectText = (suspects: readonly Suspect[]): string =>
  suspects.map(({ kind, thing }) => `${kind} ${quoted(thing)}`).join(", ");

/** What a person is told, about each thing once in a conversation. */
export function warningsAbout(suspects: readonly Suspect[], { warned }: Hearing): string[] {
  const news = suspects.filter(({ thing }) => !warned.has(thing)).slice(0, Math.max(0, MOST_WARNINGS - warned.size));
  for (const { thing } of news) warned.add(thing);
  return news.map(({ kind, thing }) =>
    kind === "path"
      ? `The model may have made up the path ${quoted(thing)}: it does not exist, and nobody mentioned it.`
      : `The model may have made up ${quoted(thing)}: nobody mentioned it, and no result contains it.`,
  );
}

const quoted = (thing: string): string => {
  const clean = thing.replace(/[\p{C}\u2028\u2029]/gu, "?");
  return bounded(clean, 120);
};
