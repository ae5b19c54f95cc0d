/**
 * The one glob language of every rule. In a "path" `*` and `?` stop at `/` and `**` does not; in "text" (commands, URLs) `*` matches
 * anything, newlines included. `[a-z]`, `[!a]`, `{a,b}` and `\` work in both, and dot files are matched like all others.
 * Matching takes time linear in the text: a pattern may come from a stranger's project file.
 */
export type Flavour = "path" | "text";
export type Matcher = (text: string) => boolean;

export interface GlobOptions {
  readonly flavour: Flavour;
  readonly letters: "exact" | "any case";
}

/** Throws on a malformed pattern; ask `globProblem` first where a person wrote it. */
export function compileGlob(pattern: string, { flavour, letters }: GlobOptions): Matcher {
  const fold = letters === "any case" ? (text: string) => text.toLowerCase() : (text: string) => text;
  const branches = expandBraces(fold(pattern)).map((branch) => {
    const list = tokens(branch, flavour);
    return { list, begin: plainText(list), end: plainEnd(list) };
  });
  return (text) => {
    const folded = fold(text);
    // Most texts are told from most patterns by how they begin or end; only the others are walked through.
    return branches.some(({ list, begin, end }) => folded.startsWith(begin) && folded.endsWith(end) && matches(list, folded));
  };
}

/** What is wrong with a pattern, in words; null when nothing is. */
export function globProblem(pattern: string): string | null {
  try {
    compileGlob(pattern, { flavour: "path", letters: "exact" });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** How many characters its alternatives have together: what compiling it and looking for it costs. Throws on a malformed pattern. */
export const globSize = (pattern: string): number => expandBraces(pattern).reduce((sum, branch) => sum + branch.length, 0);

/** A pattern that matches exactly this text. */
export const escapeGlob = (text: string): string => text.replace(/[*?[\]{}\\,!]/g, "\\$&");

type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "set"; readonly has: Matcher }
  | { readonly kind: "one" | "star"; readonly stops: boolean }
  /** `**` and a slash: any number of whole folders, none included. */
  | { readonly kind: "folders" };

/** The characters before the first wildcard. */
const plainText = (list: readonly Token[]): string => {
  const wild = list.findIndex(({ kind }) => kind !== "char");
  return charsOf(wild === -1 ? list : list.slice(0, wild));
};
/** The characters behind the last one. */
const plainEnd = (list: readonly Token[]): string => charsOf(list.slice(list.findLastIndex(({ kind }) => kind !== "char") + 1));
const charsOf = (list: readonly Token[]): string => list.map((token) => (token.kind === "char" ? token.char : "")).join("");

const MAX_LENGTH = 1024;
const MAX_BRANCHES = 128;

/** `a{b,c}` → `ab`, `ac`. Braces without a comma stand for themselves. Throws on a malformed pattern. */
export function expandBraces(pattern: string): string[] {
  if (pattern.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop()!;
    const brace = firstBrace(next);
    if (!brace) done.push(next);
    else for (const choice of brace.choices) open.push(next.slice(0, brace.start) + choice + next.slice(brace.end));
    if (done.length + open.length > MAX_BRANCHES) throw new Error(`its braces stand for more than ${MAX_BRANCHES} patterns`);
  }
  return done;
}

function firstBrace(pattern: string): { start: number; end: number; choices: string[] } | null {
  for (let start = 0; start < pattern.length; start++) {
    const char = pattern[start];
    if (char === "\\") start++;
    else if (char === "[") start = setEnd(pattern, start);
    else if (char === "{") {
      const found = braceAt(pattern, start);
      if (found.choices.length > 1) return found;
    }
  }
  return null;
}

function braceAt(pattern: string, start: number): { start: number; end: number; choices: string[] } {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let i = start; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i++;
    else if (char === "[") i = setEnd(pattern, i);
    else if (char === "{") depth++;
    else if (char === "," && depth === 1) {
      choices.push(pattern.slice(from, i));
      from = i + 1;
    } else if (char === "}" && --depth === 0) {
      choices.push(pattern.slice(from, i));
      return { start, end: i + 1, choices };
    }
  }
  throw new Error('a "{" is never closed');
}

