import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { cacheRoot, knownWorkspaces } from "../../files/known-workspaces.ts";
import { readOwnText } from "../../files/own-file.ts";
import { entryIdentity, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import type { HiddenFile } from "../protected/hidden-files.ts";
import { firstShutFolder } from "../protected/protection.ts";
import { createSnapshot, realDisk } from "../sandbox/disk.ts";
import { realOrParent } from "../sandbox/listed-paths.ts";
import type { OtherUser } from "../sandbox/user.ts";
import type { CacheFolders } from "./cache-folder.ts";
import { oversizedCache } from "./cache-size.ts";
import { type GitSettings, readGitSettings } from "./git-settings.ts";
import { prepareOuter } from "./hold-outer.ts";
import { keptNpmSettings } from "./npm-settings.ts";
import { type RememberedTop, rememberTop } from "./opened-repository.ts";
import { openPlacedFiles, type PlacedFile, type PlacedText } from "./placed-texts.ts";
import type { PrivatePlaces } from "./private-places.ts";
import { findProgramsOnPath, type ProgramsOnPath, type RefusedFolder } from "./programs-on-path.ts";
import { findOuterRepository, type OuterRepository, type RepositorySources } from "./repository.ts";
import { findRepositorySecrets, type RepositorySecrets } from "./repository-secrets.ts";
import { openSessionFolders } from "./session-folders.ts";
import { placeVariables } from "./variables.ts";

/** What a working day needs of this machine besides the workspace. */
export interface Workday {
  /** The person's PATH as far as commands see it. */
  readonly path: readonly string[];
  /** Opened read-only for what lies on it. */
  readonly read: readonly string[];
  readonly refused: readonly RefusedFolder[];
  /** Files of ours that are put in place inside, read-only. */
  readonly files: readonly PlacedFile[];
  readonly variables: Readonly<Record<string, string>>;
  /** What commands keep from one to the next; null where there is nothing to keep it in. */
  readonly cache: CacheFolders | null;
  /** The folder that is /tmp to all commands of the session. */
  temp(holes: readonly string[]): string | null;
  /** The repository that the workspace belongs to, where that lies outside. */
  readonly repository: OuterRepository | null;
  /** Files of that repository that commands must not see with the rest of it. */
  readonly masked: readonly HiddenFile[];
  /** The person signs their commits, and behind the walls nothing can be signed. */
  readonly isSigning: boolean;
}

/** Looked up when the first command asks, and again only when what it was read from has changed. */
export interface WorkdayLookup {
  /** For commands that can write these folders, and all of the repository around them where `whole` names its top. */
  look(writable: readonly string[], whole?: string | null): Workday;
  /** The repository around the workspace, as it was when this was opened. */
  readonly begun: RememberedTop;
  /** What the person has to know, each once. */
  takeNotes(): string[];
  close(): void;
}

export interface WorkdayOptions {
  /** The workspace, as it really lies. */
  readonly cwd: string;
  readonly home: string;
  /** Zeph's own files and the person's keys. */
  readonly own: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** "system" leaves the person's PATH out. */
  readonly path: "auto" | "system";
  /** The user that runs the commands, where that is another one. */
  readonly user?: OtherUser | undefined;
  /** The home inside. */
  readonly inside: string;
}

export function openWorkday(options: WorkdayOptions): WorkdayLookup {
  const notes = createOnce();
  const files = openPlacedFiles(options.user);
  const folders = openSessionFolders(options);
  let isClosed = false;
  let isMeasured = false;
  const measure = ({ cache }: CacheFolders) => {
    if (isMeasured) return;
    isMeasured = true;
    void oversizedCache(cache, () => isClosed).then((note) => note !== null && notes.add(note));
  };
  const programs = remember(findPrograms, stampOfPrograms);
  const settings = remember(findSettings, stampOfSettings);
  const secrets = remember(findSecrets, ({ top }, { shown }) => stampOf([top, `${top}/.git/index`, ...shown]));
  const around = (writable: readonly string[]): RepositorySources => ({
    ...places(options),
    cwd: options.cwd,
    writable,
    uid: options.user?.uid ?? process.getuid?.() ?? -1,
  });
  const begun = rememberTop(around([options.cwd]));
  const credentials = new Map<string, HiddenFile>();
  /** What was found before commands could write beside it stays covered, whatever they put in its way. */
  const covered = (top: string, writable: readonly string[], isWhole: boolean): HiddenFile[] => {
    const { masked: found } = secrets({ ...options, top }, writable);
    if (!isWhole) credentials.clear();
    for (const file of found) if (credentials.size < MOST_CREDENTIALS) credentials.set(file.path, file);
    return [...credentials.values()];
  };
  const look = (own: readonly string[], whole: string | null): Workday => {
    // Once commands may change all of it, nothing that they could have made counts for it.
    const isKnown = whole === null || (begun.top() === whole && own.some((root) => isWithin(root, options.cwd)));
    const repository = isKnown ? findOuterRepository({ ...around(own), ...(whole !== null && { from: whole }) }) : null;
    const isWhole = whole !== null && repository?.top === whole;
    const writable = isWhole ? [...own, whole] : own;
    for (const folder of repository?.folders ?? []) prepareOuter(folder);
    // What commands write there decides as little as what they write in the workspace.
    const found = programs(options, [...writable, ...(repository?.folders ?? [])]);
    const git = settings(options, writable);
    const cache = folders.cache(writable);
    if (cache) measure(cache);
    for (const { folder, why } of found.refused)
      notes.add(`${folder} is on your PATH and is not opened to commands: it ${why}. tools.sandbox.toolchains opens a folder of programs.`);
    return {
      ...found,
      files: files.put(writable, filesOf(git, npmSettings(options), options.inside)),
      variables: {
        ...placeVariables({ env: options.env, homes: homesOf(options), read: found.read, writable }),
        ...(git.isRepositorySigning && UNSIGNED),
      },
      cache,
      temp: (holes) => folders.temp(writable, holes),
      repository,
      masked: repository?.top ? covered(repository.top, own, isWhole) : [],
      isSigning: git.isSigning,
    };
  };
  let last: { readonly key: string; readonly at: number; readonly day: Workday } | undefined;
  return {
    begun,
    look(writable, whole = null) {
      const key = [...writable, "", whole ?? ""].join("\0");
      // One command asks several times.
      if (last?.key === key && performance.now() - last.at < SAME_MS) return last.day;
      last = { key, at: performance.now(), day: look(writable, whole) };
      return last.day;
    },
    takeNotes: notes.take,
    close() {
      isClosed = true;
      files.close();
      folders.close();
    },
  };
}

/** Settings of the repository win over those of the person; a variable wins over both. */
const UNSIGNED = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "commit.gpgSign", GIT_CONFIG_VALUE_0: "false" };

