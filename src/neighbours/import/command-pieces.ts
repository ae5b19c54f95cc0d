import { escapeGlob } from "../../text/glob.ts";
import type { RuleAction } from "../rules/client-rule.ts";
import { type CommandPattern, namesScripts, wildcardGlob } from "../rules/command-pattern.ts";
import type { Piece } from "./piece.ts";

/** Where a denial is written: where it holds at any depth and whatever else is allowed, or in its place among the others. */
export type DenialPlace = "blocklist" | "in order";

/** The patterns of `tools.permissions.bash` that stand for a command pattern; a reason where none does without allowing more. */
export function commandPieces(pattern: CommandPattern, action: RuleAction, place: DenialPlace): readonly Piece[] | string {
  if (action === "deny" && place === "blocklist") {
    const blocked = blockedCommand(pattern);
    if (blocked !== null) return [{ kind: "value", list: "tools.shell.blocked_commands", value: blocked }];
  }
  if (pattern.kind === "any" && action === "allow") return ALLOWS_ALL;
  const globs = commandGlobs(pattern, action);
  return typeof globs === "string" ? globs : globs.map((glob) => ({ kind: "rule", tool: "bash", pattern: glob, action }));
}

export const ALLOWS_ALL = "a rule that allows everything is not taken over: name what is meant";

function commandGlobs(pattern: CommandPattern, action: RuleAction): readonly string[] | string {
  if (pattern.kind === "any") return ["*"];
  if (pattern.kind === "exact") return pattern.text.trim() === "" ? "it names no command" : [escapeGlob(pattern.text)];
  if (pattern.kind === "prefix") {
    const words = pattern.words.filter((word) => word !== "");
    if (words.length === 0) return "it names no command";
    // Our patterns see words with a space between: one that holds a space looks like two.
    if (action === "allow" && words.some((word) => /\s/.test(word)))
      return "a word of it holds a space, and a pattern could not tell it from two words";
    const start = escapeGlob(words.join(" "));
    return [start, `${start} *`, ...(namesScripts(words) ? [`${start}:*`] : [])];
  }
  const text = pattern.text.trim();
  if (/^[*\s]*$/.test(text)) return action === "allow" ? ALLOWS_ALL : ["*"];
  if (action === "allow" && /^[*?]/.test(text)) return "it does not say which program is meant";
  const glob = wildcardGlob(text, pattern.question);
  // Some agents take `x *` for x alone, too. What forbids does, to be sure.
  const bare = action !== "allow" && glob.endsWith(" *") ? [glob.slice(0, -2)] : [];
  return [...bare, glob];
}

const PROGRAM = /^[\w.+-]+\*?$/;
const WORD = /^[\w.:@/+=-]+$/;
const LAST_WORD = /^[\w.:@/+=-]+\*?$/;
/** Only short options are certain to be found again: longer ones may be cut or joined to a value. */
const OPTION = /^-[A-Za-z0-9]+$/;

/** A command pattern as `blocked_commands` writes it; null where it would not find everything that the rule means. */
function blockedCommand(pattern: CommandPattern): string | null {
  const words = plainWords(pattern);
  if (words === null) return null;
  const [program = "", ...rest] = words;
  if (!PROGRAM.test(program) || program.startsWith("-")) return null;
  const fits = rest.every((word, n) => (word.startsWith("-") ? OPTION.test(word) : (n === rest.length - 1 ? LAST_WORD : WORD).test(word)));
  // Options in front of git's verb are no part of what is looked at; and an option with a value would shift the words behind it.
  const firstOption = rest.findIndex((word) => word.startsWith("-"));
  if (!fits || (firstOption >= 0 && rest.slice(firstOption).some((word) => !word.startsWith("-")))) return null;
  return program === "git" && firstOption === 0 ? null : words.join(" ");
}

function plainWords(pattern: CommandPattern): readonly string[] | null {
  if (pattern.kind === "prefix") return pattern.words.some((word) => /\*$/.test(word)) ? null : pattern.words;
  if (pattern.kind !== "wildcard" || (pattern.question && pattern.text.includes("?"))) return null;
  const text = pattern.text.trim();
  if (/^[^*]+ \*$/.test(text)) return text.slice(0, -2).trim().split(/\s+/);
  return /^[^*]+\*$/.test(text) ? text.split(/\s+/) : null;
}
