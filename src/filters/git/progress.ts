import { endOfRun } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import type { Reader } from "./read-passages.ts";

/** Objects on their way, counted by this side or the other. */
const STEPS = [
  "(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking|Indexing|Checking|Removing duplicate|(?:Up|Down)loading LFS) objects",
  "Resolving deltas|Finding sources|Updating files|Checking out files|Filtering content|Checking connectivity|Refresh index",
  "Checking object directories|Expanding reachable commits in commit graph|Computing commit graph [a-z ]{1,40}|Collecting referenced commits",
  "Finding commits for commit graph among packed objects|Selecting bitmap commits|Building bitmaps|Performing inexact rename detection",
];
const SIZE = String.raw`[\d.]+ (?:bytes|[KMGT]?i?B)`;
const STEP = new RegExp(
  String.raw`^(?:remote: )?(?:${STEPS.join("|")}): +(\d{1,3}% \(\d+\/\d+\)|\d+)(?:, ${SIZE}(?: \| ${SIZE}\/s)?)?((?:, done|, completed with \d+ local objects?)?)\.?\s*$`,
);
const ALWAYS = new RegExp(
  [
    String.raw`^(?:remote: )?Delta compression using up to \d+ threads?\.?\s*$`,
    String.raw`^(?:remote: )?Total \d+ \(delta \d+\), reused \d+ \(delta \d+\)(?:, pack-reused \d+(?: \(from \d+\))?)?\s*$`,
    String.raw`^remote:\s*$`,
    String.raw`^remote: Waiting for private key checker: \d+\/\d+ objects left\s*$`,
    String.raw`^Auto packing the repository (?:in background )?for optimum performance\.$`,
    String.raw`^See "git help gc" for manual housekeeping\.$`,
  ].join("|"),
);
const REBASING = /^Rebasing \(\d+\/\d+\)$/;

/** Progress of a transfer. How far it came is worth a line only if it did not arrive. */
export function progressReader(exitCode: number | null): Reader {
  return (lines, at) => {
    const { text } = lines[at]!;
    if (REBASING.test(text)) return exitCode === 0 || REBASING.test(lines[at + 1]?.text ?? "") ? { next: at + 1, shown: [] } : null;
    const [isStep, amount = "", end = ""] = STEP.exec(text) ?? [];
    if (isStep === undefined && !ALWAYS.test(text)) return null;
    if (exitCode !== 0 && end === "" && amount.includes("%") && !amount.startsWith("100%")) return null;
    return { next: at + 1, shown: [] };
  };
}

/** The other side pads what it says. */
export const remoteReader: Reader = (lines, at) => {
  const line = lines[at]!;
  const short = line.text.startsWith("remote: ") ? line.text.replace(/^remote: +/, "remote: ").trimEnd() : line.text;
  return short === line.text ? null : { next: at + 1, shown: [standFor(short, [line])] };
};

/** Advice on what to type. The names of hooks, and errors that share its line, are no advice. */
export const hintReader: Reader = (lines, at) => {
  const { text } = lines[at]!;
  if (!text.startsWith("hint:") || /\bhook\b|\b(?:error|fatal|warning):/.test(text)) return null;
  return { next: at + 1, shown: [] };
};

const DETACHED = "You are in 'detached HEAD' state.";
const DETACHED_ADVICE = [
  /^You are in 'detached HEAD' state\. You can look around, make experimental$/,
  /^changes and commit them, and you can discard any commits you make in this$/,
  /^state without impacting any branches by (?:performing another checkout|switching back to a branch)\.$/,
  /^If you want to create a new branch to retain commits you create, you may$/,
  /^do so \(now or later\) by using -[bc] with the (?:checkout|switch) command(?: again)?\. Example:$/,
  /^ {2}git (?:checkout -b|switch -c) <(?:new-)?(?:branch-)?name>$/,
  /^Or undo this operation with:$/,
  /^ {2}git switch -$/,
  /^Turn off this advice by setting config variable advice\.detachedHead to false$/,
];

/** A page of advice, of which one sentence is news. */
export const detachedReader: Reader = (lines, at) => {
  const line = lines[at]!;
  if (!line.text.startsWith(DETACHED) || line.text === DETACHED) return null;
  const next = endOfRun(lines, at + 1, ({ text }) => text === "" || DETACHED_ADVICE.some((advice) => advice.test(text)));
  return { next, shown: [standFor(DETACHED, [line])] };
};

/** `Auto-merging x` says nothing new when x is in conflict, and `Could not apply x` nothing new after the same as an error. */
export function mergeReader(all: readonly Line[]): Reader {
  const said = new Set<string>();
  for (const { text } of all) {
    const [, path] = /^CONFLICT \([^)]*\): .*\bin (\S.*)$/.exec(text) ?? [];
    if (path !== undefined) said.add(`Auto-merging ${path}`);
    if (text.startsWith("error: could not apply ")) said.add(`C${text.slice(8)}`);
  }
  return (lines, at) => (said.has(lines[at]!.text) ? { next: at + 1, shown: [] } : null);
}
