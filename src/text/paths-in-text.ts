/** More than any call names; what comes after is not looked for. */
const MOST_PATHS = 1000;
const MOST_TOKENS = 20_000;
/** No system takes a longer one. */
const MOST_CHARACTERS = 4096;

/** The paths a text names, each once, in their order. */
export const extractPaths = (text: string): string[] => [...new Set(pathsIn(text))];

/**
 * A path is a token with a slash: absolute, below `~`, or relative. These are none: addresses, with a scheme (`https://…`) or without
 * (`//host`, `host:80/…`, `www.…`, `me@host:…`); an assignment (`NAME=/x`, name and value both); a slash on its own. Of an option (`--to=/x`) the value counts.
 * Names with blanks come out in pieces. The work grows with the text and no faster.
 */
export function* pathsIn(text: string): Generator<string> {
  let found = 0;
  let looked = 0;
  for (let at = text.indexOf("/"); at !== -1; ) {
    const start = edge(text, at, -1);
    const end = edge(text, at, 1);
    for (const token of tokensOf(text.slice(start, end))) {
      const path = pathOf(token);
      if (path !== null) yield path;
      if (path !== null) found += 1;
      looked += 1;
      if (found === MOST_PATHS || looked === MOST_TOKENS) return;
    }
    at = text.indexOf("/", end);
  }
}

/** Ends every token, that of an address too. */
const isBreak = (code: number): boolean =>
  code <= 0x20 ||
  code === 0x22 ||
  code === 0x60 ||
  code === 0x3c ||
  code === 0x3e ||
  code === 0x7f ||
  (code >= 0x80 && BLANK.test(String.fromCharCode(code)));
const BLANK = /[\s\u0085\u200b\u2060\u201c\u201d\u00ab\u00bb]/;

/** Where the chunk around a place begins or ends. Chunks do not overlap, so no letter is looked at more than twice. */
function edge(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < text.length && !isBreak(text.charCodeAt(at))) at += step;
  return step === 1 ? at : at + 1;
}

/** Everything behind the beginning of an address belongs to it, up to the quotation mark it stands in. */
function* tokensOf(chunk: string): Generator<string> {
  for (let rest = chunk; rest !== ""; ) {
    const address = addressAt(rest);
    const plain = address === -1 ? rest : rest.slice(0, address);
    for (const [token] of plain.matchAll(/[^'()[\]{},;|&]+/g)) yield token;
    if (address === -1) return;
    // An address is no token, and still was looked at.
    yield "";
    const close = plain.endsWith("'") ? rest.indexOf("'", address) : -1;
    rest = close === -1 ? "" : rest.slice(close + 1);
  }
}

/** Where an address begins, with its scheme if it has one; -1 when there is none. */
function addressAt(text: string): number {
  for (let at = text.indexOf("//"); at !== -1; at = text.indexOf("//", at + 2)) {
    if (text[at - 1] === ":") {
      let start = at - 1;
      while (start > 0 && /[a-z0-9+.-]/i.test(text[start - 1]!)) start -= 1;
      return start;
    }
    if ((at === 0 || "=('[{,;|&".includes(text[at - 1]!)) && /[\w[]/.test(text[at + 2] ?? "")) return at;
  }
  return -1;
}

function pathOf(token: string): string | null {
  if (!token.includes("/") || token.length > MOST_CHARACTERS || /^[A-Za-z_]\w*\+?=/.test(token)) return null;
  const path = withoutEnd(token.replace(/^--?[\w-]{1,100}=/, "").replace(/^[:=!@]+/, ""));
  return !path.includes("/") || /^\/+$/.test(path) || FOREIGN.test(path) ? null : path;
}

/** Places on another machine, and data in place of an address. */
const FOREIGN = /^(?:[\w.-]+@[\w.-]+:|[\w.-]+:\d{1,5}\/|www\.|data:|mailto:|\/\/[\w[])/i;

/** What ends a sentence, and the line and column a compiler adds. `..` is a name. */
function withoutEnd(token: string): string {
  const bare = token.replace(/(?::\d{1,9}){1,2}:?$/, "");
  let end = bare.length;
  while (end > 0 && ".,:;!?".includes(bare[end - 1]!)) end -= 1;
  const stem = bare.slice(0, end);
  return stem === "" || stem.endsWith("/") ? stem + (/^\.{1,2}(?![.])/.exec(bare.slice(end))?.[0] ?? "") : stem;
}
