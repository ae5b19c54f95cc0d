import { type ProgramFinding, script, unknownEffect, writes } from "../finding.ts";
import { endOfLine } from "../limits.ts";
import { has, optionValues, readOptions, type ShellWord } from "../options.ts";
import { isInput } from "../relative-path.ts";
import { underNames } from "./under-names.ts";

/** Sed can run commands (`e`) and write files (`w`, `-i`), so its scripts are read too. */
export function sed(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(args.map(inPlace), "efl --expression --file --line-length");
  const scripts = optionValues(read, "-e", "--expression");
  const fromFile = optionValues(read, "-f", "--file").length > 0;
  const files = scripts.length > 0 || fromFile ? read.operands : read.operands.slice(1);
  const all = scripts.length > 0 ? scripts : fromFile ? [] : read.operands.slice(0, 1);
  if (optionValues(read, "-f", "--file").some(isInput)) return unknownEffect("sed runs a script it reads from its input");
  const edits = has(read, "--in-place") ? files.map((path) => writes(path)) : [];
  // The pieces are one script: a command may begin in one and end in the next. What is around an unknown piece is read all the same.
  const known = all.includes(null) ? all.filter((text) => text !== null) : [all.join("\n")];
  return [...edits, ...known.flatMap(commandsOf)];
}

/** `-i.bak` and `-ni` take their suffix attached; read as one long option they cannot swallow the next word. */
const inPlace = (arg: ShellWord): ShellWord => (arg !== null && /^-[nErsuz]*i/.test(arg) ? "--in-place" : arg);

const MAX_LENGTH = 16 * 1024;

function commandsOf(text: string): readonly ProgramFinding[] {
  if (text.length > MAX_LENGTH) return unknownEffect("the sed script is too long to be read");
  const found: ProgramFinding[] = [];
  let at = 0;
  while (at < text.length) {
    at = skipAddress(text, at);
    const command = text[at];
    if (command === undefined) break;
    const end = COMMANDS[command]?.(text, at + 1, found);
    if (end === undefined) return [...found, ...unknownEffect("the sed script could not be read")];
    at = end;
  }
  return found;
}

/** Numbers, `$`, `/re/`, `\cREc`, and what joins them. */
function skipAddress(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text[at];
    if (char === undefined) return at;
    if (/[\s;0-9$,!+~}]/.test(char) || (char === "I" && at > from) || (char === "M" && at > from)) at++;
    else if (char === "/") at = pattern(text, at + 1, "/");
    else if (char === "\\" && text[at + 1] !== undefined) at = pattern(text, at + 2, text[at + 1]!);
    else if (char === "#") at = endOfLine(text, at);
    else return at;
  }
}

type Command = (text: string, at: number, found: ProgramFinding[]) => number;

const nothing: Command = (_text, at) => at;
const toSemicolon: Command = (text, at) => {
  const match = /[;\n}]/g;
  match.lastIndex = at;
  return match.exec(text)?.index ?? text.length;
};
/** A label, or a version: it ends at a blank too, and what follows is the next command. */
const overLabel: Command = (text, at) => {
  const match = /[ \t]*[^\s;}]*/y;
  match.lastIndex = at;
  match.exec(text);
  return match.lastIndex;
};
/** Text goes on over lines that end in a backslash, unless that backslash is itself escaped. */
const added: Command = (text, at) => {
  let end = endOfLine(text, at);
  while (end < text.length && isEscaped(text, end, at)) end = endOfLine(text, end + 1);
  return end;
};
const isEscaped = (text: string, at: number, from: number): boolean => {
  let before = at;
  while (before > from && text[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
};
const toFile: Command = (text, at, found) => {
  const end = endOfLine(text, at);
  found.push(writes(text.slice(at, end).trim()));
  return end;
};

const COMMANDS: Record<string, Command> = {
  ...underNames("{ = d D g G h H n N p P x z F", nothing),
  ...underNames("q Q l L", toSemicolon),
  ...underNames("b t T : v", overLabel),
  ...underNames("a i c", added),
  ...underNames("r R", endOfLine),
  ...underNames("w W", toFile),
  e: (text, at, found) => {
    const end = endOfLine(text, at);
    const command = text.slice(at, end).trim();
    found.push(...(command === "" ? unknownEffect("sed runs what it reads") : script(command, "sed e")));
    return end;
  },
  // Neither of these two texts is a pattern: a bracket in them is a bracket.
  y: (text, at) => literal(text, literal(text, at + 1, text[at] ?? "/"), text[at] ?? "/"),
  s: (text, at, found) => {
    const mark = text[at] ?? "/";
    const end = literal(text, pattern(text, at + 1, mark), mark);
    const flags = /^[gpiImM0-9e]*/.exec(text.slice(end, end + 32))![0];
    if (flags.includes("e")) found.push(...unknownEffect("sed runs what it reads (the flag e of s)"));
    const after = end + flags.length;
    return text[after] === "w" ? toFile(text, after + 1, found) : after;
  },
};

/** Just behind the delimiter that closes a text; a backslash protects it. */
function literal(text: string, from: number, mark: string): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === mark) return i + 1;
  }
  return text.length;
}

/** The same for a regular expression: there a bracket expression protects it too. */
function pattern(text: string, from: number, mark: string): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === mark) return i + 1;
    else if (text[i] === "[") i = bracketEnd(text, i) ?? i;
  }
  return text.length;
}

/** `[]abc]`, `[^]/]`, `[[:alpha:]/]`: where the bracket expression closes; null when it does not on its line. */
function bracketEnd(text: string, open: number): number | null {
  const first = text.indexOf("]", open + 1);
  if (first === -1 || first > endOfLine(text, open)) return null;
  const close = /\^?\]?(?:\[([:.=])[^\]\n]{0,64}?\1\]|[^\]\n])*\]/y;
  close.lastIndex = open + 1;
  return close.test(text) ? close.lastIndex - 1 : null;
}
