import { type Circumstances, confinedEffect, type ProgramFinding, type ProgramReader, script, unknownEffect } from "../finding.ts";
import type { ShellWord } from "../options.ts";
import { isInput, SUBSTITUTED } from "../relative-path.ts";
import { isHarmless, LANGUAGES, type Language, unreadCode } from "./code.ts";
import { python } from "./python.ts";
import { underNames } from "./under-names.ts";

/** Programs that run a text: shells, and interpreters of other languages. A file of the project is as known as any program. */
export const textPrograms = (): Record<string, ProgramReader> => ({
  ...underNames("sh bash dash zsh ksh mksh ash rbash fish yash posh", shell),
  source: sourced,
  ".": sourced,
  ...underNames("python pypy py", python),
  ...Object.fromEntries(Object.keys(LANGUAGES).map((name) => [name, interpreter])),
});

function shell(args: readonly ShellWord[], program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  let inline = false;
  let fromStdin = false;
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) return unknownEffect(`an option of ${program} is only known at run time`);
    if (arg === "--" || arg === "-") {
      i++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (arg === "--rcfile" || arg === "--init-file") {
      if (isInput(args[++i] ?? null)) return unknownEffect(`${program} runs what it reads from its input`);
    } else if (arg === "--version" || arg === "--help") return [];
    else if (program === "fish" && /^(-C|--init-command|--command)/.test(arg)) {
      const text = arg.includes("=") ? arg.slice(arg.indexOf("=") + 1) : (args[++i] ?? null);
      return [...script(text, "fish"), ...ownNames(program, text)];
    } else if (!arg.startsWith("--")) {
      if (arg.includes("c")) inline = true;
      if (/^-.*s/.test(arg)) fromStdin = true;
      // Each of these takes a name from the words that follow.
      i += arg.split(/[oO]/).length - 1;
    }
  }
  const [first, ...rest] = args.slice(i);
  if (inline)
    return first === undefined ? [] : [{ kind: "script", text: first, via: `${program} -c`, args: rest }, ...ownNames(program, first)];
  if (first === undefined || fromStdin || isInput(first)) return readIn(program, first === SUBSTITUTED && !fromStdin ? null : stdin);
  return first === null ? unknownEffect(`the script ${program} runs is only known at run time`) : [];
}

/** In zsh `path` is PATH; in fish `set` sets it. */
const ownNames = (program: string, text: ShellWord): readonly ProgramFinding[] =>
  text !== null &&
  ((program === "zsh" && /\b(path|fpath|cdpath|module_path)\s*\+?=|\bzmodload\b/.test(text)) ||
    (program === "fish" && /\bset\b.*\b[A-Z_]+\b/.test(text)))
    ? unknownEffect(`${program} reads this differently from bash`)
    : [];

/** A file of the project is as known as any; what comes from elsewhere is read where it is there to be read. */
function sourced(args: readonly ShellWord[], program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  const file = args[0] === "--" ? args[1] : args[0];
  if (file === undefined) return [];
  if (file === null) return unknownEffect(`what ${program} runs is only known at run time`);
  return isInput(file) && file !== "-" ? readIn(program, file === SUBSTITUTED ? null : stdin) : [];
}

function readIn(program: string, stdin: ShellWord | undefined): readonly ProgramFinding[] {
  if (typeof stdin === "string") return script(stdin, `${program} from its input`);
  return unknownEffect(`${program} runs what it reads from its input`);
}

/** `node -e …`: code that only computes and prints is fine; anything else could do anything. */
function interpreter(args: readonly ShellWord[], program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  const language: Language = LANGUAGES[program]!;
  const codes: ShellWord[] = [];
  let file: ShellWord | undefined;
  let prompts = false;
  let unsure = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const next = args[i + 1];
    if (arg === null) {
      file = null;
      break;
    }
    const takesNext = language.values?.test(arg) ?? false;
    if (
      language.loads?.test(takesNext ? `${arg}${arg.startsWith("--") ? "=" : ""}${next ?? ""}` : arg) ||
      /^(--import=|--require=)?data:/.test(arg)
    )
      return unknownEffect(`${program} loads code from its arguments`);
    if (language.prompts?.test(arg)) prompts = true;
    const attached = language.attached?.exec(arg);
    if (language.inline.test(arg)) codes.push(args[++i] ?? null);
    else if (attached) codes.push(attached[1]!);
    else if (/^(--version|--help|-v|-V|-h)$/.test(arg)) return [];
    else if (arg !== "-" && arg !== "/dev/stdin" && isInput(arg))
      return confinedEffect(`${program} runs a program it reads from its input`);
    else if (language.verbs?.test(arg) && file === undefined) unsure = false;
    else if (!arg.startsWith("-") || arg === "-") {
      file = arg;
      break;
    } else {
      if (takesNext) i++;
      // An option nobody described may take the next word, and that word is then no program.
      unsure = !takesNext && arg.startsWith("--") && !arg.includes("=");
    }
  }
  // Perl opens what ends in a bar as a command.
  if (program.startsWith("perl") && args.some((arg) => arg !== null && !codes.includes(arg) && /^\s*\||\|\s*$/.test(arg)))
    return unknownEffect("perl runs a file name that is a command");
  const reads = codes.length === 0 && (file === undefined || file === "-" || file === "/dev/stdin");
  const heard = stdin !== undefined && (reads || prompts || (unsure && typeof stdin === "string")) ? [stdin] : [];
  return [...codes, ...heard].flatMap((code) => ofCode(code, language.harm, program));
}

const ofCode = (code: ShellWord, harm: RegExp, program: string): readonly ProgramFinding[] =>
  code !== null && isHarmless(code, harm) ? [] : unreadCode(code, program);
