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

/**
 * The hashes of what git keeps of these files, by their names below `top`. Read from its index as a text: a command may have written it. What cannot be
 * understood is not kept.
 */
export function readIndex(top: string, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const folder = gitFolderAt(top);
  const bytes = attempt(() => readOwnFile(`${folder}/index`, { maxBytes: LARGEST }).bytes, null);
  const format = lastSetting(readGitConfig(`${commonFolder(folder)}/config`) ?? [], "extensions.objectformat");
  return bytes === null ? new Map() : parseIndex(bytes, names, format === "sha256" ? 32 : 20);
}

function parseIndex(bytes: Buffer, names: ReadonlySet<string>, hashLength: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "DIRC") return found;
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return found;
  const wanted = new Map([...names].map((name) => [Buffer.from(name).toString("latin1"), name]));
  let at = HEADER;
  let name = "";
  for (let n = 0; n < count; n++) {
    const start = at;
    const flagsAt = start + STATS + hashLength;
    if (flagsAt + 2 > bytes.length) return found;
    const flags = bytes.readUInt16BE(flagsAt);
    at = flagsAt + (flags & EXTENDED ? 4 : 2);
    let kept = "";
    if (version === 4) {
      const prefix = readOffset(bytes, at);
      if (prefix === null || prefix.value > name.length) return found;
      kept = name.slice(0, name.length - prefix.value);
      at = prefix.end;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return found;
    name = kept + bytes.toString("latin1", at, end);
    // Before version 4 an entry is filled up with zeros to a multiple of eight.
    at = version === 4 ? end + 1 : start + (((end - start) >> 3) + 1) * 8;
    const known = wanted.get(name);
    if (known !== undefined && (flags & STAGE) === 0) found.set(known, bytes.toString("hex", start + STATS, start + STATS + hashLength));
  }
  return found;
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
