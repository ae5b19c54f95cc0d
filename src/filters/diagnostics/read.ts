import { type Line, sumOf } from "../line.ts";
import { type DiagnosticReader, isNote, type ReadDiagnostic } from "./diagnostic.ts";
import { DIAGNOSTIC_FORMATS, type FormatName } from "./formats/index.ts";
import { createBeginTest } from "./hints.ts";

/** A line of no diagnostic, or diagnostics that follow one another. */
export type DiagnosticPart = { readonly line: Line } | { readonly found: readonly ReadDiagnostic[] };

export interface DiagnosticParts {
  readonly parts: readonly DiagnosticPart[];
  /** How many of the lines that were understood and left out look like errors. */
  readonly harmless: number;
}

/** Reads a text as diagnostics and whatever stands between them. null: there are too few of each format. */
export function readDiagnosticParts(lines: readonly Line[], formats: readonly FormatName[], atLeast: number): DiagnosticParts | null {
  const first = partsIn(lines, formats);
  if (!first) return null;
  const seen = formats.filter((name) => (first.counts.get(name) ?? 0) >= atLeast);
  if (seen.length === 0) return null;
  const lone = formats.some((name) => first.counts.has(name) && !seen.includes(name));
  const { parts, harmless } = (lone && partsIn(lines, seen)) || first;
  return { parts: withoutRepetition(parts), harmless };
}

function partsIn(lines: readonly Line[], formats: readonly FormatName[]) {
  const mayBegin = createBeginTest(lines);
  if (!mayBegin) return null;
  const readers = formats.map((name): readonly [FormatName, DiagnosticReader] => [name, DIAGNOSTIC_FORMATS[name]()]);
  const counts = new Map<FormatName, number>();
  const parts: DiagnosticPart[] = [];
  let run: ReadDiagnostic[] = [];
  let harmless = 0;
  const close = () => {
    if (run.length > 0) parts.push({ found: run });
    run = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const [name, reading] = mayBegin(at) ? readAt(readers, lines, at) : NOTHING;
    if (name && reading) {
      counts.set(name, (counts.get(name) ?? 0) + reading.found.filter((one) => !isNote(one)).length);
      if (reading.found.length === 0) harmless += sumOf(lines.slice(at, reading.end)).errors;
      for (const one of reading.found) run.push(one);
      at = reading.end;
      continue;
    }
    // Blank lines between diagnostics are left out.
    if (line.text !== "") close();
    if (line.text !== "" || run.length === 0) parts.push({ line });
    at++;
  }
  close();
  return { parts, counts, harmless };
}

const NOTHING = [null, null] as const;

function readAt(readers: readonly (readonly [FormatName, DiagnosticReader])[], lines: readonly Line[], at: number) {
  for (const [name, read] of readers) {
    const reading = read(lines, at);
    if (reading) return [name, reading] as const;
  }
  return NOTHING;
}

/** The same words at the same place are told once: headers that several files include, builds that repeat their errors at the end. */
function withoutRepetition(parts: readonly DiagnosticPart[]): readonly DiagnosticPart[] {
  const first = new Map<string, ReadDiagnostic>();
  const again = new Map<ReadDiagnostic, ReadDiagnostic[]>();
  const isNew = (one: ReadDiagnostic): boolean => {
    const key = `${one.file}\0${one.line}\0${one.column}\0${one.label}\0${one.message}`;
    // One that shows no caret repeats any that does.
    const exact = one.caret === undefined ? key : `${key}\0${one.caret}`;
    const there = first.get(key);
    const before = first.get(exact) ?? (there?.caret === undefined ? there : undefined);
    if (!before) {
      if (!there) first.set(key, one);
      first.set(exact, one);
    } else if (!again.get(before)?.push(one)) again.set(before, [one]);
    return !before;
  };
  const fresh = parts.map((part) => ("line" in part ? part : { found: part.found.filter(isNew) }));
  if (again.size === 0) return parts;
  const whole = (one: ReadDiagnostic): ReadDiagnostic => {
    const others = again.get(one);
    return others ? { ...one, drawn: [one, ...others].flatMap(({ said, drawn }, n) => (n === 0 ? drawn : [...said, ...drawn])) } : one;
  };
  return fresh.map((part) => ("line" in part ? part : { found: part.found.map(whole) }));
}
