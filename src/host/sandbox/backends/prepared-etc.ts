import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { runProgram } from "../../../files/programs.ts";
import { entryIdentity } from "../../../files/stat.ts";
import { attempt } from "../../../text/attempt.ts";
import { isWithin, parentOf } from "../../../text/path.ts";
import { createTemporary, type Temporary } from "../../temporary.ts";
import { startServed } from "../launcher/launcher.ts";
import { findRunner } from "../shipped.ts";
import type { CommandLine } from "./perl.ts";

/** A folder that holds a copy of these entries of /etc, to be shown in their place by one mount. */
export interface EtcCopy {
  readonly path: string;
  /** Device and inode, from when it was made. */
  readonly identity: string;
}

export interface PreparedEtc {
  /** The copy, when it is there, is as /etc is now, and no command can write it; else null, and another is made when there is time. */
  look(writable: readonly string[]): EtcCopy | null;
  /** Makes it now, in a folder that lies in none of these. */
  make(writable: readonly string[]): Promise<void>;
}

interface Copy extends EtcCopy {
  readonly folder: Temporary;
  /** What it was made from, and its own folders, as they were then. */
  readonly marks: ReadonlyMap<string, Stats>;
}

/** A process that starts one command and ends has nothing of it. */
const PATIENCE_MS = 100;
const COPY_MS = 10_000;
const MOST_FAILURES = 3;
const CP = ["/usr/bin/cp", "/bin/cp"];

export function createPreparedEtc(names: readonly string[], source = "/etc"): PreparedEtc {
  let copy: Copy | null = null;
  /** The one before, which a command that is just being started may still want. */
  let last: Copy | null = null;
  let making: Promise<void> | null = null;
  let isPlanned = false;
  /** What cannot be copied is shown by mounts of its own, as always. */
  let failures = 0;

  const makeAnew = async (writable: readonly string[]) => {
    last?.folder.remove();
    last = copy;
    copy = null;
    const base = BASES.find((path) => isOutside(writable, realOf(path) ?? "/"));
    copy = base === undefined ? null : await copyEntries(names, source, { base, writable });
    failures = copy === null ? failures + 1 : 0;
  };
  const make = (writable: readonly string[]): Promise<void> => {
    isPlanned = false;
    making ??= makeAnew(writable).finally(() => {
      making = null;
    });
    return making;
  };

  return {
    make,
    look(writable) {
      if (copy && !isOutside(writable, copy.path)) return null;
      if (copy && isFresh(copy)) return copy;
      if (isPlanned || making || failures >= MOST_FAILURES) return null;
      isPlanned = true;
      setTimeout(() => void make(writable).catch(() => {}), PATIENCE_MS).unref();
      return null;
    },
  };
}

const BASES = [tmpdir(), "/var/tmp"];
const realOf = (path: string) => attempt(() => realpathSync(path), null);
const isOutside = (writable: readonly string[], path: string) => !writable.some((root) => isWithin(root, path));

/** Null when something of it may not be read, or changed meanwhile. The copies are those of `cp -a`: owners, rights and links inside stay. */
async function copyEntries(
  names: readonly string[],
  source: string,
  { base, writable }: { readonly base: string; readonly writable: readonly string[] },
): Promise<Copy | null> {
  const cp = CP.find((path) => attempt(() => statSync(path).isFile(), false));
  if (cp === undefined) return null;
  const folder = createTemporary({ kind: "etc", base: realpathSync(base) });
  try {
    const path = `${folder.path}/etc`;
    const there = names.map((name) => `${source}/${name}`).filter((entry) => attempt(() => statSync(entry), null) !== null);
    const before = marksOf(there);
    // Others may enter: who a command runs as is not always us.
    chmodSync(folder.path, 0o711);
    mkdirSync(path, { mode: 0o755 });
    chmodSync(path, 0o755);
    for (const parent of new Set(there.map(parentOf))) {
      const target = path + parent.slice(source.length);
      mkdirSync(target, { recursive: true, mode: 0o755 });
      const listed = there.filter((entry) => parentOf(entry) === parent);
      // A link in the list is followed, as a mount would follow it; links below are copied as they are.
      await runCopy({ file: cp, args: ["-a", "-H", "--", ...listed, target] }, findRunner({ writable }));
    }
    const identity = entryIdentity(statSync(path, { bigint: true }));
    const made = { folder, path, identity, marks: new Map([...before, ...marksOf([path], "folders")]) };
    if (isFresh(made)) return made;
  } catch {
    // As without it.
  }
  folder.remove();
  return null;
}

/** By the launcher, where there is one: then it ends with us, as everything does. */
async function runCopy(line: CommandLine, runner: string | null): Promise<void> {
  const how = { cwd: "/", env: {} };
  if (runner === null)
    return new Promise((resolve, reject) => {
      runProgram(line.file, line.args, { ...how, timeout: COPY_MS, killSignal: "SIGKILL" }, (error) => (error ? reject(error) : resolve()));
    });
  const job = startServed({ ...line, ...how, runner, feeds: [] }, new Map());
  const timer = setTimeout(job.end, COPY_MS);
  const { code, error } = await job.ended.finally(() => clearTimeout(timer));
  if (code !== 0) throw error ?? new Error(`${line.file} ended with ${code}`);
}

const isFresh = ({ marks }: Copy): boolean => {
  for (const [path, mark] of marks) if (!isSame(statNow(path), mark)) return false;
  return true;
};

const statNow = (path: string): Stats | undefined => attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);

/** Its identity, and when anything about it was changed: a date that nobody can set. There are more than a hundred, before each command. */
const isSame = (now: Stats | undefined, mark: Stats): boolean =>
  now !== undefined && now.ino === mark.ino && now.ctimeMs === mark.ctimeMs && now.size === mark.size && now.dev === mark.dev;

/** Of all files and folders there. A link below cannot be changed without its folder. */
function marksOf(entries: readonly string[], kind: "all" | "folders" = "all"): Map<string, Stats> {
  const marks = new Map<string, Stats>();
  const open = entries.map((path) => ({ path, stats: statSync(path) }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { path, stats } = next;
    if (kind === "all" || stats.isDirectory()) marks.set(path, stats);
    if (!stats.isDirectory()) continue;
    for (const name of readdirSync(path)) {
      const below = `${path}/${name}`;
      const found = lstatSync(below);
      if (!found.isSymbolicLink()) open.push({ path: below, stats: found });
    }
  }
  return marks;
}
