import { groupBy } from "../../text/group-by.ts";
import { heading, type Line, lengthOf, standFor } from "../line.ts";
import { isNote, type ReadDiagnostic } from "./diagnostic.ts";
import { filled, type Template, templateOf } from "./template.ts";

/** So many are told one by one, with column and source. Of more the line is enough, and messages that differ in names are told together. */
const FEW = 10;
/** Some more, too, unless telling them together saves a fifth. */
const SOME = 16;
const MUCH = 0.8;
const ALIKE = 3;

/** A diagnostic, its path as it is to be shown, and what it says. */
interface ShownDiagnostic {
  readonly one: ReadDiagnostic;
  readonly file: string;
  readonly line: string;
  readonly text: string;
}

/** Diagnostics in short. Every place and every message is told. */
export function groupDiagnostics(found: readonly ReadDiagnostic[]): Line[] {
  if (found.length > SOME) return together(found);
  if (found.length <= FEW) return oneByOne(found);
  const folder = commonFolder(found);
  const each = inFolder(folder, oneByOne(found.map((one) => ({ ...one, file: one.file.slice(folder.length) }))));
  const all = together(found);
  const tellsMore = found.some(({ column }) => column > 0);
  return lengthOf(all) < lengthOf(each) * (tellsMore ? MUCH : 1) ? all : each;
}

const inFolder = (folder: string, told: Line[]): Line[] => (folder === "" ? told : [heading(`(in ${folder})`), ...told]);

function together(found: readonly ReadDiagnostic[]): Line[] {
  const folder = commonFolder(found);
  const all = found.map(
    (one): ShownDiagnostic => ({ one, file: one.file.slice(folder.length), line: one.line > 0 ? `${one.line}` : "", text: textOf(one) }),
  );
  return inFolder(folder, shorter(byMessage(all), byFile(all)));
}

const shorter = (one: Line[], other: Line[]): Line[] => (lengthOf(other) < lengthOf(one) ? other : one);

/** The folder that all absolute paths share. */
function commonFolder(found: readonly ReadDiagnostic[]): string {
  const [first, ...others] = new Set(found.map(({ file }) => file));
  if (first === undefined || !/^(?:\/|[A-Za-z]:\\)/.test(first)) return "";
  let shared = first;
  for (const file of others) while (!file.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, Math.max(shared.lastIndexOf("/"), shared.lastIndexOf("\\")) + 1);
}

/** As their tool would write them, but for the frames. A note stays with what it belongs to. */
function oneByOne(found: readonly ReadDiagnostic[]): Line[] {
  const groups = groupBy(found, (one) => `${isNote(one) ? found.indexOf(one) : ""}${textOf(one)}`);
  const sources = new Set<string>();
  return [...groups.values()].flatMap((of) => {
    const [{ source, message, drawn }] = of as [ReadDiagnostic];
    const text = textOf(of[0]!);
    const places = (of.every(({ column }) => column === 0) ? byLine(of) : counted(of.map(inFull))).join(" ");
    if (of.length > 1) return [standing(message === "" ? `${text}:` : text, of), heading(` ${places}`)];
    const line = standing([places, text].filter(Boolean).join(": "), of);
    if (!/\w/.test(source) || source.length > LONG_SOURCE || sources.has(source) || saysEnough(message)) return [line];
    sources.add(source);
    return [line, { ...standFor(`  ${source}`, drawn.filter(({ text }) => text.includes(source)).slice(0, 1)), errors: 0 }];
  });
}

const inFull = ({ file, line, column }: ReadDiagnostic): string => [file, line, column].filter(Boolean).join(":");
const byLine = (of: readonly ReadDiagnostic[]): string[] =>
  [...groupBy(of, ({ file }) => file)].map(([file, here]) => withLines(file, counted(here.map(({ line }) => (line > 0 ? `${line}` : "")))));

/** It names what it is about: in quotes, or at its end, before the name of the rule. */
const saysEnough = (message: string): boolean => templateOf(message.replace(/ \[[\w.-]{1,60}\]$/, "")).names.length > 0;

/** In a longer line the place tells more than the line. */
const LONG_SOURCE = 100;

/** What is said of several places, once; the others by file. */
function byMessage(all: readonly ShownDiagnostic[]): Line[] {
  const often = messages(all)
    .filter(({ of }) => of.length > 1)
    .sort((a, b) => rankOf(a.of[0]!.one) - rankOf(b.of[0]!.one));
  const several = new Set(often.flatMap(({ of }) => of));
  return [...often.flatMap(byPlace), ...byFile(all.filter((told) => !several.has(told)))];
}

function byPlace({ text, of, names }: Message): Line[] {
  const spots = of.map(({ file, line }, n) => ({ file, at: names ? `${line} '${names[n]}'` : line }));
  const files = [...groupBy(spots, ({ file }) => file)].map(([file, here]) => ({ file, lines: counted(here.map(({ at }) => at)) }));
  const told = of.map(({ one }) => one);
  // Where nothing is said but that these files are meant, most of it would be folders.
  const isList = told.every(({ message }) => message === "");
  const rows = isList ? byFolder(files.map(({ file, lines }) => withLines(file, lines))) : bySameLines(files);
  return [standing(isList ? `${text}:` : text, told), ...rows.map((row) => heading(` ${row}`))];
}

interface FileLines {
  readonly file: string;
  readonly lines: readonly string[];
}

