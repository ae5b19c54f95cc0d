import { ConfigError } from "../problem.ts";
import { parseConfigToml } from "../read.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { changeFile } from "./change.ts";
import { parsesTo } from "./entries.ts";
import { gapAfter, lineBreak } from "./layout.ts";
import { lineEnd, samePath, scanToml } from "./scan.ts";
import { tomlValue } from "./toml.ts";

const PATH = ["tools", "sandbox", "allow_domains"];

/** Writes a name that commands may reach into the user's file. The file is made when there is none. */
export function saveDomain(userFile: string, name: string): void {
  changeFile(userFile, (before) => addDomain(before ?? "", name));
}

/** Adds a name behind all others. Only inserts: every byte that was there stays. One that is there already is not added again. */
export function addDomain(text: string, name: string): string {
  const before = valueAtPath(parseConfigToml(undefined, text), PATH) ?? [];
  const listed = Array.isArray(before) ? before : [];
  if (listed.includes(name)) return text;
  const wanted = setAtPath(parseConfigToml(undefined, text), PATH, [...listed, name]);
  const edited = [intoList(text, name), intoTable(text, name), newTable(text, name)].find((one) => one !== null && parsesTo(one, wanted));
  if (edited !== undefined && edited !== null) return edited;
  throw new ConfigError([{ message: `No safe place was found for ${name}. Add it yourself to ${PATH.join(".")}.` }]);
}

/** `allow_domains = [ … ]` is there. */
function intoList(text: string, name: string): string | null {
  const marks = scanToml(text);
  const pair = marks.find((mark) => mark.kind === "pair" && samePath(mark.path, PATH));
  if (!pair || text[pair.value] !== "[") return null;
  const last = marks.findLast(({ kind, parent }) => kind === "element" && parent === pair);
  const at = last?.end ?? pair.value + 1;
  return `${text.slice(0, at)}${last ? ", " : ""}${tomlValue(name)}${text.slice(at)}`;
}

const lineFor = (name: string) => `allow_domains = [${tomlValue(name)}]`;

/** `[tools.sandbox]` is there: below its heading. */
function intoTable(text: string, name: string): string | null {
  const table = scanToml(text).find((mark) => mark.kind === "table" && samePath(mark.path, PATH.slice(0, -1)));
  if (!table) return null;
  const end = lineEnd(text, table.start);
  const eol = lineBreak(text);
  return `${text.slice(0, end)}${eol}${lineFor(name)}${text.slice(end)}`;
}

const newTable = (text: string, name: string): string => {
  const eol = lineBreak(text);
  return `${text}${gapAfter(text)}[tools.sandbox]${eol}${lineFor(name)}${eol}`;
};
