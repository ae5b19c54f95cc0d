import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { ToolError } from "../../core/error.ts";
import type { Refusal } from "../../core/ports/facts.ts";
import { OF_TMP, outsideWorkspace } from "../../core/told.ts";
import type { PathTouch } from "../../core/touch.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob, escapeGlob } from "../../text/glob.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { finishInTurns } from "../protected/folders.ts";
import { findHidden, type HiddenGlob, otherNameRefusal } from "../protected/hidden-files.ts";
import type { FileConfig } from "./config.ts";

/** Where the file tools may go. Everything here only looks; `pin.ts` makes sure that what was looked at is what is opened. */
export interface PathRules {
  readonly cwd: string;
  readonly home: string;
  readonly roots: readonly string[];
  /** The read sandbox has something to say, so trees must be walked. */
  readonly limitsReads: boolean;
  canonical(written: string): string;
  entry(written: string): string;
  exists(written: string): boolean;
  /** As `canonical`, but only links count that no tool and no command can have put there; null when another one is in the way. */
  settled(written: string): string | null;
  /** When what is there was changed last; null when there is nothing. */
  changedAt(written: string): number | null;
  /** The one path a touch is about. Resolved once, then judged and acted on: a second look may find something else. */
  resolve(touch: PathTouch): string;
  /** Judges a resolved path; what lies below it is judged in `tree.ts`. */
  judge(touch: PathTouch, resolved: string): Refusal | null;
  mayRead(canonical: string): Refusal | null;
  /** As `mayRead`, for a file that is open: one with several names may be kept from being read under another of them. */
  mayReadOpen(canonical: string, stats: Stats): Promise<Refusal | null>;
  /** What `deny_read` says, for the walls around commands. */
  readonly hidden: readonly HiddenGlob[];
}

export function createPathRules(
  cwd: string,
  { allowed_paths, deny_read, allow_read }: FileConfig,
  home = homedir(),
  keys: readonly string[] = [],
  /** Folders elsewhere that may be read, and only that. */
  opened: () => readonly string[] = () => [],
): PathRules {
  const base = canonicalPath(cwd);
  const canonical = (written: string) => canonicalPath(absolutePath(written, base, home));
  const entry = (written: string) => entryPath(absolutePath(written, base, home));
  const roots = allowed_paths.length > 0 ? [...new Set(allowed_paths.map(canonical))] : [base];
  const denied = deny_read.map((glob) => readGlob(glob, base, home));
  const allowed = allow_read.map((glob) => readGlob(glob, base, home));

  const secret = [...new Set(keys.map(canonicalPath))];
  const mayRead = (path: string): Refusal | null => {
    if (secret.includes(path)) return { rule: "keys", why: `${path} holds your keys. No tool may read it.` };
    const hit = denied.find(({ matches }) => matches(path));
    if (hit) return { rule: `deny_read ${hit.glob}`, why: `${path} may not be read: tools.file.deny_read lists "${hit.glob}".` };
    if (allowed.length === 0 || allowed.some(({ matches }) => matches(path))) return null;
    return { rule: "allow_read", why: `${path} may not be read: it matches nothing in tools.file.allow_read.` };
  };

  const mayReadOpen = async (path: string, { nlink, dev, ino }: Stats): Promise<Refusal | null> => {
    const refusal = mayRead(path);
    if (refusal !== null || nlink < 2 || denied.length + secret.length === 0) return refusal;
    const key = secret.find((file) => isFile(file, dev, ino));
    if (key !== undefined) return { rule: "keys", why: `${path} is another name of ${key}, which holds your keys. No tool may read it.` };
    return otherNameRefusal(path, await finishInTurns(findHidden(denied, [...roots, ...opened()])));
  };

  const resolve = (touch: PathTouch) => (touch.access === "delete" ? entry(touch.path) : canonical(touch.path));
  const judge = (touch: PathTouch, path: string): Refusal | null => {
    if (isProcessFile(path)) return { rule: "/proc", why: `${path} shows the inside of a running process and is never opened.` };
    const isIn = (root: string) => isWithin(root, path);
    if (!roots.some(isIn) && !(touch.access === "read" && opened().some(isIn)))
      return { rule: "allowed_paths", why: outside(touch.path, path, roots) };
    if (touch.access === "delete" && roots.some((root) => isWithin(path, root)))
      return { rule: "allowed_paths", why: `${path} is a folder the file tools work in, or holds one. It may not be deleted or moved.` };
    const refusal = touch.access === "read" ? mayRead(path) : null;
    return refusal !== null && !isDirectory(path) ? refusal : null;
  };

  return {
    cwd: base,
    home,
    roots,
    get limitsReads() {
      return denied.length + allowed.length > 0 || secret.some((file) => roots.some((root) => isWithin(root, file)) && existsSync(file));
    },
    canonical,
    entry,
    exists: (written) => statEntry(absolutePath(written, base, home)) !== null,
    settled: (written) =>
      settledPath(absolutePath(written, base, home), home, [...new Set([...roots, base, home, "/tmp", canonicalPath(tmpdir())])]),
    changedAt: (written) => attempt(() => statSync(absolutePath(written, base, home), { throwIfNoEntry: false })?.ctimeMs ?? null, null),
    resolve,
    judge,
    mayRead,
    mayReadOpen,
    hidden: denied,
  };
}

/** A file with several names may be one that nobody may read. */
export function byOtherName(rules: Pick<PathRules, "mayReadOpen">, path: string): Refusal | null | Promise<Refusal | null> {
  const stats = statEntry(path);
  return stats?.isFile() && stats.nlink > 1 ? rules.mayReadOpen(path, stats) : null;
}

