import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../text/attempt.ts";
import { parseJson, record } from "../text/json.ts";
import { readOwnFile, readOwnText } from "./own-file.ts";
import { isAlive } from "./process.ts";
import { statEntry } from "./stat.ts";

/** Zeph is not started from here. Its message says why, and what to do. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

export interface CopySource {
  /** The package, as it really lies. */
  readonly root: string;
  /** Zeph's folder of state. */
  readonly state: string;
  /** Whether a command of an agent began this process. What such a one brings along is not recorded. */
  readonly isBelowAgent: () => boolean;
}

export interface PrivateCopy {
  readonly copy: string;
  /** What is there of the package and of those beside it. */
  readonly watched: readonly string[];
}

/** What the build writes: a hash of each file it made or ships, and the packages that are loaded from beside it. */
export const FILE_LIST = "dist/files.json";
const MOST_LIST = 1024 * 1024;
const MOST_FILE = 128 * 1024 * 1024;
const MOST_FILES = 20_000;
const MOST_PACKAGES = 500;
/** Copies that nobody uses, besides the one that is made. */
const MOST_IDLE = 3;

/**
 * The folder of a private copy of the package, for where commands may write the package itself. It is made once for each content: each file has
 * the hash in the list that the build made, and each package beside it is what it was when it was first copied. Throws a CopyError where something
 * differs. Null where a command of an agent brings along what nobody has recorded: it has no more rights than the command.
 */
