import { type Command, parse, type Redirection, type SyntaxNode } from "unbash";
import { hidden, tooMuch } from "./limits.ts";

/** One pipeline of a command line: what is run in it, from left to right. */
export interface Segment {
  readonly stages: readonly Stage[];
  /** Nothing of what it says on standard output reaches the reader. */
  readonly quiet: boolean;
}

export interface Stage {
  /** Quotes removed; a word with an expansion stands as it was written. */
  readonly words: readonly string[];
  /** As written, without assignments and redirections. */
  readonly text: string;
}

/** The pipelines of a command line, in order; null when it has loops, conditions or functions, or cannot be read. */
export function outline(command: string): readonly Segment[] | null {
  if (tooMuch(command) || hidden(command)) return null;
  try {
    const script = parse(command);
    if (script.errors?.length) return null;
    const segments: Segment[] = [];
    for (const statement of script.commands) collect(statement, [], segments);
    return segments;
  } catch {
    return null;
  }
}

function collect(node: SyntaxNode, around: readonly Redirection[], into: Segment[]): void {
  switch (node.type) {
    case "Statement":
      collect(node.command, around, into);
      return;
    case "AndOr":
    case "CompoundList":
      for (const part of node.commands) collect(part, around, into);
      return;
    case "Subshell":
    case "BraceGroup":
      collect(node.body, around, into);
      return;
    case "Redirected":
      collect(node.command, [...node.redirects, ...around], into);
      return;
    case "Command":
      if (node.name) into.push({ stages: [stageOf(node)], quiet: isQuiet([...node.redirects, ...around]) });
      return;
    case "Pipeline": {
      const commands = node.commands.map(simple);
      into.push({ stages: commands.map(stageOf), quiet: isQuiet([...commands.at(-1)!.redirects, ...around]) });
      return;
    }
    case "TestCommand":
    case "ArithmeticCommand":
      return;
    default:
      throw new Error(`${node.type} is more than a list of commands`);
  }
}

function simple(node: SyntaxNode): Command {
  if (node.type !== "Command") throw new Error(`${node.type} in a pipeline`);
  return node;
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
