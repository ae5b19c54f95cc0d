import { type ProgramFinding, script, unknownEffect, writes } from "../finding.ts";
import { has, optionValues, readLeadingOptions, type ShellWord } from "../options.ts";
import { isInput } from "../relative-path.ts";

/** Awk can run commands and write files; a program that only prints and counts is fine. */
export function awk(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readLeadingOptions(args, "FfvieolEW --assign --field-separator --file --source --include --load --exec");
  const files = optionValues(read, "-f", "--file", "-E", "--exec");
  if (files.some(isInput)) return unknownEffect("awk runs a program it reads from its input");
  if (has(read, "-l", "--load", "-D", "--debug")) return unknownEffect("awk loads code that is not here");
  const included = optionValues(read, "-i", "--include");
  if (included.includes("inplace")) return read.operands.slice(1).map((path) => writes(path));
  if (included.some((path) => path === null || /^[/~]|\.\./.test(path))) return unknownEffect("awk loads code that is not here");
  const programs = [...optionValues(read, "-e", "--source"), ...(files.length > 0 ? [] : read.operands.slice(0, 1))];
  return programs.flatMap((text) => (text === null ? unknownEffect("the awk program is only known at run time") : deedsOf(text)));
}

function deedsOf(program: string): readonly ProgramFinding[] {
  if (program.length > 16 * 1024) return unknownEffect("the awk program is too long to be read");
  const { code, strings } = withoutText(program);
  const found: ProgramFinding[] = [];
  const command = (holder: string | undefined) => {
    const text = holder === undefined ? undefined : strings[Number(holder)];
    found.push(...(text === undefined ? unknownEffect("awk runs a command only known at run time") : script(text, "awk")));
  };
  for (const [, only] of code.matchAll(/\bsystem\s*\(\s*(?:"(\d+)"\s*\))?/g)) command(only);
  // A single bar runs what is on one of its sides: before `getline` what is on the left, else what is on the right. A command that is put
  // together from several strings is not known.
  for (const { 1: after, 2: getline, index } of code.matchAll(/(?<!\|)\|&?(?!\|)\s*(?:"(\d+)"(?=\s*(?:[;}\n]|$))|(getline))?/g))
    command(getline === undefined ? after : /(?:^|[;{}\n(,=])\s*"(\d+)"\s*$/.exec(code.slice(Math.max(0, index - 64), index))?.[1]);
  for (const [, only] of code.matchAll(/\bprintf?\b[^;}\n>]*>>?\s*(?:"(\d+)"\s*(?=[;}\n]|$))?/g))
    found.push(writes(only === undefined ? null : strings[Number(only)]!));
  if (/@(load|include)\b|\bextension\s*\(|@\w+\s*\(/.test(code)) found.push(...unknownEffect("awk loads code that is not here"));
  return found;
}

/** Strings become numbered holders and regular expressions go, so that what is left is code. */
function withoutText(program: string): { code: string; strings: string[] } {
  const strings: string[] = [];
  let code = "";
  for (let i = 0; i < program.length; i++) {
    const char = program[i]!;
    if (char === "#") {
      while (i + 1 < program.length && program[i + 1] !== "\n") i++;
    } else if (char === '"') {
      let text = "";
      for (i++; i < program.length && program[i] !== '"'; i++)
        text += program[i] === "\\" ? program[i]! + (program[++i] ?? "") : program[i];
      code += `"${strings.push(text.replace(ESCAPE, unescaped)) - 1}"`;
    } else if (char === "/" && !/(?:[\w)\]$"]|\+\+|--)\s*$/.test(code.slice(-8))) {
      for (i++; i < program.length && program[i] !== "/" && program[i] !== "\n"; i++) if (program[i] === "\\") i++;
      code += "0";
    } else code += char;
  }
  return { code, strings };
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g;
const LETTERS: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

const unescaped = (_all: string, octal?: string, hex?: string, letter?: string): string =>
  octal !== undefined
    ? String.fromCharCode(Number.parseInt(octal, 8))
    : hex !== undefined
      ? String.fromCharCode(Number.parseInt(hex, 16))
      : (LETTERS[letter!] ?? letter!);
