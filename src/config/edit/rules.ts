import { isDeepStrictEqual } from "node:util";
import type { PermissionRule } from "../../gates/permissions/permissions.ts";
import { globProblem } from "../../text/glob.ts";
import { ConfigError } from "../problem.ts";
import { parseConfigToml } from "../read.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { changeFile } from "./change.ts";
import { startsWith } from "./locate.ts";
import { lineStart, scanToml, skipBlank, type TomlMark, type TomlPath } from "./scan.ts";
import { tomlKey, tomlValue } from "./toml.ts";

/** Writes a rule into the user's file, where it is matched first. The file is made when there is none. */
export function saveRule(userFile: string, tool: string, rule: PermissionRule): void {
  changeFile(userFile, (before) => addRule(before ?? "", tool, rule));
}

/** Adds a rule before all others of its tool. Only inserts: every byte that was there stays. A rule that is first already is not added again. */
export function addRule(text: string, tool: string, rule: PermissionRule): string {
  const wanted: PermissionRule = {
    pattern: rule.pattern,
    action: rule.action,
    ...(rule.exact && { exact: true }),
    ...(rule.caller !== undefined && { caller: rule.caller }),
  };
  const problem = rule.pattern === "" ? "it is empty" : rule.exact ? null : globProblem(rule.pattern);
  if (problem) throw new ConfigError([{ message: `The pattern ${JSON.stringify(rule.pattern)} cannot be saved: ${problem}.` }]);

  const path = ["tools", "permissions", tool];
  const rules = valueAtPath(parseConfigToml(undefined, text), path) ?? [];
  if (!Array.isArray(rules)) throw new ConfigError([{ key: path.join("."), message: `"${path.join(".")}" is not a list of rules.` }]);
  if (isDeepStrictEqual({ ...rules[0] }, wanted)) return text;

  const expected = setAtPath(parseConfigToml(undefined, text), path, [table(wanted), ...rules]);
  const marks = scanToml(text);
  for (const place of [beforeEntries, intoArray, intoInlineTable, atEnd]) {
    const edit = place(text, marks, path, wanted);
    const edited = edit && text.slice(0, edit.at) + edit.insert + text.slice(edit.at);
    if (edited && parsesTo(edited, expected)) return edited;
  }
  throw new ConfigError([{ message: `No safe place was found for the rule. Add it yourself:\n\n${block("\n", path, wanted)}` }]);
}

interface Insertion {
  readonly at: number;
  readonly insert: string;
}
type Placer = (text: string, marks: readonly TomlMark[], path: readonly string[], rule: PermissionRule) => Insertion | null;

/** `[[tools.permissions.bash]]` is there: a new entry goes above the first one and the comment that belongs to it. */
const beforeEntries: Placer = (text, marks, path, rule) => {
  const index = marks.findIndex(({ kind, path: found }) => kind === "list" && samePath(found, [...path, 0]));
  if (index < 0) return null;
  const eol = lineBreak(text);
  const floor = marks[index - 1]?.end ?? 0;
  return { at: commentStart(text, marks[index]!.start, floor), insert: `${block(eol, path, rule)}${eol}` };
};

/** `bash = [ … ]` */
const intoArray: Placer = (text, marks, path, rule) => {
  const pair = marks.find(({ kind, path: found }) => kind === "pair" && samePath(found, path));
  if (!pair || text[pair.value] !== "[") return null;
  const empty = text[skipBlank(text, pair.value + 1)] === "]";
  return { at: pair.value + 1, insert: `${tomlValue(rule)}${empty ? "" : ", "}` };
};

/** `permissions = { … }` or `tools = { … }`: such a table can only be added to between its braces, the innermost ones. */
const intoInlineTable: Placer = (text, marks, path, rule) => {
  const pair = marks.findLast(({ kind, path: found, value }) => kind === "pair" && text[value] === "{" && startsWith(path, found));
  if (!pair) return null;
  const empty = text[skipBlank(text, pair.value + 1)] === "}";
  const insert = ` ${tomlKey(path.slice(pair.path.length))} = [${tomlValue(rule)}]${empty ? " " : ","}`;
  return { at: pair.value + 1, insert };
};

const atEnd: Placer = (text, _marks, path, rule) => ({
  at: text.length,
  insert: `${gapAfter(text)}${block(lineBreak(text), path, rule)}`,
});

/** An empty line between what is there and what comes after it. */
export function gapAfter(text: string): string {
  const eol = lineBreak(text);
  if (text.replace("\ufeff", "") === "") return "";
  return text.endsWith("\n") ? eol : eol + eol;
}

const block = (eol: string, path: readonly string[], rule: PermissionRule) =>
  [`[[${tomlKey(path)}]]`, ...Object.entries(rule).map(([name, value]) => `${name} = ${tomlValue(value)}`), ""].join(eol);

/** Where the lines of comment directly above begin; not before `floor`, so the inside of a string is never taken for a comment. */
export function commentStart(text: string, offset: number, floor: number): number {
  let start = lineStart(text, offset);
  while (start > 0) {
    const above = lineStart(text, start - 1);
    if (above < floor || !/^[ \t]*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return Math.max(start, text.startsWith("\ufeff") ? 1 : 0);
}

export const lineBreak = (text: string): "\r\n" | "\n" => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

export const samePath = (a: TomlPath, b: TomlPath): boolean => a.length === b.length && startsWith(a, b);

export function parsesTo(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(parseConfigToml(undefined, text), expected);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** Without a prototype, as the parser makes them. */
const table = (rule: PermissionRule) => Object.assign(Object.create(null), rule);
