import { isAbsolute, resolve } from "node:path";
import type { Diff, ToolCallContent } from "@agentclientprotocol/sdk";
import type { NamedCall } from "./call-titles.ts";

/** More pieces than anybody looks at. */
const MOST_HUNKS = 200;

/** A unified diff as an editor wants it: for each piece what was there and what is there now. A new file has no old text. */
export function diffsOf(unified: string, where: { readonly cwd: string; readonly path?: string }): Diff[] {
  const found: Diff[] = [];
  let path = where.path ?? "";
  let isNew = false;
  let hunk: Hunk | null = null;
  const end = () => {
    if (hunk && found.length < MOST_HUNKS)
      found.push({ path, oldText: isNew && hunk.old.length === 0 ? null : hunk.old.join(""), newText: hunk.fresh.join("") });
    hunk = null;
  };
  const lines = unified.split("\n");
  for (const [n, line] of lines.entries()) {
    const next = lines[n + 1] ?? "";
    if (isOver(hunk) && line.startsWith("--- ") && next.startsWith("+++ ")) {
      end();
      isNew = isNowhere(line);
      path = where.path ?? fileOf(isNowhere(next) ? line : next, where.cwd);
      continue;
    }
    const head: RegExpExecArray | null = isOver(hunk) ? HEAD.exec(line) : null;
    if (head) {
      end();
      hunk = { old: [], fresh: [], oldLeft: Number(head[1] ?? 1), freshLeft: Number(head[2] ?? 1), last: "" };
    } else if (hunk) take(hunk, line);
  }
  end();
  return found;
}

const LONGEST_PIECE = 20_000;

/** A piece that is replaced, as far as the arguments of a call tell. What a whole file replaces they do not. */
export function editContent({ name, args }: NamedCall, cwd: string): ToolCallContent[] {
  if (name !== "edit" || typeof args !== "object" || args === null) return [];
  const { path, old_string, new_string } = args as Record<string, unknown>;
  if (typeof path !== "string" || typeof old_string !== "string" || typeof new_string !== "string") return [];
  if (old_string.length + new_string.length > LONGEST_PIECE) return [];
  return [{ type: "diff", path: resolve(cwd, path), oldText: old_string, newText: new_string }];
}

const HEAD = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const isNowhere = (line: string) => /^(?:---|\+\+\+) \/dev\/null\s*$/.test(line);

interface Hunk {
  readonly old: string[];
  readonly fresh: string[];
  /** The head says how many lines follow, so a line of the file that looks like a head is none. */
  oldLeft: number;
  freshLeft: number;
  last: string;
}

const isOver = (hunk: Hunk | null) => hunk === null || (hunk.oldLeft <= 0 && hunk.freshLeft <= 0);

function take(hunk: Hunk, line: string): void {
  if (line.startsWith("\\")) {
    // There is no newline at the end of the side, or both, that the line before belongs to.
    if (hunk.last !== "+") cutNewline(hunk.old);
    if (hunk.last !== "-") cutNewline(hunk.fresh);
    return;
  }
  if (isOver(hunk)) return;
  const mark = line[0] ?? " ";
  if (mark !== "+") {
    hunk.old.push(`${line.slice(1)}\n`);
    hunk.oldLeft--;
  }
  if (mark !== "-") {
    hunk.fresh.push(`${line.slice(1)}\n`);
    hunk.freshLeft--;
  }
  hunk.last = mark;
}

function cutNewline(side: string[]): void {
  const last = side.pop();
  if (last !== undefined) side.push(last.replace(/\n$/, ""));
}

function fileOf(header: string, cwd: string): string {
  const name = header
    .slice(4)
    .replace(/\t.*$/, "")
    .replace(/^[ab]\//, "");
  return isAbsolute(name) ? name : resolve(cwd, name);
}
