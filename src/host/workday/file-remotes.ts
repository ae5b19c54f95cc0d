import { posix } from "node:path";
import type { ApprovedCall } from "../../core/door.ts";
import { type FileRemote, openedBy } from "../../core/ports/file-remote.ts";
import type { Touch } from "../../core/touch.ts";
import { followLinks } from "../../files/follow-links.ts";
import { readOwnText } from "../../files/own-file.ts";
import { statEntry } from "../../files/stat.ts";
import { isWithin } from "../../text/path.ts";
import { MAX_GIT_FILE } from "../protected/git-folders.ts";
import { prepareOuter } from "./hold-outer.ts";
import { openingRefusal, type PrivatePlaces } from "./private-places.ts";
import type { WorkdayLookup } from "./workday.ts";

export interface FileRemoteSources extends PrivatePlaces {
  readonly cwd: string;
  /** Folders that commands can write: no link in them counts. */
  readonly writable: () => readonly string[];
  /** The git folders of the workspace that commands cannot turn: what their settings say is the person's word. */
  readonly gits: () => readonly string[];
  readonly uid: number;
}

/** Repositories of the person's that were opened to the commands of this session. */
export interface FileRemotes {
  /** The repository that a git command names in a folder, where it is one to ask about; null for everything else, and for one that is open. */
  find(cwd: string, name: string | undefined, access: FileRemote["access"]): FileRemote | null;
  open(remotes: readonly FileRemote[]): void;
  opened(): readonly FileRemote[];
}

const MOST_OPENED = 16;

export function createFileRemotes(sources: FileRemoteSources): FileRemotes {
  const opened = new Map<string, FileRemote["access"]>();
  return {
    find(cwd, name, access) {
      const url = name !== undefined && isPath(name) ? name : remoteUrl(sources.gits(), name, access);
      const path = url === null ? null : bareRepository(posix.resolve(sources.cwd, cwd, plainPath(url)), sources);
      if (path === null || opened.get(path) === "write" || opened.get(path) === access) return null;
      return { path, access };
    },
    open(remotes) {
      for (const { path, access } of remotes) {
        if (opened.size >= MOST_OPENED && !opened.has(path)) return;
        // What was shown is looked at again: it may have become something else.
        if (bareRepository(path, sources) === path && opened.get(path) !== "write") opened.set(path, access);
      }
    },
    opened: () => [...opened].filter(([path]) => bareRepository(path, sources) === path).map(([path, access]) => ({ path, access })),
  };
}

const isPath = (name: string): boolean => /^(file:\/\/\/|\/|\.\.?(\/|$))/.test(name) || (name.includes("/") && !name.includes(":"));
const plainPath = (url: string): string => url.replace(/^file:\/\/(?=\/)/, "");

/** A bare repository of the person's, outside of what commands see, and no private place. */
function bareRepository(path: string, { uid, writable, homes, own }: FileRemoteSources): string | null {
  for (const written of [path, `${path}.git`]) {
    const found = followLinks(written, writable());
    if (found === null || found.isSteered || !isBare(found.path, uid)) continue;
    if (writable().some((root) => isWithin(root, found.path) || isWithin(found.path, root))) return null;
    return openingRefusal(found.path, { homes, own }) === null ? found.path : null;
  }
  return null;
}

function isBare(path: string, uid: number): boolean {
  const isKind = (name: string, kind: "isFile" | "isDirectory") => statEntry(`${path}/${name}`)?.[kind]() === true;
  return (
    statEntry(path)?.uid === uid &&
    isKind("HEAD", "isFile") &&
    isKind("config", "isFile") &&
    isKind("objects", "isDirectory") &&
    isKind("refs", "isDirectory")
  );
}

/** Where the remote of that name leads; without a name, that of the branch or `origin`. Null where it is no path of this machine. */
function remoteUrl(gits: readonly string[], name: string | undefined, access: FileRemote["access"]): string | null {
  for (const git of gits) {
    const settings = readSettings(`${git}/config`);
    const branch = /^ref: refs\/heads\/(.+)$/m.exec(textOf(`${git}/HEAD`))?.[1];
    const remote = name ?? settings.get(`branch.${branch}.remote`) ?? "origin";
    const pushed = access === "write" ? settings.get(`remote.${remote}.pushurl`) : undefined;
    const url = pushed ?? settings.get(`remote.${remote}.url`);
    if (url !== undefined) return isPath(url) ? url : null;
  }
  return null;
}

const textOf = (file: string): string => readOwnText(file, { maxBytes: MAX_GIT_FILE, links: "refuse" }) ?? "";

function readSettings(file: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = "";
  for (const line of textOf(file).split("\n")) {
    const [, head, sub] = /^\s*\[(\w+)(?:\s+"([^"\n]*)")?\]\s*$/.exec(line) ?? [];
    if (head !== undefined) section = `${head.toLowerCase()}.${sub === undefined ? "" : `${sub}.`}`;
    const [, key, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined) settings.set(`${section}${key.toLowerCase()}`, value!.replace(/^"(.*)"$/, "$1"));
  }
  return settings;
}

/** What a working day needs, with these repositories opened: what is sent there is held as the person's own repository is. */
export const withFileRemotes = (day: Pick<WorkdayLookup, "look">, remotes: readonly FileRemote[]): Pick<WorkdayLookup, "look"> => ({
  look(writable, whole) {
    const found = day.look(writable, whole);
    const of = (access: FileRemote["access"]) => remotes.filter((one) => one.access === access).map(({ path }) => path);
    const sent = of("write");
    for (const path of sent) prepareOuter(path);
    const { top = null, folders = [], thawed = [] } = found.repository ?? {};
    return {
      ...found,
      read: [...found.read, ...of("read")],
      repository: sent.length === 0 ? found.repository : { top, folders: [...folders, ...sent], thawed },
    };
  },
});

/** What a yes opened stays open for this session, to git commands that talk to another repository and to no others. */
export function remotesOpenTo(remotes: FileRemotes | undefined, { grant, call }: ApprovedCall): readonly FileRemote[] {
  if (!remotes) return [];
  if (grant.kind === "confirmed") remotes.open(openedBy(grant.asked));
  return call.touches.some(talksToRemote) ? remotes.opened() : [];
}
const talksToRemote = (touch: Touch): boolean =>
  touch.kind === "command" &&
  touch.argv[0] === "git" &&
  touch.argv.some((word) => /^(?:fetch|pull|push|clone|ls-remote)$/.test(word ?? ""));
