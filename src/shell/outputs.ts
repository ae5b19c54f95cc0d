import type { CommandExpansionPart, Word as Node, Redirection, SyntaxNode } from "unbash";
import { listedBy } from "./listings.ts";
import type { ShellWord } from "./options.ts";
import { MADE_BY_MKTEMP } from "./relative-path.ts";

/**
 * What a few everyday substitutions print. A part nobody can foresee, such as a date, is `*`: never a slash, and never a name a
 * program is run by.
 */
export function printedBy(part: CommandExpansionPart, one: (node: Node) => ShellWord): ShellWord {
  const only = onlyCommand(part);
  return only === undefined ? null : printed(only, one, undefined);
}

/** What a command or a pipeline prints that lists files; null where it is none. */
export function printedNames(commands: readonly SyntaxNode[], one: (node: Node) => ShellWord): ShellWord {
  const words = commands.map((command) => {
    if (command.type !== "Command" || command.prefix.length > 0 || command.name?.parts || command.redirects.some(feedsOrSaves)) return null;
    const args = command.args.map((arg) => (arg.type === "Word" ? one(arg) : null));
    return args.includes(null) ? null : [command.name?.text ?? "", ...(args as string[])];
  });
  return words.length === 0 || words.includes(null) ? null : listedBy(words as string[][]);
}

/** All but `2>/dev/null`. */
const feedsOrSaves = (node: Redirection): boolean =>
  node.type !== "Redirect" || node.operator !== ">" || node.descriptor?.type !== "FileDescriptor" || node.descriptor.value !== 2;

const onlyCommand = ({ script }: CommandExpansionPart): SyntaxNode | undefined =>
  script?.commands.length === 1 ? script.commands[0]!.command : undefined;

/** The same for what stands in a substitution. */
export function namesPrintedBy(part: CommandExpansionPart, one: (node: Node) => ShellWord): ShellWord {
  const only = onlyCommand(part);
  return only === undefined ? null : printedNames(only.type === "Pipeline" ? only.commands : [only], one);
}

/** What one command prints, where its text tells. `stdin` is what a here-string or here-document of its own feeds it. */
export function printed(only: SyntaxNode, one: (node: Node) => ShellWord, stdin: ShellWord | undefined): ShellWord {
  if (only.type !== "Command" || only.prefix.length > 0 || only.name?.parts) return null;
  if (only.redirects.length > 0 && !(only.name?.text === "cat" && only.redirects.every(({ type }) => type !== "Redirect"))) return null;
  const args = only.args.map((arg) => (arg.type === "Word" ? one(arg) : null));
  return args.includes(null) ? null : (PROGRAMS[only.name?.text ?? ""]?.(args as string[], stdin ?? null) ?? null);
}

const PROGRAMS: Record<string, (args: readonly string[], stdin: ShellWord) => ShellWord> = {
  mktemp: (args) => (args.every((arg) => /^(-d|-q|--directory|--quiet)$/.test(arg)) ? MADE_BY_MKTEMP : null),
  date: ([format = "", ...rest]) =>
    rest.length === 0 && /^\+([-_.:]|%[FTYymdHMSsjN])+$/.test(format) ? format.slice(1).replace(/%[a-zA-Z]/g, "*") : null,
  seq: (args) => (args.every((arg) => /^[-+]?\d+$/.test(arg)) ? "*" : null),
  dirname: ([path = "", ...rest]) => (rest.length === 0 && PLAIN.test(path) ? path.slice(0, path.lastIndexOf("/")) : null),
  echo: (args) => (args.some((arg) => !isLiteral(arg)) ? null : args.filter((arg, n) => n > 0 || !/^-[neE]+$/.test(arg)).join(" ")),
  printf: ([format = "", ...rest]) => {
    const text = format.replace(/\\n/g, "\n");
    if (!isLiteral(text.replaceAll("%s", "")) || text.replaceAll("%s", "").includes("%") || rest.some((arg) => !isLiteral(arg)))
      return null;
    return text.split("%s").length - 1 === rest.length
      ? rest.reduce((all, arg) => all.replace("%s", () => arg), text).replace(/\n+$/, "")
      : null;
  },
  cat: (args, stdin) => (args.length === 0 && stdin !== null ? stdin.replace(/\n+$/, "") : null),
};

/** What has a backslash may become something else, and so may a glob or home. */
const isLiteral = (text: string): boolean => !/[\\*?[~\ue000]/.test(text);

/** A path with at least one folder in it, and no dots, blanks or globs to think about. */
const PLAIN = /^[A-Za-z0-9_-][\w.-]*(\/[A-Za-z0-9_-][\w.-]*)+$/;
