import type { Assignment, Command, Redirection as RedirectNode, Word as WordNode } from "unbash";
import { assign, setVariable } from "./assignments.ts";
import { SELF } from "./bombs.ts";
import { builtin } from "./builtins.ts";
import type { ProgramFinding } from "./finding.ts";
import { programName, type ShellWord } from "./options.ts";
import { namesPrintedBy } from "./outputs.ts";
import { exported } from "./programs/environment.ts";
import { deedsOf } from "./programs/programs.ts";
import { IN_TMPDIR, isInput, joinFolder, nowhere } from "./relative-path.ts";
import type { Redirection, Variable } from "./understanding.ts";
import type { Context, Spot, Walk } from "./walk.ts";
import { settledWord } from "./words.ts";

const MAX_WAYS = 32;
const MAX_WRAPPED = 24;

/** One simple command: what it sets, what it runs, what it touches. A word that may be several things makes several commands. */
export function simpleCommand(walk: Walk, node: Command, context: Context): void {
  const words = [...(node.name ? [node.name] : []), ...node.args];
  const assignments = node.prefix.filter((part): part is Assignment => part.type === "Assignment");
  for (const part of [...assignments, ...words, ...node.redirects]) walk.substitutions(part, context);

  const elements = ({ value }: Assignment) => (value.type === "ArrayValue" ? waysOf(walk, value.elements, context) : []);
  const set = assignments.flatMap((part) => assign(walk, part, context, node, elements));
  opened(walk, node.redirects, context);
  const redirections = walk.redirections(node.redirects, context);
  const stdin = walk.input(node.redirects, context);
  const names = listedFiles(walk, words, stdin === context.stdin ? (context.names ?? null) : null, context);
  const inner = { ...context, stdin, names };
  const ways = waysOf(walk, words, context);
  if (ways.length > MAX_WAYS) walk.doubt("it can mean too many different commands", context, node);
  for (const argv of ways.slice(0, MAX_WAYS)) emit(walk, argv, { node, context: inner, assignments: set, redirections, wrapped: 0 });
  touchRedirections(walk, redirections, context, node);
}

/** `sed -i s/a/b/ $(git ls-files)`, `git ls-files | xargs sed -i s/a/b/`: where the files lie, if no other word is unknown. */
function listedFiles(walk: Walk, words: readonly (WordNode | Assignment)[], given: string | null, context: Context): string | null {
  const open = words.filter(
    (word) => word.type !== "Word" || (word.parts !== undefined && walk.resolve(word, context).some((way) => way.includes(null))),
  );
  if (open.length !== 1) return open.length === 0 ? given : null;
  const [part, ...more] = open[0]!.type === "Word" ? (open[0]!.parts ?? []) : [];
  if (part?.type !== "CommandExpansion" || more.length > 0 || walk.renamed) return null;
  return namesPrintedBy(part, (word) => walk.one(word, context));
}

/** Redirections of a whole block: a command without a name that only opens files. */
simpleCommand.redirections = (walk: Walk, nodes: readonly RedirectNode[], context: Context): void => {
  for (const node of nodes) walk.substitutions(node, context);
  opened(walk, nodes, context);
  const redirections = walk.redirections(nodes, context);
  const [first] = nodes;
  if (redirections.length === 0 || !first) return;
  const spot = { pos: first.pos, end: nodes.at(-1)!.end };
  emit(walk, [], { node: spot, context, assignments: [], redirections, wrapped: 0 });
  touchRedirections(walk, redirections, context, spot);
};

simpleCommand.follow = (walk: Walk, finding: ProgramFinding, context: Context, node: Spot): void =>
  follow(walk, finding, { node, context, assignments: [], redirections: [], wrapped: 0 });

/** `exec {fd}> file` puts a number into the variable `fd`. */
function opened(walk: Walk, nodes: readonly RedirectNode[], context: Context): void {
  for (const { descriptor, pos, end } of nodes)
    if (descriptor?.type === "FileDescriptorVariable") setVariable(walk, descriptor.name, null, "stays", context, { pos, end });
}

