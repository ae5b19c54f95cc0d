import { type CommandNode, forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { setVariable } from "./assignments.ts";
import { hiddenEvaluation, quotedSubscript } from "./hidden.ts";
import type { ShellWord } from "./options.ts";
import { printed, printedNames } from "./outputs.ts";
import { simpleCommand } from "./simple.ts";
import type { ConstructKind } from "./understanding.ts";
import type { Context, Walk } from "./walk.ts";

type Handler<T extends SyntaxNode["type"]> = (walk: Walk, node: Extract<SyntaxNode, { type: T }>, context: Context) => void;

/** Nodes that change how what is below them is read. All others are only gone through. */
export const HANDLERS = handlers({
  Command: (walk, node, context) => simpleCommand(walk, node, context),
  Statement: (walk, { command, background }, context) =>
    walk.visit(command, background ? { ...context, background: true, sure: false } : context),
  AndOr: (walk, { commands, operators }, context) => {
    for (const [n, command] of commands.entries()) {
      if (n > 0 && operators[n - 1] === "||") walk.perhaps(context, (inner) => walk.visit(command, inner));
      else walk.visit(command, n === 0 ? context : { ...context, sure: false });
    }
  },
  Pipeline: (walk, node, context) => {
    const single = node.commands.length === 1 ? node.commands[0] : undefined;
    if (single) return walk.visit(single, context);
    for (const [n, command] of node.commands.entries()) {
      const stdin = n === 0 ? context.stdin : said(walk, node.commands[n - 1]!, context);
      const names = n === 0 || command.type !== "Command" ? null : listed(walk, node.commands.slice(0, n), context);
      walk.apart({ ...context, pipeline: node, stdin, names }, (inner) => walk.visit(command, inner));
    }
  },
  Subshell: (walk, { body }, context) => walk.apart(context, (inner) => walk.visit(body, inner)),
  Coproc: (walk, { name, body }, context) => {
    if (name) setVariable(walk, name.value, null, "stays", context, name);
    walk.apart({ ...context, background: true }, (inner) => walk.visit(body, inner));
  },
  If: (walk, node, context) => {
    walk.visit(node.clause, context);
    for (const part of [node.then, ...node.elif, ...(node.else ? [node.else] : [])])
      walk.perhaps(context, (inner) => walk.visit(part, inner));
  },
  While: (walk, { clause, body }, context) => {
    walk.visit(clause, { ...context, repeated: true });
    walk.perhaps({ ...context, repeated: true }, (inner) => walk.visit(body, inner));
  },
  For: (walk, node, context) => loop(walk, node, context),
  Select: (walk, node, context) => loop(walk, node, context),
  ArithmeticFor: (walk, node, context) => {
    walk.evaluates = true;
    for (const part of [node.initialize, node.test, node.update]) if (part) arithmetic(walk, part, context);
    walk.perhaps({ ...context, repeated: true }, (inner) => walk.visit(node.body, inner));
  },
  Case: (walk, { word, items }, context) => {
    walk.substitutions(word, context);
    for (const item of items) {
      for (const pattern of item.pattern) walk.substitutions(pattern, context);
      walk.perhaps(context, (inner) => walk.visit(item.body, inner));
    }
  },
  Function: (walk, { name, body }, context) => {
    const { cwd } = walk;
    walk.renamed = true;
    // It may be called from anywhere.
    if (/\b(cd|pushd|popd)\b/.test(context.source)) walk.cwd = null;
    walk.visit(body, { ...context, sure: false, repeated: true, caller: name.value, pipeline: null, background: false });
    walk.cwd = cwd;
  },
  Redirected: (walk, { command, redirects }, context) => {
    walk.visit(command, { ...context, stdin: walk.input(redirects, context) });
    simpleCommand.redirections(walk, redirects, context);
  },
  ArithmeticCommand: (walk, node, context) => {
    walk.evaluates = true;
    quotedSubscript(walk, node.body, context, node);
    if (matters(node.body) && node.expression) arithmetic(walk, node.expression, context);
  },
  ArithmeticExpansion: (walk, node, context) => {
    walk.evaluates = true;
    quotedSubscript(walk, node.text, context, node);
    if (matters(node.text.slice(1)) && node.expression) arithmetic(walk, node.expression, context);
  },
  TestUnary: (walk, { operator, operand }, context) => {
    walk.substitutions(operand, context);
    if (operator === "-v" || operator === "-R") walk.evaluates = true;
    if (operator === "-v" || operator === "-R") hiddenEvaluation(walk, [walk.one(operand, context)], context, operand);
  },
  TestBinary: (walk, { operator, left, right }, context) => {
    walk.substitutions(left, context);
    walk.substitutions(right, context);
    if (!/^-(eq|ne|lt|le|gt|ge)$/.test(operator)) return;
    walk.evaluates = true;
    hiddenEvaluation(walk, [walk.one(left, context), walk.one(right, context)], context, left);
  },
  CommandExpansion: (walk, node, context) =>
    substitution(walk, node, context, node.text[0] === "`" ? "``" : "$()", node.text[0] === "`" ? "`…`" : "$(…)"),
  ArithmeticCommandExpansion: (walk, node, context) => substitution(walk, node, context, node.text[0] === "`" ? "``" : "$()", "$(…)"),
  ProcessSubstitution: (walk, node, context) =>
    substitution(walk, node, context, node.operator === "<" ? "<()" : ">()", `${node.operator}(…)`),
  ParameterExpansion: (walk, node, context) => {
    const { parameter, index, operation, prefix } = node;
    // A subscript, a slice and an indirection are sums, or names with a subscript.
    if (index || prefix === "!" || operation?.type === "Slice") walk.evaluates = true;
    if (index) quotedSubscript(walk, `[${index.text}`, context, node);
    if (operation?.type === "Default" && operation.operator.endsWith("="))
      for (const word of walk.values(operation.operand, context))
        setVariable(walk, parameter, word === null ? null : [word], "stays", { ...context, sure: false }, node);
    forEachChild(node, (child) => walk.visit(child, context));
  },
  Transform: (walk, { operand }, context) => {
    walk.substitutions(operand, context);
    if (operand.value === "P") walk.doubt("the operator @P runs the commands in a value", context, operand);
  },
});

function handlers(
  table: { [T in SyntaxNode["type"]]?: Handler<T> },
): Partial<Record<string, (walk: Walk, node: any, context: Context) => void>> {
  return table as Partial<Record<string, (walk: Walk, node: any, context: Context) => void>>;
}

function substitution(
  walk: Walk,
  node: { pos: number; end: number; script: ParsedScript | undefined },
  context: Context,
  kind: ConstructKind,
  name: string,
): void {
  walk.construct(kind, context, node);
  if (!node.script) return void walk.doubt(`${name} could not be read`, context, node);
  const own = node.script.source;
  const range = own === undefined ? context.range : (context.range ?? { start: node.pos, end: node.end });
  const inner = {
    ...context,
    source: own ?? context.source,
    range,
    inside: under(name, context),
    depth: context.depth + 1,
    pipeline: null,
    stdin: undefined,
  };
  walk.apart(inner, (below) => walk.nested(node.script!, below));
}

/** A sum of plain numbers and names does nothing; the parser reads it only when it is asked for. */
const matters = (sum: string) => /[$`=[]|\+\+|--/.test(sum.replace(/^\[/, ""));

export const under = (name: string, { inside }: Context) => `inside ${name}${inside && ` ${inside}`}`;

function loop(walk: Walk, node: Extract<SyntaxNode, { type: "For" | "Select" }>, context: Context): void {
  const inside = { ...context, repeated: true };
  const set = (value: ShellWord) =>
    setVariable(walk, node.name.value, value === null ? null : [value], "stays", { ...context, sure: true }, node.name);
  for (const word of node.wordlist ?? []) {
    walk.substitutions(word, context);
    for (const words of walk.resolve(word, context)) for (const value of words) set(value);
  }
  if (!node.wordlist || node.type === "Select") set(null);
  walk.perhaps(inside, (below) => walk.visit(node.body, below));
}

/** `grep -rl x src | xargs sed -i s/x/y/`: the names that the last one is given. */
const listed = (walk: Walk, commands: readonly CommandNode[], context: Context): ShellWord =>
  walk.renamed ? null : printedNames(commands, (word) => walk.one(word, context));

/** `echo text | sh`: what the first one prints is what the second one runs. null when that is not known. */
function said(walk: Walk, node: CommandNode, context: Context): ShellWord {
  if (walk.renamed) return null;
  return printed(node, (word) => walk.one(word, context), walk.input(node.type === "Command" ? node.redirects : [], context));
}