export function openPrivateCopy({ root, state, isBelowAgent }: CopySource): PrivateCopy | null {
  const copies = join(state, "copies");
  const receipt = join(copies, "at", `${sha256(root).slice(0, 32)}.json`);
  const known = isPrivate(copies) ? readReceipt(receipt) : null;
  if (known !== null && isUnchanged(known.stamps)) {
    const copy = join(copies, known.key);
    if (useCopy(copy)) return { copy, watched: [...Object.keys(known.stamps), ...known.more] };
  }
  makeFolders(copies);
  const draft = mkdtempSync(join(copies, `.new-${process.pid}-`));
  try {
    const made = copyPackage(root, draft);
    if (!isRecorded(made, { root, copies, isBelowAgent })) return null;
    const key = sha256(JSON.stringify([made.list, ...made.packages.map(({ name, hash }) => [name, hash])]));
    const copy = join(copies, key);
    if (!existsSync(copy)) placeCopy(draft, copy);
    removeOld(copies, key);
    if (!useCopy(copy)) throw new CopyError(`The private copy of Zeph in ${copies} cannot be used.`);
    writeWhole(receipt, JSON.stringify({ key, stamps: made.stamps, more: made.more }));
    return { copy, watched: [...Object.keys(made.stamps), ...made.more] };
  } catch (error) {
    if (error instanceof CopyError) throw error;
    throw new CopyError(`No private copy of Zeph can be made in ${copies}: ${(error as Error).message}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Keeps a copy for as long as something outside refers to it. */
export const keepCopy = (copy: string): void => writeFileSync(join(copy, "users", "kept"), "");

/**
 * Records what a person has built here, so that this is what the next start takes. Whatever else changed the list is refused then. A command of an agent records
 * nothing, and nothing is made where the state belongs to another user: a build with `sudo` must not take it from them.
 */
export function recordBuild(list: string | Buffer, { root, state, isBelowAgent }: CopySource): void {
  const copies = join(state, "copies");
  if (!isOwn(copies) || isBelowAgent()) return;
  makeFolders(copies);
  writeWhole(buildRecord(copies, root), sha256(list));
}

const buildRecord = (copies: string, root: string): string => join(copies, "builds", sha256(root).slice(0, 32));

/** Whether it is there and this user's, or may be made in a folder of this user. */
function isOwn(folder: string): boolean {
  const stats = statEntry(folder);
  return stats === null ? folder !== dirname(folder) && isOwn(dirname(folder)) : stats.uid === process.getuid?.();
}

interface Made {
  /** The hash of the list. */
  readonly list: string;
  readonly packages: readonly { readonly name: string; readonly hash: string; readonly place: string }[];
  /** What lay at each path that was looked at, from before it was read. */
  readonly stamps: Readonly<Record<string, string>>;
  /** What a start does not look at, for each takes time, and what nobody reads there: the library, and code of packages, of which there are copies. */
  readonly more: readonly string[];
}

type Watch = (path: string, when: "at each start" | "after commands") => void;

/** Only what the command line needs: the library is loaded by whoever imports it. */
const isCopied = (name: string): boolean => /^(?:bin|dist\/cli|vendor)\/|^package\.json$/.test(name);

function copyPackage(root: string, draft: string): Made {
  const stamps: Record<string, string> = {};
  const more: string[] = [];
  const watch: Watch = (path, when) => {
    if (when === "at each start") stamps[path] = stampOf(path);
    else more.push(path);
  };
  watch(join(root, FILE_LIST), "at each start");
  const text = readOwnText(join(root, FILE_LIST), { maxBytes: MOST_LIST, inside: root });
  const { files, packages: names } = record(parseJson(text ?? ""));
  if (text === null || !Array.isArray(names)) throw changed(join(root, FILE_LIST));
  for (const [name, hash] of Object.entries(record(files))) {
    if (!isPlainName(name)) continue;
    const path = join(root, name);
    watch(path, isCopied(name) ? "at each start" : "after commands");
    const file = attempt(() => readOwnFile(path, { maxBytes: MOST_FILE, inside: root }), null);
    if (file === null || sha256(file.bytes) !== hash) throw changed(path);
    if (isCopied(name)) place(join(draft, name), file.bytes, file.stats.mode);
  }
  const packages = copyPackages(root, names, draft, watch);
  mkdirSync(join(draft, "users"), { mode: 0o700 });
  const installed = isInstalled(root) ? [{ name: nameOfPackage(root), hash: sha256(text), place: root }] : [];
  return { list: sha256(text), packages: [...installed, ...packages], stamps, more };
}

/** As a package. Elsewhere it is a checkout, whose version says nothing about what was built. */
const isInstalled = (root: string): boolean => root.includes("/node_modules/");

const isPlainName = (name: string): boolean => !name.startsWith("/") && !name.split("/").includes("..");

/** The packages that are installed, and what they need. As Node finds them from the package; in the copy each lies on top, or below who needs another version. */
function copyPackages(root: string, names: readonly unknown[], draft: string, watch: Watch): Made["packages"] {
  const found: { name: string; hash: string; place: string }[] = [];
  const onTop = new Map<string, string>();
  const open = names.filter((name) => typeof name === "string").map((name) => ({ name, from: root, below: draft, above: [] as string[] }));
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { name, from, below, above } = next;
    const folder = findPackage(name, from, watch);
    if (folder === null || above.includes(folder) || onTop.get(name) === folder) continue;
    if (found.length >= MOST_PACKAGES) throw new Error(`more than ${MOST_PACKAGES} packages`);
    const isTop = !onTop.has(name);
    if (isTop) onTop.set(name, folder);
    const target = join(isTop ? draft : below, "node_modules", name);
    found.push({ name: nameOfPackage(folder), hash: copyTree(folder, target, watch), place: folder });
    const about = readManifest(folder);
    const needed = new Set(NEEDS.flatMap((kind) => Object.keys(record(about[kind]))));
    for (const one of needed) open.push({ name: one, from: folder, below: target, above: [...above, folder] });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const NEEDS = ["dependencies", "optionalDependencies", "peerDependencies"];

/** Where Node would find it. Each place that was asked is watched: another package there would count from then on. */
function findPackage(name: string, from: string, watch: Watch): string | null {
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name) || name.includes("..")) return null;
  for (let at = from; ; at = dirname(at)) {
    const manifest = join(at, "node_modules", name, "package.json");
    if (!at.endsWith("/node_modules")) {
      watch(manifest, "at each start");
      if (existsSync(manifest)) return dirname(realpathSync(manifest));
    }
    if (at === dirname(at)) return null;
  }
}

const readManifest = (folder: string): Record<string, unknown> =>
  record(parseJson(readOwnText(join(folder, "package.json"), { maxBytes: MOST_LIST }) ?? ""));

function nameOfPackage(folder: string): string {
  const { name, version } = readManifest(folder);
  return `${String(name)}@${String(version)}`;
}

/** What is no code: texts about it, and what it was made from. */
const NOT_RUN = /\.(?:md|markdown|map|d\.[cm]?ts|ts|tsx|c|cc|cpp|h|hpp|gyp|gypi)$/i;

/** Copies what can be run or read at run time, and returns one hash of all that. */
function copyTree(folder: string, target: string, watch: Watch): string {
  const hash = createHash("sha256");
  const open = [""];
  let count = 0;
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (++count > MOST_FILES) throw new Error(`${folder} holds more than ${MOST_FILES} files`);
      if (entry.isDirectory() && entry.name !== "node_modules" && !isForOthers(name)) open.push(name);
      if (!entry.isFile() || NOT_RUN.test(name)) continue;
      const path = join(folder, name);
      watch(path, /\.node$|(?:^|\/)package\.json$|(?:^|\/)bin\//.test(name) ? "at each start" : "after commands");
      const { bytes, stats } = readOwnFile(path, { maxBytes: MOST_FILE, inside: folder });
      addTo(hash, name, bytes);
      place(join(target, name), bytes, stats.mode);
    }
  }
  return hash.digest("hex");
}

const addTo = (hash: Hash, name: string, bytes: Buffer): Hash => hash.update(`${name}\0${bytes.length}\0`).update(bytes);

/** Programs for other machines. */
const isForOthers = (name: string): boolean =>
  /^prebuilds\/[a-z0-9]+-[\w+]+$/.test(name) && name !== `prebuilds/${process.platform}-${process.arch}`;

/** Whether each package is what it was at its first copy, and a checkout what was built there. The first who asks says what it is, unless an agent began them. */
function isRecorded({ list, packages }: Made, { root, copies, isBelowAgent }: Omit<CopySource, "state"> & { copies: string }): boolean {
  const fresh: (readonly [file: string, hash: string])[] = [];
  const known = packages.map(({ name, hash, place }) => ({ file: join(copies, "packages", encodeURIComponent(name)), hash, place }));
  if (!isInstalled(root)) known.push({ file: buildRecord(copies, root), hash: list, place: join(root, FILE_LIST) });
  for (const { file, hash, place } of known) {
    const before = readOwnText(file, { maxBytes: 100 });
    if (before === null) fresh.push([file, hash]);
    else if (before !== hash) throw changed(place, file);
  }
  if (fresh.length > 0 && isBelowAgent()) return false;
  for (const [file, hash] of fresh) writeWhole(file, hash);
  return true;
}

function changed(path: string, recordFile?: string): CopyError {
  const [again, first] = isInstalled(path) ? ["npm ci", "when it was first used"] : ["npm run build", "when you built it or first used it"];
  const was = recordFile === undefined ? "when it was released" : first;
  const own = recordFile === undefined ? "" : ` If you built ${path} yourself, remove ${recordFile}.`;
  return new CopyError(`zeph in this project was changed; run ${again}, then start again. ${path} is not what it was ${was}.${own}`);
}

/** Two that start at once make the same: whoever comes second takes the first one's. */
function placeCopy(draft: string, copy: string): void {
  try {
    renameSync(draft, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error;
  }
}

/** What this process has marked as used. */
const marks = new Set<string>();

/** Marks it as used by this process, so that nobody removes it. False where it is gone. */
function useCopy(copy: string): boolean {
  const mark = join(copy, "users", String(process.pid));
  const isMarked = attempt(() => {
    writeFileSync(mark, "");
    return existsSync(join(copy, "package.json"));
  }, false);
  if (isMarked && marks.size === 0) process.on("exit", removeMarks);
  if (isMarked) marks.add(mark);
  return isMarked;
}

function removeMarks(): void {
  for (const mark of marks) rmSync(mark, { force: true });
}

/** Removes drafts of processes that are gone, and all but the last copies that nobody uses. */
function removeOld(copies: string, key: string): void {
  const names = readdirSync(copies);
  for (const name of names) {
    const [, pid] = /^\.(?:new|old)-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid)))
      rmSync(join(copies, name), { recursive: true, force: true });
  }
  const idle = names
    .filter((name) => /^[0-9a-f]{64}$/.test(name) && name !== key && !isUsed(join(copies, name)))
    .map((name) => ({ name, at: attempt(() => statSync(join(copies, name, "users")).mtimeMs, 0) }))
    .sort((a, b) => b.at - a.at);
  for (const { name } of idle.slice(MOST_IDLE)) {
    const old = join(copies, `.old-${process.pid}-${name}`);
    // Somebody may begin to use it meanwhile: what is out of the way is looked at again.
    attempt(() => renameSync(join(copies, name), old), null);
    if (isUsed(old)) attempt(() => renameSync(old, join(copies, name)), null);
    else rmSync(old, { recursive: true, force: true });
  }
}

const isUsed = (copy: string): boolean =>
  attempt(() => readdirSync(join(copy, "users")), []).some((name) => name === "kept" || isAlive(Number(name)));

interface Receipt extends Pick<Made, "stamps" | "more"> {
  readonly key: string;
}

function readReceipt(path: string): Receipt | null {
  const { key, stamps, more } = record(parseJson(readOwnText(path, { maxBytes: MOST_LIST, links: "refuse" }) ?? ""));
  return typeof key === "string" && /^[0-9a-f]{64}$/.test(key)
    ? { key, stamps: record(stamps) as Receipt["stamps"], more: Array.isArray(more) ? more : [] }
    : null;
}

const isUnchanged = (stamps: Receipt["stamps"]): boolean => {
  const paths = Object.keys(stamps);
  return paths.length > 0 && paths.every((path) => stampOf(path) === stamps[path]);
};

/** Who it is, and when anything about it was changed: a date that nobody can set. */
export function stampOf(path: string): string {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : "none";
}

function makeFolders(copies: string): void {
  try {
    for (const folder of [copies, join(copies, "at"), join(copies, "builds"), join(copies, "packages")])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CopyError(
      `Zeph lies where commands may write, and no private copy can be made in ${copies}: ${(error as Error).message}. Install Zeph elsewhere (npm install --global zeph), or set XDG_STATE_HOME.`,
    );
  }
  if (!isPrivate(copies))
    throw new CopyError(`${copies} is open to others, so no private copy of Zeph is made there. Make it yours alone: chmod 700.`);
}

function isPrivate(folder: string): boolean {
  const stats = statEntry(folder);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

/** On the disk before it counts: a machine may stop at any moment. */
function place(path: string, bytes: Buffer, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, "wx", (mode & 0o111) !== 0 ? 0o755 : 0o644);
  try {
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  place(draft, Buffer.from(text), 0o600);
  renameSync(draft, path);
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
