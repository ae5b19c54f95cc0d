import type { ArithmeticExpression, Assignment, Command, Redirection as RedirectNode, Word as WordNode } from "unbash";
import { SELF } from "./bombs.ts";
import { environment } from "./environment.ts";
import type { Finding } from "./finding.ts";
import { programName, readOptions, type Word } from "./options.ts";
import { isInput, nowhere, within } from "./places.ts";
import { readersOf } from "./programs.ts";
import type { Redirection, Variable } from "./understanding.ts";
import type { Context, Walk } from "./walk.ts";
import { settled } from "./words.ts";

type Spot = { readonly pos: number; readonly end: number };

const MAX_WAYS = 32;
const MAX_WRAPPED = 24;

/** One simple command: what it sets, what it runs, what it touches. A word that may be several things makes several commands. */
export function simpleCommand(walk: Walk, node: Command, context: Context): void {
  const words = [...(node.name ? [node.name] : []), ...node.args];
  const assignments = node.prefix.filter((part): part is Assignment => part.type === "Assignment");
  for (const part of [...assignments, ...words, ...node.redirects]) walk.substitutions(part, context);

  const set = assignments.flatMap((part) => assign(walk, part, context, node));
  const redirections = node.redirects.map((part) => walk.redirection(part, context)).filter((part) => part !== null);
  const inner = { ...context, stdin: walk.input(node.redirects, context) };
  const ways = waysOf(walk, words, context);
  if (ways.length > MAX_WAYS) walk.doubt("it can mean too many different commands", context, node);
  for (const argv of ways.slice(0, MAX_WAYS)) emit(walk, argv, { node, context: inner, assignments: set, redirections, wrapped: 0 });
  touchRedirections(walk, redirections, context, node);
}

/** Redirections of a whole block: a command without a name that only opens files. */
simpleCommand.redirections = (walk: Walk, nodes: readonly RedirectNode[], context: Context): void => {
  for (const node of nodes) walk.substitutions(node, context);
  const redirections = nodes.map((node) => walk.redirection(node, context)).filter((part) => part !== null);
  const [first] = nodes;
  if (redirections.length === 0 || !first) return;
  const spot = { pos: first.pos, end: nodes.at(-1)!.end };
  emit(walk, [], { node: spot, context, assignments: [], redirections, wrapped: 0 });
  touchRedirections(walk, redirections, context, spot);
};

simpleCommand.follow = (walk: Walk, finding: Finding, context: Context, node: Spot): void =>
  follow(walk, finding, { node, context, assignments: [], redirections: [], wrapped: 0 });

/** Words are added in place as long as there is one way to read them: a command may have thousands. */
function waysOf(walk: Walk, words: readonly (WordNode | Assignment)[], context: Context): (readonly Word[])[] {
  let ways: Word[][] = [[]];
  for (const word of words) {
    const next = word.type === "Word" ? walk.resolve(word, context) : [[assignmentText(walk, word, context)]];
    if (next.length === 1) for (const way of ways) for (const one of next[0]!) way.push(one);
    else ways = ways.flatMap((before) => next.map((after) => [...before, ...after])).slice(0, MAX_WAYS + 1);
  }
  return ways;
}

function assignmentText(walk: Walk, { name, value, append }: Assignment, context: Context): Word {
  const text = value.type === "Word" ? walk.one(value, context) : null;
  return text === null ? null : `${name}${append ? "+=" : "="}${text}`;
}