const PROCESS_FILES = /^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/;
export const isProcessFile = (canonical: string): boolean => PROCESS_FILES.test(canonical);

function outside(written: string, path: string, roots: readonly string[]): string {
  const where = written === path ? written : `${written} (${path})`;
  const seen = roots.length > 1 ? ` They see ${roots.join(", ")}.` : "";
  const shared = isWithin("/tmp", path) ? ` Also: ${OF_TMP}` : "";
  return `${outsideWorkspace(where, "file tools", "tools.file.allowed_paths")}${seen}${shared}`;
}

/** Not `path.resolve`: that would drop `link/..` by its letters, and the kernel would not. */
export function absolutePath(written: string, cwd: string, home: string): string {
  if (written.startsWith("/")) return written;
  if (written === "~" || written.startsWith("~/")) return home + written.slice(1);
  return `${cwd}/${written}`;
}

/**
 * A glob means what it names, however it is written: `~` is home and where home really lies, links in its fixed beginning are followed, and a
 * name of a folder means everything in it.
 */
export function readGlob(glob: string, cwd: string, home: string, real = settled): HiddenGlob {
  const bare = glob.replace(/(?<=.)\/+$/, "");
  const written = bare === "~" || bare.startsWith("~/") ? home + bare.slice(1) : bare;
  const forms = written.startsWith("/") ? [written, real(written)] : [...floating(written), real(`${cwd === "/" ? "" : cwd}/${written}`)];
  const globs = [...new Set(forms)].flatMap((form) => [form, `${form}/**`]);
  const matchers = globs.map((form) => compileGlob(form, { flavour: "path", letters: "exact" }));
  const start = floating(written).length > 0 && !written.startsWith("/") ? null : fixedPart(forms.at(-1)!);
  return { glob, matches: (path) => matchers.some((matches) => matches(path)), start };
}

/** The folders before the first wildcard, as a path. */
function fixedPart(glob: string): string {
  const segments = glob.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}]/.test(segment.replace(/\\./g, "")));
  return (wild === -1 ? segments : segments.slice(0, wild)).join("/").replace(/\\(.)/g, "$1") || "/";
}

/** A relative glob is found at any depth, unless it says that it starts here. */
const floating = (glob: string): string[] => (glob.startsWith("**") ? [glob] : /^\.\.?(?:\/|$)/.test(glob) ? [] : [`**/${glob}`]);

/** The folders before the first wildcard, as they really are. */
function settled(glob: string): string {
  const segments = glob.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const fixed = wild === -1 ? segments : segments.slice(0, wild);
  const rest = wild === -1 ? [] : segments.slice(wild);
  try {
    return [escapeGlob(canonicalPath(fixed.join("/") || "/")).replace(/\/$/, ""), ...rest].join("/");
  } catch {
    return glob;
  }
}

const MAX_LINKS = 40;

/** Every link followed as far as the path exists; what does not exist yet is re-attached. */
function canonicalPath(path: string): string {
  try {
    // What is not there is found out without an error, which costs more than all the rest. `stat` throws where a path can lead nowhere at all.
    if (existsSync(path)) return realpathSync.native(path);
    return newEntryPath(path) ?? (statSync(path, { throwIfNoEntry: false }) === undefined ? walk(path) : realpathSync.native(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG" || code === "ELOOP") throw ToolError.from(error);
    return walk(path);
  }
}

/** A name that is not taken in a folder that is there: nothing to follow but the folder. Null for anything else. */
function newEntryPath(path: string): string | null {
  const name = nameOf(path);
  const parent = parentOf(path);
  if (name === "" || name === "." || name === ".." || !path.startsWith("/") || lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    return null;
  if (!existsSync(`${parent}/.`)) return null;
  const real = realpathSync.native(parent);
  return real === "/" ? `/${name}` : `${real}/${name}`;
}

function entryPath(path: string): string {
  const bare = path.replace(/\/+$/, "") || "/";
  const name = nameOf(bare);
  if (name === "" || name === "." || name === "..") return canonicalPath(bare);
  const parent = canonicalPath(parentOf(bare));
  return parent === "/" ? `/${name}` : `${parent}/${name}`;
}

/** Home may be a link, and so may what lies above the places where tools and commands write. */
function settledPath(path: string, home: string, loose: readonly string[]): string | null {
  try {
    let isLoose = false;
    const real = walk(path, (link) => {
      isLoose ||= link !== home && loose.some((root) => isWithin(root, link));
    });
    return isLoose ? null : real;
  } catch {
    return null;
  }
}

function walk(path: string, onLink: (link: string) => void = () => {}): string {
  const pending = path.split("/");
  let at = "";
  for (let links = 0; pending.length > 0; ) {
    const name = pending.shift()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    const next = `${at}/${name}`;
    const target = linkTarget(next);
    if (target === null) {
      at = next;
      continue;
    }
    onLink(next);
    if (++links > MAX_LINKS) throw new ToolError("permanent_failure", `${path}: goes through too many symbolic links (ELOOP).`);
    if (target.startsWith("/")) at = "";
    pending.unshift(...target.split("/"));
  }
  return at || "/";
}

/** null for anything that is no link, or cannot be looked at: opening it will say why. */
const linkTarget = (path: string): string | null => (statEntry(path)?.isSymbolicLink() ? attempt(() => readlinkSync(path), null) : null);

const isDirectory = (path: string): boolean => attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false);

function isFile(path: string, dev: number, ino: number): boolean {
  const stats = statEntry(path);
  return stats?.dev === dev && stats.ino === ino;
}
