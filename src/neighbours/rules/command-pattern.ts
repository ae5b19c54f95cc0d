import { understand } from "../../shell/understand.ts";
import { compileGlob, escapeGlob, globProblem } from "../../text/glob.ts";

/** How a rule of another agent names commands. */
export type CommandPattern =
  | { readonly kind: "any" }
  | { readonly kind: "exact"; readonly text: string }
  /** These words first, whole. */
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  /** `*` is anything; with `question` a `?` is one character. Everything else stands for itself. */
  | { readonly kind: "wildcard"; readonly text: string; readonly question: boolean };

/** One program with its arguments, as a rule sees it. */
interface CommandPart {
  readonly text: string;
  readonly words: string;
}

/** The simple commands of a command line, whatever joins them. `isWhole` is false where not everything of it could be read. */
export function commandParts(command: string): { readonly parts: readonly CommandPart[]; readonly isWhole: boolean } {
  const { commands, unknown, isUnread } = understand(command);
  const parts = commands
    .filter(({ argv }) => argv.length > 0)
    .map(({ text, argv, assignments }) => ({
      text,
      words: [...assignments.map(({ name, value }) => `${name}=${value ?? "…"}`), ...argv.map((word) => word ?? "…")].join(" "),
    }));
  return { parts, isWhole: !isUnread && unknown.length === 0 && parts.length > 0 };
}

export function matchesCommand(pattern: CommandPattern, { text, words }: CommandPart): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind === "exact") return [text, words].includes(pattern.text);
  if (pattern.kind === "wildcard") {
    const fits = createWildcard(pattern.text, pattern.question);
    return fits(text) || fits(words);
  }
  return startsWithWords(pattern.words, text) || startsWithWords(pattern.words, words);
}

/** `npm run test:*` is written by people who mean the scripts whose names begin with `test:`, too. */
export const namesScripts = (words: readonly string[]): boolean => /^(npm|pnpm|yarn|bun)$/.test(words[0] ?? "") && words.length > 1;

function startsWithWords(words: readonly string[], text: string): boolean {
  const start = words.join(" ");
  return text === start || text.startsWith(`${start} `) || (namesScripts(words) && text.startsWith(`${start}:`));
}

/** A pattern in which only `*`, and perhaps `?`, stand for something else, in our own language. Linear in the text, whoever wrote the pattern. */
export function wildcardGlob(text: string, question: boolean): string {
  return text
    .replace(/\*+/g, "*")
    .split(question ? /([*?])/ : /(\*)/)
    .map((piece) => (piece === "*" || (piece === "?" && question) ? piece : escapeGlob(piece)))
    .join("");
}

/** One that is too long for our globs matches everything: in doubt a rule speaks of a call. */
export function createWildcard(text: string, question: boolean): (text: string) => boolean {
  const glob = wildcardGlob(text, question);
  return globProblem(glob) === null ? compileGlob(glob, { flavour: "text", letters: "exact" }) : () => true;
}
