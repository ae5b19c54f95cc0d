import { assertFunctions, assertKnownOptions } from "../core/inputs/options.ts";
import type { OwnHost, OwnRun, OwnStat } from "../core/ports/own-host.ts";
import { nameOf, parentOf } from "../text/path.ts";

/** What a machine in memory begins with. Paths are absolute. */
export interface MemoryHostOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** Symbolic links, by where they lie, and the absolute path each leads to. */
  readonly links?: Readonly<Record<string, string>>;
  /** What running a program does. Without it none is found: exit code 127. */
  run?(argv: readonly string[], how: OwnRun): Promise<number>;
}

/** A machine in memory, for tests: nothing of the real one is read or written. `contents` is what its files hold now. */
export interface MemoryHost extends OwnHost {
  contents(): Readonly<Record<string, string>>;
}

/** Makes a machine in memory. */
export function createMemoryHost(options: MemoryHostOptions = {}): MemoryHost {
  assertKnownOptions("createMemoryHost", options, ["files", "links", "run"]);
  assertFunctions(options, ["run"]);
  const { files = {}, links = {}, run } = options;
  const texts = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const targets = new Map(Object.entries(links));
  const folders = new Set(["/"]);
  const makeFolder = (path: string) => {
    for (let at = path; !folders.has(at); at = parentOf(at)) folders.add(at);
  };
  for (const path of [...texts.keys(), ...targets.keys()]) makeFolder(parentOf(path));
  const isThere = (path: string) => texts.has(path) || targets.has(path) || folders.has(path);
  const statOf = (path: string): OwnStat | null => {
    if (targets.has(path)) return { kind: "symlink" };
    if (folders.has(path)) return { kind: "dir" };
    const bytes = texts.get(path);
    return bytes ? { kind: "file", size: bytes.length } : null;
  };
  const realPath = (path: string, links = 0): string | null => {
    if (links > 40) return null;
    let at = "";
    const names = path.split("/").filter((name) => name !== "");
    for (const [n, name] of names.entries()) {
      const target = targets.get(`${at}/${name}`);
      if (target !== undefined) return realPath([target, ...names.slice(n + 1)].join("/"), links + 1);
      at = `${at}/${name}`;
    }
    return isThere(at || "/") ? at || "/" : null;
  };
  /** As a system does it: links on the way are followed. */
  const real = (path: string): string => {
    const found = realPath(path);
    if (found === null) throw new Error(`${path}: no such file or folder`);
    return found;
  };
  /** The entry itself, in the folder it really lies in; null when there is no such folder. */
  const entry = (path: string): string | null => {
    const parent = path === "/" ? "" : realPath(parentOf(path));
    return parent === null ? null : `${parent === "/" ? "" : parent}/${nameOf(path)}`;
  };
  return {
    name: "memory",
    home: "/root",
    walls: { name: "nothing but this process", network: "closed", contained: true },
    contents: () => Object.fromEntries([...texts].map(([path, bytes]) => [path, bytes.toString()])),
    files: {
      realPath: async (path) => realPath(path),
      stat: async (path) => statOf(entry(path) ?? path),
      async read(path) {
        const bytes = texts.get(real(path));
        if (!bytes) throw new Error(`${path}: is no file`);
        return bytes;
      },
      async write(path, bytes) {
        const at = realPath(path) ?? entry(path);
        if (at === null) throw new Error(`${path}: its folder is not there`);
        texts.set(at, Buffer.from(bytes));
      },
      async list(path) {
        const at = real(path);
        const inside = [...folders, ...texts.keys(), ...targets.keys()].filter((one) => one !== "/" && parentOf(one) === at);
        return inside.sort().map((one) => ({ name: nameOf(one), ...statOf(one)! }));
      },
      makeFolder: async (path) => makeFolder(realPath(path) ?? path),
      async remove(path) {
        for (const kept of [texts, targets, folders]) kept.delete(path);
      },
    },
    async run(argv, how) {
      if (run) return run(argv, how);
      how.output(Buffer.from(`${argv[0]}: not found\n`), "stderr");
      return 127;
    },
  };
}
