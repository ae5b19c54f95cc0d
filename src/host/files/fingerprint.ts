import { type BigIntStats, statfsSync } from "node:fs";
import { release } from "node:os";
import type { Look } from "../../core/ports/watch.ts";
import { attempt } from "../../text/attempt.ts";
import { parentOf } from "../../text/path.ts";

/** Collects the stamps of files into one look. */
export class Fingerprint {
  readonly #parts: string[] = [];
  readonly #clocks: Clocks;
  #newest = 0n;
  #newestRough = 0n;
  #sharp = true;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** False when the file system does not tell when a file changed. */
  add(path: string, stats: BigIntStats): boolean {
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
    const clock = this.#clock(dev, stats.isSymbolicLink() ? parentOf(path) : path);
    if (clock === null) return false;
    const stamp = `${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`;
    if (ctimeNs > this.#newest) this.#newest = ctimeNs;
    // A whole second may come from a disk that counts in seconds, or in pairs of them.
    const isRough = stamp.endsWith("000000000");
    if (isRough && ctimeNs > this.#newestRough) this.#newestRough = ctimeNs;
    if (isRough || clock !== "sharp") this.#sharp = false;
    this.#parts.push(stamp);
    return true;
  }

  /** Something that has no time: a name, a place, that a file is missing. */
  note(text: string): void {
    this.#parts.push(text);
  }

  look(): Look {
    const newest = Math.max(milliseconds(this.#newest), milliseconds(this.#newestRough) + 2000);
    return { state: this.#parts.join("\n"), newest, sharp: this.#sharp };
  }

  #clock(dev: bigint, path: string): Clock | null {
    let clock = this.#clocks.get(dev);
    if (clock === undefined) {
      clock = clockOf(path);
      this.#clocks.set(dev, clock);
    }
    return clock;
  }
}

const milliseconds = (ns: bigint) => Number(ns / 1_000_000n);

/** How well each disk tells the time. Asked anew for each look: another one may be mounted in its place. */
export type Clocks = Map<bigint, Clock | null>;

/** `sharp`: a change after a file was looked at always has another time. `blunt`: two changes within a tick of the kernel may share one. */
type Clock = "sharp" | "blunt";

/** Since 6.13 the times of these are as fine as someone looks. Their numbers are the kernel's. */
const SHARP_SINCE_6_13 = [0xef53 /* ext */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0x01021994 /* tmpfs */, 0x794c7630 /* overlay */];
const BLUNT = [
  0xf2f52010 /* f2fs */, 0x2fc12fc1 /* zfs */, 0xca451a4e /* bcachefs */, 0x858458f6 /* ramfs */, 0x73717368 /* squashfs */,
  0xe0f5e1e2 /* erofs */,
];

/** Null for the others: what a network or a program makes up (/proc, NFS, FUSE) changes without a time that says so. */
function clockOf(path: string): Clock | null {
  if (process.platform !== "linux") return "blunt";
  const type = typeOf(path);
  if (SHARP_SINCE_6_13.includes(type)) return isRecent ? "sharp" : "blunt";
  return BLUNT.includes(type) ? "blunt" : null;
}

const typeOf = (path: string): number => attempt(() => statfsSync(path).type, 0);

const [major = 0, minor = 0] = release().split(".").map(Number);
const isRecent = major > 6 || (major === 6 && minor >= 13);
