import { outline } from "../shell/outline.ts";
import { wordSet } from "../text/words.ts";
import { unwrapCommand } from "./unwrap.ts";

/** What a command line was written to show. */
export interface ContentsAsked {
  /** The last part of each name it was given: `auth.py`. */
  readonly names: readonly string[];
  /** It names the lines as well: `sed -n 10,80p auth.py`. */
  readonly lines: "chosen" | "all";
}

/** Programs that print what is in a file, or what changed in it. */
const SHOWING = wordSet("cat bat batcat head tail less more nl tac sed awk gawk jq yq zcat bzcat xzcat diff");
const GIT_SHOWING = /^(?:diff|show|blame|annotate|cat-file)$/;
const LINE_RANGE = /^\d+(?:,(?:\+?\d+|\$))?p$/;

/** The contents that a command line asks for; null when it only tells what it does. One that cannot be read might ask for anything. */
export function contentsAsked(command: string): ContentsAsked | null {
  const segments = outline(command);
  if (!segments) return { names: [], lines: "all" };
  const showing = segments
    .filter(({ quiet }) => !quiet)
    .map(({ stages }) => unwrapCommand(stages[0]?.words ?? []))
    .filter(showsContents);
  if (showing.length === 0) return null;
  const operands = showing.flatMap((words) => words.slice(1).filter((word) => !word.startsWith("-")));
  const isRange = (words: readonly string[]) => words[0] === "sed" && words.some((word) => LINE_RANGE.test(word));
  return {
    names: operands.map((word) => word.replace(/^.*[/:]/, "")),
    lines: showing.every(isRange) ? "chosen" : "all",
  };
}

function showsContents([program = "", first = "", ...rest]: readonly string[]): boolean {
  if (program !== "git") return SHOWING.has(program);
  return GIT_SHOWING.test(first) || (first === "log" && rest.some((word) => /^(?:-p|-u|--patch)$/.test(word)));
}