/** In front of a command it is that command's environment; alone it stays. */
function assign(walk: Walk, part: Assignment, context: Context, { name: command }: Command): Variable[] {
  const { name, value, append, index } = part;
  const forRead = name === "IFS" && command?.value === "read";
  const values = value.type === "Word" ? walk.values(value, context) : null;
  const sure = context.sure && command === undefined;
  if (append || index) walk.variables.assign(name, null, sure);
  else if (value.type === "ArrayValue") {
    const elements = waysOf(walk, value.elements, context);
    for (const element of elements) walk.variables.assign(name, element.includes(null) ? null : element, sure);
  } else for (const word of values!) walk.variables.assign(name, word === null ? null : [word], sure);
  if (name === "IFS" && !forRead) walk.splits = "unknown";
  const all = (values ?? [null]).map((word) => ({ name, value: settled(word) }));
  if (!forRead) for (const { value } of all) for (const finding of environment(name, value)) walk.find(finding, context, part);
  for (const { value } of all) if (value !== null && /\[[^\]]{0,256}(\$\(|`)/.test(value)) hiddenEvaluation(walk, [value], context, part);
  return all;
}

interface Emission {
  readonly node: Spot;
  readonly context: Context;
  readonly assignments: readonly Variable[];
  readonly redirections: readonly Redirection[];
  readonly wrapped: number;
}

function emit(walk: Walk, raw: readonly Word[], emission: Emission): void {
  const { node, context, assignments, redirections, wrapped } = emission;
  const argv = raw.map(settled);
  const where = walk.place(context, node);
  const text = wrapped > 0 ? argv.map((word) => word ?? "…").join(" ") : (settled(context.source.slice(node.pos, node.end)) ?? "");
  if (!walk.add({ argv, text, assignments, redirections, where, cwd: walk.cwd })) return;
  if (raw.length === 0) return;
  const name = raw[0]!;
  if (name === null || isGlob(name) || isInput(name)) return void named(walk, emission);
  if (wrapped > MAX_WRAPPED) return void walk.doubt("commands are wrapped in each other too often", context, node);
  walk.calls.add({ from: context.caller ?? SELF, to: name, pipeline: context.pipeline, background: context.background, where });
  builtin(walk, name, raw.slice(1), emission);
  const program = programName(name);
  const args = raw.slice(1);
  for (const reader of readersOf(program))
    for (const finding of reader(args, program, { stdin: context.stdin })) follow(walk, finding, emission);
}

/** A command nobody can name before it runs. */
function named(walk: Walk, { node, context, wrapped }: Emission): void {
  const source = wrapped > 0 ? "" : context.source.slice(node.pos, node.end);
  if (/^"?\$\{?(0|BASH_SOURCE)\b/.test(source))
    walk.calls.add({
      from: context.caller ?? SELF,
      to: SELF,
      pipeline: context.pipeline,
      background: context.background,
      where: walk.place(context, node),
    });
  walk.doubt("which program runs is only known at run time", context, node);
}

const isGlob = (name: string) => name.length > 4096 || /[*?]|[@!+]\(/.test(name) || (name.includes("[") && name.includes("]"));

function follow(walk: Walk, finding: Finding, emission: Emission): void {
  const { node, context, wrapped } = emission;
  const range = context.range ?? { start: node.pos, end: node.end };
  switch (finding.kind) {
    case "run":
      if (!walk.afford(64 + finding.argv.length * 8, context)) return;
      return void emit(walk, finding.argv, {
        node,
        context: { ...context, range, inside: `inside ${finding.via}${context.inside && ` ${context.inside}`}` },
        assignments: [],
        redirections: [],
        wrapped: wrapped + 1,
      });
    case "script":
      if (finding.text === null) return void walk.doubt(`what ${finding.via} runs is only known at run time`, context, node);
      if (finding.args && finding.args.length > 0) {
        const [zero] = finding.args;
        walk.variables.assign("0", zero === null ? null : [zero!], true);
        walk.positional(zero === null ? null : finding.args.slice(1));
      }
      return void walk.script(finding.text, finding.via, { ...context, range, depth: context.depth + 1 });
    case "set":
      walk.variables.assign(finding.name, finding.value === null ? null : [finding.value], false);
      for (const effect of environment(finding.name, settled(finding.value))) follow(walk, effect, emission);
      return;
    case "unknown":
      return void walk.doubt(finding.why, context, node);
    case "url":
      return void walk.touches.push({ kind: "url", url: finding.url });
    case "path":
      return void touch(walk, finding.access, settled(finding.path), finding.tree, context, node);
  }
}

function touchRedirections(walk: Walk, redirections: readonly Redirection[], context: Context, node: Spot): void {
  for (const { access, path } of redirections) touch(walk, access, path, undefined, context, node);
}

function touch(walk: Walk, access: "read" | "write" | "delete", path: Word, tree: true | undefined, context: Context, node: Spot): void {
  const place = path === null ? null : within(walk.cwd, path);
  if (place === null) {
    if (access !== "read")
      walk.doubt(`what it would ${access === "write" ? "write to" : "delete"} is only known at run time`, context, node);
    return;
  }
  const address = /^\/dev\/(tcp|udp)\/([^/]+)\/([^/]+)$/.exec(place);
  if (address) walk.touches.push({ kind: "url", url: `${address[1]}://${address[2]}:${address[3]}` });
  else if (!nowhere(place)) walk.path({ kind: "path", access, path: place, ...(tree && { tree }) }, context);
}

/** What the shell's own commands do to the rest of the script. */
function builtin(walk: Walk, name: string, args: readonly Word[], { context, node }: Emission): void {
  if (name === "eval" || name === "source" || name === ".") walk.construct(name, context, node);
  if (name === "source" || name === "." || (name === "eval" && args.includes(null))) walk.variables.forget();
  if (name === "source" || name === "." || name === "alias" || name === "eval") walk.renamed = true;
  if (name === "cd" || name === "pushd") walk.cwd = changed(walk.cwd, args);
  if (name === "popd") walk.cwd = null;
  if (name === "set") setArguments(walk, args);
  if (name === "shift") shiftArguments(walk, args, context);
  if (DECLARES.test(name)) declare(walk, args, context, node);
  if (READS.test(name)) for (const arg of args) read(walk, arg, context);
  if (
    EVALUATES.test(name) ||
    ((name === "test" || name === "[") && (args.includes("-v") || args.includes("-R"))) ||
    (name === "printf" && args[0] === "-v")
  )
    hiddenEvaluation(walk, args, context, node);
}

const DECLARES = /^(export|declare|typeset|local|readonly)$/;
const READS = /^(read|mapfile|readarray|getopts|unset|let|printf|wait)$/;
const EVALUATES = /^(let|unset|declare|typeset|local|export|readonly|read|mapfile|readarray|getopts|wait)$/;

/** `set -e -- a b`, `set a b`, `set - a b`: what is left after the options becomes `$1 $2`. */
function setArguments(walk: Walk, args: readonly Word[]): void {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === null) return void walk.positional(null);
    if (arg === "--") return void walk.positional(args.slice(i + 1));
    if (arg === "-" || !/^[-+]/.test(arg)) {
      const words = args.slice(arg === "-" ? i + 1 : i);
      return void (words.length > 0 && walk.positional(words));
    }
    // Each `o` takes a name, unless what follows cannot be one.
    const names = arg.split("o").length - 1;
    if (names > 1) return void walk.positional(null);
    if (names === 1 && /^[^-+]/.test(args[i + 1] ?? "")) i++;
  }
}

function shiftArguments(walk: Walk, args: readonly Word[], context: Context): void {
  const by = args.length === 0 ? "1" : args[0]!;
  const lists = walk.variables.read("@", context.repeated);
  if (by === null || !/^\d{1,4}$/.test(by) || lists.includes(null)) walk.positional(null);
  for (const list of lists) if (list !== null && by !== null) walk.positional(list.slice(Number(by)));
}

function changed(cwd: string | null, args: readonly Word[]): string | null {
  const { operands } = readOptions(args);
  const to = operands.length === 0 ? "~" : settled(operands[0]!);
  return to === null || to === "-" || /[*?[]/.test(to) ? null : within(cwd, to);
}

function declare(walk: Walk, args: readonly Word[], context: Context, node: Spot): void {
  const { options, operands } = readOptions(args.map((arg) => (arg?.startsWith("+") ? `-${arg.slice(1)}` : arg)));
  if (options.some(({ name }) => name === "-n")) walk.variables.forget();
  for (const operand of operands) {
    const [, name, value] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(operand ?? "") ?? [];
    if (operand === null) unnamed(walk, context, node);
    else if (name !== undefined) {
      walk.variables.assign(name, operand.includes("+=") ? null : [value!], context.sure);
      if (name === "IFS") walk.splits = "unknown";
      for (const finding of environment(name, settled(value!))) walk.find(finding, context, node);
    }
  }
}

/** `export "$x"`, or an array, or a value that is not known: the source tells which name, where it does. */
function unnamed(walk: Walk, context: Context, node: Spot): void {
  const source = context.source.slice(node.pos, node.end);
  const names = [...source.matchAll(/(?:^|\s)([A-Za-z_]\w*)\+?=/g)].map(([, name]) => name!);
  if (names.length === 0) {
    walk.variables.forget();
    return void walk.doubt("it sets a variable only known at run time", context, node);
  }
  for (const name of names) {
    walk.variables.assign(name, null, context.sure);
    for (const finding of environment(name, null)) walk.find(finding, context, node);
  }
}

function read(walk: Walk, arg: Word, context: Context): void {
  if (arg === null) return void walk.variables.forget();
  const [name] = /^[A-Za-z_]\w*/.exec(arg) ?? [];
  if (name !== undefined) walk.variables.assign(name, null, context.sure);
}

/** Some arguments are looked into for substitutions even when they are quoted: `let 'a[$(id)]=1'` runs id. */
export function hiddenEvaluation(walk: Walk, words: readonly Word[], context: Context, node: Spot): void {
  for (const word of words) {
    if (word === null || !/\$[({]|`/.test(word)) continue;
    walk.doubt("a quoted argument is evaluated again and runs a command", context, node);
    for (const [text] of word.matchAll(/\$\(.*\)|`[^`]*`/gs))
      walk.script(`: ${text}`, "a quoted argument", { ...context, range: context.range ?? { start: node.pos, end: node.end } });
  }
}

/** Only substitutions matter in a sum; what it sets is a number. */
export function arithmetic(walk: Walk, expression: ArithmeticExpression, context: Context): void {
  const stack: ArithmeticExpression[] = [expression];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === "ArithmeticBinary") {
      if (node.operator.endsWith("=") && node.left.type === "ArithmeticWord") read(walk, node.left.value, context);
      stack.push(node.left, node.right);
    } else if (node.type === "ArithmeticUnary") stack.push(node.operand);
    else if (node.type === "ArithmeticTernary") stack.push(node.test, node.consequent, node.alternate);
    else if (node.type === "ArithmeticGroup") stack.push(node.expression);
    else if (node.type === "ArithmeticWord") {
      for (const part of node.parts ?? []) walk.visit(part, context);
      hiddenEvaluation(walk, node.parts ? [] : [node.value], context, node);
    } else walk.visit(node, context);
  }
}
