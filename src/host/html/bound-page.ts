/** A page as it is handed to the parser. */
export interface BoundedPage {
  readonly html: string;
  readonly elements: number;
  /** The page had more elements than are read; the rest is left out. */
  readonly cut: boolean;
}

/** No page people write comes near these. Parsers and walks take time, memory and stack for each. */
const MOST_DEPTH = 256;
const MOST_ELEMENTS = 200_000;

/**
 * Bounds a page before it is parsed, in one pass: tags nested too deeply are dropped and what they hold stays, and what comes after too many elements
 * is cut. It reads tags as the parser does; an ordinary page comes back as it is.
 */
export function boundPage(source: string, mode: "html" | "xml", { depth = MOST_DEPTH, elements: most = MOST_ELEMENTS } = {}): BoundedPage {
  const html = mode === "html";
  const stack: string[] = [];
  const open = new Map<string, number>();
  const dropped = new Map<string, number>();
  const kept: string[] = [];
  let from = 0;
  let elements = 0;

  const pop = () => {
    const name = stack.pop()!;
    open.set(name, open.get(name)! - 1);
    dropped.clear();
  };
  const drop = (start: number, end: number) => {
    kept.push(source.slice(from, start));
    from = end;
  };

  for (let at = source.indexOf("<"); at !== -1; at = source.indexOf("<", at)) {
    const code = source.charCodeAt(at + 1);
    if (code === BANG || code === QUESTION) {
      at = skipDeclaration(source, at, html);
      continue;
    }
    if (code === SLASH) {
      const { name, end } = closing(source, at + 2, html);
      const nested = dropped.get(name) ?? 0;
      if (nested > 0) {
        dropped.set(name, nested - 1);
        drop(at, end);
      } else if ((open.get(name) ?? 0) > 0) {
        while (stack.at(-1) !== name) pop();
        pop();
      }
      at = end;
      continue;
    }
    if (html ? !isLetter(code) : isTagEnd(code) || Number.isNaN(code)) {
      at++;
      continue;
    }
    if (++elements > most) return { html: kept.join("") + source.slice(from, at), elements: most, cut: true };
    let nameEnd = at + 1;
    while (nameEnd < source.length && !isTagEnd(source.charCodeAt(nameEnd))) nameEnd++;
    const name = html ? source.slice(at + 1, nameEnd).toLowerCase() : source.slice(at + 1, nameEnd);
    const end = tagEnd(source, nameEnd);
    if (html && RAW.has(name)) {
      at = skipRaw(source, end, name);
      continue;
    }
    const closed = source.charCodeAt(end - 2) === SLASH && (!html || (open.get("svg") ?? 0) > 0 || (open.get("math") ?? 0) > 0);
    if (!closed && !(html && VOID.has(name))) {
      const closes = html ? CLOSES.get(name) : undefined;
      if (closes) while (stack.length > 0 && closes.has(stack.at(-1)!)) pop();
      if (stack.length >= depth) {
        dropped.set(name, (dropped.get(name) ?? 0) + 1);
        drop(at, end);
      } else {
        stack.push(name);
        open.set(name, (open.get(name) ?? 0) + 1);
      }
    }
    at = end;
  }
  return { html: kept.length === 0 ? source : kept.join("") + source.slice(from), elements, cut: false };
}

const BANG = 0x21;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0c || code === 0x0d;
const isTagEnd = (code: number): boolean => code === SLASH || code === GREATER || isSpace(code);

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const VOID = words("area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr");
const RAW = words("script style title textarea xmp");
const P = words("p");
/** Which open element a tag ends without saying so. */
const CLOSES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ..."p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset figcaption figure footer form header main nav ol pre section table ul"
    .split(" ")
    .map((name): [string, ReadonlySet<string>] => [name, P]),
  ["li", words("li")],
  ["tr", words("tr th td")],
  ["th", words("th")],
  ["td", words("thead th td")],
  ["dd", words("dd dt")],
  ["dt", words("dd dt")],
  ["option", words("option")],
  ["optgroup", words("optgroup option")],
  ["tbody", words("thead tbody")],
  ["tfoot", words("thead tbody")],
  ["rt", words("rt rp")],
  ["rp", words("rt rp")],
]);

/** Just behind the tag's `>`. One inside quotes does not count. */
function tagEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === GREATER) return at + 1;
    if (code !== EQUALS) {
      at++;
      continue;
    }
    at++;
    while (isSpace(source.charCodeAt(at))) at++;
    const quote = source[at];
    if (quote === '"' || quote === "'") {
      const end = source.indexOf(quote, at + 1);
      if (end === -1) return source.length;
      at = end + 1;
    } else while (at < source.length && !isSpace(source.charCodeAt(at)) && source.charCodeAt(at) !== GREATER) at++;
  }
  return source.length;
}

function closing(source: string, from: number, html: boolean): { name: string; end: number } {
  let at = from;
  while (isSpace(source.charCodeAt(at))) at++;
  const start = at;
  while (at < source.length && source.charCodeAt(at) !== GREATER && !isSpace(source.charCodeAt(at))) at++;
  const name = source.slice(start, at);
  const end = source.indexOf(">", at);
  return { name: html ? name.toLowerCase() : name, end: end === -1 ? source.length : end + 1 };
}

function skipDeclaration(source: string, at: number, html: boolean): number {
  const last = source.startsWith("<!--", at) ? "-->" : !html && source.startsWith("<![CDATA[", at) ? "]]>" : ">";
  const end = source.indexOf(last, at + 2);
  return end === -1 ? source.length : end + last.length;
}

/** Behind the content of a script, a style or a title, where tags are no tags. */
function skipRaw(source: string, from: number, name: string): number {
  for (let at = source.indexOf("</", from); at !== -1; at = source.indexOf("</", at + 2)) {
    const after = at + 2 + name.length;
    const code = source.charCodeAt(after);
    if ((code === GREATER || isSpace(code)) && source.slice(at + 2, after).toLowerCase() === name) return at;
  }
  return source.length;
}
