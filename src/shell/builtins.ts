import { declare, setVariable } from "./assignments.ts";
import { hiddenEvaluation } from "./hidden.ts";
import { optionValues, readOptions, type ShellWord } from "./options.ts";
import { joinFolder } from "./relative-path.ts";
import type { Context, Spot, Walk } from "./walk.ts";
import { settledWord } from "./words.ts";

/** What the shell's own commands do to the rest of the script. */
export function builtin(walk: Walk, name: string, args: readonly ShellWord[], context: Context, node: Spot): void {
  if (name === "eval" || name === "source" || name === ".") walk.construct(name, context, node);
  if (name === "source" || name === "." || (name === "eval" && args.includes(null))) walk.variables.forget();
  if (name === "source" || name === "." || name === "alias" || name === "eval") walk.renamed = true;
  if (name === "cd" || name === "pushd") walk.cwd = changed(walk.cwd, args);
  if (name === "popd") walk.cwd = null;
  if (name === "set") setArguments(walk, args, context, node);
  if (name === "shift") shiftArguments(walk, args, context);
  if (DECLARES.test(name)) declare(walk, name, args, context, node);
  SETTERS[name]?.(walk, args, context, node);
  const looksUp = (name === "test" || name === "[") && (args.includes("-v") || args.includes("-R"));
  if (looksUp || EVALUATES.test(name) || (name === "printf" && args[0]?.startsWith("-v"))) hiddenEvaluation(walk, args, context, node);
}

const DECLARES = /^(export|declare|typeset|local|readonly)$/;
const EVALUATES = /^(let|unset|declare|typeset|local|export|readonly|read|mapfile|readarray|getopts|wait)$/;

type Setter = (walk: Walk, args: readonly ShellWord[], context: Context, node: Spot) => void;

/** Commands that put into a variable what is only known at run time. */
const SETTERS: Record<string, Setter> = {
  read: (walk, args, context, node) => {
    const read = readOptions(args, "adinNptu");
    const names = [...optionValues(read, "-a"), ...read.operands];
    receive(walk, names.length > 0 ? names : ["REPLY"], context, node);
  },
  mapfile: mapped,
  readarray: mapped,
  getopts: (walk, args, context, node) => {
    receive(walk, [args[1] ?? "OPTARG", "OPTARG"], { ...context, stdin: undefined }, node);
    for (const word of args.slice(2)) if (word !== null) walk.variables.assign("OPTARG", [word], false);
  },
  printf: (walk, args, context, node) => {
    const [first, second] = args;
    if (!first?.startsWith("-v")) return;
    const [name, format, ...rest] = first === "-v" ? [second ?? null, ...args.slice(2)] : [first.slice(2), ...args.slice(1)];
    const text =
      format === "%s" && rest.length === 1 ? rest[0]! : rest.length === 0 && format != null && !/[%\\]/.test(format) ? format : null;
    receive(walk, [name!], { ...context, stdin: text ?? undefined }, node);
  },
  unset: (walk, args, context) => {
    for (const arg of args) {
      const [name] = /^[A-Za-z_]\w*/.exec(arg ?? "") ?? [];
      if (name !== undefined) walk.variables.assign(name, null, context.sure);
      else if (arg === null) walk.variables.forget();
    }
  },
  wait: (walk, args, context, node) => {
    const names = optionValues(readOptions(args, "p"), "-p");
    if (names.length > 0) receive(walk, names, { ...context, stdin: undefined }, node);
  },
  let: (walk, args, context, node) => {
    walk.evaluates = true;
    for (const arg of args) {
      if (arg === null) walk.variables.forget();
      else for (const [, name] of arg.matchAll(SUM)) setVariable(walk, name!, null, "stays", context, node);
    }
  },
};

/** The names a sum sets: `a=1`, `a+=1`, `a++`, `--a`. */
const SUM = /(?:(?:\+\+|--)\s*)?([A-Za-z_]\w*)(?:\[[^\]]{0,64}\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))/g;

function mapped(walk: Walk, args: readonly ShellWord[], context: Context, node: Spot): void {
  const [name] = readOptions(args, "dnOsuCc").operands;
  receive(walk, [name === undefined ? "MAPFILE" : name], context, node);
}

/** What is read is not known, unless it is written right here; then it is that, whole or in pieces, or what nobody can foresee. */
function receive(walk: Walk, names: readonly ShellWord[], context: Context, node: Spot): void {
  const text = typeof context.stdin === "string" && context.stdin.length <= 4096 ? context.stdin.replace(/\n$/, "") : null;
  for (const target of names) {
    const [name] = /^[A-Za-z_]\w*/.exec(target ?? "") ?? [];
    if (name === undefined) {
      walk.variables.forget();
      if (target === null) walk.doubt("it sets a variable only known at run time", context, node);
      continue;
    }
    const pieces = text === null ? [] : [...new Set([text, ...text.split(/[ \t\n]+/).slice(0, 8)])].filter((piece) => piece !== "");
    for (const piece of pieces) setVariable(walk, name, [piece], "stays", context, node);
    setVariable(walk, name, null, "stays", context, node);
  }
}

/** `set -e -- a b`, `set a b`, `set - a b`: what is left after the options becomes `$1 $2`. */
function setArguments(walk: Walk, args: readonly ShellWord[], context: Context, node: Spot): void {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) return void walk.positional(null);
    if (arg === "--") return void walk.positional(args.slice(i + 1));
    if (arg === "-" || !/^[-+]/.test(arg)) {
      const words = args.slice(arg === "-" ? i + 1 : i);
      return void (words.length > 0 && walk.positional(words));
    }
    if (/^-[a-z]*k/.test(arg) || (/^-[a-z]*o$/.test(arg) && args[i + 1] === "keyword"))
      walk.doubt("set -k makes words of later commands set their environment", context, node);
    // Each `o` takes a name, unless what follows cannot be one.
    const names = arg.split("o").length - 1;
    if (names > 1) return void walk.positional(null);
    if (names === 1 && /^[^-+]/.test(args[i + 1] ?? "")) i++;
  }
}

function shiftArguments(walk: Walk, args: readonly ShellWord[], context: Context): void {
  const by = args.length === 0 ? "1" : args[0]!;
  const lists = walk.variables.read("@", context.repeated);
  if (by === null || !/^\d{1,4}$/.test(by) || lists.includes(null)) walk.positional(null);
  for (const list of lists) if (list !== null && by !== null) walk.positional(list.slice(Number(by)));
}

function changed(cwd: string | null, args: readonly ShellWord[]): string | null {
  const { operands } = readOptions(args);
  const to = operands.length === 0 ? "~" : settledWord(operands[0]!);
  return to === null || to === "-" || /[*?[]/.test(to) ? null : joinFolder(cwd, to);
}
