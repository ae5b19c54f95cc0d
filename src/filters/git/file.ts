import { endOfRun } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import { type Hunk, markOf, readHunk } from "./hunk.ts";
import { quotePath } from "./names.ts";

/** What a diff says of one file. */
export interface FileDiff {
  readonly path: string;
  /** The name it had, if it had another. */
  readonly from: string | null;
  /** `new file`, `rename from x, 95%`, `binary`. Nothing: it was changed where it is. */
  readonly tags: readonly string[];
  /** Stands for the lines above the first hunk, but for the lines with hashes of contents. */
  readonly head: Line;
  readonly hunks: readonly Hunk[];
  /** Lines from elsewhere, between two hunks. */
  readonly strays: readonly Line[];
  readonly added: number;
  readonly removed: number;
}

interface Heading {
  from?: string;
  to?: string;
  minus?: string;
  plus?: string;
  similarity?: string;
  oldMode?: string;
  readonly tags: string[];
}

type Take = (heading: Heading, found: string) => void;
type FieldRow = readonly [pattern: RegExp, take: Take];

/** Lines between `diff --git` and the first hunk, by their first word. */
const FIELDS: Readonly<Record<string, readonly FieldRow[]>> = {
  index: [[/^index ([0-9a-f]{4}.*)$/, () => {}]],
  "---": [[/^--- (.+)$/, (heading, path) => (heading.minus = path)]],
  "+++": [[/^\+\+\+ (.+)$/, (heading, path) => (heading.plus = path)]],
  new: [
    [/^new file mode (\d{6})$/, ({ tags }, mode) => tags.push(mode === "100644" ? "new file" : `new file mode ${mode}`)],
    [/^new mode (\d{6})$/, ({ tags, oldMode }, mode) => tags.push(`mode ${oldMode} -> ${mode}`)],
  ],
  deleted: [[/^deleted file mode (\d{6}(?:,\d{6}){0,20})$/, ({ tags }) => tags.push("deleted file")]],
  old: [[/^old mode (\d{6})$/, (heading, mode) => (heading.oldMode = mode)]],
  mode: [[/^mode ([\d,]+\.\.\d{6})$/, ({ tags }, modes) => tags.push(`mode ${modes}`)]],
  similarity: [[/^similarity index (\d+%)$/, (heading, percent) => (heading.similarity = percent)]],
  dissimilarity: [[/^dissimilarity index (\d+%)$/, ({ tags }, percent) => tags.push(`rewritten ${percent}`)]],
  rename: [
    [/^rename from (.+)$/, (heading, path) => comesFrom(heading, "rename", path)],
    [/^rename to (.+)$/, (heading, path) => (heading.to = path)],
  ],
  copy: [
    [/^copy from (.+)$/, (heading, path) => comesFrom(heading, "copy", path)],
    [/^copy to (.+)$/, (heading, path) => (heading.to = path)],
  ],
  Binary: [[/^(Binary files .+ differ)$/, ({ tags }) => tags.push("binary")]],
  GIT: [[/^(GIT binary patch)$/, ({ tags }) => tags.push("binary patch")]],
};

function comesFrom(heading: Heading, how: string, path: string): void {
  heading.from = path;
  heading.tags.push([`${how} from ${quotePath(path)}`, ...(heading.similarity ? [heading.similarity] : [])].join(", "));
}

/** Takes what a line says of the file. false: it says nothing of it. */
function takeField(text: string, heading: Heading): boolean {
  const word = text.slice(0, text.indexOf(" "));
  for (const [pattern, take] of Object.hasOwn(FIELDS, word) ? FIELDS[word]! : []) {
    const found = pattern.exec(text);
    if (!found) continue;
    take(heading, found[1]!);
    return true;
  }
  return false;
}

