import { endOfRun, groupBy } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import { listPaths, listRenames, type NamedPath } from "./names.ts";
import type { Reader } from "./read-passages.ts";

/** The parts of `git status`, and what we call them. */
const SECTIONS: Readonly<Record<string, string>> = {
  "Changes to be committed:": "staged",
  "Changes not staged for commit:": "unstaged",
  "Changed but not updated:": "unstaged",
  "Untracked files:": "untracked",
  "Ignored files:": "ignored",
  "Unmerged paths:": "unmerged",
};

/** What to type next. `(all conflicts fixed: run …)` is news, and stays. */
const HINT = /^ +\((?:use "git |fix conflicts and |commit or discard the untracked|Once you are satisfied with|see more in file )[^\n]*\)$/;
const HINT_BEHIND =
  /^(no changes added to commit|nothing added to commit but untracked files present|Untracked files not listed|nothing to commit) \((?:use|create) [^)]*\)$/;
const SLOW =
  /^(?:It took \d+\.\d+ seconds to enumerate untracked files[.,]|may speed it up, but you have to be careful|new files yourself \(see 'git help status'\)|but the results were cached, and subsequent runs may be faster|See 'git help status' for information on how to improve this)/;

const ENTRY = /^\t(?:([a-z][a-z ]{3,20}):\s+)?(\S.*)$/;
const NOTE = / \((?:new commits|modified content|untracked content)(?:, (?:modified content|untracked content))*\)$/;
const RENAMED = /^(?:renamed|copied)$/;

/** One reader for each output: it remembers which section it is in. */
export function statusReader(): Reader {
  let section: string | null = null;
  let said: Line[] = [];
  return (lines, at) => {
    const line = lines[at]!;
    const { text } = line;
    if (Object.hasOwn(SECTIONS, text)) {
      section = SECTIONS[text]!;
      said = [line];
      const next = endOfRun(lines, at + 1, ({ text }) => text === "" || HINT.test(text));
      // A heading with nothing below it is cut off: it stays as it is.
      return lines[next]?.text.startsWith("\t") ? { next, shown: [] } : null;
    }
    if (text.startsWith("\t") && section !== null) {
      const read = entries(lines, at, section, said);
      said = [];
      return read;
    }
    if (HINT.test(text) || SLOW.test(text)) return { next: at + 1, shown: [] };
    const behind = HINT_BEHIND.exec(text);
    if (behind) return { next: at + 1, shown: [standFor(behind[1]!, [line])] };
    // Something else was said in between; names that follow it at once still belong to the section.
    if (text !== "" && (text.endsWith(":") || !lines[at + 1]?.text.startsWith("\t"))) section = null;
    return null;
  };
}

interface Entry extends NamedPath {
  readonly kind: string;
}

/** The names of a section, by what happened to them. */
function entries(lines: readonly Line[], from: number, section: string, said: readonly Line[]) {
  const found: Entry[] = [];
  for (let entry = entryAt(lines, from, section); entry; entry = entryAt(lines, from + found.length, section)) found.push(entry);
  const shown: Line[] = [];
  for (const [kind, group] of groupBy(found, (entry) => entry.kind)) {
    const label = `${kind === "" ? section : `${section} ${kind}`}:`;
    const stands = shown.length === 0 ? said : [];
    for (const line of RENAMED.test(kind) ? listRenames(label, group.map(pair), stands) : listPaths(label, group, stands)) shown.push(line);
  }
  return found.length === 0 ? null : { next: from + found.length, shown };
}

function entryAt(lines: readonly Line[], at: number, section: string): Entry | null {
  const line = lines[at];
  if (!line) return null;
  const [, kind = "", rest = ""] = ENTRY.exec(line.text) ?? [];
  const plain = section === "untracked" || section === "ignored";
  // Columns of names cannot be told from one name with spaces.
  if (rest === "" || (plain ? line.text.includes("  ") : kind === "")) return null;
  if (plain) return { kind: "", path: line.text.slice(1), line };
  if (RENAMED.test(kind) && !rest.includes(" -> ")) return null;
  const note = rest.endsWith(")") ? NOTE.exec(rest)?.[0] : undefined;
  return { kind, path: note ? rest.slice(0, -note.length) : rest, line, note };
}

function pair(entry: Entry): Entry & { from: string } {
  const at = entry.path.indexOf(" -> ");
  return { ...entry, from: entry.path.slice(0, at), path: entry.path.slice(at + 4) };
}
