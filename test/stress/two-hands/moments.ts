import child from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";

/** Zeph has just looked at a name, or is about to start a program. */
export interface Moment {
  /** The function of Node and the path; `start` and what is started with which arguments; `words` and what is said to a program that runs. */
  readonly what: string;
}

/** Whether Zeph hands a line about this path to whoever builds its walls: what was judged is used from now on. */
export const handsOver = ({ what }: Moment, path: string): boolean => /^(?:start|words) /.test(what) && what.includes(path);

/**
 * Calls `act` at every moment when somebody else could come between a look of Zeph and the act that follows from it: after each function of Node that was given a
 * path below `base`, before each program that is started, and before words that name `base` go to a program that runs. Zeph itself knows nothing of it.
 * What `act` does with files is no moment.
 */
export function holdMoments(base: string, act: (moment: Moment) => void): () => void {
  let isActing = false;
  const tell = (what: string) => {
    if (isActing) return;
    isActing = true;
    try {
      act({ what });
    } finally {
      isActing = false;
    }
  };
  const undo: (() => void)[] = [];
  const replace = (owner: object, name: string, make: (real: Callable) => Callable) => {
    const real = Reflect.get(owner, name) as Callable;
    const had = Object.hasOwn(owner, name);
    Reflect.set(owner, name, Object.assign(make(real), real));
    undo.push(() => void (had ? Reflect.set(owner, name, real) : Reflect.deleteProperty(owner, name)));
  };
  const around =
    (name: string) =>
    (real: Callable): Callable =>
      function (this: unknown, ...args) {
        const path = isActing ? null : pathIn(args, base);
        if (path === null) return real.apply(this, args);
        const after = () => tell(`${name} ${path}`);
        const last = args.at(-1);
        if (typeof last === "function")
          args[args.length - 1] = (...told: unknown[]) => {
            after();
            return Reflect.apply(last, undefined, told);
          };
        let isPending = typeof last === "function";
        try {
          const result = real.apply(this, args);
          if (result instanceof Promise) {
            isPending = true;
            return result.finally(after);
          }
          return result;
        } finally {
          if (!isPending) after();
        }
      };
  for (const name of NAMED) {
    for (const owner of [fs, fs.promises]) if (typeof Reflect.get(owner, name) === "function") replace(owner, name, around(name));
    if (typeof Reflect.get(fs, `${name}Sync`) === "function") replace(fs, `${name}Sync`, around(`${name}Sync`));
  }
  replace(fs.realpathSync, "native", around("realpathSync.native"));
  for (const name of STARTS)
    replace(
      child,
      name,
      (real) =>
        function (this: unknown, ...args) {
          tell(`start ${args.slice(0, 2).flat().map(String).join(" ")}`);
          return real.apply(this, args);
        },
    );
  replace(
    Socket.prototype,
    "write",
    (real) =>
      function (this: unknown, ...args) {
        if (ArrayBuffer.isView(args[0])) {
          const said = Buffer.from(args[0].buffer, args[0].byteOffset, args[0].byteLength);
          if (said.includes(base)) tell(`words ${said.toString("latin1")}`);
        }
        return real.apply(this, args);
      },
  );
  syncBuiltinESMExports();
  return () => {
    for (const one of undo.splice(0).reverse()) one();
    syncBuiltinESMExports();
  };
}

type Callable = (...args: unknown[]) => unknown;

/** Functions of `node:fs` that are given a path, in all their forms. */
const NAMED = [
  ...[
    "access",
    "appendFile",
    "chmod",
    "chown",
    "copyFile",
    "cp",
    "exists",
    "lchown",
    "link",
    "lstat",
    "lutimes",
    "mkdir",
    "mkdtemp",
    "open",
    "opendir",
    "readdir",
  ],
  ...[
    "readFile",
    "readlink",
    "realpath",
    "rename",
    "rm",
    "rmdir",
    "stat",
    "statfs",
    "symlink",
    "truncate",
    "unlink",
    "utimes",
    "writeFile",
  ],
];
const STARTS = ["spawn", "spawnSync", "execFile", "execFileSync", "fork"];

/** The first argument that is a path below `base`; a name below a descriptor is said by what the descriptor is. */
function pathIn(args: readonly unknown[], base: string): string | null {
  for (const arg of args.slice(0, 2)) {
    const text = typeof arg === "string" ? arg : Buffer.isBuffer(arg) ? arg.toString() : null;
    if (text === null) continue;
    if (text === base || text.startsWith(`${base}/`)) return text;
    const [, fd, rest] = /^\/(?:proc\/self|dev)\/fd\/(\d+)(.*)$/s.exec(text) ?? [];
    if (fd === undefined) continue;
    const folder = nameOfDescriptor(fd);
    if (folder?.startsWith(base)) return folder + rest;
  }
  return null;
}

const { readlinkSync } = fs;
function nameOfDescriptor(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
