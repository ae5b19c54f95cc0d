/** What a shell or a program says it could not find, run or open; null where that cannot be told for sure. */
export function failedName(stderr: string, sign: RegExp): string | null {
  const index = stderr.search(sign);
  if (index < 0) return null;
  const start = stderr.lastIndexOf("\n", index) + 1;
  const end = stderr.indexOf("\n", index);
  const name =
    nameAfter(stderr.slice(index, end < 0 ? undefined : end)) ?? nameBefore(stderr.slice(Math.max(start, index - LONGEST), index));
  return name === null || name.length > LONGEST ? null : name;
}

const LONGEST = 1000;

/** `cat: a: `, `ls: cannot access 'a': `, `bash: line 1: cd: a: `. Words without quotes that are no single name are left alone. */
function nameBefore(text: string): string | null {
  if (!text.endsWith(": ")) return null;
  const said = text.slice(0, -2);
  const quoted = /(?:^|[ (])(?:'([^']+)'|"([^"]+)"|‘([^’]+)’)[^'"’:]*$/.exec(said);
  if (quoted) return quoted[1] ?? quoted[2] ?? quoted[3]!;
  const at = said.lastIndexOf(": ");
  const name = at < 0 ? "" : said.slice(at + 2);
  return /^[^\s'"[\]]+$/.test(name) ? name : null;
}

/** `…: 'a'`, `…, open 'a'`, and Go's `open a: …`, which stands before. */
function nameAfter(text: string): string | null {
  const [, one, two] = /^[^'"]{0,80}(?:'([^']+)'|"([^"]+)")/.exec(text) ?? [];
  return one ?? two ?? null;
}

/** The end of a path says more than its beginning. */
export const shortName = (name: string): string => (name.length <= MOST ? name : `…${name.slice(1 - MOST)}`);
const MOST = 60;
