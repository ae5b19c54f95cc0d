import { ConfigError } from "../problem.ts";
import { type FromProject, parseConfigToml, readConfigText } from "../read.ts";
import { RENAMED_SETTINGS, type Rename } from "../renamed.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { parsesTo } from "./entries.ts";
import { commentStart, gapAfter, lineBreak } from "./layout.ts";
import { lineEnd, lineStart, samePath, scanToml, skipBlank, type TomlMark } from "./scan.ts";
import { tomlKey, tomlValue } from "./toml.ts";
import { backUp, PRIVATE, replaceConfigFile } from "./write.ts";

export interface Migrated {
  readonly text: string;
  /** One line per rewritten key; empty when there was nothing to do. */
  readonly changes: readonly string[];
}

/** Rewrites old keys to their new names. Comments and layout stay; text without old keys comes back as it was. */
export function migrateText(text: string, renames: readonly Rename[] = RENAMED_SETTINGS): Migrated {
  let migrated: Migrated = { text, changes: [] };
  for (const rename of renames) migrated = moveKey(migrated, rename);
  return migrated;
}

/** Rewrites a file, keeping a copy of the old one. Null when there is no such file. */
export function migrateFile(file: string, from?: FromProject): (Migrated & { readonly backup: string | null }) | null {
  const before = readConfigText(file, from);
  if (before === null) return null;
  const migrated = withFile(file, () => migrateText(before));
  if (migrated.changes.length === 0) return { ...migrated, backup: null };
  const backup = backUp(file);
  replaceConfigFile(file, before, migrated.text, from ? { ...PRIVATE, ...from } : PRIVATE);
  return { ...migrated, backup };
}

/** The result of `migrateFile`, without writing it. */
export function previewMigration(file: string, from?: FromProject): Migrated | null {
  const text = readConfigText(file, from);
  return text === null ? null : withFile(file, () => migrateText(text));
}

function moveKey({ text, changes }: Migrated, { from, to, value }: Rename): Migrated {
  const oldPath = from.split(".");
  const newPath = to.split(".");
  const data = parseConfigToml(undefined, text);
  const old = valueAtPath(data, oldPath);
  if (old === undefined) return { text, changes };
  if (valueAtPath(data, newPath) !== undefined)
    throw new ConfigError([
      { key: from, message: `Both "${from}" and its new name "${to}" are set. Remove one of them, then run this again.` },
    ]);

  const written = value ? value(old) : old;
  const expected = setAtPath(without(data, oldPath), newPath, written);
  const pair = scanToml(text).find((mark) => mark.kind === "pair" && samePath(mark.path, oldPath));
  for (const place of pair ? [besideOthers, inPlace, atEnd] : []) {
    const edited = place(text, pair!, newPath, value ? tomlValue(written) : text.slice(pair!.value, pair!.end));
    if (edited !== null && parsesTo(edited, expected)) return { text: edited, changes: [...changes, `"${from}" is now "${to}".`] };
  }
  throw new ConfigError([{ key: from, message: `"${from}" could not be moved without risk. Rename it to "${to}" yourself.` }]);
}

type Placer = (text: string, pair: TomlMark, newPath: readonly string[], value: string) => string | null;

/** `[tools.retry]` is there: the key goes after its last one. */
const besideOthers: Placer = (text, pair, newPath, value) => {
  const { rest, before, after } = cutOut(text, pair);
  const marks = scanToml(rest);
  const header = marks.find(({ kind, path }) => kind === "table" && samePath(path, newPath.slice(0, -1)));
  if (!header) return null;
  const last = marks.filter(({ kind, parent }) => kind === "pair" && parent === header).at(-1) ?? header;
  const end = lineEnd(rest, last.end);
  const eol = lineBreak(text);
  // A text that ends without a line break gets one, but only between the lines.
  const lines = `${before}${tomlKey(newPath.slice(-1))} = ${value}${after}`;
  return end >= rest.length ? `${rest}${eol}${lines}` : `${rest.slice(0, end + 1)}${lines}${eol}${rest.slice(end + 1)}`;
};

/** `agent.max_tool_retries = 3` at the top, with all its dots: only the name changes. */
const inPlace: Placer = (text, pair, newPath, value) =>
  pair.parent ? null : text.slice(0, pair.start) + tomlKey(newPath) + text.slice(pair.keyEnd, pair.value) + value + text.slice(pair.end);

const atEnd: Placer = (text, pair, newPath, value) => {
  const { rest, before, after } = cutOut(text, pair);
  const eol = lineBreak(text);
  return `${rest}${gapAfter(rest)}[${tomlKey(newPath.slice(0, -1))}]${eol}${before}${tomlKey(newPath.slice(-1))} = ${value}${after}${eol}`;
};

/** The text without the pair, and the comments that go with it: the lines above and what follows it on its line. */
function cutOut(text: string, pair: TomlMark): { rest: string; before: string; after: string } {
  if (pair.parent?.kind === "pair" || pair.parent?.kind === "element") return cutOutInline(text, pair);
  const earlier = scanToml(text).filter((mark) => mark.end <= pair.start);
  const start = commentStart(text, pair.start, Math.max(0, ...earlier.map(({ end }) => end)));
  const line = lineStart(text, pair.start);
  const end = lineEnd(text, pair.end);
  return {
    rest: text.slice(0, start) + text.slice(end + 1),
    before: text.slice(start, line),
    after: text.slice(pair.end, end).trimEnd(),
  };
}

/** In `{ a = 1, b = 2 }` one comma goes with the pair. */
function cutOutInline(text: string, pair: TomlMark): { rest: string; before: string; after: string } {
  const next = skipBlank(text, pair.end);
  if (text[next] === ",") return { rest: text.slice(0, pair.start) + text.slice(skipBlank(text, next + 1)), before: "", after: "" };
  const before = text.slice(0, pair.start).replace(/,\s*$/, " ");
  return { rest: before + text.slice(pair.end), before: "", after: "" };
}

function without(data: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  delete (valueAtPath(data, path.slice(0, -1)) as Record<string, unknown>)[path.at(-1)!];
  return data;
}

function withFile<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => ({ file, ...problem })));
  }
}
