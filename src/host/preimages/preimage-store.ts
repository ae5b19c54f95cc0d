import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { PathEnd, Preimage, Preimages } from "../../core/ports/preimage.ts";
import { readOwnFile, readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";

export interface PreimageStore extends Preimages {
  /** Writes down what lay somewhere; the content of a file first, so that no record names bytes that are not there. */
  add(preimage: Preimage, content: Buffer | null): void;
  addEnd(end: PathEnd): void;
  /** The turn was undone: it is not offered again. */
  markUndone(turn: string): void;
}

/** How much is kept, and for how long. */
export interface PreimageBounds {
  readonly bytes: number;
  readonly turns: number;
  readonly days: number;
}
export const PREIMAGE_BOUNDS: PreimageBounds = { bytes: 512 * 1024 * 1024, turns: 1000, days: 7 };

const TURNS = "turns";
const FILES = "files";
const MOST_INDEX_BYTES = 4 * 1024 * 1024;
/** Another process may just have written a content whose record follows. */
const FRESH_MS = 10 * 60_000;

/** `folder` lies where only this user can look. Nothing is made before something is kept, and the first time what is too old goes. */
export function createPreimageStore(folder: string, bounds: PreimageBounds = PREIMAGE_BOUNDS, now: () => number = Date.now): PreimageStore {
  const turns = join(folder, TURNS);
  const files = join(folder, FILES);
  let ready = false;
  const prepare = () => {
    if (ready) return;
    for (const path of [folder, turns, files]) mkdirSync(path, { recursive: true, mode: 0o700 });
    ready = true;
    prunePreimages(folder, bounds, now());
  };
  const write = (record: { readonly turn: string }) => {
    prepare();
    appendFileSync(join(turns, fileNameOf(record.turn)), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  };
  return {
    add(preimage, content) {
      prepare();
      if (content) keepContent(files, preimage.hash!, content, now());
      write(preimage);
    },
    addEnd: write,
    markUndone: (turn) => write({ turn, path: "", undone: true } as { readonly turn: string }),
    story: (turn) => recordsIn(turns, fileNameOf(turn)).filter((record) => !("undone" in record)),
    lastTurn(conversation) {
      for (const name of namesIn(turns).sort(byAge(turns)).reverse()) {
        const records = recordsIn(turns, name);
        if (records.some((record) => "undone" in record)) continue;
        const found = records.find((record) => "was" in record && record.conversation === conversation);
        if (found) return found.turn;
      }
      return null;
    },
    content({ hash }) {
      if (hash === undefined || !HASH.test(hash)) return null;
      const bytes = attempt(() => readOwnFile(join(files, hash), { maxBytes: bounds.bytes, links: "refuse" }).bytes, null);
      return bytes && preimageHash(bytes) === hash ? bytes : null;
    },
  };
}

export const preimageHash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const HASH = /^[0-9a-f]{64}$/;

/** A turn's id may be anybody's text. */
const fileNameOf = (turn: string): string => `${/^[\w-]{1,80}$/.test(turn) ? turn : preimageHash(Buffer.from(turn))}.jsonl`;

/** Equal contents are kept once. What is there already is made young again, so that nobody tidies it away before its record is written. */
function keepContent(files: string, hash: string, content: Buffer, now: number): void {
  const path = join(files, hash);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) {
    const fd = attempt(() => openSync(path, O_WRONLY | O_NOFOLLOW), null);
    if (fd !== null) {
      futimesSync(fd, now / 1000, now / 1000);
      closeSync(fd);
      return;
    }
  }
  const unfinished = join(files, `${randomUUID()}.tmp`);
  const fd = openSync(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at);
  } finally {
    closeSync(fd);
  }
  renameSync(unfinished, path);
}

/** What is too old, too many or too much goes, the oldest turns first; then every content that no record names any more. */
export function prunePreimages(folder: string, { bytes, turns: most, days }: PreimageBounds, now: number): void {
  const turns = join(folder, TURNS);
  const files = join(folder, FILES);
  const named = new Map<string, number>();
  let size = 0;
  let kept = 0;
  for (const name of namesIn(turns).sort(byAge(turns)).reverse()) {
    const age = now - changedAt(join(turns, name));
    const contents = recordsIn(turns, name).flatMap((record) =>
      "was" in record && record.hash && !named.has(record.hash) ? [[record.hash, record.size ?? 0] as const] : [],
    );
    const more = contents.reduce((sum, [, length]) => sum + length, 0);
    if (kept >= most || age > days * 86_400_000 || size + more > bytes) {
      rmSync(join(turns, name), { force: true });
      continue;
    }
    kept++;
    size += more;
    for (const [hash, length] of contents) named.set(hash, length);
  }
  for (const name of namesIn(files))
    if (!named.has(name) && now - changedAt(join(files, name)) > FRESH_MS) rmSync(join(files, name), { force: true });
}

const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder), []);
const changedAt = (path: string): number => attempt(() => lstatSync(path).mtimeMs, 0);
const byAge = (folder: string) => {
  const times = new Map<string, number>();
  const time = (name: string) => {
    if (!times.has(name)) times.set(name, changedAt(join(folder, name)));
    return times.get(name)!;
  };
  return (a: string, b: string) => time(a) - time(b);
};

/** A line that was cut short, by a process that was killed, is none. */
const recordsIn = (turns: string, name: string): readonly (Preimage | PathEnd)[] =>
  (attempt(() => readOwnText(join(turns, name), { maxBytes: MOST_INDEX_BYTES, links: "refuse" }), null) ?? "")
    .split("\n")
    .flatMap((line) => {
      const record = attempt(() => JSON.parse(line) as Preimage | PathEnd, null);
      return record && typeof record.path === "string" && typeof record.turn === "string" ? [record] : [];
    });
