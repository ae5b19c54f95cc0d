import { isHarmless, LANGUAGES } from "./code.ts";
import { type Circumstances, type Finding, type Reader, script, unknown } from "./finding.ts";
import { readOptions, type Word } from "./options.ts";
import { isInput, SUBSTITUTED } from "./places.ts";

/** Programs that run a text: shells, and interpreters of other languages. A file of the project is as known as any program. */
export const SHELLS: Record<string, Reader> = {
  ...Object.fromEntries(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"].map((name) => [name, shell])),
  source: sourced,
  ".": sourced,
  ...Object.fromEntries(Object.keys(LANGUAGES).map((name) => [name, interpreter])),
};

function shell(args: readonly Word[], program: string, { stdin }: Circumstances): readonly Finding[] {
  let inline = false;
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) return unknown(`an option of ${program} is only known at run time`);
    if (arg === "--" || arg === "-") {
      i++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (arg === "--rcfile" || arg === "--init-file") {
      if (isInput(args[++i] ?? null)) return unknown(`${program} runs what it reads from its input`);
    } else if (arg === "--version" || arg === "--help") return [];
    else if (!arg.startsWith("--")) {
      if (arg.includes("c")) inline = true;
      if (/[oO]$/.test(arg)) i++;
    }
  }
  const [first, ...rest] = args.slice(i);
  if (inline) return first === undefined ? [] : [{ kind: "script", text: first, via: `${program} -c`, args: rest }];
  if (first === undefined || isInput(first)) return fromInput(program, first === SUBSTITUTED ? null : stdin);
  return first === null ? unknown(`the script ${program} runs is only known at run time`) : [];
}

/** A file of the project is as known as any; what comes from elsewhere is read where it is there to be read. */
function sourced(args: readonly Word[], program: string, { stdin }: Circumstances): readonly Finding[] {
  const file = args[0] === "--" ? args[1] : args[0];
  if (file === undefined) return [];
  if (file === null) return unknown(`what ${program} runs is only known at run time`);
  return isInput(file) && file !== "-" ? fromInput(program, file === SUBSTITUTED ? null : stdin) : [];
}

function fromInput(program: string, stdin: Word | undefined): readonly Finding[] {
  if (typeof stdin === "string") return script(stdin, `${program} from its input`);
  return unknown(`${program} runs what it reads from its input`);
}

/** `python3 -c …`: code that only computes and prints is fine; anything else could do anything. */
function interpreter(args: readonly Word[], program: string, { stdin }: Circumstances): readonly Finding[] {
  const language = LANGUAGES[program]!;
  const codes: Word[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) break;
    if (/^-[mM].*[;(]|^(--import=|--require=)?data:/.test(arg)) return unknown(`${program} loads code from its arguments`);
    const attached = language.attached?.exec(arg);
    if (language.inline.test(arg)) codes.push(args[++i] ?? null);
    else if (attached) codes.push(attached[1]!);
    else if (arg !== "-" && arg !== "/dev/stdin" && isInput(arg)) return unknown(`${program} runs a program it reads from its input`);
    else if (!arg.startsWith("-")) break;
    else if (language.values?.test(arg)) i++;
  }
  if (codes.length === 0) return readsProgram(args) && stdin !== undefined ? ofCode(stdin, language.harm, program) : [];
  return codes.flatMap((code) => ofCode(code, language.harm, program));
}

const readsProgram = (args: readonly Word[]) => {
  const { operands, options } = readOptions(args);
  return (
    (operands.length === 0 || operands[0] === "-" || operands[0] === "/dev/stdin") &&
    !options.some(({ name }) => name === "--version" || name === "-V" || name === "-v" || name === "--help")
  );
};

const ofCode = (code: Word, harm: RegExp, program: string): readonly Finding[] =>
  code !== null && isHarmless(code, harm) ? [] : unknown(`${program} runs code that could do anything`);
