import { attempt } from "../../text/attempt.ts";
import { isWordy } from "./randomness.ts";
import type { Family, Secret, SecretSpan } from "./span.ts";

/** Finds the values in a text. */
export type KnownValues = (text: string) => SecretSpan[];

/**
 * Finds known values again in a text that may be a shortened form of the one they were found in: whole, percent-encoded or escaped as
 * JSON, wrapped, cut at the end of a line or after its start. One walk through the text, however many values there are.
 */
export function createValueFinder(found: readonly Secret[]): KnownValues {
  if (found.length === 0) return () => [];
  const tree = new Tree();
  const tails = new Map<string, Known>();
  for (const { family, value } of found) {
    for (const form of formsOf(value, family)) {
      const known = { family, value: form };
      tree.add(known);
      if (form.length > CUT) tails.set(form.slice(-CUT), known);
    }
  }
  return (text) => (tree.empty ? [] : [...heads(text, tree), ...tailsAtLineStart(text, tails)]);
}

interface Known {
  readonly family: Family;
  readonly value: string;
}

/** Shorter values are taken out at their place only: they stand in a text by chance. */
const SHORT = 6;
/** So much of a value is still a secret when the rest was cut off. */
const CUT = 8;
/** Where so much of a value stands, the value stands. */
const ENOUGH = 64;
/** So much of a value stands on one line before a line end may break it. */
const UNBROKEN = 4;

/** The forms a value is printed in. A word a person chose as a password is also a word. */
function formsOf(value: string, family: Family): string[] {
  if (family === "private-key") return value.split("\n").filter((line) => line.length >= CUT);
  if (value.length < SHORT || (family !== "custom" && /^[A-Za-z]{1,12}$/.test(value) && isWordy(value))) return [];
  const forms = new Set([
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    percentDecoded(value),
    unescaped(value),
    inBase64(value),
  ]);
  return [...forms].filter((form) => form.length >= SHORT);
}

