import { isWithin, parentOf } from "../../text/path.ts";
import { finishInTurns } from "../protected/folders.ts";
import { findHidden, type HiddenFile, type HiddenFiles, type HiddenGlob } from "../protected/hidden-files.ts";
import { type CommandRunner, firstShutFolder, type Protection, protectionFor } from "../protected/protection.ts";
import { type Sweep, sweepProtected } from "../protected/sweep.ts";
import type { OpenedFolder } from "../skills/opened-skills.ts";
import type { CacheFolders } from "../workday/cache-folder.ts";
import { cacheVariables } from "../workday/cache-variables.ts";
import type { PlacedFile } from "../workday/placed-texts.ts";
import type { Workday, WorkdayLookup } from "../workday/workday.ts";
import type { Overlay } from "./backends/overlay.ts";
import type { SandboxConfig } from "./config.ts";
import { createSnapshot, type Disk, realDisk } from "./disk.ts";
import { commandEnvironment, SYSTEM_PATH } from "./environment.ts";
import { type InnerLink, innerLinks } from "./inner-links.ts";
import { type CommandLimits, DEFAULT_LIMITS } from "./limits.ts";
import { createPathFinder, type ListedPaths } from "./listed-paths.ts";
import { blocked, isSteered, refuseKeys, refuseMounting, refuseMoved, refuseWriting, said } from "./refusals.ts";

/** What one command may reach. All paths are real and absolute, parents before children. */
export interface Policy {
  /** Where the command starts. */
  readonly cwd: string;
  /** An empty folder that is made for it alone; it starts there in place of `cwd`. Only bubblewrap can make one. */
  readonly fresh?: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly protect: Protection;
  /** Files and folders that nobody may read (`tools.file.deny_read`): nothing of them is seen inside. */
  readonly hidden?: HiddenFiles;
  /** Git folders among the writable ones that lie outside the workspace. */
  readonly outer?: readonly string[];
  /** Where a command may start, and what lies below. */
  readonly starts: readonly string[];
  /** What was found in the writable folders when this was made. */
  readonly swept?: Sweep;
  readonly network: "open" | "closed";
  readonly env: Readonly<Record<string, string>>;
  /** A folder that is the home, in place of an empty one that goes with the command. It is among the writable ones. */
  readonly home?: string;
  /** Variables that are true only inside: they name places in the home there. */
  readonly inner?: Readonly<Record<string, string>>;
  /** Files of ours that are put in place inside, read-only. */
  readonly files?: readonly PlacedFile[];
  /** Names inside that lead to folders which are shown. */
  readonly links?: readonly InnerLink[];
  /** What is kept from one command to the next: the cache of the home inside. */
  readonly cache?: CacheFolders;
  /** The folder that is /tmp inside, and places in it where something of the machine is shown. */
  readonly temp?: { readonly folder: string; readonly holes: readonly string[] };
  readonly limits: CommandLimits;
  /** Folders that stand in for writable ones: a command changes the copy and believes it changed the folder. */
  readonly standIns?: ReadonlyMap<string, string>;
  /** Where the stand-ins are mounted, when they are no copies. */
  readonly overlay?: Overlay;
  /** What has to lie at this path once the walls stand: between this look and theirs it may have been exchanged. */
  readonly held?: PlaceIdentity;
  /** The same, of folders that are shown by their path beside what stands in for others. */
  readonly alsoHeld?: readonly PlaceIdentity[];
  /** For the person: what of the settings could not be followed. */
  readonly warnings: readonly string[];
}

/** A path, and the device and number of what has to lie there. */
export interface PlaceIdentity {
  readonly path: string;
  readonly mark: string;
}

