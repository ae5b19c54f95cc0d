import type { ToolCall } from "../../core/call.ts";
import { leavesOf } from "./score.ts";

/** A longer text is looked at from its beginning. */
const MOST_SAID = 20_000;
/** Shorter arguments are in every text. */
const SHORTEST = 3;
const LONGEST = 500;

/** A person's words, as `isRequested` looks for them. */
export const spoken = (text: string): string => text.slice(0, MOST_SAID).toLowerCase();

/** Whether the person's own words name the tool, or what the call is about: a path or its last part, a query, a handle. */
export function isRequested({ tool, input }: ToolCall, said: string): boolean {
  if (said === "") return false;
  return hasWord(said, tool.name.toLowerCase()) || leavesOf(input).some((leaf) => isIn(said, leaf.trim().toLowerCase()));
}

function isIn(said: string, leaf: string): boolean {
  if (leaf.length > LONGEST) return false;
  const path = leaf.replace(/\/{1,16}$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (leaf.length >= SHORTEST && said.includes(leaf)) || (name.length >= SHORTEST && said.includes(name));
}

function hasWord(said: string, word: string): boolean {
  for (let at = said.indexOf(word); at !== -1; at = said.indexOf(word, at + 1))
    if (!isLetter(said[at - 1]) && !isLetter(said[at + word.length])) return true;
  return false;
}

const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
