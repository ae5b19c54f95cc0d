import {
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection as RedirectNode,
  type SyntaxNode,
  type Word as WordNode,
} from "unbash";
import type { PathTouch, Touch } from "../core/touch.ts";
import { CallGraph } from "./bombs.ts";
import type { ProgramFinding } from "./finding.ts";
import { hiddenEvaluation } from "./hidden.ts";
import { MAX_DEPTH, tooMuch } from "./limits.ts";
import { HANDLERS, under } from "./nodes.ts";
import type { ShellWord } from "./options.ts";
import { onlyWord } from "./parameters.ts";
import { simpleCommand } from "./simple.ts";
import type { CommandPlace, Construct, ConstructKind, Redirection, SimpleCommand, Understanding, Unknown } from "./understanding.ts";
import { assignedTwice, Variables } from "./variables.ts";
import { resolveOne, resolveParts, resolveWord, settledWord, type WordScope } from "./words.ts";

/** Where the walk is: what of the surroundings decides what a command means. */
export interface Context {
  /** What positions count in. */
  readonly source: string;
  /** For text that was put together and has no positions of its own. */
  readonly range: { readonly start: number; readonly end: number } | null;
  readonly inside: string;
  readonly depth: number;
  /** It is certainly run, so what it sets is set afterwards. */
  readonly sure: boolean;
  /** Inside a loop or a function: what comes later in the text may have come before. */
  readonly repeated: boolean;
  readonly caller: string | null;
  readonly background: boolean;
  /** The pipeline it is part of; null when alone. */
  readonly pipeline: Pipeline | null;
  /** What is on standard input: see Circumstances. */
  readonly stdin: ShellWord | undefined;
  /** Where the files lie that an unknown word of the command names, as src/shell/listings.ts tells it. It counts for what is written alone. */
  readonly names?: string | null;
}

/** Where in the text. */
export type Spot = { readonly pos: number; readonly end: number };

const MAX_SUSPECTS = 32;
const MAX_COMMANDS = 8192;
const MAX_PATHS = 1024;
const MAX_SPENT = 256 * 1024;

/** Goes through a parsed command in the order of its text and writes down what it finds. */
export class Walk {
  readonly commands: SimpleCommand[] = [];
  readonly constructs: Construct[] = [];
  readonly unknown: Unknown[] = [];
  readonly touches: Touch[] = [];
  readonly variables: Variables;
  readonly calls = new CallGraph();
  cwd: string | null = ".";
  splits: WordScope["splits"] = "blanks";
  /** A function or an alias may stand for a program's name from here on. */
  renamed = false;
  /** Something takes a text for a sum, or for a name with a subscript: there even quoted substitutions are run. */
  evaluates = false;
  /** Names that stand for other variables. */
  readonly references = new Set<string>();
  readonly #suspects: { readonly text: string; readonly context: Context; readonly node: Spot }[] = [];
  readonly #paths = new Set<string>();
  #spent = 0;
  #full = false;

  constructor(source: string) {
    this.variables = new Variables(assignedTwice(source));
    this.positional([]);
    this.variables.assign("IFS", [" \t\n"], true);
  }

