import type { Message } from "../../../core/ports/model.ts";

/** So many characters of a message are found by their words. */
const INDEXED = 100_000;
/** The server keeps less than a megabyte of words for a row. */
const MOST_FOLDED = 130_000;
const LONGEST_WORD = 64;

/** What a person or a model said, null for anything else. */
export function saidIn(message: Message): string | null {
  const text = textIn(message);
  const clean = text?.slice(0, INDEXED).replaceAll("\0", " ").toWellFormed() ?? "";
  return clean.trim() === "" ? null : clean;
}

function textIn(message: Message): string | null {
  if (message.role === "user" && message.from === undefined) return message.text;
  if (message.role !== "assistant") return null;
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Its words without accents and case, a space between them: the server's own parser would take an address or a path for one word. */
export const foldedText = (text: string): string => foldedWords(text).join(" ").slice(0, MOST_FOLDED).toWellFormed();

export const foldedWords = (text: string): readonly string[] =>
  (folded(text).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []).map((word) => [...word].slice(0, LONGEST_WORD).join(""));

const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();

const EXCERPT = 300;
/** So much is shown before what was found. */
const BEFORE = 80;

/** The part of a text around the first of these words, or of one that begins like it. */
export function excerptAround(text: string, words: readonly string[]): string {
  if (text.length <= EXCERPT) return text;
  const stems = words.map((word) => word.slice(0, Math.max(3, word.length - 3)));
  let like = -1;
  let same = -1;
  for (const { 0: found, index } of text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    const word = folded(found);
    if (like < 0 && stems.some((stem) => word.startsWith(stem))) like = index;
    if (words.includes(word)) {
      same = index;
      break;
    }
  }
  return excerptAt(text, same < 0 ? like : same);
}

/** The same around a place; negative for the beginning. */
export function excerptAt(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  return text.slice(from, from + EXCERPT).toWellFormed();
}
