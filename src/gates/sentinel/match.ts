import { posix } from "node:path";
import type { ToolCall } from "../../core/call.ts";
import { isShort, programName } from "../../shell/options.ts";
import { nameOf } from "../../text/path.ts";
import { sequenceCommands, sequenceValues } from "./words.ts";

/** One call of a blocked sequence. */
export interface BlockedStep {
  /** Null is any tool. */
  readonly tool: string | null;
  readonly kind: "any call" | "commands only";
  readonly words: readonly string[];
  readonly options: readonly string[];
  /** The words that are no options, in one spelling each. */
  readonly operands: readonly string[];
}

export const blockedStep = (tool: string | null, words: readonly string[], kind: BlockedStep["kind"] = "any call"): BlockedStep => ({
  tool,
  kind,
  words,
  options: words.filter(isOption),
  operands: words.filter((word) => !isOption(word)).map(plain),
});

/**
 * Whether one call holds all words of a step, in their order: those of a command in one simple command, options in any order and
 * any spelling; those of other tools anywhere in the arguments. A word only known at run time is none of them.
 */
export function meets(step: BlockedStep, call: ToolCall): boolean {
  if (step.tool !== null && step.tool !== call.tool.name) return false;
  const commands = readCommands(call);
  if (commands.some((command) => inCommand(step, command))) return true;
  if (call.touches.some(({ kind }) => kind === "command")) return false;
  return step.kind === "any call" || call.tool.effect === "runs" ? inValues(step, call) : false;
}

/** All that the words of each command of a call may be called; null for a call that is not read as commands alone. */
export const namesIn = (call: ToolCall): readonly ReadonlySet<string>[] | null =>
  call.touches.some(({ kind }) => kind === "command") ? readCommands(call).map(({ names }) => names) : null;

/** A simple command as steps are compared with it. */
interface Command {
  readonly tool: string;
  readonly argv: readonly (string | null)[];
  /** All that its words may be called, and the tool. */
  readonly names: ReadonlySet<string>;
  /** The rest is read when it is wanted. */
  options?: Given;
  /** What each of its words may be called, the tool's name first. */
  places?: readonly (readonly string[])[];
}

/** A call never changes, and many steps are compared with it. */
const READ = new WeakMap<ToolCall, readonly Command[]>();

function readCommands(call: ToolCall): readonly Command[] {
  const known = READ.get(call);
  if (known) return known;
  const commands = sequenceCommands(call);
  // What could not be read as commands is taken for one long one.
  const text =
    commands.length === 0 && call.tool.effect === "runs"
      ? sequenceValues(call.input)
          .join(" ")
          .split(/[\s;|&()<>"'`]+/)
      : null;
  const argvs = text ? [["", ...text.filter((word) => word !== "--")]] : commands;
  const read = argvs.map((argv): Command => {
    const tool = call.tool.name.toLowerCase();
    const names = new Set([tool]);
    argv.forEach((word, n) => {
      if (word !== null) for (const name of n === 0 ? called(word) : readings(word)) names.add(name);
    });
    return { tool, argv, names };
  });
  READ.set(call, read);
  return read;
}

function inCommand({ tool, options, operands }: BlockedStep, command: Command): boolean {
  if (!operands.every((word) => command.names.has(word))) return false;
  command.options ??= optionsOf(command.argv);
  const given = command.options;
  if (!options.every((word) => hasOption(given, word))) return false;
  command.places ??= [[command.tool], ...command.argv.map((word, n) => (word === null ? [] : n === 0 ? called(word) : readings(word)))];
  const { places } = command;
  let at = tool === null ? 0 : 1;
  return operands.every((wanted) => {
    while (at < places.length && !places[at]!.includes(wanted)) at++;
    return at++ < places.length;
  });
}

/** What a program may be called. */
const called = (word: string): string[] => [programName(word), plain(word)];

/** A word as it is, its last part, and what stands behind its `=`. */
function readings(word: string): string[] {
  const at = word.indexOf("=");
  const whole = plain(word);
  if (at === -1) return whole.includes("/") ? [whole, nameOf(whole)] : [whole];
  const value = plain(word.slice(at + 1));
  return [whole, nameOf(whole), value, nameOf(value)];
}

/** One spelling for each word: `//`, `/.` and `/*` are the root. */
function plain(word: string): string {
  if (!word.includes("/")) return word.toLowerCase();
  const path = posix.normalize(word.toLowerCase());
  if (/^\/\**$/.test(path)) return "/";
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

const isOption = (word: string): boolean => /^-[^\s]/.test(word);
/** Longer than this it is one option with a single dash, as `find -delete`. */
const LONGEST_CLUSTER = 3;
/** Options that programs agree about. */
const LONG: Readonly<Record<string, string>> = { r: "--recursive", R: "--recursive", f: "--force", a: "--all", y: "--yes" };
const SAME: Readonly<Record<string, string>> = { r: "R", R: "r" };

interface Given {
  readonly letters: ReadonlySet<string>;
  readonly words: readonly string[];
}

/** What stands behind `--` is no option. */
function optionsOf(argv: readonly (string | null)[]): Given {
  const letters = new Set<string>();
  const words: string[] = [];
  for (const word of argv.slice(1)) {
    if (word === "--") break;
    if (word === null || !isOption(word)) continue;
    words.push(word.split("=", 1)[0]!);
    if (!word.startsWith("--")) for (const letter of word.slice(1)) letters.add(letter);
  }
  return { letters, words };
}

function hasOption({ letters, words }: Given, wanted: string): boolean {
  if (words.includes(wanted)) return true;
  if (wanted.startsWith("--")) {
    const short = Object.keys(LONG).filter((letter) => LONG[letter] === wanted);
    return words.some((word) => isLong(word, wanted)) || short.some((letter) => letters.has(letter));
  }
  if (wanted.length > LONGEST_CLUSTER + 1) return false;
  return [...wanted.slice(1)].every(
    (letter) => letters.has(letter) || letters.has(SAME[letter] ?? letter) || words.some((word) => isLong(word, LONG[letter])),
  );
}

const isLong = (word: string, full: string | undefined): boolean => full !== undefined && word.length > 3 && isShort(word, full);

function inValues({ tool, words }: BlockedStep, call: ToolCall): boolean {
  const values = sequenceValues(call.input).map((value) => value.toLowerCase());
  if (tool === null) values.unshift(call.tool.name.toLowerCase());
  let value = 0;
  let from = 0;
  return words.every((word) => {
    for (; value < values.length; value++, from = 0) {
      const end = endOf(values[value]!, from, word);
      if (end === -1) continue;
      from = end;
      return true;
    }
    return false;
  });
}

/** Where a word ends that begins at `from` or later; -1 when it is not there. */
function endOf(value: string, from: number, word: string): number {
  const wanted = word.toLowerCase();
  if (/[\p{L}\p{N}]/u.test(wanted)) {
    const parts = wanted.includes("/") ? /[\s"'`=:,;()<>[\]{}]/ : /[^\p{L}\p{N}]/u;
    for (let at = value.indexOf(wanted, from); at !== -1; at = value.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if ((at === 0 || parts.test(value[at - 1]!)) && (end === value.length || parts.test(value[end]!))) return end;
    }
  }
  const isWhole = from === 0 && value !== "" && plain(value) === plain(wanted);
  return isWhole ? value.length : -1;
}
