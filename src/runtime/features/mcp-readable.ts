import { realDisk } from "../../host/sandbox/disk.ts";
import { realOrParent } from "../../host/sandbox/listed-paths.ts";
import { isWithin, parentOf } from "../../text/path.ts";

export interface Around {
  /** Where the person typed it. */
  readonly cwd: string;
  readonly home: string;
  /** Zeph's own files and the person's keys. What holds them is never opened to a server. */
  readonly own: readonly string[];
}

/**
 * What a command line needs to read of the places no command can read anyway: the folder of its program, and what was named in the
 * person's own folder (`named`). A file elsewhere that is no program may be a secret; it is opened with `--read`.
 */
export function readableFor(words: readonly string[], named: ReadonlySet<string>, around: Around): string[] {
  const wanted: string[] = [];
  for (const [n, word] of words.entries()) {
    const path = /^--?[\w.-]+=(\/.*)$/s.exec(word)?.[1] ?? word;
    const real = path.startsWith("/") ? realDisk.real(path) : null;
    const isProgram = n === 0 || SCRIPT.test(path);
    if (real === null || !(isProgram || named.has(path))) continue;
    // A link shows only where what it leads to is there as well.
    for (const place of new Set([path, real])) wanted.push(...placeOf(place, isProgram ? "program" : "thing", around));
  }
  const unique = [...new Set(wanted)];
  return unique.filter((path) => !unique.some((other) => other !== path && isWithin(other, path)));
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|sh|pl|php|lua|jar)$/;
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/homebrew", "/System"];
const NEVER = ["/proc", "/dev", "/sys"];

function placeOf(path: string, what: "program" | "thing", around: Around): string[] {
  if ([...SYSTEM, ...NEVER].some((root) => isWithin(root, path)) || isOwn(path, around.own)) return [];
  const may = (folder: string) => mayBeRead(folder, around);
  if (realDisk.isFolder(path)) return may(path) ? [path] : [];
  // Nothing else is opened with a file that is not run.
  const folders = what === "program" ? [packageOf(path), parentOf(path)] : [];
  return [folders.find((folder) => folder !== null && may(folder)) ?? path];
}

/** The folder with everything a program is made of; null when nothing says which. */
function packageOf(path: string): string | null {
  const modules = path.indexOf("/node_modules/");
  if (modules > 0) return path.slice(0, modules);
  return above(path, ["package.json", "pyproject.toml"]) ?? above(path, ["pyvenv.cfg"]);
}

function above(path: string, names: readonly string[]): string | null {
  for (let folder = parentOf(path); folder !== "/"; folder = parentOf(folder))
    if (names.some((name) => realDisk.kind(`${folder}/${name}`) === "file")) return folder;
  return null;
}

/** Not what everybody's things lie in, nor the person's home or what holds it. */
function mayBeRead(folder: string, { home, own }: Around): boolean {
  const real = realDisk.real(folder);
  if (real === null || real === "/" || parentOf(real) === "/" || real === "/var/tmp") return false;
  return !isWithin(real, realOrParent(home, realDisk)) && !isOwn(real, own);
}

/** Whether it is, holds or lies in what is Zeph's or a key. */
const isOwn = (path: string, own: readonly string[]): boolean =>
  own.map((file) => realOrParent(file, realDisk)).some((file) => isWithin(path, file) || isWithin(file, path));
