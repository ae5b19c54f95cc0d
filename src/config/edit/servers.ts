import { complaints } from "../complain.ts";
import { ConfigError } from "../problem.ts";
import { parseConfigToml } from "../read.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { changeFile } from "./change.ts";
import { startsWith } from "./locate.ts";
import { commentStart, gapAfter, lineBreak, parsesTo, samePath } from "./rules.ts";
import { lineEnd, lineStart, scanToml, skipBlank, type TomlMark } from "./scan.ts";
import { tomlKey, tomlValue } from "./toml.ts";

/** A server as the person wants it written: only what differs from the defaults. */
export interface ServerEntry extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

const PATH = ["mcp", "servers"];

/** Writes a server into the user's file. With `replace` one of that name gives way to it. */
export function saveServer(userFile: string, server: ServerEntry, how: "add" | "replace"): void {
  changeFile(userFile, (before) => addServerText(before ?? "", server, how));
}

/** Takes a server out of the user's file. False when it is not in it. */
export function dropServer(userFile: string, name: string): boolean {
  return changeFile(userFile, (before) => (before === null ? null : removeServerText(before, name)));
}

/** Adds a server after all others. Nothing else changes. */
export function addServerText(text: string, server: ServerEntry, how: "add" | "replace"): string {
  const wrong = complaints(setAtPath({}, PATH, [server]));
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ message }) => ({ message: message.replaceAll("mcp.servers[0].", "") })));
  const servers = serversIn(text);
  const index = servers.findIndex((one) => isNamed(one, server.name));
  if (index >= 0 && how === "add")
    throw new ConfigError([{ message: `There is a server named "${server.name}" already. --force replaces it.` }]);
  const wanted = index < 0 ? [...servers, plain(server)] : servers.with(index, plain(server));
  const places = index < 0 ? [afterLast, intoArray, intoInlineTable, atEnd] : [instead];
  return firstThatFits(text, wanted, places, server, index, "Write it yourself");
}

/** Null when there is none of that name. What stands around it stays as it is; a comment directly above it goes with it. */
export function removeServerText(text: string, name: string): string | null {
  const servers = serversIn(text);
  const index = servers.findIndex((one) => isNamed(one, name));
  if (index < 0) return null;
  return firstThatFits(text, servers.toSpliced(index, 1), [without], { name }, index, "Remove it yourself");
}

type Place = (text: string, marks: readonly TomlMark[], server: ServerEntry, index: number) => string | null;

/** Whatever an edit does, the file must say exactly what was wanted, or it is not made. */
function firstThatFits(
  text: string,
  wanted: readonly unknown[],
  places: readonly Place[],
  server: ServerEntry,
  index: number,
  or: string,
): string {
  const marks = scanToml(text);
  const expected = setAtPath(parseConfigToml(undefined, text), PATH, wanted);
  // The last of a list written as tables leaves no list behind.
  const gone = wanted.length === 0 ? withoutServers(parseConfigToml(undefined, text)) : [];
  for (const place of places) {
    const edited = place(text, marks, server, index);
    if (edited !== null && [expected, ...gone].some((one) => parsesTo(edited, one))) return edited;
  }
  const how = Object.keys(server).length > 1 ? `:\n\n${block("\n", server)}` : ".";
  throw new ConfigError([{ message: `No safe way was found to change the file for the server "${server.name}". ${or}${how}` }]);
}

/** `[[mcp.servers]]` is there: the new one goes below the last of them. */
const afterLast: Place = (text, marks, server) => {
  if (!marks.some(({ kind, path }) => kind === "list" && samePath(path.slice(0, -1), PATH))) return null;
  const eol = lineBreak(text);
  const last = endOf(marks.filter(({ path }) => startsWith(path, PATH)));
  const at = Math.min(lineEnd(text, last) + 1, text.length);
  const rest = text.slice(at);
  const head = text.slice(0, at);
  return `${head}${head.endsWith("\n") ? eol : eol + eol}${block(eol, server)}${rest === "" || /^\r?\n/.test(rest) ? "" : eol}${rest}`;
};

/** `servers = [ … ]` */
const intoArray: Place = (text, marks, server) => {
  const pair = marks.find(({ kind, path }) => kind === "pair" && samePath(path, PATH));
  if (!pair || text[pair.value] !== "[") return null;
  const last = marks.findLast(({ kind, path, parent }) => kind === "element" && parent === pair && path.length === PATH.length + 1);
  if (!last) return put(text, pair.value + 1, tomlValue(server));
  return put(text, last.end, `, ${tomlValue(server)}`);
};

