import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** What one command may use up. */
export interface CommandLimits {
  /** null: not limited, where the system would count all processes of the user. */
  readonly processes: number | null;
  readonly openFiles: number;
  /** Of a single file. A disk can still be filled by many: only a quota stops that. */
  readonly fileBytes: number;
  /** Of a single process. */
  readonly dataBytes: number;
  readonly tempBytes: number;
  readonly sharedMemoryBytes: number;
}

const MIB = 2 ** 20;
export const DEFAULT_LIMITS: CommandLimits = {
  processes: 512,
  openFiles: 4096,
  fileBytes: 2048 * MIB,
  dataBytes: 4096 * MIB,
  tempBytes: 1024 * MIB,
  sharedMemoryBytes: 256 * MIB,
};

const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];
export const findPrlimit = (): string | null => PRLIMIT.find((path) => existsSync(path)) ?? null;

/** Set inside the sandbox: there the number of processes is counted for this sandbox alone. */
export const withLimits = (prlimit: string | null, limits: CommandLimits, argv: readonly string[]): string[] =>
  prlimit === null
    ? [...argv]
    : [
        prlimit,
        ...(limits.processes === null ? [] : [`--nproc=${limits.processes}`]),
        `--nofile=${limits.openFiles}`,
        "--core=0",
        `--fsize=${limits.fileBytes}`,
        `--data=${limits.dataBytes}`,
        "--",
        ...argv,
      ];

/** The same as the words of the program that stands before a command. */
export const limitWords = (limits: CommandLimits): string[] => [
  ...(limits.processes === null ? [] : [`nproc:${limits.processes}`]),
  `nofile:${limits.openFiles}`,
  "core:0",
  `fsize:${limits.fileBytes}`,
  `data:${limits.dataBytes}`,
];

/** The word for `Walls.layers`: root is not bound by a number of processes, so without a cgroup a fork bomb is not contained. */
export function limitsLayer(setter: string | null, { root, cgroup }: { root: boolean; cgroup: boolean }): string[] {
  if (cgroup) return ["limits"];
  if (setter === null) return [];
  return [root ? "rlimit-only" : "limits"];
}

/** A group of processes the kernel counts, for root. The watchdog puts the command into it, and with it everything the command starts. */
export interface Cage {
  readonly folder: string;
  /** Whether memory is counted for all of them together, shared memory and files in memory included. */
  readonly countsMemory: boolean;
  /** Fails silently while processes are still dying; called again at the next command. */
  remove(): void;
}

const PARENTS = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
let counter = 0;
const leftover = new Set<string>();

/** null when cgroups cannot be made here. Version 1 and 2 have the same two files. */
export function createCage(
  { processes, memoryBytes }: { readonly processes: number; readonly memoryBytes: number },
  parents: readonly string[] = PARENTS,
): Cage | null {
  if (counter === 0) for (const parent of parents) removeOrphans(parent);
  for (const folder of leftover) removeFolder(folder);
  for (const parent of parents) {
    const folder = `${parent}/zeph-${process.pid}-${counter++}`;
    if (!made(folder)) continue;
    try {
      // Without the controller the file does not exist and, in a cgroup file system, cannot be made.
      readFileSync(`${folder}/pids.max`);
      writeFileSync(`${folder}/pids.max`, String(processes));
      const countsMemory = capMemory(folder, memoryBytes);
      return {
        folder,
        countsMemory,
        remove: () => removeFolder(folder),
      };
    } catch {
      removeFolder(folder);
    }
  }
  return null;
}

/** Version 2 alone has both in one place. In version 1 the memory of a process is somebody else's account, which is left alone. */
function capMemory(folder: string, bytes: number): boolean {
  if (!existsSync(`${folder}/memory.max`)) return false;
  try {
    writeFileSync(`${folder}/memory.max`, String(bytes));
    if (existsSync(`${folder}/memory.swap.max`)) writeFileSync(`${folder}/memory.swap.max`, "0");
    return true;
  } catch {
    return false;
  }
}

/** One that exists already belongs to somebody else. */
function made(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
    leftover.delete(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EBUSY") leftover.add(folder);
    else leftover.delete(folder);
  }
}

/** Groups of a Zeph that was killed. */
function removeOrphans(parent: string): void {
  try {
    for (const name of readdirSync(parent)) {
      const pid = /^zeph-(\d+)-\d+$/.exec(name)?.[1];
      if (pid && !existsSync(`/proc/${pid}`)) removeFolder(`${parent}/${name}`);
    }
  } catch {
    // No such controller here.
  }
}
