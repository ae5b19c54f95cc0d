/**
 * Whether some path fits both patterns. Both are absolute, `*` and `?` stay within a folder, `**` does not. It says yes where it cannot tell:
 * sets and braces stand for anything. `shown`: as a shell reads the first, its wildcards match no name that begins with a dot.
 */
export function overlaps(shown: string, pattern: string): boolean {
  const a = segments(shown);
  const b = segments(pattern);
  // Row by row over the segments: which beginnings of the second fit the beginning of the first.
  let row = Array.from({ length: b.length + 1 }, (_, j) => b.slice(0, j).every((one) => one === "**"));
  for (const mine of a) {
    const next = [mine === "**" && row[0]!];
    for (let j = 1; j <= b.length; j++) {
      const theirs = b[j - 1]!;
      next[j] =
        (mine === "**" && (row[j]! || next[j - 1]! || row[j - 1]!)) ||
        (theirs === "**" && (row[j]! || next[j - 1]! || row[j - 1]!)) ||
        (mine !== "**" && theirs !== "**" && row[j - 1]! && names(mine, theirs));
    }
    row = next;
  }
  return row[b.length]!;
}

const segments = (pattern: string): string[] => pattern.split("/").filter((segment) => segment !== "" && segment !== ".");

/** The same within one name. */
function names(shown: string, pattern: string): boolean {
  if (/^[*?[]/.test(shown) && pattern.startsWith(".")) return false;
  const a = characters(shown);
  const b = characters(pattern);
  let row = Array.from({ length: b.length + 1 }, (_, j) => b.slice(0, j).every((one) => one === ANY));
  for (const mine of a) {
    const next = [mine === ANY && row[0]!];
    for (let j = 1; j <= b.length; j++) {
      const theirs = b[j - 1]!;
      const run = (mine === ANY || theirs === ANY) && (row[j]! || next[j - 1]! || row[j - 1]!);
      next[j] = run || (row[j - 1]! && (mine === ONE || theirs === ONE || mine === theirs));
    }
    row = next;
  }
  return row[b.length]!;
}

const ANY = "any";
const ONE = "one";

/** A set or a brace may be anything at all. Letters count in any case, as in every rule. */
function characters(name: string): string[] {
  if (/[[\]{}]/.test(name)) return [ANY];
  const list: string[] = [];
  for (let i = 0; i < name.length; i++) {
    const char = name[i]!;
    if (char === "\\" && i + 1 < name.length) list.push(name[++i]!.toLowerCase());
    else list.push(char === "*" ? ANY : char === "?" ? ONE : char.toLowerCase());
  }
  return list;
}
