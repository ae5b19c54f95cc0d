import {
  type Circumstances,
  joinedWords,
  type ProgramFinding,
  type ProgramReader,
  runsProgram,
  script,
  unknownEffect,
} from "../finding.ts";
import { optionValues, readLeadingOptions, readOptions, type ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";

/** Programs that run one command many times, or several beside each other. */
export const REPEATERS: Record<string, ProgramReader> = {
  xargs,
  ...underNames("parallel sem rush", parallel),
  ...underNames("hyperfine pee mispipe concurrently cross-env-shell", texts),
  ...underNames("fd fdfind", searched),
};

/** What is put behind or into the command comes from standard input: where that is known, it is put in. */
function xargs(args: readonly ShellWord[], _program: string, { stdin }: Circumstances): ProgramFinding[] {
  const read = readLeadingOptions(
    args,
    "adEILnPs --arg-file --delimiter --max-args --max-chars --max-lines --max-procs --process-slot-var",
  );
  const command = read.operands.length > 0 ? read.operands : ["echo"];
  const marks = [
    ...optionValues(read, "-I", "--replace"),
    ...(read.options.some(({ name }) => name === "-i" || name === "--replace") ? ["{}"] : []),
  ];
  const given = typeof stdin === "string" && stdin.length <= 4096 ? stdin.trim() : null;
  if (marks.length === 0) {
    const words = given?.split(/\s+/).map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));
    return [...runsProgram([...command, null], "xargs"), ...(words ? runsProgram([...command, ...words], "xargs") : [])];
  }
  const isMarked = (word: ShellWord) => word !== null && marks.some((mark) => mark !== null && word.includes(mark));
  const put = (text: ShellWord) =>
    runsProgram(
      command.map((word) =>
        !isMarked(word) ? word : text === null ? null : marks.reduce<string>((all, mark) => all.replaceAll(mark ?? "{}", text), word!),
      ),
      "xargs",
    );
  const filled = [...put(null), ...(given === null ? [] : put(given))];
  // `sh -c 'sudo rm {}'`: whatever is put in, the rest is there to be read.
  return command.some((word) => isMarked(word) && !marks.includes(word)) ? [...filled, ...runsProgram(command, "xargs")] : filled;
}

/** `parallel cmd ::: a b` runs `cmd a` and `cmd b` through a shell; without a command the inputs are the commands. */
function parallel(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readLeadingOptions(args, "jaSINnPL --jobs --arg-file --sshlogin --max-args --delay --timeout");
  const at = read.operands.findIndex((word) => word !== null && /^:::/.test(word));
  const command = at === -1 ? read.operands : read.operands.slice(0, at);
  if (command.length === 0 && (at === -1 || read.operands[at]?.startsWith("::::")))
    return unknownEffect("parallel runs commands it reads from its input");
  if (at === -1) return script(joinedWords(command), "parallel");
  const inputs = read.operands.slice(at + 1, at + 33);
  return inputs.flatMap((input) => script(joinedWords([...command, input]), "parallel"));
}

/** Each operand is a command line of its own, and so is what `--prepare` and its like are given. */
function texts(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const names = ["--prepare", "--setup", "--cleanup", "--conclude"];
  const read = readOptions(args, `wrmMspPDLSn ${names.join(" ")} --warmup --runs --export-json --export-markdown --names --shell`);
  return [...optionValues(read, ...names, "-p", "-s"), ...read.operands].flatMap((text) =>
    text === null ? unknownEffect(`what ${program} runs is only known at run time`) : script(text, program),
  );
}

/** `fd pattern -x cmd`: everything behind it is the command, up to a `;`. */
function searched(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const at = args.findIndex((arg) => arg !== null && /^(-[^-]*[xX]|--exec(-batch)?)(=|$)/.test(arg));
  if (at === -1) return [];
  const [, first] = /^--exec(?:-batch)?=(.*)$/s.exec(args[at]!) ?? [];
  const rest = args.slice(at + 1);
  const end = rest.indexOf(";");
  return runsProgram([...(first === undefined ? [] : [first]), ...(end === -1 ? rest : rest.slice(0, end))], program);
}
