import { createTwoFilesPatch } from "diff";
import type { ImportEntry } from "../../../neighbours/import/ledger.ts";
import { pieceWords } from "../../../neighbours/import/piece.ts";
import { entryPieces, type ImportedFile } from "../../../neighbours/import/plan-import.ts";
import { bounded, oneLine } from "../../../text/visible.ts";
import type { PlannedSkill } from "./plan-texts.ts";

/** A settings file, and what an import would make of it. */
export interface ImportTarget {
  readonly target: "user" | "project";
  readonly file: string;
  readonly before: string | null;
  readonly text: string;
  readonly files: readonly ImportedFile[];
  readonly skills: readonly PlannedSkill[];
  readonly inside: string;
}

/** Calls with what was decided about them before the import, and what is now. */
export type Verdicts = readonly {
  readonly file: string;
  readonly calls: readonly { readonly tool: string; readonly args: object; readonly before: string; readonly after: string }[];
}[];

/** What was taken, line by line; what means something else now; what was not taken; and the diff. */
export function importText(targets: readonly ImportTarget[]): string {
  const all = targets.flatMap(({ files }) => files.flatMap(({ name, entries }) => entries.map((entry) => ({ name, entry }))));
  const lines = (list: ImportEntry["fate"]["list"]) =>
    all.filter(({ entry }) => entry.fate.list === list).map(({ name, entry }) => entryLine(name, entry));
  return [
    section("Taken", lines("taken")),
    section("Changed meaning", lines("changed")),
    section("Not taken", lines("not taken")),
    ...targets.flatMap((target) => [
      diffOf(target.file, target.before ?? "", target.text),
      ...target.skills.map((skill) => diffOf(skill.file, skill.before ?? "", skill.text)),
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

const section = (head: string, lines: readonly string[]): string => (lines.length === 0 ? "" : `${head}\n${lines.join("\n")}\n`);

const MOST_WIDTH = 160;

/** `.claude/settings.json:4 Bash(git push:*) deny -> tools.shell.blocked_commands "git push"` */
function entryLine(name: string, entry: ImportEntry): string {
  const { line, written, action, fate } = entry;
  const to = pieceWords(entryPieces(entry)).join("; ");
  const why = fate.why ?? "";
  const end = [to === "" ? "" : ` -> ${to}`, why === "" ? "" : to === "" && fate.list !== "not taken" ? ` -> ${why}` : `: ${why}`].join("");
  return `  ${name}:${line} ${bounded(oneLine(written), MOST_WIDTH)}${action === null ? "" : ` ${action}`}${end}`;
}

function diffOf(file: string, before: string, after: string): string {
  if (before === after) return "";
  const patch = createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 2 });
  return patch.slice(patch.indexOf("---"));
}

/** For programs. */
export const importJson = (targets: readonly ImportTarget[]): object => ({
  targets: targets.map(({ target, file, before, text, files, skills }) => ({
    into: target,
    file,
    files: files.map(({ name, entries }) => ({ file: name, entries: entries.map(entryJson) })),
    skills: skills.map((skill) => skill.file),
    diff: diffOf(file, before ?? "", text),
  })),
});

const entryJson = (entry: ImportEntry): object => ({
  line: entry.line,
  written: entry.written,
  action: entry.action,
  became: entry.fate.list,
  settings: pieceWords(entryPieces(entry)),
  why: entry.fate.why ?? null,
  values: entry.leaves.length,
});

/** `bash {"command":"git push"}  ask -> deny` */
export function verdictsText(verdicts: Verdicts): string {
  return verdicts
    .map(({ file, calls }) => {
      const lines = calls.map(({ tool, args, before, after }) => {
        const change = before === after ? after : `${before} -> ${after}`;
        return `  ${tool} ${bounded(oneLine(JSON.stringify(args)), MOST_WIDTH)}  ${change}\n`;
      });
      return `\nWhat the rules decide now, by ${file}:\n${lines.join("")}`;
    })
    .join("");
}