/** Where a command runs and what the walls must know about the one who runs it. */
export interface Setting {
  /** The workspace, as it really lies. */
  readonly cwd: string;
  /** Names a folder that is not the one it was when everything was opened; null when there is none. */
  readonly moved?: () => string | null;
  /** The workspace's device and number, as they were then. */
  readonly mark?: () => string | null;
  readonly home: string;
  /** Zeph's own files: its configuration, store, audit log. No command may write them or what holds them. */
  readonly own: readonly string[];
  /** Files that decide what is allowed and may lie in the workspace: commands may read them and not change them. */
  readonly rules?: () => readonly string[];
  /** Who runs the command, where that is somebody else than us. */
  readonly runner?: CommandRunner | undefined;
  /** What `tools.file.deny_read` says. */
  readonly hidden?: readonly HiddenGlob[];
  /** Frozen files that this one command may write. */
  readonly lifted?: readonly string[];
  /** Zeph's own builder makes the walls, so there can be more of them. */
  readonly isOwnBuilder?: boolean;
  /** The person's keys. No command may read what holds them. */
  readonly keys: readonly string[];
  /** `tools.shell.allowed_paths`; empty means the workspace. */
  readonly allowedPaths: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the person's own programs and settings are. Without it commands have those of the system. */
  readonly day?: Pick<WorkdayLookup, "look">;
  /** The top of the repository around the workspace, where the person lets commands change all of it. */
  readonly whole?: string | null;
  /** Folders of skills that are shown read-only, in the home inside too. */
  readonly skills?: (() => readonly OpenedFolder[]) | undefined;
  /** Where this command starts, when an earlier `cd` led elsewhere. */
  readonly start?: string;
  /** Variables given on purpose. */
  readonly added?: Readonly<Record<string, string>>;
  readonly limits?: Partial<CommandLimits>;
}

/** Everything is looked up anew for each command: paths come and go. Throws `policy_blocked` for a folder that may never be writable. */
export function policyFor(config: SandboxConfig, setting: Setting, given: Disk = realDisk): Policy {
  const disk = createSnapshot(given);
  refuseMoved(setting, disk);
  const find = createPathFinder(setting, disk);
  const places = find("tools.shell.allowed_paths", setting.allowedPaths.length > 0 ? setting.allowedPaths : [setting.cwd]);
  const writable = config.allow_write.length > 0 ? find("tools.sandbox.allow_write", config.allow_write) : places;
  for (const { written, real } of writable.found) refuseWriting(written, real, setting, disk);

  const readable = find("tools.sandbox.allow_read", config.allow_read);
  const programs = find("tools.sandbox.toolchains", config.toolchains);
  for (const { written, real } of [...readable.found, ...programs.found, ...places.found]) {
    refuseMounting(written, real);
    refuseKeys(written, real, setting, disk);
  }

  const roots = writable.found.map(({ real }) => real);
  const kept = (list: ListedPaths) => list.found.filter(({ written, real }) => !isSteered(written, real, roots, disk));
  const steered = [places, writable, readable, programs].flatMap((list) => list.found.filter((entry) => !kept(list).includes(entry)));
  const here = parentsFirst(kept(writable).map(({ real }) => real));
  const { whole = null } = setting;
  const day = config.enabled ? setting.day?.look(here, whole) : undefined;
  const repository = day?.repository ?? null;
  const opened = repository !== null && repository.top === whole ? whole : null;
  if (opened !== null) refuseWriting(opened, opened, setting, disk);
  const own = opened === null ? here : parentsFirst([opened, ...here.filter((path) => !isWithin(opened, path))]);
  const outer = repository?.folders ?? [];
  const write = [...own, ...outer];
  const top = repository?.top ? [repository.top] : [];
  const listed = [...kept(places), ...kept(readable), ...kept(programs)].map(({ real }) => real);
  const skills = config.enabled ? (setting.skills?.() ?? []).filter(({ folder }) => !write.some((root) => isWithin(root, folder))) : [];
  const shown = [...listed, ...(day?.read ?? []), ...top, ...outermost(skills.map(({ folder }) => folder))];
  const read = parentsFirst(shown).filter((path) => !write.some((root) => isWithin(root, path)));
  const mounts = [...read, ...write];
  const links = innerLinks(skills, { home: setting.home, inside: HOME_INSIDE, mounts });
  const starts = parentsFirst([...kept(places).map(({ real }) => real), ...top]);
  const cwd = startFolder(setting, starts, disk);
  // Where there are no walls there is nothing to hold in place.
  const swept = config.enabled ? withOuter(disk.sweep(own), outer) : undefined;
  const protect: Protection = swept
    ? protectionFor(write, disk, {
        rules: setting.rules?.() ?? [],
        runner: setting.runner,
        sweep: swept,
        lifted: setting.lifted ?? [],
        isOwnBuilder: setting.isOwnBuilder,
        ...(repository && { outer: repository }),
      })
    : { pinned: [], frozen: [], warnings: [] };
  // A folder of programs is large and not the person's work: a glob is looked for there only when it begins there, as in the system's folders.
  const searched = [...write, ...read].filter((path) => !day?.read.includes(path) || listed.includes(path));
  const besides = [...SYSTEM, ...(day?.read ?? [])];
  const asked = config.enabled && setting.hidden ? disk.hidden(setting.hidden, searched, besides) : undefined;
  const masked = (day?.masked ?? []).filter(({ path }) => disk.kind(path) === "file");
  const hidden = masked.length > 0 ? withMasked(asked ?? HIDES_NOTHING, masked) : asked;
  const concealed = (hidden?.places ?? []).flatMap((place) => reachable(place, [...write, ...read], disk, setting));
  const held = withFoldersAbove(protect, concealed, write);
  const network = config.allow_network ? "open" : "closed";
  const mark = [...write, ...read].some((root) => isWithin(root, setting.cwd)) ? (setting.mark?.() ?? null) : null;
  return {
    cwd,
    read,
    write,
    protect: held,
    ...(hidden && { hidden: { ...hidden, places: concealed } }),
    ...(swept && { swept }),
    ...(outer.length > 0 && { outer }),
    starts,
    network,
    env: commandEnvironment({
      parent: setting.env,
      network,
      path: [...kept(programs).map(({ real }) => binIn(real, disk)), ...new Set([...(day?.path ?? []), ...SYSTEM_PATH.split(":")])].join(
        ":",
      ),
      home: HOME_INSIDE,
      temp: "/tmp",
      added: { ...day?.variables, ...setting.added },
    }),
    ...(links.length > 0 && { links }),
    ...(day && { files: day.files, ...keptFolders(day, [...mounts, ...links.map(([, name]) => name).filter(isOutside)], disk) }),
    limits: { ...DEFAULT_LIMITS, ...setting.limits },
    ...(mark !== null && { held: { path: setting.cwd, mark } }),
    warnings: [
      ...[places, writable, readable, programs].flatMap(({ warnings }) => warnings),
      ...steered.map(({ written, real }) => `${written} leads to ${real} through a link that commands can change; it is left out.`),
      ...held.warnings,
      ...socketsIn([...read, ...write], disk),
    ],
  };
}

