import type { Word as Node, ParameterOperation } from "unbash";
import { attempt } from "../text/attempt.ts";
import { compileGlob, type Matcher } from "../text/glob.ts";
import type { ShellWord } from "./options.ts";
import type { VariableValue } from "./variables.ts";

type One = (node: Node) => readonly ShellWord[];

const UNKNOWN: readonly VariableValue[] = [null];
/** Removing by pattern tries every cut; a long value is not worth it. */
const MAX_LENGTH = 256;

/** `${x…}`: what the operation makes of each value, where that can be said. */
export function operate(operation: ParameterOperation, values: readonly VariableValue[], one: One): readonly VariableValue[] {
  if (operation.type === "Default") return withDefault(operation.operator, values, one(operation.operand));
  const change = changeOf(operation, one);
  if (!change) return UNKNOWN;
  return values.map((value) => {
    if (value === null) return null;
    const changed = value.map((word) => (word === null || word.length > MAX_LENGTH ? null : change(word)));
    return changed.includes(null) ? null : changed;
  });
}

function withDefault(operator: string, values: readonly VariableValue[], operands: readonly ShellWord[]): readonly VariableValue[] {
  const given: VariableValue[] = operands.map((word) => (word === null ? null : [word]));
  if (operator.endsWith("+")) return [...given, [""]];
  if (operator.endsWith("?")) return values;
  const sure = values.every((value) => value !== null && value.join("") !== "");
  return sure ? values : [...values, ...given];
}

type Change = (word: string) => string | null;

function changeOf(operation: ParameterOperation, one: One): Change | null {
  switch (operation.type) {
    case "CaseModification":
      return operation.operand ? null : CASES[operation.operator]!;
    case "Slice":
      return slice(onlyWord(one(operation.offset)), operation.length ? onlyWord(one(operation.length)) : "");
    case "Remove":
      return remove(operation.operator, onlyWord(one(operation.operand)));
    case "Replace":
      return replace(operation.operator, onlyWord(one(operation.pattern)), onlyWord(one(operation.replacement)));
    default:
      return null;
  }
}

/** The word, where there is no other it may be. */
export const onlyWord = (words: readonly ShellWord[]): ShellWord => (words.length === 1 ? words[0]! : null);
const isPlain = (text: string) => !/[*?[\]\\(){}~]/.test(text);

const CASES: Record<string, Change> = {
  "^": (word) => known(word) && word.slice(0, 1).toUpperCase() + word.slice(1),
  "^^": (word) => known(word) && word.toUpperCase(),
  ",": (word) => known(word) && word.slice(0, 1).toLowerCase() + word.slice(1),
  ",,": (word) => known(word) && word.toLowerCase(),
};

/** A glob or `~` stands for a name that is not here to be changed. */
const known = (word: string): string | null => (/[*?[~\ue000]/.test(word) ? null : word);

function slice(offset: ShellWord, length: ShellWord): Change | null {
  if (offset === null || length === null || !/^ ?-?\d{1,4}$/.test(offset) || !/^(-?\d{1,4})?$/.test(length)) return null;
  const from = Number(offset);
  return (word) => {
    if (known(word) === null) return null;
    const begin = from < 0 ? word.length + from : from;
    const end = length === "" ? word.length : Number(length) < 0 ? word.length + Number(length) : begin + Number(length);
    return begin < 0 || begin > word.length ? "" : word.slice(begin, Math.max(begin, end));
  };
}

function remove(operator: string, pattern: ShellWord): Change | null {
  if (pattern === null) return null;
  const fromStart = operator[0] === "#";
  const longest = operator.length === 2;
  if (isPlain(pattern)) {
    return (word) => {
      if (fromStart) return word.startsWith(pattern) ? word.slice(pattern.length) : word;
      return word.endsWith(pattern) ? word.slice(0, word.length - pattern.length) : word;
    };
  }
  const matches = matcher(pattern);
  return (
    matches &&
    ((word) => {
      if (known(word) === null) return null;
      const cuts = Array.from({ length: word.length + 1 }, (_, n) => n);
      const fits = cuts.filter((n) => matches(fromStart ? word.slice(0, n) : word.slice(word.length - n)));
      const cut = (longest ? fits.at(-1) : fits[0]) ?? 0;
      return fromStart ? word.slice(cut) : word.slice(0, word.length - cut);
    })
  );
}

function replace(operator: string, pattern: ShellWord, replacement: ShellWord): Change | null {
  if (pattern === null || replacement === null || pattern === "" || !isPlain(pattern) || replacement.includes("&")) return null;
  return (word) => {
    if (known(word) === null) return null;
    if (operator === "//") return word.split(pattern).join(replacement);
    if (operator === "/#") return word.startsWith(pattern) ? replacement + word.slice(pattern.length) : word;
    if (operator === "/%") return word.endsWith(pattern) ? word.slice(0, -pattern.length) + replacement : word;
    const at = word.indexOf(pattern);
    return at === -1 ? word : word.slice(0, at) + replacement + word.slice(at + pattern.length);
  };
}

const matcher = (pattern: string): Matcher | null =>
  attempt(() => (/[({]/.test(pattern) ? null : compileGlob(pattern, { flavour: "text", letters: "exact" })), null);
