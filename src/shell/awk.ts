import { type Finding, script, unknown, writes } from "./finding.ts";
import { readOptions, valuesOf, type Word } from "./options.ts";
import { isInput } from "./places.ts";

/** Awk can run commands and write files; a program that only prints and counts is fine. */
export function awk(args: readonly Word[]): readonly Finding[] {
  const read = readOptions(args, {
    short: "Ffvieol",
    long: ["--assign", "--field-separator", "--file", "--source", "--include", "--load"],
    leading: true,
  });
  if (valuesOf(read, "-i", "--include").includes("inplace")) return read.operands.slice(1).map((path) => writes(path));
  const fromFile = valuesOf(read, "-f", "--file").length > 0;
  if (valuesOf(read, "-f", "--file").some(isInput)) return unknown("awk runs a program it reads from its input");
  const programs = [...valuesOf(read, "-e", "--source"), ...(fromFile ? [] : read.operands.slice(0, 1))];
  return programs.flatMap((text) => (text === null ? unknown("the awk program is only known at run time") : deedsOf(text)));
}

function deedsOf(program: string): readonly Finding[] {
  if (program.length > 16 * 1024) return unknown("the awk program is too long to be read");
  const { code, strings } = withoutText(program);
  const found: Finding[] = [];
  const command = (holder: string | undefined) => {
    const text = holder === undefined ? undefined : strings[Number(holder)];
    found.push(...(text === undefined ? unknown("awk runs a command only known at run time") : script(text, "awk")));
  };
  for (const [, only] of code.matchAll(/\bsystem\s*\(\s*(?:"(\d+)"\s*\))?/g)) command(only);
  // A single bar runs what is on one of its sides; what is on the other side is data.
  for (const [, before, after] of code.matchAll(/(?:"(\d+)"\s*)?(?<!\|)\|&?(?!\|)\s*(?:"(\d+)"(?=\s*(?:[;}\n]|$)))?/g))
    command(after ?? before);
  for (const [, only] of code.matchAll(/\bprintf?\b[^;}\n>]*>>?\s*(?:"(\d+)"\s*(?=[;}\n]|$))?/g))
    found.push(writes(only === undefined ? null : strings[Number(only)]!));
  if (/@(load|include)\b|\bextension\s*\(|@\w+\s*\(/.test(code)) found.push(...unknown("awk loads code that is not here"));
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
      for (i++; i < program.length && program[i] !== '"'; i++) text += program[i] === "\\" ? (program[++i] ?? "") : program[i];
      code += `"${strings.push(text) - 1}"`;
    } else if (char === "/" && !/[\w)\]$"]\s*$/.test(code.slice(-8))) {
      for (i++; i < program.length && program[i] !== "/" && program[i] !== "\n"; i++) if (program[i] === "\\") i++;
      code += "0";
    } else code += char;
  }
  return { code, strings };
}