/**
 * As `policyFor`, for whoever can wait: the look through a large workspace lets others come between. What it found is handed to the sync one
 * in place of a look of its own.
 */
export async function policyInTurns(config: SandboxConfig, setting: Setting): Promise<Policy> {
  // Where there are no walls, nothing is looked for.
  if (!config.enabled) return policyFor(config, setting);
  let asked: Parameters<Disk["hidden"]> | undefined;
  const noteSearch: Disk["hidden"] = (...search) => {
    asked = search;
    return HIDES_NOTHING;
  };
  // What the second one refuses needs no refusal here.
  const { write, outer = [] } = policyFor(config, { ...setting, own: [], keys: [] }, { ...realDisk, ...FINDS_NOTHING, hidden: noteSearch });
  const own = write.filter((root) => !outer.includes(root));
  const swept = await finishInTurns(sweepProtected(own));
  const hidden = asked ? await finishInTurns(findHidden(...asked)) : HIDES_NOTHING;
  return policyFor(config, setting, { ...realDisk, sweep: () => swept, hidden: () => hidden });
}

/** A git folder elsewhere is known already; nobody has to go through all that is in it. */
const withOuter = (swept: Sweep, outer: readonly string[]): Sweep => ({ ...swept, gits: [...new Set([...swept.gits, ...outer])] });

const withMasked = (asked: HiddenFiles, masked: readonly HiddenFile[]): HiddenFiles => ({ ...asked, places: [...asked.places, ...masked] });

/** Each is a mount. What is above the others is only looked for after the command. */
const MOST_PINNED = 1000;

