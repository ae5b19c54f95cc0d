import { type Command, parse, type Redirection, type SyntaxNode } from "unbash";
import { hidden, tooMuch } from "./limits.ts";

/** One pipeline of a command line: what is run in it, from left to right. */
export interface Segment {
  readonly stages: readonly Stage[];
  /** Nothing of what it says on standard output reaches the reader. */
  readonly quiet: boolean;
  /** It runs in a loop or in the background: it may print again, and at any time. */
  readonly anytime: boolean;
}

export interface Stage {
  /** Quotes removed; a word with an expansion stands as it was written. */
  readonly words: readonly string[];
  /** As written, without assignments and redirections. */
  readonly text: string;
}

/**
 * The pipelines of a command line, in order: also those in loops, conditions, groups and functions that are called. Whether a condition holds is
 * not known, so all of its branches are there. null when it cannot be read.
 */
export function outline(command: string): readonly Segment[] | null {
  if (tooMuch(command) || hidden(command)) return null;
  try {
    const script = parse(command);
    if (script.errors?.length) return null;
    const around = { redirects: [], after: [], anytime: false, functions: new Map(), budget: { left: MOST_NODES } };
    return script.commands.flatMap((statement) => segmentsOf(statement, around));
  } catch {
    return null;
  }
}

/** What stands around a node. */
interface Around {
  readonly redirects: readonly Redirection[];
  /** The stages that its output goes through. */
  readonly after: readonly Stage[];
  readonly anytime: boolean;
  readonly functions: Map<string, SyntaxNode>;
  /** Functions may call each other for ever. */
  readonly budget: { left: number };
}

const MOST_NODES = 4096;

function segmentsOf(node: SyntaxNode, around: Around): readonly Segment[] {
  if (--around.budget.left < 0) throw new Error("more than can be told apart");
  const each = (nodes: readonly (SyntaxNode | undefined)[], inside: Around = around) =>
    nodes.flatMap((part) => (part ? segmentsOf(part, inside) : []));
  switch (node.type) {
    case "Statement":
      return each([node.command], node.background ? { ...around, anytime: true } : around);
    case "AndOr":
    case "CompoundList":
      return each(node.commands);
    case "Subshell":
    case "BraceGroup":
    case "CaseItem":
      return each([node.body]);
    case "Coproc":
      return each([node.body], { ...around, anytime: true });
    case "If":
      return each([node.clause, node.then, ...node.elif, node.else]);
    case "Elif":
      return each([node.clause, node.then]);
    case "Case":
      return each(node.items);
    case "While":
      return each([node.clause, node.body], { ...around, anytime: true });
    case "For":
    case "Select":
    case "ArithmeticFor":
      return each([node.body], { ...around, anytime: true });
    case "Function":
      around.functions.set(node.name.value, node.body);
      return [];
    case "Redirected":
      return each([node.command], { ...around, redirects: [...node.redirects, ...around.redirects] });
    case "Command":
      return segmentsOfCommand(node, around);
    case "Pipeline":
      return segmentsOfPipeline(node.commands, around);
    case "TestCommand":
    case "ArithmeticCommand":
      return [];
    default:
      throw new Error(`${node.type} is no list of commands`);
  }
}

function segmentsOfCommand(node: Command, around: Around): readonly Segment[] {
  if (!node.name) return [];
  const body = around.functions.get(node.name.value);
  const redirects = [...node.redirects, ...around.redirects];
  if (body) return segmentsOf(body, { ...around, redirects });
  return [{ stages: [stageOf(node), ...around.after], quiet: isQuiet(redirects), anytime: around.anytime }];
}

/** What a loop or a group prints into a pipe goes through what stands behind it; what stands before it is its input. */
function segmentsOfPipeline(nodes: readonly SyntaxNode[], around: Around): readonly Segment[] {
  const group = nodes.findLastIndex(({ type }) => type !== "Command");
  const commands = nodes.slice(group + 1).filter((node) => node.type === "Command");
  const redirects = [...(commands.at(-1)?.redirects ?? []), ...around.redirects];
  const stages = [...commands.map(stageOf), ...around.after];
  if (group !== -1) return segmentsOf(nodes[group]!, { ...around, redirects, after: stages });
  // A pipeline of one is `time make` or `! make`.
  if (commands.length === 1) return segmentsOfCommand(commands[0]!, around);
  return [{ stages, quiet: isQuiet(redirects), anytime: around.anytime }];
}

function stageOf({ name, args }: Command): Stage {
  const words = [...(name ? [name] : []), ...args];
  return {
    words: words.map((word) => (word.type === "Word" ? word.value : word.text)),
    text: words.map(({ text }) => text).join(" "),
  };
}

/** Standard output goes elsewhere. Errors may still be seen; they then stand for themselves. */
const isQuiet = (redirects: readonly Redirection[]): boolean =>
  redirects.some((redirect) => {
    if (redirect.type !== "Redirect") return false;
    const { operator, descriptor } = redirect;
    if (operator === "&>" || operator === "&>>") return true;
    const isOutput = descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
    return isOutput && (operator === ">" || operator === ">>" || operator === ">|");
  });