/** `mcp = { … }` can only be added to between its braces. */
const intoInlineTable: Place = (text, marks, server) => {
  const pair = marks.find(({ kind, path, value }) => kind === "pair" && samePath(path, PATH.slice(0, 1)) && text[value] === "{");
  if (!pair) return null;
  const empty = text[skipBlank(text, pair.value + 1)] === "}";
  return put(text, pair.value + 1, ` servers = [${tomlValue(server)}]${empty ? " " : ","}`);
};

const atEnd: Place = (text, _marks, server) => `${text}${gapAfter(text)}${block(lineBreak(text), server)}`;

/** Where the old one stood. A comment above it stays: it may still be true. */
const instead: Place = (text, marks, server, index) => {
  const element = elementOf(marks, index);
  if (element) return text.slice(0, element.start) + tomlValue(server) + text.slice(element.end);
  const [first, ...more] = tablesOf(text, marks, index);
  if (!first) return null;
  const eol = lineBreak(text);
  const start = lineStart(text, first.header);
  const rest = cut(text, [{ start, end: first.end }, ...more]);
  return put(rest, start, `${block(eol, server)}${rest.length === start ? "" : eol}`);
};

const without: Place = (text, marks, _server, index) => {
  const element = elementOf(marks, index);
  if (!element) return cut(text, tablesOf(text, marks, index));
  const after = skipBlank(text, element.end);
  if (text[after] === ",") return cut(text, [{ start: element.start, end: skipSpaces(text, after + 1) }]);
  // The last one: the comma before it goes with it.
  const before = elementOf(marks, index - 1);
  return cut(text, [{ start: before?.end ?? element.start, end: element.end }]);
};

const elementOf = (marks: readonly TomlMark[], index: number): TomlMark | undefined =>
  marks.find(({ kind, path }) => kind === "element" && samePath(path, [...PATH, index]));

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The tables of one server, its own and those below it such as `[mcp.servers.env]`, with the comment directly above and the empty lines below. */
function tablesOf(text: string, marks: readonly TomlMark[], index: number): (Range & { header: number })[] {
  return marks.flatMap((mark, n) => {
    if ((mark.kind !== "list" && mark.kind !== "table") || !startsWith(mark.path, [...PATH, index])) return [];
    const next = marks.findIndex(({ kind }, at) => at > n && (kind === "list" || kind === "table"));
    const floor = endOf(marks.slice(0, n));
    const end = blankEnd(text, lineEnd(text, endOf(marks.slice(n, next < 0 ? undefined : next))) + 1);
    const start = commentStart(text, mark.start, floor);
    return [{ header: mark.start, start: end === text.length ? blankStart(text, start) : start, end }];
  });
}

/** Where the last of them ends; what is inside another ends before it. */
const endOf = (marks: readonly TomlMark[]): number => marks.reduce((end, one) => Math.max(end, one.end), 0);

/** Before the empty lines that would be left at the end of the file. */
function blankStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && /^[ \t]*\r?\n$/.test(text.slice(lineStart(text, at - 1), at))) at = lineStart(text, at - 1);
  return at;
}

/** Past the empty lines, of which one is enough. */
function blankEnd(text: string, from: number): number {
  let at = Math.min(from, text.length);
  for (;;) {
    const line = /^[ \t]*\r?\n/.exec(text.slice(at, at + 1000));
    if (!line) return at;
    at += line[0].length;
  }
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

const cut = (text: string, ranges: readonly Range[]): string =>
  ranges.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);

const put = (text: string, at: number, insert: string): string => text.slice(0, at) + insert + text.slice(at);

const block = (eol: string, server: ServerEntry): string =>
  [`[[${tomlKey(PATH)}]]`, ...Object.entries(server).map(([key, value]) => `${tomlKey([key])} = ${tomlValue(value)}`), ""].join(eol);

function serversIn(text: string): readonly unknown[] {
  const servers = valueAtPath(parseConfigToml(undefined, text), PATH) ?? [];
  if (Array.isArray(servers)) return servers;
  throw new ConfigError([{ key: "mcp.servers", message: '"mcp.servers" is not a list of servers.' }]);
}

const isNamed = (server: unknown, name: string): boolean => {
  const found = valueAtPath(server, ["name"]);
  return typeof found === "string" && found.toLowerCase() === name.toLowerCase();
};

/** Without a prototype, as the parser makes them. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([key, inner]) => [key, plain(inner)]);
  return Object.assign(Object.create(null), Object.fromEntries(pairs));
};

/** The file without the list, and without the table around it when nothing else was in it. */
function withoutServers(data: Record<string, unknown>): Record<string, unknown>[] {
  const { mcp, ...rest } = data as { mcp?: Record<string, unknown> };
  const { servers: _servers, ...others } = mcp ?? {};
  const bare = Object.assign(Object.create(null), rest);
  const kept = Object.assign(Object.create(null), { ...rest, mcp: Object.assign(Object.create(null), others) });
  return Object.keys(others).length === 0 ? [bare, kept] : [kept];
}