/** Words are added in place as long as there is one way to read them: a command may have thousands. */
function waysOf(walk: Walk, words: readonly (WordNode | Assignment)[], context: Context): (readonly ShellWord[])[] {
  let ways: ShellWord[][] = [[]];
  for (const word of words) {
    const next = word.type === "Word" ? walk.resolve(word, context) : [[assignmentText(walk, word, context)]];
    if (next.length === 1) for (const way of ways) for (const one of next[0]!) way.push(one);
    else ways = ways.flatMap((before) => next.map((after) => [...before, ...after])).slice(0, MAX_WAYS + 1);
  }
  return ways;
}

function assignmentText(walk: Walk, { name, value, append }: Assignment, context: Context): ShellWord {
  const text = value.type === "Word" ? walk.one(value, context) : null;
  return text === null ? null : `${name}${append ? "+=" : "="}${text}`;
}

interface Emission {
  readonly node: Spot;
  readonly context: Context;
  readonly assignments: readonly Variable[];
  readonly redirections: readonly Redirection[];
  readonly wrapped: number;
}

function emit(walk: Walk, raw: readonly ShellWord[], emission: Emission): void {
  const { node, context, assignments, redirections, wrapped } = emission;
  const argv = raw.map(settledWord);
  const where = walk.place(context, node);
  const text = wrapped > 0 ? argv.map((word) => word ?? "…").join(" ") : (settledWord(context.source.slice(node.pos, node.end)) ?? "");
  const stdin = typeof context.stdin === "string" ? { stdin: context.stdin } : {};
  if (!walk.add({ argv, text, assignments, redirections, where, cwd: walk.cwd, ...stdin })) return;
  if (raw.length === 0) return;
  const name = raw[0]!;
  if (name === null || isGlob(name) || isInput(name)) return void named(walk, emission);
  if (wrapped > MAX_WRAPPED) return void walk.doubt("commands are wrapped in each other too often", context, node);
  walk.calls.add({ from: context.caller ?? SELF, to: name, pipeline: context.pipeline, background: context.background, where });
  const args = raw.slice(1);
  builtin(walk, name, args, context, node);
  for (const word of args) if (word !== null) walk.suspect(word, context, node);
  for (const finding of deedsOf(args, programName(name), { stdin: context.stdin })) follow(walk, finding, emission);
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

function follow(walk: Walk, finding: ProgramFinding, emission: Emission): void {
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
      for (const effect of exported(finding.name, settledWord(finding.value))) follow(walk, effect, emission);
      return;
    case "unknown":
      return void walk.doubt(finding.why, context, node, finding.confined && { confined: true });
    case "url":
      return void walk.touches.push({ kind: "url", url: finding.url });
    case "path":
      return void touch(walk, finding.access, settledWord(finding.path), finding.tree, context, node);
  }
}

function touchRedirections(walk: Walk, redirections: readonly Redirection[], context: Context, node: Spot): void {
  for (const { access, path } of redirections) touch(walk, access, path, undefined, context, node);
}

function touch(
  walk: Walk,
  access: "read" | "write" | "delete",
  path: ShellWord,
  tree: true | undefined,
  context: Context,
  node: Spot,
): void {
  // An empty name opens nothing.
  if (path === "") return;
  const known = path === null && access === "write" ? (context.names ?? null) : path;
  const place = known === null ? null : joinFolder(walk.cwd, known);
  if (place === null || (access === "delete" && place.startsWith(IN_TMPDIR))) {
    if (access === "write") walk.doubt("what it would write to is only known at run time", context, node, { confined: true, target: true });
    if (access === "delete") walk.doubt("what it would delete is only known at run time", context, node);
    return;
  }
  const address = /^\/dev\/(tcp|udp)\/([^/]+)\/([^/]+)$/.exec(place);
  if (address) walk.touches.push({ kind: "url", url: `${address[1]}://${address[2]}:${address[3]}` });
  else if (!nowhere(place)) walk.path({ kind: "path", access, path: place, ...(tree && { tree }) }, context);
}
