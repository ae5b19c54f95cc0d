import { chmodSync, chownSync, fstatSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOwnFile } from "../../../files/own-file.ts";
import { entryIdentity } from "../../../files/stat.ts";
import { isWithin } from "../../../text/path.ts";
import type { Pinned } from "../../files/pin.ts";
import { type Overlay, withOverlay } from "../../sandbox/backends/overlay.ts";
import { PERL } from "../../sandbox/backends/perl.ts";
import { createFedLaunch } from "../../sandbox/fed-launch.ts";
import { runLaunch } from "../../sandbox/run.ts";
import type { OtherUser } from "../../sandbox/user.ts";
import { createTemporary, type Temporary } from "../../temporary.ts";

/** Layers above folders that are held open, mounted when the command starts. */
export interface Layers {
  readonly overlay: Overlay;
  /** Where each is mounted, in the order of the folders. */
  readonly merged: readonly string[];
  readonly uppers: readonly string[];
  /** Folders of a layer that hide what lay below them; null when it could not be told of all. */
  opaque(n: number): { readonly folders: ReadonlySet<string>; readonly isComplete: boolean };
  remove(): void;
}

interface HeldFolder {
  readonly path: string;
  readonly pin: Pinned;
}

/** A folder of ours for the layers: an overlay of its own, as containers have, takes none above it, so memory is tried as well. */
const BASES = [tmpdir(), "/dev/shm"];
const MOST_FOLDERS = 16;

/** Null where this machine or this user can make none. */
export async function openLayers(folders: readonly HeldFolder[], user: OtherUser | undefined): Promise<Layers | null> {
  if (folders.length > MOST_FOLDERS || folders.some(({ path }) => hasMountsBelow(path))) return null;
  if (folders.some(({ pin }) => hasOtherGroups(pin, user))) return null;
  for (const base of BASES) {
    if (folders.some(({ path }) => isWithin(path, base))) continue;
    const layers = await layersIn(base, folders, user).catch(() => null);
    if (layers) return layers;
  }
  return null;
}

const MOST_LOOKED_AT = 2000;

/**
 * Whether a file of this user belongs to another group than theirs. A user namespace knows one group, and what belongs to another could not
 * be changed in a layer, although it can be here. Looked at from the top, as far as that is quick.
 */
function hasOtherGroups({ fd }: Pinned, user: OtherUser | undefined): boolean {
  const [uid, gid] = [user?.uid ?? process.getuid?.(), user?.gid ?? process.getgid?.()];
  if (uid === 0) return false;
  const open = [`/proc/self/fd/${fd}/.`];
  for (let n = 0; n < open.length && n < MOST_LOOKED_AT; n++) {
    try {
      const found = lstatSync(open[n]!);
      if (found.uid === uid && found.gid !== gid) return true;
      if (found.isDirectory() && open.length < MOST_LOOKED_AT) open.push(...readdirSync(open[n]!).map((name) => join(open[n]!, name)));
    } catch {
      // Gone, not to be entered, or no text: it is looked at when the command comes to it.
    }
  }
  return false;
}

async function layersIn(base: string, folders: readonly HeldFolder[], user: OtherUser | undefined): Promise<Layers | null> {
  const temporary: Temporary = createTemporary({ kind: "rehearsal", base, owner: user });
  try {
    const places = folders.map(({ pin }, n) => layerFolder(join(temporary.path, String(n)), pin, user));
    const isRoot = (user?.uid ?? process.getuid?.()) === 0;
    const overlay: Overlay = {
      layers: folders.map(({ path, pin }, n) => ({ path, mark: markOf(pin), folder: places[n]! })),
      namespace: isRoot ? "mounts" : "mounts and users",
    };
    if (await works(overlay, folders, user))
      return {
        overlay,
        merged: places.map((place) => join(place, "merged")),
        uppers: places.map((place) => join(place, "upper")),
        opaque: (n) => opaqueIn(join(places[n]!, "opaque")),
        remove: () => temporary.remove(),
      };
  } catch {
    // No such folder here, or a full one.
  }
  temporary.remove();
  return null;
}

const markOf = ({ fd }: Pinned): string => entryIdentity(fstatSync(fd, { bigint: true }));

/** The folder that is shown has the owner and the mode of its layer, so the layer gets those of the folder below. */
function layerFolder(place: string, pin: Pinned, user: OtherUser | undefined): string {
  const { mode, uid, gid } = fstatSync(pin.fd);
  for (const folder of [place, ...["upper", "work", "merged"].map((name) => join(place, name))]) {
    mkdirSync(folder, { mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
  }
  const upper = join(place, "upper");
  if (process.getuid?.() === 0) chownSync(upper, uid, gid);
  chmodSync(upper, mode & 0o1777);
  return place;
}

const TRY_MS = 5000;

/** Whether they can be mounted, and show the inode numbers of the folders below, by which the walls are compared. */
async function works({ layers, ...overlay }: Overlay, folders: readonly HeldFolder[], user: OtherUser | undefined): Promise<boolean> {
  const inside = layers.flatMap(({ folder }, n) =>
    firstFolderIn(folders[n]!).map((found) => ({ ...found, merged: join(folder, "merged") })),
  );
  const looks = inside.map(({ merged, name, ino }) => [
    `${ino} ${BigInt(ino) | (1n << 63n)} ${BigInt(ino) | (1n << 33n)}`,
    join(merged, name),
  ]);
  const line = withOverlay({ file: PERL, args: ["-e", SAME_NUMBERS, ...looks.flat()] }, { layers, ...overlay }, null);
  if (line === null) return false;
  const walls = { backend: "none", layers: [], network: "open" } as const;
  const launch = createFedLaunch({
    ...line,
    cwd: "/",
    env: {},
    walls,
    user,
    runner: null,
    tree: "dies",
    feeds: [],
    statusFd: null,
    judge: () => "ran",
    after: () => {},
  });
  const { exitCode } = await runLaunch(launch, { timeoutMs: TRY_MS, onOutput: () => {} });
  return exitCode === 0;
}

const SAME_NUMBERS =
  "while (my ($numbers, $path) = splice @ARGV, 0, 2) { my $is = (lstat $path)[1]; exit 1 unless grep { $_ eq $is } split / /, $numbers }";

/** A folder that can be looked at. A layer without one has nothing to compare but what lies at its top. */
function firstFolderIn({ pin }: HeldFolder): { readonly name: string; readonly ino: string }[] {
  const named = readdirSync(pin.here, { withFileTypes: true }).find((entry) => entry.isDirectory());
  const found = named && lstatSync(pin.at(named.name), { bigint: true, throwIfNoEntry: false });
  return found ? [{ name: named.name, ino: String(found.ino) }] : [];
}

/** An overlay shows one file system: what is mounted below the folder would be empty in it. */
function hasMountsBelow(path: string): boolean {
  const points = readFileSync("/proc/self/mountinfo", "latin1")
    .split("\n")
    .map((line) => (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))));
  const bytes = Buffer.from(path).toString("latin1");
  return points.some((point) => point !== bytes && isWithin(bytes, point));
}

const MOST_LISTED = 16 * 1024 * 1024;

function opaqueIn(file: string): { folders: ReadonlySet<string>; isComplete: boolean } {
  try {
    const folders = new Set(
      readOwnFile(file, { maxBytes: MOST_LISTED, links: "refuse" }).bytes.toString("latin1").split("\0").filter(Boolean),
    );
    return { isComplete: !folders.delete("?"), folders };
  } catch {
    return { folders: new Set(), isComplete: false };
  }
}