/** Reads the diff of one file that begins here. null: none does. */
export function readFile(lines: readonly Line[], from: number): { file: FileDiff; next: number } | null {
  const first = lines[from]!.text;
  const isGit = first.startsWith("diff --git ") || first.startsWith("diff --cc ") || first.startsWith("diff --combined ");
  if (!isGit && !isPlain(lines, from)) return null;
  const heading: Heading = { tags: [] };
  const head = isGit ? [lines[from]!] : [];
  let at = isGit ? from + 1 : from;
  for (; at < lines.length && takeField(lines[at]!.text, heading); at++) {
    if (!lines[at]!.text.startsWith("index ")) head.push(lines[at]!);
    if (heading.tags.at(-1) === "binary patch") at = endOfRun(lines, at + 1, ({ text }) => BINARY.test(text)) - 1;
  }
  const strays: Line[] = [];
  const hunks: Hunk[] = [];
  for (; at < lines.length; ) {
    const read = readHunk(lines, at);
    if (read) hunks.push(read.hunk);
    else if (hunks.length > 0 && lines[at + 1]?.text.startsWith("@@ -") && !lines[at]!.text.startsWith("diff ")) strays.push(lines[at]!);
    else break;
    at = read?.next ?? at + 1;
  }
  const { path, from: before } = named(first, heading);
  const { added, removed } = counts(hunks);
  return { file: { path, from: before, tags: heading.tags, head: standFor("", head), hunks, strays, added, removed }, next: at };
}

/** Without git: `--- x`, `+++ y` and a hunk right below. */
const isPlain = (lines: readonly Line[], at: number): boolean =>
  lines[at]!.text.startsWith("--- ") &&
  (lines[at + 1]?.text.startsWith("+++ ") ?? false) &&
  (lines[at + 2]?.text.startsWith("@@ -") ?? false);

/** The contents of a binary file, in the letters of a patch. */
const BINARY = /^(?:(?:literal|delta) \d+|[A-Za-z][!-~]{5,65}|)$/;

function counts(hunks: readonly Hunk[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines, columns } of hunks) {
    for (const line of lines) {
      const mark = markOf(line, columns);
      if (mark === "added") added++;
      else if (mark === "removed") removed++;
    }
  }
  return { added, removed };
}

function named(first: string, { from, to, minus, plus }: Heading): { path: string; from: string | null } {
  if (to !== undefined) return { path: to, from: from ?? null };
  const both = first.startsWith("diff --git ") ? samePath(first.slice(11)) : null;
  if (both !== null) return { path: both, from: null };
  if (/^diff --(?:cc|combined) /.test(first)) return { path: first.slice(first.indexOf(" ", 7) + 1), from: null };
  const [old, fresh] = [bare(minus), bare(plus)];
  if (old === undefined && fresh === undefined) return { path: first.replace(/^diff --git /, ""), from: null };
  if (old === undefined || fresh === undefined) return { path: withoutPrefix(old ?? fresh!), from: null };
  const same = samePath(`${old} ${fresh}`);
  return same === null ? { path: fresh, from: old } : { path: same, from: null };
}

/** After the name may come a tab and a time. */
const bare = (path: string | undefined): string | undefined => {
  const name = path?.replace(/\t.*$/, "").trimEnd();
  return name === "/dev/null" ? undefined : name;
};

const withoutPrefix = (path: string): string => path.replace(/^("?)[abciwo12]\//, "$1");

/** `a/x b/x`, `i/x w/x`, `x x`: x. null: two different names. */
function samePath(pair: string): string | null {
  const middle = (pair.length - 1) / 2;
  const [left, right] = [pair.slice(0, middle), pair.slice(middle + 1)];
  if (pair[middle] !== " ") return null;
  if (left === right) return left;
  const [one, other] = [withoutPrefix(left), withoutPrefix(right)];
  return one === other ? one : null;
}

/** The head of a file, once for what git says in up to seven lines. */
export function fileHead({ path, from, tags, head }: FileDiff, said: string, more: readonly Line[]): Line {
  const about = from !== null && !tags.some((tag) => tag.includes(" from ")) ? [`from ${quotePath(from)}`, ...tags] : tags;
  return standFor(`diff ${quotePath(path)}${about.length > 0 ? ` (${about.join(", ")})` : ""}${said}`, [head, ...more]);
}

/** Changed where it is: not new, not gone, not moved, text. */
export const isPlainChange = ({ from, tags }: FileDiff): boolean => from === null && tags.length === 0;
