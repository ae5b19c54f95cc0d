import type { CommandExpansionPart, Word as Node } from "unbash";
import type { Word } from "./options.ts";

/**
 * What a few everyday substitutions print. A part nobody can foresee, such as a date, is `*`: never a slash, and never a name a
 * program is run by.
 */
export function printed({ script }: CommandExpansionPart, one: (node: Node) => Word): Word {
  const only = script?.commands.length === 1 ? script.commands[0]!.command : undefined;
  if (only?.type !== "Command" || only.prefix.length > 0 || only.redirects.length > 0 || only.name?.parts) return null;
  const args = only.args.map((arg) => (arg.type === "Word" ? one(arg) : null));
  return args.includes(null) ? null : (PROGRAMS[only.name?.text ?? ""]?.(args as string[]) ?? null);
}

const PROGRAMS: Record<string, (args: readonly string[]) => Word> = {
  mktemp: (args) => (args.every((arg) => /^(-d|-q|--directory|--quiet)$/.test(arg)) ? "/tmp/tmp.*" : null),
  date: ([format = "", ...rest]) =>
    rest.length === 0 && /^\+([-_.:]|%[FTYymdHMSsjN])+$/.test(format) ? format.slice(1).replace(/%[a-zA-Z]/g, "*") : null,
  dirname: ([path = "", ...rest]) => (rest.length === 0 && PLAIN.test(path) ? path.slice(0, path.lastIndexOf("/")) : null),
};

/** A path with at least one folder in it, and no dots, blanks or globs to think about. */
const PLAIN = /^[A-Za-z0-9_-][\w.-]*(\/[A-Za-z0-9_-][\w.-]*)+$/;