function tokens(pattern: string, flavour: Flavour): Token[] {
  const stops = flavour === "path";
  const list: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = charAt(pattern, i);
    if (char === "\\") {
      if (++i >= pattern.length) throw new Error('it ends in a lone "\\"');
      const plain = charAt(pattern, i);
      list.push({ kind: "char", char: plain });
      i += plain.length - 1;
    } else if (char === "?") list.push({ kind: "one", stops });
    else if (char === "[") {
      const end = setEnd(pattern, i);
      list.push({ kind: "set", has: charset(pattern.slice(i + 1, end), stops) });
      i = end;
    } else if (char !== "*") {
      list.push({ kind: "char", char });
      i += char.length - 1;
    } else if (!stops || pattern[i + 1] !== "*") list.push({ kind: "star", stops });
    else {
      while (pattern[i + 1] === "*") i++;
      const whole = (list.length === 0 || isSlash(list.at(-1))) && pattern[i + 1] === "/";
      if (whole) i++;
      list.push(whole ? { kind: "folders" } : { kind: "star", stops: false });
    }
  }
  return list;
}

/** A whole character: one outside the basic plane is two units long. */
const charAt = (text: string, i: number) => String.fromCodePoint(text.codePointAt(i)!);
const isSlash = (token: Token | undefined) => token?.kind === "folders" || (token?.kind === "char" && token.char === "/");

/** Index of the `]` that closes the set opened at `start`. A `]` right after `[` or `[!` is a member. */
function setEnd(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === "!" || pattern[i] === "^") i++;
  if (pattern[i] === "]") i++;
  for (; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern[i] === "]") return i;
  }
  throw new Error('a "[" is never closed');
}

function charset(body: string, stops: boolean): Matcher {
  const negated = body[0] === "!" || body[0] === "^";
  const members = [...(negated ? body.slice(1) : body)];
  const ranges: [number, number][] = [];
  for (let i = 0; i < members.length; i++) {
    if (members[i] === "\\" && i + 1 < members.length) i++;
    const from = members[i]!.codePointAt(0)!;
    let to = from;
    if (members[i + 1] === "-" && i + 2 < members.length) {
      i += 2;
      if (members[i] === "\\" && i + 1 < members.length) i++;
      to = members[i]!.codePointAt(0)!;
      if (to < from) throw new Error(`the range "${String.fromCodePoint(from)}-${String.fromCodePoint(to)}" is backwards`);
    }
    ranges.push([from, to]);
  }
  return (char) => {
    if (stops && char === "/") return false;
    const code = char.codePointAt(0)!;
    return ranges.some(([from, to]) => from <= code && code <= to) !== negated;
  };
}

/** Walks all positions a match could be at, side by side, so no input makes it go back. Positions above `end` are inside folders. */
function matches(list: readonly Token[], text: string): boolean {
  const end = list.length;
  let now = new Set<number>();
  enter(list, 0, now);
  for (const char of text) {
    const next = new Set<number>();
    for (const at of now) step(list, at, char, end, next);
    if (next.size === 0) return false;
    now = next;
  }
  return now.has(end);
}

/** Adds a position and every one that can be reached from it without a character. */
function enter(list: readonly Token[], at: number, into: Set<number>): void {
  if (into.has(at)) return;
  into.add(at);
  const token = list[at];
  if (token?.kind === "star" || token?.kind === "folders") enter(list, at + 1, into);
}

function step(list: readonly Token[], at: number, char: string, end: number, next: Set<number>): void {
  const inside = at > end;
  const index = inside ? at - end - 1 : at;
  const token = list[index];
  if (!token) return;
  if (token.kind === "folders") {
    if (char === "/") enter(list, index, next);
    else next.add(end + 1 + index);
    return;
  }
  if (token.kind === "star") {
    if (!token.stops || char !== "/") enter(list, at, next);
    return;
  }
  const fits = token.kind === "char" ? token.char === char : token.kind === "set" ? token.has(char) : !token.stops || char !== "/";
  if (fits) enter(list, at + 1, next);
}
