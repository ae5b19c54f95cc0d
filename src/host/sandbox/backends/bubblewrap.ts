import { isWithin } from "../../../text/path.ts";
import { type Disk, realDisk } from "../disk.ts";
import { type HeldPlaces, sourceOf } from "../held-places.ts";
import { HOME_INSIDE, type Policy } from "../policy.ts";
import type { EtcCopy } from "./prepared-etc.ts";

/** Options newer than the oldest bwrap we accept. What they add is held by the filter too, or is only a limit. */
export const OPTIONAL = ["--disable-userns", "--size", "--perms", "--hostname", "--unshare-cgroup-try"] as const;
export const REQUIRED = [
  "--args",
  "--seccomp",
  "--json-status-fd",
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-net",
  "--cap-drop",
  "--die-with-parent",
  "--new-session",
  "--ro-bind",
  "--bind",
  "--symlink",
  "--proc",
  "--dev",
  "--tmpfs",
  "--dir",
  "--remount-ro",
  "--chdir",
  "--setenv",
] as const;

/** The sandbox as bwrap's arguments. The order matters: a later mount covers an earlier one, and `/` is closed last. */
export function bubblewrapArgs(
  policy: Policy & { readonly joined?: boolean; readonly runner?: string | null; readonly etc?: EtcCopy | null },
  has: (option: string) => boolean = () => true,
  disk: Disk = realDisk,
  places: Judged = NOTHING_JUDGED,
): string[] {
  const bind = (flag: "--bind" | "--ro-bind", path: string) => {
    const source = sourceOf(policy, path);
    return [...judged("--is", source, places), flag, source, path];
  };
  const sized = (bytes: number) => (has("--size") ? ["--size", String(bytes)] : []);
  const closed = has("--perms") ? ["--perms", "0700"] : [];
  const { limits, fresh } = policy;
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(has("--unshare-cgroup-try") ? ["--unshare-cgroup-try"] : []),
    // Whoever joins a closed network is in it already.
    ...(policy.network === "closed" && !policy.joined ? ["--unshare-net"] : []),
    ...(has("--disable-userns") ? ["--disable-userns"] : []),
    // As root bwrap keeps every capability unless told otherwise.
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...(has("--hostname") ? ["--hostname", "sandbox"] : []),
    ...system(disk),
    ...(policy.etc ? ["--is", policy.etc.identity, "--ro-bind", policy.etc.path, "/etc"] : etc(policy.network, disk)),
    // As root, /proc/sys belongs to us and needs no capability: without this, a write reaches the host.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...["--dev", "/dev", ...sized(limits.sharedMemoryBytes), "--tmpfs", "/dev/shm"],
    ...temporary(policy, sized(limits.tempBytes), places),
    ...[...sized(limits.tempBytes), ...closed, "--tmpfs", HOME_INSIDE],
    ...bindKept(policy.cache?.cache, `${HOME_INSIDE}/.cache`, places),
    ...bindKept(policy.cache?.pnpm, `${HOME_INSIDE}/.local/share/pnpm`, places),
    ...(policy.files ?? []).flatMap(([from, to]) => ["--ro-bind", from, to]),
    ...(policy.links ?? []).flatMap(([target, name]) => ["--symlink", target, name]),
    ...["--dir", "/run", "--dir", "/var/tmp"],
    ...(policy.runner ? ["--ro-bind", policy.runner, RUNNER_INSIDE] : []),
    ...policy.read.flatMap((path) => [...judged("--is", path, places), "--ro-bind", path, path]),
    ...policy.write.flatMap((path) => bind("--bind", path)),
    ...policy.protect.pinned.flatMap((path) => bind("--bind", path)),
    ...policy.protect.frozen.flatMap((path) => bind("--ro-bind", path)),
    ...(policy.protect.thawed?.folders ?? []).flatMap((path) => bind("--bind", path)),
    ...(policy.protect.thawed?.frozen ?? []).flatMap((path) => bind("--ro-bind", path)),
    ...masks(policy, disk, places),
    // After everything that is listed, so that nothing of it lies in there.
    ...(fresh === undefined ? [] : [...sized(limits.tempBytes), ...closed, "--tmpfs", fresh]),
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...(fresh === undefined ? [...judged("--is", sourceOf(policy, policy.cwd), places), "--chdir", policy.cwd] : ["--chdir", fresh]),
    ...Object.entries({ ...policy.inner, ...policy.env }).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** Where the program lies that sets limits and looks around before it becomes the command. At the top, where nothing that is listed can cover it. */
export const RUNNER_INSIDE = "/zeph-run";

/**
 * The session's folder, where it has one. What is mounted below lies in an empty folder of its own each time: in one that is kept, a command
 * could put a link where the walls of the next would mount something.
 */
const temporary = ({ temp }: Policy, sized: readonly string[], places: Judged): string[] =>
  temp
    ? [...bindKept(temp.folder, "/tmp", places), ...temp.holes.flatMap((hole) => [...sized, "--tmpfs", hole])]
    : [...sized, "--tmpfs", "/tmp"];

/** What was judged to lie at a path, for a builder that compares it. */
type Judged = Pick<HeldPlaces, "identity" | "parent">;
const NOTHING_JUDGED: Judged = { identity: () => undefined, parent: () => undefined };

function judged(word: "--is" | "--at", path: string, places: Judged): string[] {
  const identity = places.identity(path);
  if (identity === undefined) return [];
  if (identity === null) return word === "--is" ? ["--no-links"] : [];
  const parent = places.parent(path);
  return [word, identity, ...(parent === undefined ? [] : ["--in", parent])];
}
const bindKept = (folder: string | undefined, inside: string, places: Judged): string[] =>
  folder === undefined ? [] : [...judged("--is", folder, places), "--bind", folder, inside];

/**
 * A device that may not be opened there, in place of a file that nobody may read, and an empty folder in place of a folder: neither needs
 * anything on the disk. A command can rename or remove neither.
 */
function masks({ hidden, standIns, overlay, read, write }: Policy, disk: Disk, places: Judged): string[] {
  return (hidden?.places ?? []).flatMap(({ path, kind }) => {
    // A copy that was made without it has nothing to hide. A layer shows all that lies below it, and cannot be seen from here.
    if (standIns && !overlay && disk.kind(sourceOf({ standIns }, path)) === null) return [];
    // Elsewhere, as in /etc, a command sees single files of the system: what is not shown is made, and covered.
    const isShown = [...read, ...write].some((root) => isWithin(root, path));
    const at = isShown ? judged("--at", sourceOf({ standIns }, path), places) : [];
    return kind === "file" ? [...at, "--ro-bind", "/dev/null", path] : [...at, "--tmpfs", path, "--remount-ro", path];
  });
}

/** `/bin` and its like are links on most systems and folders on some. */
function system(disk: Disk): string[] {
  const folders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap((path) => {
    const kind = disk.kind(path);
    if (kind === "link") return ["--symlink", disk.link(path), path];
    return kind === null ? [] : ["--ro-bind", path, path];
  });
  return ["--ro-bind", "/usr", "/usr", ...folders];
}

/** Not all of /etc: as root, `shadow` and the machine's keys would be readable. */
export const ETC_FILES = [
  ...["passwd", "group", "nsswitch.conf", "hosts", "host.conf", "gai.conf", "services", "protocols", "localtime", "timezone", "os-release"],
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "terminfo", "locale.alias", "locale.conf"],
  ...["ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates", "pki/tls", "pki/ca-trust", "crypto-policies"],
  ...["mime.types", "magic", "bash.bashrc", "profile", "inputrc", "perl", "python3", "python3.11", "python3.12", "python3.13"],
  ...["java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk"],
  ...["maven", "fonts", "debian_version", "lsb-release"],
];

/** Whether a copy of them can be shown by one mount. It is read-only, so nothing else can be mounted in it that is not there already. */
export function isPlainEtc({ network, read, write, files = [], protect, hidden }: Policy): boolean {
  const { thawed = { folders: [], frozen: [] } } = protect;
  const mounts = [read, write, protect.pinned, protect.frozen, thawed.folders, thawed.frozen, files.map(([, to]) => to)].flat();
  return network === "closed" && ![...mounts, ...(hidden?.places ?? []).map(({ path }) => path)].some((path) => isWithin("/etc", path));
}

function etc(network: Policy["network"], disk: Disk): string[] {
  // A missing file is left out here: bwrap would look for it again, and each look costs.
  const files = ETC_FILES.map((name) => `/etc/${name}`).filter((path) => disk.real(path) !== null);
  const resolver = network === "open" ? disk.real("/etc/resolv.conf") : null;
  return [...files.flatMap((path) => ["--ro-bind", path, path]), ...(resolver ? ["--ro-bind", resolver, "/etc/resolv.conf"] : [])];
}
