import { complaints } from "../../config/complain.ts";
import { parsesTo } from "../../config/edit/entries.ts";
import type { Origin } from "../../config/edit/marked.ts";
import { ConfigError } from "../../config/problem.ts";
import { parseConfigToml } from "../../config/read.ts";
import type { ClientRules } from "../rules/client-rule.ts";
import type { SourceStanding } from "./convert-rules.ts";
import { convertSource, type SourceKind } from "./convert-source.ts";
import type { Fate, ImportEntry } from "./ledger.ts";
import { mergeSettings } from "./merge-settings.ts";
import type { Piece } from "./piece.ts";
import { type DocumentForm, readDocument } from "./read-document.ts";

/** A file of another agent that was found, or named. */
export interface ImportSource {
  readonly kind: SourceKind;
  readonly form: DocumentForm;
  /** As people and marks name it: `~/.claude/settings.json`. */
  readonly name: string;
  readonly text: string;
  readonly standing: SourceStanding;
}

export interface ImportedFile {
  readonly name: string;
  readonly entries: readonly ImportEntry[];
  readonly rules: readonly ClientRules[];
}

export interface ImportPlan {
  readonly text: string;
  readonly files: readonly ImportedFile[];
}

const MOST_ENTRIES = 1000;

/** What a settings file says once the sources are imported into it, and what became of every part of them. Nothing is written. Throws a ConfigError. */
export function planImport(
  before: string,
  sources: readonly ImportSource[],
  at: { readonly date: string; readonly workspace: string; readonly into: "user" | "project" },
): ImportPlan {
  // Whatever is wrong with the person's own file is for them to repair first.
  parseConfigToml(undefined, before);
  let text = before;
  const files = sources.map(({ kind, form, name, text: written, standing }): ImportedFile => {
    const { entries, rules } = convertSource(kind, readDocument(name, written, form), standing, at.workspace);
    if (entries.length > MOST_ENTRIES)
      throw new ConfigError([{ file: name, message: `This file has more than ${MOST_ENTRIES} rules and settings.` }]);
    const origin: Origin = { file: name, date: at.date };
    const merged = mergeSettings(text, entries.flatMap(entryPieces), origin, at.into);
    text = merged.text;
    return { name, rules, entries: entries.map((entry) => withoutLeft(entry, merged.left)) };
  });
  const wrong = complaints(parseConfigToml(undefined, text));
  if (wrong.length > 0 && complaints(parseConfigToml(undefined, before)).length === 0)
    throw new ConfigError(wrong.map(({ message }) => ({ message: `The import would make settings that are not valid. ${message}` })));
  // Importing the same again writes nothing, not even another date.
  return { text: parsesTo(text, parseConfigToml(undefined, before)) ? before : text, files };
}

export const entryPieces = ({ fate }: ImportEntry): readonly Piece[] => (fate.list === "not taken" ? [] : fate.pieces);

/** What found no place among the settings was not taken after all. */
function withoutLeft(entry: ImportEntry, left: ReadonlyMap<Piece, string>): ImportEntry {
  const pieces = entryPieces(entry);
  const gone = pieces.filter((piece) => left.has(piece));
  if (gone.length === 0) return entry;
  const why = [...new Set(gone.map((piece) => left.get(piece)!))].join("; ");
  const rest = pieces.filter((piece) => !left.has(piece));
  const fate: Fate = rest.length === 0 ? { list: "not taken", why } : { list: "changed", pieces: rest, why: `not all of it: ${why}` };
  return { ...entry, fate };
}
