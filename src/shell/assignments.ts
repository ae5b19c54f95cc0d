import type { Assignment, Command } from "unbash";
import { hiddenEvaluation } from "./hidden.ts";
import type { ShellWord } from "./options.ts";
import { environment, exported } from "./programs/environment.ts";
import type { Variable } from "./understanding.ts";
import type { VariableValue } from "./variables.ts";
import type { Context, Spot, Walk } from "./walk.ts";
import { settledWord, type Ways } from "./words.ts";

/** Where a variable goes: it may stay in the script, or be handed to the programs that follow. */
type Reach = "stays" | "is handed on";

/**
 * Every way a script can set a variable ends here: an assignment, `export`, `read`, a loop, a redirection that opens a descriptor. So a name
 * that changes what runs is looked at whoever sets it.
 */
export function setVariable(walk: Walk, name: string, value: VariableValue, reach: Reach, context: Context, node: Spot): void {
  walk.variables.assign(name, value, context.sure);
  if (name === "IFS") walk.splits = "unknown";
  const word = value?.length === 1 ? settledWord(value[0]!) : null;
  const found = reach === "stays" ? environment(name, word) : exported(name, word);
  for (const finding of found) walk.find(finding, context, node);
  // What a reference names is set in its place from here on.
  if (walk.references.has(name)) refer(walk, word, context, node);
  if (word !== null) walk.suspect(word, context, node);
}

/** `declare -n a=PATH`: to set `a` is to set PATH. */
export function refer(walk: Walk, target: ShellWord, context: Context, node: Spot): void {
  walk.variables.forget();
  const [name] = /^[A-Za-z_]\w*/.exec(target ?? "") ?? [];
  if (name === undefined) return void walk.doubt("it sets a variable only known at run time", context, node);
  if (!walk.references.has(name)) setVariable(walk, name, null, "stays", context, node);
}

/** In front of a command it is that command's environment; alone it stays. */
export function assign(
  walk: Walk,
  part: Assignment,
  context: Context,
  { name: command }: Command,
  elementsOf: (part: Assignment) => Ways,
): Variable[] {
  const { name, value, append, index } = part;
  if (index) walk.evaluates = true;
  const sure = { ...context, sure: context.sure && command === undefined };
  const values = value.type === "Word" ? walk.values(value, context) : null;
  // `IFS=, read a b` is over when the line is read.
  const forRead = name === "IFS" && command?.value === "read";
  const reach: Reach = command === undefined ? "stays" : "is handed on";
  const set = (one: VariableValue) =>
    forRead ? walk.variables.assign(name, one, sure.sure) : setVariable(walk, name, one, reach, sure, part);
  if (value.type === "ArrayValue")
    for (const element of elementsOf(part)) set(element.includes(null) || append || index ? null : [...element]);
  else if (append || index) {
    // What is written into a place of an array, or behind what is there, is read for what it names; the whole is not known.
    for (const word of values!)
      for (const finding of forRead ? [] : environment(name, settledWord(word))) walk.find(finding, context, part);
    walk.variables.assign(name, null, sure.sure);
    if (!forRead && name === "IFS") walk.splits = "unknown";
  } else for (const word of values!) set(word === null ? null : [word]);
  const all = (values ?? [null]).map((word) => ({ name, value: settledWord(word) }));
  for (const { value: word } of all) {
    if (word !== null && /\[[^\]]{0,256}(\$\(|`)/.test(word)) hiddenEvaluation(walk, [word], context, part);
    if (walk.references.has(name)) refer(walk, word, context, part);
  }
  return all;
}

/** `export A=b`, `declare -i n=1`, `local -n r=$1`. */
export function declare(walk: Walk, command: string, args: readonly ShellWord[], context: Context, node: Spot): void {
  const flags = args.filter((arg) => arg !== null && /^[-+][a-zA-Z]+$/.test(arg)).join("");
  const isReference = flags.includes("n") && command !== "export" && command !== "readonly";
  if (flags.includes("i")) walk.evaluates = true;
  const reach: Reach = command === "export" || flags.includes("x") ? "is handed on" : "stays";
  for (const operand of args.filter((arg) => arg === null || !/^[-+]/.test(arg))) {
    if (operand === null) {
      unnamed(walk, reach, isReference, context, node);
      continue;
    }
    const [, name, index, value] = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?(?:=(.*))?$/s.exec(operand) ?? [];
    if (name === undefined) continue;
    if (isReference) walk.references.add(name);
    if (isReference && value !== undefined) refer(walk, value, context, node);
    else if (value !== undefined) setVariable(walk, name, operand.includes("+=") || index ? null : [value], reach, context, node);
  }
}

/** `export "$x"`, or an array, or a value that is not known: the source tells which name, where it does. */
function unnamed(walk: Walk, reach: Reach, isReference: boolean, context: Context, node: Spot): void {
  const source = context.source.slice(node.pos, node.end);
  const names = [...source.matchAll(/(?:^|\s)([A-Za-z_]\w*)(?:\[[^\]\n]{0,64}\])?\+?=/g)].map(([, name]) => name!);
  if (names.length === 0 || isReference) {
    walk.variables.forget();
    return void walk.doubt("it sets a variable only known at run time", context, node);
  }
  for (const name of names) setVariable(walk, name, null, reach, context, node);
}