const percentDecoded = (value: string): string => attempt(() => (value.includes("%") ? decodeURIComponent(value) : value), value);
function inBase64(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what base64 is made of here
  return value.length >= CUT && /^[\x00-\xff]*$/.test(value) ? btoa(value).replace(/=+$/, "") : value;
}
const unescaped = (value: string): string => value.replace(/\\(["'\\/])/g, "$1");

function heads(text: string, tree: Tree): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const last = text.length - SHORT;
  for (let at = 0; at <= last; at++) {
    if (!tree.mayStart(text, at)) continue;
    const found = tree.match(text, at);
    if (!found) continue;
    spans.push({ start: at, end: found.end, family: found.family });
    at = found.end - 1;
  }
  return spans;
}

/** The end of a value at the start of a line or behind a mark of omission: the rest of it was cut off. */
const LINE_START = /(?:^|\n|\.\.\.|…|\] ?)[ \t]{0,40}([^\s"'`<>…,;)\]}]{8,4096})/g;
function tailsAtLineStart(text: string, tails: ReadonlyMap<string, Known>): SecretSpan[] {
  const spans: SecretSpan[] = [];
  LINE_START.lastIndex = 0;
  for (let match = LINE_START.exec(text); match; match = LINE_START.exec(text)) {
    const run = match[1]!;
    const known = tails.get(run.slice(-CUT));
    if (!known?.value.endsWith(run) || !isTelling(run)) continue;
    spans.push({ start: LINE_START.lastIndex - run.length, end: LINE_START.lastIndex, family: known.family });
  }
  return spans;
}

/** Not just the part that all keys of a provider share. */
const isTelling = (part: string): boolean => /\d/.test(part) || (/[a-z]/.test(part) && /[A-Z]/.test(part));

interface Node {
  /** Set while only one value goes this way: the rest of it is compared at once. */
  only: Known | null;
  /** A value ends here. */
  ends: Known | null;
  next: Map<number, Node> | null;
}

/** Values by their first characters. */
class Tree {
  readonly #root = node();
  /** Which pairs of characters start a value. */
  readonly #pairs = new Uint8Array(65_536);

  get empty(): boolean {
    return this.#root.next === null;
  }

  add(known: Known): void {
    const { value } = known;
    this.#pairs[pairOf(value, 0)] = 1;
    this.#root.next ??= new Map();
    let here = this.#root;
    for (let depth = 0; ; depth++) {
      if (depth === Math.min(value.length, ENOUGH)) {
        here.ends ??= known;
        return;
      }
      const code = value.charCodeAt(depth);
      const down = here.next?.get(code);
      if (!down) {
        here.next ??= new Map();
        here.next.set(code, { only: known, ends: null, next: null });
        return;
      }
      if (down.only) this.#split(down, depth + 1);
      here = down;
    }
  }

  /** Two values go on together: the one that was alone moves a step down. */
  #split(down: Node, depth: number): void {
    const known = down.only!;
    down.only = null;
    if (depth >= Math.min(known.value.length, ENOUGH)) down.ends = known;
    else down.next = new Map([[known.value.charCodeAt(depth), { only: known, ends: null, next: null }]]);
  }

  mayStart(text: string, at: number): boolean {
    return this.#pairs[pairOf(text, at)] === 1;
  }

  /** The longest value that starts here, or so much of one that it was cut. */
  match(text: string, start: number): Match | null {
    let here = this.#root;
    let at = start;
    let whole: Match | null = null;
    for (let depth = 0; ; depth++) {
      if (here.ends) whole = { end: endOf(text, at, depth, here.ends), family: here.ends.family };
      if (here.only) return rest(text, at, depth, here.only) ?? whole;
      const direct = here.next?.get(text.charCodeAt(at));
      const next = direct || depth < UNBROKEN ? at : lineBreak(text, at);
      const down = direct ?? here.next?.get(text.charCodeAt(next));
      if (!down) return whole ?? cutOff(text, at, depth, anyOf(here));
      here = down;
      at = next + 1;
    }
  }
}

interface Match {
  readonly end: number;
  readonly family: Family;
}

const node = (): Node => ({ only: null, ends: null, next: null });
const pairOf = (text: string, at: number): number => ((text.charCodeAt(at) * 251) ^ text.charCodeAt(at + 1)) & 0xffff;

function anyOf(from: Node): Known {
  let here = from;
  while (!here.only && !here.ends) here = here.next!.values().next().value!;
  return (here.only ?? here.ends)!;
}

/** Compares one value, of which `seen` characters were seen, with what stands here, over line ends where it was wrapped. */
function rest(text: string, start: number, seen: number, known: Known): Match | null {
  const { value, family } = known;
  let at = start;
  for (let depth = seen; depth < value.length; depth++) {
    if (depth === ENOUGH) return { end: endOf(text, at, depth, known), family };
    if (text.charCodeAt(at) !== value.charCodeAt(depth)) {
      const next = depth >= UNBROKEN ? lineBreak(text, at) : at;
      if (next === at || text.charCodeAt(next) !== value.charCodeAt(depth)) return cutOff(text, at, depth, known);
      at = next;
    }
    at++;
  }
  return { end: at, family };
}

/** The text ends here, but the value does not. */
function cutOff(text: string, at: number, depth: number, { value, family }: Known): Match | null {
  if (depth < CUT || !isOmission(text, at) || !isTelling(value.slice(0, depth))) return null;
  return { end: at, family };
}

/** Enough of a long value was seen: it goes on to the end of the run. */
function endOf(text: string, at: number, seen: number, { value }: Known): number {
  RUN.lastIndex = at;
  return value.length > seen && RUN.test(text) ? RUN.lastIndex : at;
}
const RUN = /[^\s"'`<>,;…]{1,16384}/y;

const BREAK = /\r?\n[ \t]{0,40}/y;
function lineBreak(text: string, at: number): number {
  BREAK.lastIndex = at;
  return BREAK.test(text) ? BREAK.lastIndex : at;
}

const OMISSION = /\s*$|[ \t]*\r?\n|\s?(?:\.\.|…|\[|\()/y;
function isOmission(text: string, at: number): boolean {
  OMISSION.lastIndex = at;
  return OMISSION.test(text);
}
