import { ToolError } from "../../core/error.ts";

export type BodyKind = "html" | "xml" | "text";

/** What kind of text a body is. Throws for what is no text, naming its type and size. */
export function bodyKind(type: string, body: Uint8Array): BodyKind {
  const kind = UNNAMED.has(type) ? sniffed(body) : named(type);
  const format = FORMATS.find(({ magic, at = 0 }) => startsWith(body, magic, at))?.name;
  if (kind !== null && format === undefined && !isBinary(body)) return kind;
  const called = type === "" ? "of no stated type" : type;
  const is =
    format === undefined
      ? kind === null
        ? ""
        : ", and its bytes are not text"
      : type.includes(format.toLowerCase())
        ? ""
        : ` (${format})`;
  throw new ToolError(
    "permanent_failure",
    `The answer is ${called}${is}, ${size(body.length)}. Only text can be read: HTML, XML, JSON, plain text.`,
  );
}

const UNNAMED = new Set(["", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*"]);
const HTML = new Set(["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"]);
/** Names below `application/` that are text though they do not say so. */
const TEXT = new Set(
  "json ld+json ndjson x-ndjson jsonl json5 javascript x-javascript ecmascript typescript yaml x-yaml toml sql graphql x-sh x-shellscript x-httpd-php x-www-form-urlencoded x-latex x-tex x-subrip mbox pgp-signature"
    .split(" ")
    .map((name) => `application/${name}`),
);

function named(type: string): BodyKind | null {
  if (HTML.has(type)) return "html";
  if (type === "text/xml" || type === "application/xml" || type.endsWith("+xml")) return "xml";
  return type.startsWith("text/") || type.endsWith("+json") || type.endsWith("+yaml") || TEXT.has(type) ? "text" : null;
}

/** By its first bytes, when nobody has said what it is. */
function sniffed(body: Uint8Array): BodyKind {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 512))
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "");
  if (STARTS_HTML.test(head.slice(contentStart(head)))) return "html";
  return /^\s*<\?xml\s/.test(head) ? "xml" : "text";
}

const STARTS_HTML = /^<(?:!doctype\s+html|html|head|body|title|script|style|meta|link|div|p|h1|table|main|article|nav|ul|a|br)[\s>/]/i;

/** Behind blanks and comments. */
function contentStart(head: string): number {
  for (let at = 0; ; ) {
    while (BLANK.has(head[at]!)) at++;
    if (!head.startsWith("<!--", at)) return at;
    const end = head.indexOf("-->", at + 2);
    if (end === -1) return at;
    at = end + 3;
  }
}
const BLANK = new Set([" ", "\t", "\n", "\f", "\r", "\v", "\u00a0"]);

/** No text has these bytes; UTF-16 is full of zeros and begins with a mark or is named. */
function isBinary(body: Uint8Array): boolean {
  const head = body.subarray(0, 1024);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return false;
  let zeros = 0;
  let odd = 0;
  for (const byte of head) {
    if (byte === 0) zeros++;
    else if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) odd++;
  }
  const wide = zeros > head.length / 4 && zeros <= head.length / 2 + 1 && alternates(head);
  return wide ? false : zeros > 0 || odd > head.length / 10;
}

/** Zeros at every second place only: UTF-16 without a mark. */
function alternates(head: Uint8Array): boolean {
  const places = [0, 0];
  for (let i = 0; i < head.length; i++) if (head[i] === 0) places[i % 2]!++;
  return places.includes(0);
}

const FORMATS: readonly { readonly name: string; readonly magic: string; readonly at?: number }[] = [
  { name: "PDF", magic: "%PDF-" },
  { name: "PNG", magic: "\x89PNG" },
  { name: "GIF", magic: "GIF8" },
  { name: "JPEG", magic: "\xff\xd8\xff" },
  { name: "WebP", magic: "WEBP", at: 8 },
  { name: "ZIP", magic: "PK\x03\x04" },
  { name: "gzip", magic: "\x1f\x8b\x08" },
  { name: "bzip2", magic: "BZh" },
  { name: "xz", magic: "\xfd7zXZ" },
  { name: "7z", magic: "7z\xbc\xaf\x27\x1c" },
  { name: "RAR", magic: "Rar!\x1a\x07" },
  { name: "zstd", magic: "\x28\xb5\x2f\xfd" },
  { name: "tar", magic: "ustar", at: 257 },
  { name: "ELF", magic: "\x7fELF" },
  { name: "WebAssembly", magic: "\0asm" },
  { name: "SQLite", magic: "SQLite format 3" },
  { name: "MP4", magic: "ftyp", at: 4 },
  { name: "MP3", magic: "ID3\x03" },
  { name: "Ogg", magic: "OggS\0" },
  { name: "FLAC", magic: "fLaC\0" },
  { name: "WOFF", magic: "wOFF\0" },
  { name: "WOFF2", magic: "wOF2\0" },
  { name: "PostScript", magic: "%!PS-Adobe" },
  { name: "RTF", magic: "{\\rtf" },
  { name: "Microsoft Office", magic: "\xd0\xcf\x11\xe0\xa1\xb1" },
];

const startsWith = (body: Uint8Array, magic: string, at: number): boolean =>
  body.length >= at + magic.length && [...magic].every((character, i) => body[at + i] === character.charCodeAt(0));

const size = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
