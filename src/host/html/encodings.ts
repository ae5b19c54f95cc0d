import { attempt } from "../../text/attempt.ts";

/** Where Node's decoders differ from the encoding standard, put right. Names are the standard's, in lower case. */
export function decodeAs(encoding: string, bytes: Uint8Array): string {
  if (encoding === "replacement") return bytes.length === 0 ? "" : "\ufffd";
  if (encoding === "euc-kr") return decodeKorean(bytes);
  const table = tableOf(encoding);
  if (table) return throughTable(table, bytes);
  return new TextDecoder(encoding).decode(bytes);
}

/** The standard's name for a label, null for a label it does not know. */
export function encodingOf(label: string): string | null {
  const name = label.trim().toLowerCase();
  const own = OWN_LABELS.get(name);
  if (own !== undefined) return own;
  const encoding = attempt(() => new TextDecoder(name).encoding, null);
  // GBK is decoded as its superset, as the standard says.
  return encoding === "gbk" ? "gb18030" : encoding;
}

/** Labels Node lacks, or gives another name. */
const OWN_LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    replacement: "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "utf-8": "unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16be": "unicodefffe",
    "iso-8859-16": "iso-8859-16",
    "x-user-defined": "x-user-defined",
  }).flatMap(([encoding, labels]) => labels.split(" ").map((label) => [label, encoding])),
);

const C1 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const ROMANIAN = "ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ";
const NONE = 0xfffd;

/** One-byte encodings: how their table is made. Node reads the first as Latin 1, lacks two, and has a few bytes of the others wrong. */
const TABLES: Record<string, () => Uint16Array> = {
  "windows-1252": () => latin1With(0x80, C1),
  "iso-8859-16": () => latin1With(0xa1, ROMANIAN),
  "x-user-defined": () => Uint16Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? byte : 0xf700 + byte)),
  ibm866: () => nodesWith("ibm866", { 26: 0x1a, 28: 0x1c, 127: 0x7f }),
  "windows-874": () =>
    nodesWith("windows-874", Object.fromEntries([0xdb, 0xdc, 0xdd, 0xde, 0xfc, 0xfd, 0xfe, 0xff].map((byte) => [byte, NONE]))),
  "windows-1253": () => nodesWith("windows-1253", { 170: NONE }),
  "windows-1255": () => nodesWith("windows-1255", { 202: 0x5ba }),
};
const made = new Map<string, Uint16Array>();

function tableOf(encoding: string): Uint16Array | null {
  const make = Object.hasOwn(TABLES, encoding) ? TABLES[encoding] : undefined;
  if (!make) return null;
  const table = made.get(encoding) ?? make();
  made.set(encoding, table);
  return table;
}

const latin1With = (from: number, characters: string): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => (byte < from ? byte : characters.charCodeAt(byte - from) || byte));

function nodesWith(encoding: string, changes: Record<number, number>): Uint16Array {
  const decoder = new TextDecoder(encoding);
  return Uint16Array.from({ length: 256 }, (_, byte) => changes[byte] ?? decoder.decode(Uint8Array.of(byte)).charCodeAt(0));
}

function throughTable(table: Uint16Array, bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) units[i] = table[bytes[i]!]!;
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(units);
}

/**
 * Node knows the 2,350 syllables of the old standard only. The other 8,822 follow in the order of Unicode, in the places the old one left free:
 * that is how the extension was made, so their table need not be carried along.
 */
function decodeKorean(bytes: Uint8Array): string {
  const old = new TextDecoder("euc-kr");
  if (!hasExtension(bytes)) return old.decode(bytes);
  koreanExtension ??= extensionOf(old);
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i]!;
    if (lead < 0x81) continue;
    const found = koreanExtension.get((lead << 8) | (bytes[i + 1] ?? 0));
    if (found === undefined) {
      if (lead >= 0xa1) i++;
      continue;
    }
    parts.push(old.decode(bytes.subarray(from, i)), found);
    i++;
    from = i + 1;
  }
  return parts.join("") + old.decode(bytes.subarray(from));
}
let koreanExtension: Map<number, string> | undefined;

function hasExtension(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i]!;
    if (lead < 0x81) continue;
    if (lead < 0xa1 || (bytes[i + 1] ?? 0) < 0xa1) return true;
    i++;
  }
  return false;
}

function extensionOf(old: InstanceType<typeof TextDecoder>): Map<number, string> {
  const known = new Set<string>();
  for (let lead = 0xb0; lead <= 0xc8; lead++)
    for (let trail = 0xa1; trail <= 0xfe; trail++) known.add(old.decode(Uint8Array.of(lead, trail)));
  const extension = new Map<number, string>();
  const places = freePlaces();
  for (let code = 0xac00; code <= 0xd7a3; code++) {
    const syllable = String.fromCharCode(code);
    if (known.has(syllable)) continue;
    const { value } = places.next();
    if (value !== undefined) extension.set(value, syllable);
  }
  return extension;
}

function* freePlaces(): Generator<number, undefined> {
  for (let lead = 0x81; lead <= 0xc6; lead++)
    for (let trail = 0x41; trail <= (lead < 0xa1 ? 0xfe : 0xa0); trail++)
      if (trail <= 0x5a || (trail >= 0x61 && trail <= 0x7a) || trail >= 0x81) yield (lead << 8) | trail;
  return undefined;
}
