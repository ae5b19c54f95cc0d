/** A text that must occur wherever an expression is found. */
export interface Literal {
  /** In small letters when case does not count. */
  readonly text: string;
  readonly letters: "exact" | "any case";
}

/**
 * Looking for it is far quicker than the expression. Read off the expression's top level: whatever is not plainly a letter that must be there
 * counts as unknown, and null says that nothing is known.
 */
export function literalIn(pattern: string): Literal | null {
  const [flags = "", set = ""] = /^\(\?([imsU]+)\)/.exec(pattern) ?? [];
  const letters = set.includes("i") ? "any case" : "exact";
  const runs = runsOf(pattern.slice(flags.length), letters);
  const text = runs?.reduce((one, other) => (other.length > one.length ? other : one), "") ?? "";
  return text === "" ? null : { text, letters };
}

/** The plain letters that follow each other; null where a choice or something unusual makes it unsure. */
function runsOf(pattern: string, letters: Literal["letters"]): string[] | null {
  const runs = [""];
  const add = (char: string) => {
    if (letters === "exact" ? PLAIN.test(char) : FOLDED.test(char))
      runs[runs.length - 1] += letters === "exact" ? char : char.toLowerCase();
    else runs.push("");
  };
  // Changes of flags, and names of groups, are not followed.
  if (/\(\?(?!:)/.test(pattern)) return null;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "|") return null;
    if (char === "\\") {
      const next = pattern[++i] ?? "";
      if (PUNCTUATION.test(next)) add(next);
      else if (SIMPLE.test(next)) runs.push("");
      else return null;
    } else if (char === "(" || char === "[") {
      const end = char === "(" ? groupEnd(pattern, i) : classEnd(pattern, i);
      if (end === -1) return null;
      i = end;
      runs.push("");
    } else if (char === "*" || char === "?" || char === "{") {
      const times = char === "{" ? (/^\{\d+(?:,\d*)?\}/.exec(pattern.slice(i))?.[0].length ?? 0) : 1;
      if (times === 0) return null;
      i += times - 1;
      runs.push(runs.pop()!.slice(0, -1), "");
    } else if (char === "+" || char === "." || char === "^" || char === "$") runs.push("");
    else add(char);
  }
  return runs;
}

const PLAIN = /^[ -~]$/;
/** Not `k` and `s`: the Kelvin sign and the long s are the same letters, and have no small letter among these. */
const FOLDED = /^(?![ksKS])[ -~]$/;
const PUNCTUATION = /^[!-/:-@[-`{-~]$/;
const SIMPLE = /^[sSdDwWbBAztnrfva]$/;

/** Where a group closes; -1 where that is not plain to see. */
function groupEnd(pattern: string, start: number): number {
  let depth = 0;
  for (let i = start; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") {
      // A quotation may hold anything.
      if (pattern[++i] === "Q") return -1;
    } else if (char === "[") {
      const end = classEnd(pattern, i);
      if (end === -1) return -1;
      i = end;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return i;
  }
  return -1;
}

function classEnd(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === "^") i++;
  if (pattern[i] === "]") i++;
  for (; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    // `[[:alpha:]]`
    else if (pattern[i] === "[") return -1;
    else if (pattern[i] === "]") return i;
  }
  return -1;
}
