import { visitAtoms } from "./atoms.ts";
import { BLANK, type Line, sumOf } from "./line.ts";
import { stampOf } from "./text/stamps.ts";

export interface ValueAccount {
  /** Raw lines that nothing shown stands for. */
  readonly left: number;
  /** Raw lines that are told in part. */
  readonly partly: number;
  /** Different values of theirs that no shown line tells. */
  readonly values: number;
}

/**
 * What is shown, compared with what was printed: which lines nothing stands for, and which values no line tells, be it a shorter form, a column that went,
 * lines said once. So no mark can hide a line or a value, whatever a rule did.
 */
export function accountFor(printed: readonly Line[], shown: readonly Line[]): ValueAccount {
  const left = new Set(printed);
  left.delete(BLANK);
  const untold = new Set<string>();
  let partly = 0;
  let said: ReadonlySet<string> | null = null;
  for (const line of shown) {
    left.delete(line);
    if (line.from.length === 0) continue;
    said ??= atomsSaid(shown);
    const raw = rawOf(line);
    // Lines may be the same at different moments. The moment of a line that is told alone is a value like any other.
    const momentOf = raw.length > 1 ? stampOf : () => null;
    for (const each of raw) {
      left.delete(each);
      if (addUntold(each.text, said, untold, momentOf)) partly += each.covers;
    }
  }
  return { left: sumOf(left).covers, partly, values: untold.size };
}

/** The lines as they were printed. Some are told by a line that stands for a line, and so on, a hundred thousand times. */
export function rawOf({ from }: Line): readonly Line[] {
  if (from.every((line) => line.from.length === 0)) return from;
  const raw: Line[] = [];
  const open = [from];
  for (let lines = open.pop(); lines; lines = open.pop()) {
    for (const line of lines) {
      if (line.from.length === 0) raw.push(line);
      else open.push(line.from);
    }
  }
  return raw;
}

/** Atoms that hang together, such as those of a path or a UUID, are one value. */
function addUntold(text: string, said: ReadonlySet<string>, untold: Set<string>, momentOf: typeof stampOf): boolean {
  let moment: ReturnType<typeof stampOf> | undefined;
  let first = -1;
  let end = -1;
  visitAtoms(text, (from, to, isValue) => {
    if (!isValue || isSaid(text.slice(from, to), said)) return;
    moment = moment === undefined ? momentOf(text) : moment;
    if (moment && from >= moment.at && to <= moment.at + moment.stamp.length) return;
    if (first !== -1 && (from !== end + 1 || !JOINTS.includes(text[end]!))) {
      untold.add(text.slice(first, end));
      first = -1;
    }
    if (first === -1) first = from;
    end = to;
  });
  if (first !== -1) untold.add(text.slice(first, end));
  return first !== -1;
}

const JOINTS = "-./:@\\";

/** A unit may be said once for several numbers. */
function isSaid(value: string, said: ReadonlySet<string>): boolean {
  const number = said.has(value) ? undefined : WITH_UNIT.exec(value)?.[1];
  return number === undefined ? said.has(value) : said.has(number);
}

const WITH_UNIT = /^(\d[\d.]*)[a-zA-Zµ]{1,3}$/;

/** Every atom of what is shown, and the numbers in it: `L12` says 12. */
function atomsSaid(shown: readonly Line[]): Set<string> {
  const said = new Set<string>();
  for (const { text } of shown) {
    visitAtoms(text, (from, to) => {
      const atom = text.slice(from, to);
      said.add(atom);
      const number = NUMBER_INSIDE.exec(atom);
      if (number) said.add(number[1]!);
    });
  }
  return said;
}

const NUMBER_INSIDE = /^\D+(\d[\d.]*)/;