/**
 * A wall inside a writable folder holds a file, and a command that renames a folder above it takes the wall along. So all folders between the root
 * and such a place are pinned too.
 */
function withFoldersAbove(protect: Protection, hidden: readonly HiddenFile[], roots: readonly string[]): Protection {
  const walled = [...protect.pinned, ...protect.frozen, ...hidden.map(({ path }) => path)];
  const above = walled.flatMap((path) => foldersBelow(roots, path)).filter((path) => !roots.includes(path));
  const wanted = [...new Set([...protect.pinned, ...above])];
  const left = wanted.length - MOST_PINNED;
  const warnings = left > 0 ? [`${left} folders above protected files are not held: a command could rename them.`] : [];
  return { ...protect, pinned: parentsFirst(wanted.slice(0, MOST_PINNED)), warnings: [...protect.warnings, ...warnings] };
}

function foldersBelow(roots: readonly string[], path: string): string[] {
  const found: string[] = [];
  for (let at = parentOf(path); roots.some((root) => root !== at && isWithin(root, at)); at = parentOf(at)) found.push(at);
  return found;
}

const HIDES_NOTHING: HiddenFiles = { places: [], unfinished: null };

const FINDS_NOTHING: Pick<Disk, "sweep" | "twins"> = {
  sweep: () => ({ spots: [], gits: [], bare: [], shut: [], unseen: [], folders: new Set(), byteNames: new Map(), isComplete: true }),
  twins: () => ({ paths: [], isComplete: true }),
};

/** What lies below them is mounted there, and a command could exchange what it would be mounted on. */
function keptFolders(day: Workday, mounts: readonly string[], disk: Disk): Pick<Policy, "cache" | "temp" | "inner"> {
  const cache = mounts.some((path) => isWithin(HOME_INSIDE, path)) ? null : day.cache;
  const inTemp = mounts.filter((path) => isWithin("/tmp", path));
  const holes = [...new Set(inTemp.map((path) => path.split("/").slice(0, 3).join("/")))];
  const isPlain = holes.every((hole) => hole !== "/tmp" && disk.isFolder(hole)) && !mounts.some((path) => isWithin(path, "/tmp"));
  const folder = isPlain ? day.temp(holes) : null;
  return {
    ...(cache && { cache, inner: cacheVariables(`${HOME_INSIDE}/.cache`) }),
    ...(folder !== null && { temp: { folder, holes } }),
  };
}

/** A folder on the way that its owner closed is hidden as a whole; one that is somebody else's hides it by itself. */
function reachable(place: HiddenFile, roots: readonly string[], disk: Disk, { runner }: Setting): HiddenFile[] {
  const shut = firstShutFolder(place.path, roots, disk, runner);
  if (shut === null) return [place];
  return shut.isTheirs ? [{ path: shut.path, kind: "folder" }] : [];
}

/** What commands see of the machine besides. */
const SYSTEM = ["/usr", "/etc"];

export const HOME_INSIDE = "/home/agent";
const isOutside = (path: string): boolean => !isWithin(HOME_INSIDE, path);

function startFolder({ cwd, start = cwd }: Setting, roots: readonly string[], disk: Disk): string {
  const real = disk.real(start);
  if (real === null) throw blocked(`${start} does not exist, so no command can start there.`);
  if (roots.some((root) => isWithin(root, real))) return real;
  throw blocked(
    `${said(start, real)} lies outside the folders a command may start in: ${roots.join(", ")}. See tools.shell.allowed_paths.`,
  );
}

/** A socket works through a read-only mount too, and these hand over the machine. */
const POWERFUL = ["/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket"];
const socketsIn = (roots: readonly string[], disk: Disk) =>
  POWERFUL.filter((path) => roots.some((root) => isWithin(root, path)) && disk.real(path) !== null).map(
    (path) => `${path} is among the listed paths: whoever can talk to it controls this machine.`,
  );

/** `~/.pyenv` means its programs; a folder of programs means itself. */
const binIn = (path: string, disk: Disk) => (disk.isFolder(`${path}/bin`) ? `${path}/bin` : path);

const outermost = (paths: readonly string[]) => paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));

const parentsFirst = (paths: readonly string[]) =>
  [...new Set(paths)].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
