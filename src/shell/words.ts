import { type Word as Node, type ParameterExpansionPart, parse, type WordPart } from "unbash";
import { wordSet } from "../text/words.ts";
import { expandBraces } from "./braces.ts";
import type { ShellWord } from "./options.ts";
import { printedBy } from "./outputs.ts";
import { onlyWord, operate } from "./parameters.ts";
import { IN_TMPDIR, SUBSTITUTED } from "./relative-path.ts";
import type { VariableValue } from "./variables.ts";

/** What a word can become: each way is a list of words, because `$x` may be several or none. */
export type Ways = readonly (readonly ShellWord[])[];

export interface WordScope {
  /** All a variable may hold. */
  read(name: string): readonly VariableValue[];
  /** Whether the script may have set it. */
  isSet(name: string): boolean;
  /** Where unquoted values are split: at blanks, until IFS is set. */
  readonly splits: "blanks" | "never" | "unknown";
  /** Names of programs mean the programs: no function, alias or sourced file can have taken one. */
  readonly ordinary: boolean;
}

const MAX_WAYS = 32;
const MAX_LENGTH = 8192;
const NOT_KNOWN: Ways = [[null]];

/** Resolves quoting, constants, tilde and braces. Never guesses: what is only known at run time is null. */
export function resolveWord(node: Node, scope: WordScope): Ways {
  const { parts } = node;
  if (!parts) return [[home(node.text, node.value)]];
  if (parts.some(({ type }) => type === "BraceExpansion")) return throughBraces(node, scope);
  return finish(
    parts.reduce<Draft[] | null>((drafts, part) => drafts && append(drafts, part, scope), start()),
    node.text,
  );
}

/** Where a word stays one word: a redirection, an assignment, a here-string. */
export function resolveOne(node: Node, scope: WordScope): readonly ShellWord[] {
  const ways = resolveWord(node, { ...scope, splits: "never" });
  return ways.map((words) =>
    words.length === 1 ? words[0]! : words.length === 0 ? "" : words.some((word) => word === null) ? null : words.join(" "),
  );
}

/** The text of a here-document or of double quotes; null when a part is not known. */
export function resolveParts(parts: readonly WordPart[], scope: WordScope): ShellWord {
  const drafts = parts.reduce<Draft[] | null>((all, part) => all && appendQuoted(all, part, scope), start());
  return drafts?.length === 1 ? drafts[0]!.open : null;
}

/** A word being put together: the words before it are complete. */
interface Draft {
  readonly words: readonly ShellWord[];
  readonly open: ShellWord;
  /** Quotes make a word even when it is empty. */
  readonly real: boolean;
}

const start = (): Draft[] => [{ words: [], open: "", real: false }];

function finish(drafts: Draft[] | null, source: string): Ways {
  if (!drafts) return NOT_KNOWN;
  return drafts.map(({ words, open, real }) => (open === "" && !real ? words : [...words, home(source, open)]));
}

/** Stands for home while a word is put together, so that a quoted `~`, which is a file of that name, is not taken for it. */
const HOME = "\ue000";

function home(source: string, value: ShellWord): ShellWord {
  if (value === null || source[0] !== "~" || value[0] !== "~") return value;
  if (value === "~+" || value.startsWith("~+/")) return `.${value.slice(2)}`;
  return HOME + value.slice(1);
}

/** The word as rules read it: home is `~`, and a file named `~` is `./~`. */
export function settledWord(word: ShellWord): ShellWord {
  if (word === null) return null;
  return word[0] === "~" ? `./${word}` : word.includes(HOME) ? word.replaceAll(HOME, "~") : word;
}

function throughBraces({ text }: Node, scope: WordScope): Ways {
  const texts = expandBraces(text);
  if (!texts) return NOT_KNOWN;
  let ways: (readonly ShellWord[])[] = [[]];
  for (const word of texts) {
    const node = wordOf(word);
    const next = node ? resolveWord(node, scope) : word === "" ? [[]] : NOT_KNOWN;
    ways = ways.flatMap((before) => next.map((after) => [...before, ...after])).slice(0, MAX_WAYS);
  }
  return ways;
}

function wordOf(text: string): Node | undefined {
  const command = text === "" ? undefined : parse(`: ${text}`).commands[0]?.command;
  const arg = command?.type === "Command" ? command.args[0] : undefined;
  if (arg?.type !== "Word" || arg.text !== text || arg.parts?.some(({ type }) => type === "BraceExpansion")) return undefined;
  return arg;
}

function append(drafts: Draft[], part: WordPart, scope: WordScope): Draft[] | null {
  switch (part.type) {
    case "Literal":
    case "Glob":
      return drafts.map((draft) => ({ ...draft, open: join(draft.open, part.value), real: true }));
    case "ExtendedGlob":
      return drafts.map((draft) => ({ ...draft, open: join(draft.open, part.text), real: true }));
    case "SingleQuoted":
    case "AnsiCQuoted":
      return drafts.map((draft) => ({ ...draft, open: join(draft.open, part.value), real: true }));
    case "DoubleQuoted":
    case "LocaleString":
      return inQuotes(drafts, part.parts, scope);
    default:
      return expand(drafts, valuesOf(part, scope), scope);
  }
}

/** Everything stays one word, except `"$@"` and `"${a[@]}"`, which are as many words as there are. */
function inQuotes(drafts: Draft[], parts: readonly WordPart[], scope: WordScope): Draft[] | null {
  const quoted = parts.reduce<Draft[] | null>((all, part) => all && appendQuoted(all, part, scope), drafts);
  return quoted?.map((draft) => (parts.length === 1 && isList(parts[0]!) && draft.open === "" ? draft : { ...draft, real: true })) ?? null;
}

