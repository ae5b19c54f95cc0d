import { isShort, programName, type ShellWord } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { compileGlob } from "../../text/glob.ts";

/**
 * `rm` is a program; `git push --force` is a program with these words first and this option anywhere. Words are globs, in any case.
 * An option stands for its other spellings too.
 */
export function commandPattern(pattern: string): (command: Pick<SimpleCommand, "argv">) => boolean {
  const [program = "", ...rest] = pattern.trim().split(/\s+/);
  const isProgram = matcher(program);
  const options = rest.filter((word) => word.startsWith("-")).map((word) => [word, ...(SPELLINGS[word] ?? [])]);
  const words = rest.filter((word) => !word.startsWith("-")).map(matcher);
  return ({ argv }) => {
    const [name, ...args] = argv;
    if (typeof name !== "string" || !(isProgram(programName(name)) || isProgram(name))) return false;
    const own = programName(name) === "git" ? afterGlobals(args) : args;
    const operands = own.filter((word) => word === null || !word.startsWith("-"));
    if (!words.every((matches, n) => typeof operands[n] === "string" && matches(operands[n]))) return false;
    return options.every((spellings) => spellings.some((option) => own.some((word) => word !== null && isOption(word, option))));
  };
}

const SPELLINGS: Record<string, readonly string[]> = {
  "--force": ["-f", "--force-with-lease", "--force-if-includes"],
  "-f": ["--force"],
  "--recursive": ["-r", "-R"],
  "-r": ["-R", "--recursive"],
  "-R": ["--recursive"],
};

const matcher = (word: string) => compileGlob(word, { flavour: "text", letters: "any case" });

function afterGlobals(args: readonly ShellWord[]): readonly ShellWord[] {
  const { verb, rest } = splitGit(args);
  return verb === undefined ? [] : [verb, ...rest];
}

/** `-f` is also part of `-rf`; `--force` also comes as `--force=x`, and cut short as `--forc`. */
function isOption(word: string, option: string): boolean {
  if (option.startsWith("--")) return word.length > 3 && isShort(word.split("=", 1)[0]!, option);
  return /^-[^-]/.test(word) && (option.length === 2 ? word.includes(option[1]!) : word === option);
}
