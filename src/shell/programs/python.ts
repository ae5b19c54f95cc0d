import { type Circumstances, confinedEffect, type ProgramFinding, runsProgram, unknownEffect } from "../finding.ts";
import { mentionsForbidden } from "../mentions.ts";
import { readOptions, type ShellWord } from "../options.ts";
import { isInput } from "../relative-path.ts";
import { isHarmless, PYTHON, unreadCode } from "./code.ts";

/** Flags in front, then the letter that takes the rest of its word or the next one: code, a module, or a setting. */
const TAKES = /^-[bBdEhiIOPqRsSuvx]*([cmWX])(.*)$/s;

/** `python3 -c …`, `python3 -m module …`, a file, or what is on its input. */
export function python(args: readonly ShellWord[], program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  let prompts = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) return [];
    if (/^(--version|--help|-V|-h|-\?)$/.test(arg)) return [];
    if (/^-[a-zA-Z]*i/.test(arg)) prompts = true;
    const [, letter, attached] = TAKES.exec(arg) ?? [];
    const heard = prompts && stdin !== undefined ? ofCode(stdin, program) : [];
    if (letter === "c") return [...ofCode(attached === "" ? (args[i + 1] ?? null) : attached!, program), ...heard];
    if (letter === "m")
      return [
        ...heard,
        ...moduleRuns(attached === "" ? (args[i + 1] ?? null) : attached!, args.slice(attached === "" ? i + 2 : i + 1), program, stdin),
      ];
    if ((letter !== undefined && attached === "") || arg === "--check-hash-based-pycs") i++;
    else if (letter !== undefined) continue;
    else if (arg === "-" || arg === "/dev/stdin") return stdin === undefined ? [] : ofCode(stdin, program);
    else if (isInput(arg)) return confinedEffect(`${program} runs a program it reads from its input`);
    else if (!arg.startsWith("-")) return heard;
  }
  return stdin === undefined ? [] : ofCode(stdin, program);
}

/** Modules of Python itself that run what stands in their arguments or on their input. All others are as known as any program. */
function moduleRuns(name: ShellWord, args: readonly ShellWord[], program: string, stdin: ShellWord | undefined): readonly ProgramFinding[] {
  if (name === null) return unknownEffect(`the module ${program} runs is only known at run time`);
  if (/^(timeit|pyperf)$/.test(name)) {
    const read = readOptions(name === "pyperf" ? args.slice(1) : args, "nrsu --number --repeat --setup --unit");
    const codes = [
      ...read.options.flatMap(({ name: option, value }) => (option === "-s" || option === "--setup" ? [value ?? null] : [])),
      ...read.operands,
    ];
    return codes.flatMap((code) => ofCode(code, program));
  }
  if (
    /^(cProfile|profile|pdb|bdb|trace|runpy|coverage|kernprof|memory_profiler|line_profiler|viztracer|scalene|debugpy|ipdb|pudb)$/.test(
      name,
    )
  )
    return steps(args, program, stdin);
  if (/^(code|asyncio|idlelib|IPython|ptpython|bpython|sqlite3)(\.|$)/.test(name))
    return args.some((arg) => arg === null || /^-[a-z]*[cC]/.test(arg)) || stdin !== undefined
      ? confinedEffect(`${program} -m ${name} runs code it is given`)
      : [];
  if (name === "pip") return runsProgram(["pip", ...args], "python -m pip");
  if (name === "pty") return runsProgram(args, "python -m pty");
  if (/^(doctest|unittest|zipapp|compileall)$/.test(name))
    return args.some((arg) => isInput(arg)) ? confinedEffect(`${program} -m ${name} runs what it reads from its input`) : [];
  const isNamed = !/^(pytest|pip|unittest)$/.test(name) && args.some((arg) => arg !== null && mentionsForbidden(arg));
  return isNamed ? unknownEffect(`${program} -m ${name} is given a program that is never run, and may start it`) : [];
}

/** Modules that run a file, or another module, under their eyes; the debugger takes commands too. */
function steps(args: readonly ShellWord[], program: string, stdin: ShellWord | undefined): readonly ProgramFinding[] {
  if (args.some((arg) => arg === "-c" || arg?.startsWith("-c=") || arg === "--command"))
    return confinedEffect(`${program} runs code that could do anything`);
  const at = args.findIndex((arg) => arg === "-m" || arg === "--module");
  const [first] = readOptions(args, "os").operands;
  const inner =
    at !== -1
      ? moduleRuns(args[at + 1] ?? null, args.slice(at + 2), program, stdin)
      : first && !/[./]/.test(first) && first !== "run"
        ? moduleRuns(first, args.slice(args.indexOf(first) + 1), program, stdin)
        : [];
  return [
    ...inner,
    ...(stdin !== undefined && stdin !== null && !isHarmless(stdin, PYTHON)
      ? confinedEffect(`${program} runs what it reads from its input`)
      : []),
  ];
}

const ofCode = (code: ShellWord, program: string): readonly ProgramFinding[] =>
  code !== null && isHarmless(code, PYTHON) ? [] : unreadCode(code, program);
