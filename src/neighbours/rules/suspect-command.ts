import { understand } from "../../shell/understand.ts";
import type { ClientRule, ClientRules, RuleAction } from "./client-rule.ts";
import { type CommandPattern, commandParts, createWildcard, matchesCommand } from "./command-pattern.ts";

/** What a rule that asks or denies might be about. */
export type Suspicion = Exclude<RuleAction, "allow">;

/** How many words of a command are tried as the beginning of another one. */
const MOST_STARTS = 200;

/**
 * The strictest rule that asks or denies and might speak of a command, in whatever way its agent takes commands apart: behind variables, launchers and
 * paths, as the whole line and as each part of it. It errs to the side of a match, so it says what must not be done behind the agent's back, and
 * not what the agent would do.
 */
export function suspicionAbout(rules: readonly ClientRule[], command: string): Suspicion | null {
  const strict = rules.filter(({ action, target }) => action !== "allow" && (target.kind === "command" || target.kind === "arguments"));
  if (strict.length === 0) return null;
  const { texts, isWhole } = readingsOf(command);
  const heard = strict.filter(({ target }) => {
    // Expressions are matched against texts that only the agent makes.
    if (target.kind !== "command") return target.kind === "arguments" && target.tool === "command";
    return !isWhole || texts.some((text) => mayMatch(target.pattern, text));
  });
  return heard.some(({ action }) => action === "deny") ? "deny" : heard.length > 0 ? "ask" : null;
}

function mayMatch(pattern: CommandPattern, text: string): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind === "prefix") return text.startsWith(pattern.words.join(" "));
  if (pattern.kind === "exact") return text === blanksJoined(pattern.text);
  // A star at the end that stands behind a blank may stand for nothing at all.
  const fits = createWildcard(blanksJoined(pattern.text), pattern.question);
  return fits(text) || fits(`${text} `);
}

/** Every text that could be taken for a command of the line. */
function readingsOf(command: string): { readonly texts: readonly string[]; readonly isWhole: boolean } {
  const { commands, unknown, isUnread } = understand(command);
  const texts = new Set<string>();
  const add = (text: string) => {
    const joined = blanksJoined(text);
    if (joined === "") return;
    texts.add(joined);
    // `/bin/rm` is `rm`, and so is `\rm`.
    texts.add(joined.replace(/^\S*[/\\](?=[^\s/\\])/, ""));
  };
  for (const line of [command, ...command.split("\n"), ...command.split(/&&|\|\||[;|&\n(){}]|\$\(|`/)]) add(line);
  for (const { text, argv } of commands) {
    add(text);
    const words = argv.map((word) => word ?? "…");
    for (let from = 0; from < Math.min(words.length, MOST_STARTS); from++) add(words.slice(from).join(" "));
    const written = blanksJoined(text).split(" ");
    for (let from = 1; from < Math.min(written.length, MOST_STARTS); from++) add(written.slice(from).join(" "));
  }
  const isWhole =
    !isUnread && unknown.every(({ confined }) => confined === true) && commands.every(({ argv }) => argv.length < MOST_STARTS);
  return { texts: [...texts], isWhole };
}

const blanksJoined = (text: string): string => text.trim().replace(/\s+/g, " ");

/** The same about a list of rules as its agent hears them: where the first that matches wins, those behind it are not heard. */
export function suspicionInOrder({ decides, rules }: Pick<ClientRules, "decides" | "rules">, command: string): Suspicion | null {
  if (decides === "strictest") return suspicionAbout(rules, command);
  const { parts, isWhole } = commandParts(command);
  if (!isWhole) return suspicionAbout(rules, command);
  const found = parts.map((part) => {
    const heard = rules.findIndex(
      ({ action, target, only }) =>
        target.kind === "command" && !(action === "allow" && only !== undefined) && matchesCommand(target.pattern, part),
    );
    return suspicionAbout(heard === -1 ? rules : rules.slice(0, heard), part.text);
  });
  return found.includes("deny") ? "deny" : found.includes("ask") ? "ask" : null;
}
