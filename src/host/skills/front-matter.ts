/** What of the file cannot be understood, and where. */
export class FrontMatterError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

/** One key with everything that belongs to it, not yet taken apart: what nobody asks for is not read. */
export interface FrontMatterEntry {
  /** Behind the colon. */
  readonly inline: string;
  readonly below: readonly string[];
  readonly line: number;
}

export interface Split {
  readonly entries: ReadonlyMap<string, FrontMatterEntry>;
  readonly body: string;
}

/**
 * Takes a file with YAML front matter apart. Of YAML it knows what such files use: one level of keys with texts, quoted texts, block texts and lists.
 * Anchors, aliases and tags are refused. Text behind `key:` may hold colons.
 */
export function splitFrontMatter(text: string): Split {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== "---") throw new FrontMatterError(1, 'it does not begin with "---", so there is no name and no description');
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end === -1) throw new FrontMatterError(1, 'the front matter has no end: a line "---" is missing');
  return {
    entries: entriesIn(lines.slice(1, end)),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function entriesIn(lines: readonly string[]): Map<string, FrontMatterEntry> {
  const entries = new Map<string, FrontMatterEntry>();
  let below: string[] | null = null;
  for (const [at, line] of lines.entries()) {
    const number = at + 2;
    if (/^ *\t/.test(line) && line.trim() !== "") throw new FrontMatterError(number, "a tab stands where YAML wants spaces");
    if (/^(?:\s|#|-(?: |$)|$)/.test(line)) {
      if (below) below.push(line);
      else if (!/^\s*(?:#|$)/.test(line)) throw new FrontMatterError(number, "this belongs to no key");
      continue;
    }
    const { key, inline } = keyIn(line, number);
    if (entries.has(key)) throw new FrontMatterError(number, `"${key}" is there twice`);
    if (/^(?:[&!]|\*[\w-]+\s*$)/.test(inline))
      throw new FrontMatterError(number, `"${key}" uses an anchor, an alias or a tag, which are not read here`);
    below = [];
    entries.set(key, { inline, below, line: number });
  }
  return entries;
}

const LONGEST_KEY = 100;

function keyIn(line: string, number: number): { key: string; inline: string } {
  const at = line.search(/:(?=[ \t]|$)/);
  const key = line
    .slice(0, Math.max(0, at))
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2");
  if (key === "" || key.length > LONGEST_KEY || /^[[\]{}&*!|>%?@`"']/.test(key))
    throw new FrontMatterError(number, 'this is not "key: value"');
  return { key, inline: line.slice(at + 1).trim() };
}