/** Files of which the same lines are meant stand together: `line 3 of a.ts b.ts c.ts`. */
function bySameLines(files: readonly FileLines[]): string[] {
  const same = [...groupBy(files, ({ lines }) => lines.join())].filter(([lines, { length }]) => lines !== "" && length >= ALIKE);
  const others = files.filter((one) => !same.some(([, of]) => of.includes(one)));
  const rows = same.map(([, of]) => {
    const { lines } = of[0]!;
    return `${lines.length === 1 ? `line ${lines[0]}` : linesSaid(lines)} of ${of.map(({ file }) => file).join(" ")}`;
  });
  return others.length > 0 ? [others.map(({ file, lines }) => withLines(file, lines)).join(" "), ...rows] : rows;
}

const MANY_PLACES = 4;

/** Where many files are in one folder, it is said once: `src/web/: app.ts menu.ts`. */
function byFolder(places: readonly string[]): string[] {
  const folderOf = (place: string): string => /^[^\s:(]*\//.exec(place)?.[0] ?? "";
  const folders = [...groupBy(places, folderOf)].filter(([folder, here]) => folder !== "" && here.length >= MANY_PLACES);
  const others = places.filter((place) => !folders.some(([folder]) => folder === folderOf(place)));
  const rows = folders.map(([folder, here]) => `${folder}: ${here.map((place) => place.slice(folder.length)).join(" ")}`);
  return others.length > 0 ? [others.join(" "), ...rows] : rows;
}

function byFile(all: readonly ShownDiagnostic[]): Line[] {
  return [...groupBy(all, ({ file }) => file)].flatMap(([file, here]) => {
    const rows = [...groupBy(here, ({ text }) => text)].map(([text, of]) => ({
      text,
      lines: counted(of.map(({ line }) => line)),
      of: of.map(({ one }) => one),
    }));
    if (rows.length === 1 || file === "")
      return rows.map(({ text, lines, of }) => standing([withLines(file, lines), text].filter(Boolean).join(": "), of));
    return [heading(file), ...rows.map(({ text, lines, of }) => standing(` ${[linesSaid(lines), text].filter(Boolean).join(" ")}`, of))];
  });
}

interface Message {
  readonly text: string;
  readonly of: readonly ShownDiagnostic[];
  /** What stood in the holes, for each. */
  readonly names: readonly string[] | null;
}

function messages(all: readonly ShownDiagnostic[]): Message[] {
  const exact = [...groupBy(all, ({ text }) => text)].map(([text, of]) => ({
    text,
    of,
    names: null,
    template: templateOf(of[0]!.one.message),
  }));
  const alike = groupBy(exact, ({ of, template }) => [of[0]!.one.label, ...template.parts].join("\0"));
  return [...alike.values()].flatMap((group) => (group.length < ALIKE ? group : (asOne(group) ?? group)));
}

/** Messages that differ in one plain word, as one. null: they differ in more. */
function asOne(alike: readonly (Message & { readonly template: Template })[]): Message[] | null {
  const told = filled(alike.map(({ template }) => template));
  if (!told) return null;
  const isPlain = (n: number): boolean => PLAIN.test(told.names[n]!);
  const plain = alike.filter((_, n) => isPlain(n));
  if (plain.length < ALIKE) return null;
  const named = alike.flatMap(({ of }, n) => (isPlain(n) ? of.map((each) => ({ each, name: told.names[n]! })) : []));
  named.sort((a, b) => a.each.one.line - b.each.one.line);
  const text = textOf({ label: named[0]!.each.one.label, message: told.text });
  const one = { text, of: named.map(({ each }) => each), names: named.map(({ name }) => name) };
  return [one, ...alike.filter((_, n) => !isPlain(n))];
}

const PLAIN = /^[\w./-]+$/;

/** Errors first, remarks last. */
const rankOf = (one: ReadDiagnostic): number => (isNote(one) ? 2 : /^warn/i.test(one.label) ? 1 : 0);

const textOf = ({ label, message }: Pick<ReadDiagnostic, "label" | "message">): string =>
  label === "" || message === "" ? label + message : `${label}: ${message}`;
const withLines = (file: string, lines: readonly string[]): string =>
  lines.length === 0 ? file : lines.length === 1 ? `${file}:${lines[0]}` : `${file} ${linesSaid(lines)}`;

/** `15,16` alone would read as a line and a column. */
const linesSaid = (lines: readonly string[]): string => (lines.length > 1 ? `lines ${lines.join(",")}` : lines.join());

/** Each place once. The same words may be said of several columns of a line. */
function counted(places: readonly string[]): string[] {
  const times = [...groupBy(places.filter(Boolean), (place) => place)].map(([place, { length }]) => ({ place, length }));
  const all = times.length > 1 && times.every(({ length }) => length === times[0]!.length) ? times[0]!.length : 1;
  const told = times.map(({ place, length }) => (length > all ? `${place} (${length} times)` : place));
  return all > 1 ? told.with(-1, `${told.at(-1)} (${all} times each)`) : told;
}

/** The lines that were drawn are left out and counted as such; they hold no error that is not told. */
function standing(text: string, of: readonly ReadDiagnostic[]): Line {
  return standFor(
    text,
    of.flatMap(({ said }) => said),
    of.flatMap(({ drawn }) => drawn),
  );
}
