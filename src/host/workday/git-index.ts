import { commonFolder, gitFolderAt, readGitConfig } from "../../files/git-repository.ts";
import { readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { lastSetting } from "../../text/git-config.ts";

/** Of a repository with a million files. */
const LARGEST = 256 * 1024 * 1024;
const HEADER = 12;
/** Times, device, number, mode, owner and size of the file. */
const STATS = 40;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const ASSUMED_VALID = 0x8000;
const NOT_CHECKED_OUT = 0x4000;

/**
 * The hashes of what git keeps of these files, by their names below `top`. Read from its index as a text: a command may have written it. What cannot be
 * understood is not kept.
 */
export function readIndex(top: string, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const index = openIndex(top);
  if (!index) return found;
  const wanted = new Map([...names].map((name) => [Buffer.from(name).toString("latin1"), name]));
  for (const entry of index.entries()) {
    const known = wanted.get(entry.name);
    if (known !== undefined && entry.stage === 0) found.set(known, entry.hash());
  }
  return found;
}

/** One file in git's index. Its name is written in latin1, a character for each byte. */
export interface IndexEntry {
  readonly name: string;
  /** 0; other numbers are the sides of a conflict. */
  readonly stage: number;
  readonly mode: number;
  /** When the file was changed last, in seconds and nanoseconds, and its size modulo 2^32, as they were when git looked at it. */
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly size: number;
  /** The person told git to take the file as unchanged, or not to check it out. */
  readonly isIgnored: boolean;
  /** The hash of its content, in hex. */
  hash(): string;
}

export interface GitIndex {
  readonly count: number;
  /** When the index itself was written, in milliseconds. */
  readonly writtenAt: number;
  readonly algorithm: "sha1" | "sha256";
  /** Ends early where the index cannot be understood. */
  entries(): Generator<IndexEntry, "whole" | "broken">;
}

/** Git's index; null where there is none that can be read. */
export function openIndex(top: string, maxBytes = LARGEST): GitIndex | null {
  const folder = gitFolderAt(top);
  const file = attempt(() => readOwnFile(`${folder}/index`, { maxBytes }), null);
  if (file === null) return null;
  const { bytes } = file;
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const format = lastSetting(readGitConfig(`${commonFolder(folder)}/config`) ?? [], "extensions.objectformat");
  const algorithm = format === "sha256" ? "sha256" : "sha1";
  const count = bytes.readUInt32BE(8);
  return {
    count,
    writtenAt: file.stats.mtimeMs,
    algorithm,
    entries: () => parseEntries(bytes, version, count, algorithm === "sha256" ? 32 : 20),
  };
}

function* parseEntries(bytes: Buffer, version: number, count: number, hashLength: number): Generator<IndexEntry, "whole" | "broken"> {
  let at = HEADER;
  let name = "";
  for (let n = 0; n < count; n++) {
    const start = at;
    const flagsAt = start + STATS + hashLength;
    if (flagsAt + 2 > bytes.length) return "broken";
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
    if (isExtended && flagsAt + 4 > bytes.length) return "broken";
    const more = isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0;
    at = flagsAt + (isExtended ? 4 : 2);
    let kept = "";
    if (version === 4) {
      const prefix = readOffset(bytes, at);
      if (prefix === null || prefix.value > name.length) return "broken";
      kept = name.slice(0, name.length - prefix.value);
      at = prefix.end;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return "broken";
    name = kept + bytes.toString("latin1", at, end);
    // Before version 4 an entry is filled up with zeros to a multiple of eight.
    at = version === 4 ? end + 1 : start + (((end - start) >> 3) + 1) * 8;
    yield {
      name,
      stage: (flags & STAGE) >> 12,
      mode: bytes.readUInt32BE(start + 24),
      seconds: bytes.readUInt32BE(start + 8),
      nanoseconds: bytes.readUInt32BE(start + 12),
      size: bytes.readUInt32BE(start + 36),
      isIgnored: (flags & ASSUMED_VALID) !== 0 || (more & NOT_CHECKED_OUT) !== 0,
      hash: () => bytes.toString("hex", start + STATS, start + STATS + hashLength),
    };
  }
  // A split index keeps most of its entries in another file.
  return bytes.toString("latin1", at, at + 4) === "link" ? "broken" : "whole";
}

const LONGEST_OFFSET = 4;

/** How many characters of the name before are not repeated: seven bits in each byte, the first ones first. */
function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let at = from; at < bytes.length && at < from + LONGEST_OFFSET; at++) {
    const byte = bytes[at]!;
    value = at === from ? byte & 0x7f : ((value + 1) << 7) | (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, end: at + 1 };
  }
  return null;
}
