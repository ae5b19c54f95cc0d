import { heading, type Line, standFor, sumOf } from "../line.ts";
import { type Diagnostic, isNote } from "./diagnostic.ts";
import { filled, type Template, templateOf } from "./template.ts";

/** So many are told one by one, with column and source. Of more the line is enough, and messages that differ in names are told together. */
const FEW = 10;
const ALIKE = 3;

interface Told extends Diagnostic {
  readonly text: string;
}

/** Diagnostics in short. Every place and every message is told. */
export function grouped(found: readonly Diagnostic[]): Line[] {
  if (found.length <= FEW) return oneByOne(found.map((one) => ({ ...one, text: textOf(one) })));
  const folder = commonFolder(found);
  const all = found.map((one) => ({ ...one, file: one.file.slice(folder.length), text: textOf(one) }));
  const told = shorter(byMessage(all), byFile(all));
  return folder === "" ? told : [heading(`(in ${folder})`), ...told];
}

const shorter = (one: Line[], other: Line[]): Line[] => (lengthOf(other) < lengthOf(one) ? other : one);
const lengthOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

/** The folder that all absolute paths share. */
function commonFolder(found: readonly Diagnostic[]): string {
  const [first, ...others] = new Set(found.map(({ file }) => file));
  if (first === undefined || others.length === 0 || !/^(?:\/|[A-Za-z]:\\)/.test(first)) return "";
  let shared = first;
  for (const file of others) while (!file.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, Math.max(shared.lastIndexOf("/"), shared.lastIndexOf("\\")) + 1);
}

/** As their tool would write them, but for the frames. A note stays with what it belongs to. */
function oneByOne(found: readonly Told[]): Line[] {
  const groups = kinds(found, (one) => `${isNote(one) ? found.indexOf(one) : ""}${one.text}`);
  return [...groups.values()].flatMap((of) => {
    const { text, source, message } = of[0]!;
    const places = unique(of.map(({ file, line, column }) => [file, line, column].filter(Boolean).join(":"))).join(" ");
    if (of.length > 1) return [standing(text, of), heading(` ${places}`)];
    const line = standing([places, text].filter(Boolean).join(": "), of);
    return source !== "" && templateOf(message).names.length === 0 ? [line, heading(`  ${source.slice(0, SOURCE)}`)] : [line];
  });
}

const SOURCE = 160;

/** What is said of several places, once; the others by file. */
function byMessage(found: readonly Told[]): Line[] {
  const all = messages(found);
  const often = all.filter(({ of }) => of.length > 1).sort((one, other) => rankOf(one.of[0]!) - rankOf(other.of[0]!));
  const told = often.flatMap(({ text, of, names }) => {
    const spots = of.map((one, n) => ({ file: one.file, at: `${one.line || ""}${names?.[n] ? `(${names[n]})` : ""}` }));
    const places = [...kinds(spots, ({ file }) => file)].map(([file, here]) => withLines(file, unique(here.map(({ at }) => at))));
    return [standing(text, of), heading(` ${places.join(" ")}`)];
  });
  const several = new Set(often.flatMap(({ of }) => of));
  return [...told, ...byFile(found.filter((one) => !several.has(one)))];
}

function byFile(found: readonly Told[]): Line[] {
  return [...kinds(found, ({ file }) => file)].flatMap(([file, all]) => {
    const rows = [...kinds(all, ({ text }) => text)].map(([text, of]) => ({
      text,
      of,
      at: unique(of.map(({ line }) => `${line || ""}`)).join(","),
    }));
    if (rows.length > 1 && file !== "")
      return [heading(file), ...rows.map(({ text, of, at }) => standing(` ${[at, text].filter(Boolean).join(" ")}`, of))];
    return rows.map(({ text, of, at }) => standing([withLines(file, at ? [at] : []), text].filter(Boolean).join(": "), of));
  });
}

interface Message {
  readonly text: string;
  readonly of: readonly Told[];
  /** What stood in the holes, for each. */
  readonly names: readonly string[] | null;
}

function messages(found: readonly Told[]): Message[] {
  const exact = [...kinds(found, ({ text }) => text)].map(([text, of]) => ({ text, of, names: null, template: templateOf(text) }));
  return [...kinds(exact, ({ template }) => template.parts.join("\0")).values()].flatMap((alike) =>
    alike.length < ALIKE ? alike : (together(alike) ?? alike),
  );
}

/** Messages that differ in names, as one. null: in too many. */
function together(alike: readonly (Message & { readonly template: Template })[]): Message[] | null {
  const told = filled(alike.map(({ template }) => template));
  if (!told) return null;
  const named = alike.flatMap(({ of }, n) => of.map((one) => ({ one, name: told.names[n]! })));
  named.sort((a, b) => a.one.line - b.one.line);
  return [{ text: told.text, of: named.map(({ one }) => one), names: named.map(({ name }) => name) }];
}

/** Errors first, remarks last. */
const rankOf = (one: Diagnostic): number => (isNote(one) ? 2 : /^warn/i.test(one.label) ? 1 : 0);

const textOf = ({ label, message }: Diagnostic): string => (label === "" || message === "" ? label + message : `${label}: ${message}`);
const withLines = (file: string, lines: readonly string[]): string => [file, lines.join(",")].filter(Boolean).join(":");
const unique = (places: readonly string[]): string[] => [...new Set(places)].filter(Boolean);

/** The lines that were drawn are left out and counted as such; they hold no error that is not told. */
function standing(text: string, of: readonly Diagnostic[]): Line {
  let line = standFor(text, []);
  for (const { said, drawn } of of) {
    const { covers, errors } = sumOf(said);
    line = { text, covers: line.covers + covers, errors: line.errors + errors + sumOf(drawn).errors };
  }
  return line;
}

function kinds<T>(all: readonly T[], kindOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const kind = kindOf(one);
    const group = groups.get(kind);
    if (group) group.push(one);
    else groups.set(kind, [one]);
  }
  return groups;
}
