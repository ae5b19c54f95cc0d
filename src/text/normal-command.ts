/** Outside of quotes these mean something to a shell. */
const SPECIAL = /[\s$`*?[\]{}~|&;<>()!#\\'"=]/;

/**
 * A command written in one way: one blank between words, and quotes only where they matter. For comparing commands, not for running them. A command with
 * a here-document stays as it is, because blanks count there.
 */
export function normalizeCommand(command: string): string {
  if (command.includes("<<")) return command.trim();
  let made = "";
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    if (quote === null && /[ \t\r]/.test(char)) {
      if (!made.endsWith(" ")) made += " ";
    } else if (quote === null && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = null;
    else if (char === "\\" && quote !== "'" && at + 1 < command.length) {
      const next = command[++at]!;
      const isPlain = quote === '"' && !/[$`"\\\n]/.test(next);
      if (next !== "\n") made += isPlain ? `\\\\${escapeSpecial(next)}` : escapeSpecial(next);
    } else if (quote === "'" || (quote === '"' && !/[$`]/.test(char))) made += escapeSpecial(char);
    else made += char;
  }
  return made.trim();
}

const escapeSpecial = (char: string): string => (SPECIAL.test(char) ? `\\${char}` : char);