function appendQuoted(drafts: Draft[], part: WordPart, scope: WordScope): Draft[] | null {
  if (part.type === "Literal") return drafts.map((draft) => ({ ...draft, open: join(draft.open, part.value) }));
  const list = isList(part);
  return branch(drafts, valuesOf(part, scope), (draft, value) => {
    if (value === null) return { ...draft, open: null };
    if (!list) return { ...draft, open: join(draft.open, oneWord(value)) };
    if (value.length === 0) return draft;
    const [first, ...rest] = [join(draft.open, value[0]!), ...value.slice(1)];
    if (rest.length === 0) return { ...draft, open: first, real: true };
    return { words: [...draft.words, first, ...rest.slice(0, -1)], open: rest.at(-1)!, real: true };
  });
}

/** Outside quotes a value is split at blanks. */
function expand(drafts: Draft[], values: readonly VariableValue[], { splits }: WordScope): Draft[] | null {
  return branch(drafts, values, (draft, value) => {
    if (value === null) return { ...draft, open: null, real: true };
    const words = [...draft.words];
    let { open, real } = draft;
    const close = () => {
      if (open !== "" || real) words.push(open);
      open = "";
      real = false;
    };
    for (const [n, word] of value.entries()) {
      if (n > 0) close();
      for (const piece of pieces(word, splits)) {
        if (piece === BLANK) close();
        else {
          open = join(open, piece);
          real = true;
        }
      }
    }
    return { words, open, real };
  });
}

const BLANK = Symbol("blank");

function pieces(word: ShellWord, splits: WordScope["splits"]): readonly (ShellWord | typeof BLANK)[] {
  if (word === null || splits === "unknown") return [null];
  if (word === "") return [];
  if (splits === "never") return [word];
  return word
    .split(/([ \t\n]+)/)
    .filter((piece) => piece !== "")
    .map((piece) => (/^[ \t\n]/.test(piece) ? BLANK : piece));
}

function branch(drafts: Draft[], values: readonly VariableValue[], step: (draft: Draft, value: VariableValue) => Draft): Draft[] | null {
  const next = drafts.flatMap((draft) => values.map((value) => step(draft, value)));
  return next.length > MAX_WAYS ? null : next;
}

function join(a: ShellWord, b: ShellWord): ShellWord {
  if (a === null || b === null) return null;
  return a.length + b.length > MAX_LENGTH ? null : a + b;
}

const oneWord = (value: readonly ShellWord[]): ShellWord => (value.some((word) => word === null) ? null : value.join(" "));

const isList = (part: WordPart): boolean =>
  part.type === "SimpleExpansion"
    ? part.text === "$@"
    : part.type === "ParameterExpansion" && (part.parameter === "@" || part.index?.text === "@");

function valuesOf(part: WordPart, scope: WordScope): readonly VariableValue[] {
  if (part.type === "SimpleExpansion") return variable(part.text.slice(1), scope);
  if (part.type === "CommandExpansion" && scope.ordinary && scope.read("TMPDIR").every((value) => value === null)) {
    const text = printedBy(part, (node) => onlyWord(resolveOne(node, scope)));
    return [text === null ? null : [text]];
  }
  if (part.type === "ProcessSubstitution") return [[SUBSTITUTED]];
  if (part.type !== "ParameterExpansion" || part.prefix !== undefined) return [null];
  const values = indexed(part, scope);
  const whole = /^[@*]$/.test(part.index?.text ?? part.parameter);
  if (whole && part.operation?.type === "Slice") return [null];
  return part.operation ? operate(part.operation, values, (node) => resolveOne(node, scope)) : values;
}

function indexed({ parameter, index }: ParameterExpansionPart, scope: WordScope): readonly VariableValue[] {
  const values = variable(parameter, scope);
  if (!index)
    return values.map((value) => (value === null || value.length < 2 || parameter === "@" || parameter === "*" ? value : [value[0]!]));
  if (index.text === "@" || index.text === "*") return values;
  const at = /^\d{1,4}$/.test(index.value) ? Number(index.value) : null;
  return at === null ? [null] : values.map((value) => (value === null || value[at] === undefined ? null : [value[at]]));
}

/** `"$*"` is put together with the first character of IFS. */
const plainBlanks = (scope: WordScope): boolean => scope.read("IFS").every((value) => value?.[0]?.startsWith(" "));

/** Home and here are known by name; they are put in as `~` and `.`, and become real paths where these are needed. */
const BY_NAME: Record<string, string> = { HOME, PWD: ".", USER: "*", LOGNAME: "*", TMPDIR: IN_TMPDIR };
/** What the shell itself puts there is a number, whatever it is. */
const NUMBERS = wordSet("$ ! ? # RANDOM SRANDOM SECONDS LINENO PPID UID EUID EPOCHSECONDS SHLVL");

function variable(name: string, scope: WordScope): readonly VariableValue[] {
  const values = scope.read(name);
  if (name === "*" && scope.splits !== "blanks" && values.some((value) => value !== null && value.length > 1) && !plainBlanks(scope))
    return [...values, null];
  const isOpen = values.length === 1 && values[0] === null && !scope.isSet(name);
  if (isOpen && NUMBERS.has(name)) return [["*"]];
  return isOpen && BY_NAME[name] !== undefined ? [[BY_NAME[name]]] : values;
}
