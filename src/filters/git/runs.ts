import type { Line } from "../line.ts";
import { listPaths, type NamedPath } from "./names.ts";
import type { Reader } from "./read-passages.ts";

/** Lines that say the same of one path each. */
interface Kind {
  readonly pattern: RegExp;
  /** Groups of the match, and the path among them. */
  readonly label: (groups: readonly string[]) => string;
  readonly path: number;
}

const KINDS: readonly Kind[] = [
  { pattern: /^ (create|delete) mode (\d{6}) (\S.*)$/, label: ([, verb, mode]) => `${verb} mode ${mode}:`, path: 3 },
  { pattern: /^(add|remove|rm) '([^']+)'$/, label: ([, verb]) => `${verb}:`, path: 2 },
  { pattern: /^(Removing|Would remove|Auto-merging|Checking patch) ([^'].*?)(?:\.\.\.)?$/, label: ([, verb]) => `${verb}:`, path: 2 },
  { pattern: /^Applied patch (\S.*) cleanly\.$/, label: () => "Applied cleanly:", path: 1 },
  {
    pattern: /^warning: in the working copy of '([^']+)', (.{0,100})$/,
    label: ([, , what]) => `warning: ${what}, in the working copy of:`,
    path: 1,
  },
  { pattern: /^([MADRCTU])\t(\S.*)$/, label: ([, letter]) => letter!, path: 2 },
  { pattern: /^(\S.*): (needs merge|needs update)$/, label: ([, , what]) => `${what}:`, path: 1 },
  { pattern: /^\t(\S+)$/, label: () => "", path: 1 },
  // Refs that are new, or gone: their name here is their name there.
  { pattern: /^ ([*-]) (\[[a-z ]{3,20}\]) +(\S+) +-> (\S+)$/, label: refLabel, path: 3 },
];

const FEWEST = 3;

/** A run of lines that differ only in their path becomes a list of paths. */
export const runReader: Reader = (lines, from) => {
  const first = lines[from]!;
  const kind = KINDS.find(({ pattern }) => pattern.test(first.text));
  const opening = kind && read(kind, first);
  if (!kind || !opening) return null;
  const named: NamedPath[] = [opening.named];
  let at = from + 1;
  for (; at < lines.length; at++) {
    const next = read(kind, lines[at]!);
    if (next?.label !== opening.label) break;
    named.push(next.named);
  }
  return named.length < FEWEST ? null : { next: at, shown: listPaths(opening.label, named) };
};

function read({ pattern, label, path }: Kind, line: Line): { label: string; named: NamedPath } | null {
  const groups = pattern.exec(line.text);
  if (!groups || groups[path]!.includes("  ")) return null;
  const said = label(groups);
  return said === NONE ? null : { label: said, named: { path: groups[path]!, line } };
}

const NONE = "\n";

function refLabel([, flag, what, here = "", there = ""]: readonly string[]): string {
  if (!there.endsWith(here)) return NONE;
  const before = there.slice(0, there.length - here.length);
  return before === "" || before.endsWith("/") ? `${flag} ${what} -> ${before}*:` : NONE;
}