const filesOf = (git: GitSettings, npm: string, inside: string): PlacedText[] =>
  [
    { name: "gitconfig", text: git.person, to: `${inside}/.gitconfig` },
    { name: "gitconfig-system", text: git.machine, to: "/etc/gitconfig" },
    { name: "gitignore", text: git.ignore ?? "", to: `${inside}/.config/git/ignore` },
    { name: "npmrc", text: npm, to: `${inside}/.npmrc` },
  ].filter(({ text }) => text !== "");

const MOST_SETTINGS = 64 * 1024;

const npmSettings = ({ home, user }: WorkdayOptions): string =>
  user ? "" : keptNpmSettings(readOwnText(`${home}/.npmrc`, { maxBytes: MOST_SETTINGS }) ?? "");

/** HOME may lead elsewhere; what lies in the home that the machine knows is private all the same. */
const homesOf = ({ home, user }: WorkdayOptions): string[] =>
  [...new Set([home, user?.home ?? attempt(() => userInfo().homedir, home)])].map((path) => realDisk.real(path) ?? path);

/** Zeph's own files lie beside each other, and each command asks where all of them are. */
function places(options: WorkdayOptions): PrivatePlaces {
  const disk = createSnapshot(realDisk);
  return { homes: homesOf(options), own: options.own.map((path) => realOrParent(path, disk)) };
}

function findPrograms(options: WorkdayOptions, writable: readonly string[]): ProgramsOnPath {
  if (options.path === "system") return { path: [], read: [], refused: [] };
  return findProgramsOnPath({
    path: options.env.PATH ?? "",
    cwd: options.cwd,
    ...places(options),
    writable,
    elsewhere: knownWorkspaces(cacheRoot(options.home, options.env)).filter((path) => path !== options.cwd),
    shut: (path) =>
      options.user && firstShutFolder(path, ["/"], realDisk, options.user) ? `cannot be entered by ${options.user.name}` : null,
  });
}

const findSettings = ({ cwd, home, env, user }: WorkdayOptions): GitSettings =>
  readGitSettings({ cwd, home: user?.home ?? home, env: user ? {} : env, user });

type Around = WorkdayOptions & { readonly top: string };

const findSecrets = ({ top, cwd }: Around): RepositorySecrets => findRepositorySecrets({ top, workspace: cwd });

const MOST_CREDENTIALS = 100;
const MOST_KNOWN = 8;
const SAME_MS = 5;

/** Keeps what was found for the same folders, as long as its stamp stays the same. */
function remember<T, O extends WorkdayOptions = WorkdayOptions>(
  find: (options: O, writable: readonly string[]) => T,
  stamp: (options: O, found: T) => string,
): (options: O, writable: readonly string[]) => T {
  const known = new Map<string, { readonly found: T; readonly stamp: string }>();
  return (options, writable) => {
    const key = writable.join("\0");
    const before = known.get(key);
    if (before && stamp(options, before.found) === before.stamp) return before.found;
    const found = find(options, writable);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, { found, stamp: stamp(options, found) });
    return found;
  };
}

const stampOfPrograms = ({ env, cwd }: WorkdayOptions, { read }: ProgramsOnPath): string =>
  stampOf([...(env.PATH ?? "").split(":"), ...read, `${cwd}/.venv/pyvenv.cfg`, `${cwd}/venv/pyvenv.cfg`, `${cwd}/env/pyvenv.cfg`]);

const stampOfSettings = ({ cwd }: WorkdayOptions, { sources }: GitSettings): string => stampOf([`${cwd}/.git`, ...sources]);

/** Which file or folder lies there, and when it last changed. */
const stampOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const stats = path.startsWith("/") ? statExact(path, statSync) : null;
      return stats === null ? "" : `${entryIdentity(stats)} ${stats.isDirectory() && path.endsWith("/.git") ? "" : stats.ctimeNs}`;
    })
    .join("\n");

function createOnce() {
  const known = new Set<string>();
  let waiting: string[] = [];
  return {
    add(note: string) {
      if (known.has(note)) return;
      known.add(note);
      waiting.push(note);
    },
    take(): string[] {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}
