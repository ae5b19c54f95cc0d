import { attempt } from "../../text/attempt.ts";
import { decodeAs, encodingOf } from "./encodings.ts";

export interface DecodedBody {
  readonly text: string;
  /** The encoding standard's name, in lower case. */
  readonly encoding: string;
}

/**
 * A byte order mark wins, then what the server said, then what the page says of itself, then UTF-8. Bytes that are not UTF-8 and that nobody has named
 * are windows-1252, as browsers in the West guess.
 */
export function decodeBody(bytes: Uint8Array, charset: string | null, kind: "html" | "xml" | "text"): DecodedBody {
  const marked = byteOrderMark(bytes);
  if (marked) return { text: decodeAs(marked, bytes), encoding: marked };
  const named = (charset === null ? null : encodingOf(unquoted(charset))) ?? OWN_WORD[kind](bytes);
  if (named !== null) return { text: decodeAs(named, bytes), encoding: named };
  const encoding = isUtf8(bytes) ? "utf-8" : "windows-1252";
  return { text: decodeAs(encoding, bytes), encoding };
}

/** How each kind of document names its encoding. */
const OWN_WORD: Record<"html" | "xml" | "text", (bytes: Uint8Array) => string | null> = {
  html: (bytes) => inMeta(beginning(bytes)) ?? inXmlDeclaration(bytes),
  xml: (bytes) => inXmlDeclaration(bytes),
  text: () => null,
};

const beginning = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString("latin1");
const unquoted = (label: string): string => label.trim().replace(/^(["'])(.*)\1$/, "$2");

function byteOrderMark(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return null;
}

/** A stream may end in the middle of a character, and a body that was cut does. */
const isUtf8 = (bytes: Uint8Array): boolean =>
  attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }), null) !== null;

/** `<?xml encoding="…"?>`. It is written in ASCII or in UTF-16, and its first bytes tell which. */
function inXmlDeclaration(bytes: Uint8Array): string | null {
  const head = beginning(bytes);
  if (head.startsWith("<\0?\0x\0")) return "utf-16le";
  if (head.startsWith("\0<\0?\0x")) return "utf-16be";
  const label = /^<\?xml[^>]{0,200}?encoding\s{0,10}=\s{0,10}["']([^"'>]{1,60})["']/.exec(head)?.[1];
  return label === undefined ? null : declared(encodingOf(label));
}

/** A declaration that could be read as ASCII is not UTF-16, whatever it says. */
const declared = (encoding: string | null): string | null =>
  encoding?.startsWith("utf-16") ? "utf-8" : encoding === "x-user-defined" ? "windows-1252" : encoding;

/** The prescan of the HTML standard: meta elements of the first 1,024 bytes, comments and other tags passed over. */
function inMeta(head: string): string | null {
  let at = 0;
  while (at < head.length) {
    at = head.indexOf("<", at);
    if (at === -1) return null;
    if (head.startsWith("<!--", at)) {
      const end = head.indexOf("-->", at + 2);
      if (end === -1) return null;
      at = end + 3;
    } else if (/^<meta[\s/]/i.test(head.slice(at, at + 6))) {
      const { attributes, end } = attributesAt(head, at + 5);
      const found = charsetOf(attributes);
      if (found !== null) return found;
      at = end;
    } else if (/^<\/?[a-z]/i.test(head.slice(at, at + 3))) {
      const name = /[\s>]/g;
      name.lastIndex = at;
      at = attributesAt(head, name.exec(head)?.index ?? head.length).end;
    } else if (/^<[!/?]/.test(head.slice(at, at + 2))) {
      const end = head.indexOf(">", at);
      if (end === -1) return null;
      at = end + 1;
    } else at++;
  }
  return null;
}

function charsetOf(attributes: ReadonlyMap<string, string>): string | null {
  const direct = attributes.get("charset");
  if (direct !== undefined) return declared(encodingOf(direct));
  if (attributes.get("http-equiv")?.toLowerCase() !== "content-type") return null;
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get("content") ?? "");
  const label = match?.[1] ?? match?.[2] ?? match?.[3];
  return label === undefined ? null : declared(encodingOf(label));
}

const ATTRIBUTE = /[\s/]*(?:(>)|([^\s/>=][^\s/>=]*|=[^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)|(?=>)))?)/y;

function attributesAt(head: string, from: number): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = from;
  for (;;) {
    const at = ATTRIBUTE.lastIndex;
    const match = ATTRIBUTE.exec(head);
    // An open quote: the tag does not end within what is looked at.
    if (!match || match[0] === "") return { attributes, end: Math.max(at + 1, from) };
    if (match[1]) return { attributes, end: ATTRIBUTE.lastIndex };
    const name = match[2]!.toLowerCase();
    if (!attributes.has(name)) attributes.set(name, match[3] ?? match[4] ?? match[5] ?? "");
  }
}
