import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readOwnText } from "../files/own-file.ts";
import { isAlive } from "../files/process.ts";
import { attempt } from "../text/attempt.ts";

/** Where a process listens, or where another one does. It counts until it is closed. */
export interface LiveAddress {
  readonly path: string;
  close(): void;
}

/** The system takes 108 bytes on Linux and 104 elsewhere, with a zero behind them. */
const LONGEST_PATH = 100;
const LONGEST_MARK = 1024;

/** Makes the folder private. Throws where it is not this user's own. */
export function makeLiveFolder(folder: string): void {
  attempt(() => mkdirSync(folder, 0o700), null);
  const found = lstatSync(folder);
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} is no folder of this user.`);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Processes that listen here. What dead ones left behind is removed. */
export function listLive(folder: string): readonly number[] {
  const found = new Set<number>();
  for (const name of attempt(() => readdirSync(folder), [])) {
    const pid = Number(/^([1-9]\d*)(?:\.sock|\.at|-\w+\.proof)$/.exec(name)?.[1] ?? 0);
    if (pid === 0) continue;
    if (!isAlive(pid)) attempt(() => rmSync(join(folder, name), { force: true }), null);
    else if (!name.endsWith(".proof")) found.add(pid);
  }
  return [...found];
}

/** Where this process is to listen. What an earlier one with its number left is removed. */
export function openOwnAddress(folder: string): LiveAddress {
  const name = `${process.pid}.sock`;
  const plain = join(folder, name);
  const mark = join(folder, `${process.pid}.at`);
  for (const left of [plain, mark]) rmSync(left, { force: true });
  if (process.platform !== "win32") {
    const short = shortPath(folder, name);
    if (short) return { path: short.path, close: () => endAfter(() => rmSync(plain, { force: true }), short.close) };
  }
  // It lies elsewhere, and a file says where.
  const place =
    process.platform === "win32"
      ? `\\\\.\\pipe\\zeph-${randomBytes(16).toString("hex")}`
      : join(mkdtempSync(join(tmpdir(), "zeph-")), name);
  writeFileSync(mark, place, { mode: 0o600, flag: "wx" });
  const remove = () => {
    rmSync(mark, { force: true });
    if (process.platform !== "win32") rmSync(dirname(place), { recursive: true, force: true });
  };
  return { path: place, close: () => void attempt(remove, null) };
}

/** Where that process listens; null where it does not. */
export function liveAddress(folder: string, pid: number): LiveAddress | null {
  const place = readOwnText(join(folder, `${pid}.at`), { maxBytes: LONGEST_MARK, links: "refuse" });
  if (place !== null) return { path: place, close() {} };
  return process.platform === "win32" ? null : shortPath(folder, `${pid}.sock`);
}

/** A path that is too long is reached through its folder, which is held open: Linux alone offers that. */
function shortPath(folder: string, name: string): LiveAddress | null {
  const plain = join(folder, name);
  if (Buffer.byteLength(plain) <= LONGEST_PATH) return { path: plain, close() {} };
  if (process.platform !== "linux") return null;
  const fd = openSync(folder, "r");
  return { path: `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}

function endAfter(first: () => void, then: () => void): void {
  attempt(first, null);
  attempt(then, null);
}