  /** A text with a substitution in a subscript, `x[$(id)]`, is only text until something evaluates it. */
  suspect(text: string, context: Context, node: Spot): void {
    if (this.#suspects.length < MAX_SUSPECTS && /\[[^\]]{0,256}(\$\(|`)/.test(text)) this.#suspects.push({ text, context, node });
  }

  /** An evaluation may come before or after the text it evaluates, so suspects are looked at when everything was read. */
  finish(): void {
    if (!this.evaluates) return;
    for (const { text, context, node } of this.#suspects) hiddenEvaluation(this, [text], context, node);
  }

  result(): Understanding {
    const { commands, constructs, unknown, touches } = this;
    return { commands, constructs, unknown, bombs: this.calls.bombs(), touches, isUnread: false };
  }

  /** What `$1` and the like hold from here on; null when nobody can say. From the first word that may be several, none is sure. */
  positional(words: readonly ShellWord[] | null): void {
    const list = words ?? [null];
    const open = list.indexOf(null);
    for (const name of ["@", "*"]) this.variables.assign(name, open === -1 ? list : null, true);
    for (let n = 0; n < Math.min(Math.max(9, list.length), 64); n++) {
      const word = list[n] ?? null;
      if (word !== null) this.variables.assign(String(n + 1), [word], true);
      else if (open === -1) this.variables.assign(String(n + 1), [], true);
      if (open !== -1 && n >= open) this.variables.assign(String(n + 1), null, true);
    }
  }

  /** A text handed to a shell: `sh -c`, `eval`, `trap`. */
  script(text: string, via: string, context: Context): void {
    if (!this.afford(text.length + 1024, context)) return;
    const inner = { ...context, source: text, inside: under(via, context), depth: context.depth + 1, stdin: undefined, pipeline: null };
    const limit = context.depth >= MAX_DEPTH / 2 ? "it is nested too deep" : tooMuch(text);
    if (limit) this.doubt(`a part was not read because ${limit}`, context);
    else this.nested(parse(text), inner);
  }

  /** Reading what wrappers run costs time, and wrappers can be many. */
  afford(cost: number, context: Context): boolean {
    this.#spent += cost;
    if (this.#spent <= MAX_SPENT) return true;
    if (this.#spent - cost <= MAX_SPENT) this.doubt("it hands on too many commands to read them all", context);
    return false;
  }

  nested(script: ParsedScript, context: Context): void {
    if (script.errors?.length) this.doubt(`there is a syntax error: ${script.errors[0]!.message}`, context);
    if (context.depth > MAX_DEPTH) return void this.doubt("it is nested too deep", context);
    for (const { command, background } of script.commands) {
      if (this.#full) return;
      this.visit(command, background ? { ...context, background: true, sure: false } : context);
    }
  }

  doubt(why: string, context: Context, node?: Spot, kind: Pick<Unknown, "confined" | "target"> = {}): void {
    if (this.unknown.length >= 64) return;
    this.unknown.push({ why, where: this.place(context, node), ...kind });
    this.touches.push({ kind: "unknown", why });
  }

  place({ range, source, inside }: Context, node?: Spot): CommandPlace {
    if (range) return { ...range, inside };
    return { start: node?.pos ?? 0, end: node?.end ?? source.length, inside };
  }

  scope({ repeated, caller }: Context): WordScope {
    const isArgument = (name: string) => /^([@*]|\d+)$/.test(name);
    // A function gets its own from each call, and in a loop a later `set` or `shift` may have come before.
    const argument = (name: string) => {
      const known = this.variables.read(name, repeated).filter((value) => value !== null && (caller === null || value.length > 0));
      return [...known, null];
    };
    return {
      read: (name) => ((caller !== null || repeated) && isArgument(name) ? argument(name) : this.variables.read(name, repeated)),
      isSet: (name) => this.variables.isSet(name),
      splits: this.splits,
      ordinary: !this.renamed && !repeated,
    };
  }

  resolve(word: WordNode, context: Context) {
    return resolveWord(word, this.scope(context));
  }

  /** The values a word may have where it stays one word. */
  values(word: WordNode, context: Context): readonly ShellWord[] {
    return resolveOne(word, this.scope(context));
  }

  one(word: WordNode, context: Context): ShellWord {
    return onlyWord(this.values(word, context));
  }

  add(command: SimpleCommand): boolean {
    if (this.commands.length >= MAX_COMMANDS) {
      if (!this.#full) this.unknown.push({ why: "it holds too many commands", where: command.where });
      this.#full = true;
      return false;
    }
    this.commands.push(command);
    if (command.argv.length > 0) this.touches.push({ kind: "command", argv: command.argv, text: command.text });
    return true;
  }

  path(touch: PathTouch, context: Context): void {
    const key = `${touch.access} ${touch.path}`;
    if (this.#paths.has(key) && !touch.tree) return;
    this.#paths.add(key);
    if (this.#paths.size <= MAX_PATHS) this.touches.push(touch);
    else if (this.#paths.size === MAX_PATHS + 1) this.doubt("it touches too many files to list them", context);
  }

  construct(kind: ConstructKind, context: Context, node?: Spot): void {
    this.constructs.push({ kind, where: this.place(context, node) });
  }

  visit(node: SyntaxNode, context: Context): void {
    const handler = HANDLERS[node.type];
    if (handler) handler(this, node, context);
    else forEachChild(node, (child) => this.visit(child, context));
  }

  /** Commands inside words: substitutions, however deep in quotes and defaults. */
  substitutions(node: SyntaxNode, context: Context): void {
    if (node.type === "Word" && !node.parts) return;
    this.visit(node, context);
  }

  /** What happens in a subshell stays there. */
  apart(context: Context, work: (context: Context) => void): void {
    const { cwd } = this;
    work({ ...context, sure: false });
    this.cwd = cwd;
  }

  /** What may or may not happen leaves the folder unknown if it changes it. */
  perhaps(context: Context, work: (context: Context) => void): void {
    const { cwd } = this;
    work({ ...context, sure: false });
    if (this.cwd !== cwd) this.cwd = null;
  }

  /** One for each file that a name may stand for. */
  redirections(nodes: readonly RedirectNode[], context: Context): Redirection[] {
    return nodes.flatMap((node) => {
      if (node.type === "HereDoc") return [];
      if (node.type === "HereString") {
        this.construct("<<<", context, node);
        return [];
      }
      const { operator, target } = node;
      if (!target || operator === "<&" || target.parts?.[0]?.type === "ProcessSubstitution") return [];
      return this.values(target, context).flatMap((path) => {
        if (operator === ">&" && path !== null && /^(\d+-?|-)$/.test(path)) return [];
        return [{ operator, access: operator === "<" ? ("read" as const) : ("write" as const), path: settledWord(path) }];
      });
    });
  }

  /** What a redirection feeds in; undefined when none does. */
  input(redirects: readonly RedirectNode[], context: Context): ShellWord | undefined {
    let stdin = context.stdin;
    for (const node of redirects) {
      if (!feedsInput(node)) continue;
      if (node.type === "HereString") stdin = node.target ? this.one(node.target, context) : null;
      else if (node.type === "HereDoc") stdin = node.body.parts ? resolveParts(node.body.parts, this.scope(context)) : node.body.text;
      else if (node.operator === "<" || node.operator === "<&" || node.operator === "<>") stdin = null;
    }
    return stdin;
  }

  find(finding: ProgramFinding, context: Context, node: Spot): void {
    simpleCommand.follow(this, finding, context, node);
  }
}

/** `3<<< text` feeds something else than standard input. */
const feedsInput = ({ descriptor }: RedirectNode): boolean =>
  descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0);
