import { existsSync } from "node:fs";
import type { Walls } from "../../../core/ports/walls.ts";
import { createTemporary } from "../../temporary.ts";
import { createFedLaunch, type Launch, type LaunchStatus } from "../fed-launch.ts";
import type { HeldPlaces } from "../held-places.ts";
import { withLimits } from "../limits.ts";
import type { Policy } from "../policy.ts";
import type { Landlock, LandlockOnly } from "../sandbox.ts";
import { findRunner } from "../shipped.ts";
import type { OtherUser } from "../user.ts";
import { prefixVariables } from "../watchdog.ts";
import { ETC_FILES } from "./bubblewrap.ts";
import { LAUNCHER } from "./landlock-launcher.ts";
import { callNumbers } from "./perl.ts";
import { copyPlacedFiles, placesOutside } from "./placed-files.ts";
import { FAMILIES, seccompFilter } from "./seccomp.ts";
import { type Arch, numberOf, type Syscall } from "./syscalls.ts";

/** Landlock can scope abstract sockets from this version on. */
export const SCOPING_ABI = 6;

/** Put before a command that already runs inside bubblewrap and shares the network, with variables as it wants them. Empty when the kernel is too old. */
export const socketScopeArgs = ({ perl, abi }: Landlock, arch: Arch): string[] =>
  abi < SCOPING_ABI ? [] : [perl, "-e", LAUNCHER, callNumbers(CALLS, arch), "SOCKETS", "--"];

/**
 * Where user namespaces are forbidden: the file system, system calls and sockets are closed, and that is all. Other processes are
 * visible, children that leave the group survive, and inside a writable folder nothing can be kept read-only.
 */
export function landlockLaunch(
  sandbox: LandlockOnly,
  policy: Policy,
  argv: readonly string[],
  {
    user,
    places,
    release,
    onReady,
  }: { readonly user?: OtherUser | undefined; readonly places: HeldPlaces; readonly onReady: () => void; release(): void },
): Launch {
  const folder = createTemporary({ kind: "command", owner: user });
  const temp = folder.path;
  copyPlacedFiles(policy, temp, user);
  const readable = [
    ...SYSTEM,
    ...ETC_FILES.map((name) => `/etc/${name}`),
    ...(policy.network === "open" ? ["/etc/resolv.conf"] : []),
    ...policy.read,
  ];
  const kept = [...(policy.cache ? [policy.cache.cache] : []), ...(policy.temp ? [policy.temp.folder] : [])];
  const writable = [...DEVICES, temp, ...kept, ...policy.write];
  const filter =
    policy.network === "open"
      ? seccompFilter({ arch: sandbox.arch, families: FAMILIES })
      : // A socket made by path would still reach a service of the machine; a pair reaches nobody.
        seccompFilter({ arch: sandbox.arch, families: NO_SOCKETS, pairs: PAIRS });
  return createFedLaunch({
    file: sandbox.landlock.perl,
    args: [
      ...["-e", LAUNCHER, callNumbers(CALLS, sandbox.arch), "FILES", "SOCKETS", "SIGNALS", "FILTER"],
      ...readable.filter((path) => existsSync(path)).map((path) => `RO:${places.identity(path) ?? ""}:${path}`),
      ...writable.filter((path) => existsSync(path)).map((path) => `RW:${places.identity(path) ?? ""}:${path}`),
      ...(places.identity(policy.cwd) ? [`AT:${places.identity(policy.cwd)}`] : []),
      "--",
      // Without a user namespace the processes of the whole user would be counted.
      ...withLimits(sandbox.prlimit, { ...policy.limits, processes: null }, argv),
    ],
    cwd: policy.cwd,
    // git stops at a file it may not open; one that is not there it ignores.
    env: prefixVariables({
      ...placesOutside(policy),
      ...policy.env,
      HOME: policy.home ?? temp,
      TMPDIR: policy.temp?.folder ?? temp,
      GIT_CONFIG_NOSYSTEM: "1",
    }),
    user,
    runner: findRunner({ writable: [...policy.write, policy.cwd], user }),
    walls: { ...sandbox.walls, network: policy.network },
    tree: "may linger",
    feeds: [[FD.filter, filter]],
    statusFd: FD.status,
    judge: landlockStatus,
    onReady,
    after: () => {
      release();
      folder.remove();
    },
  });
}

function landlockStatus(report: string): LaunchStatus {
  if (report.includes('"changed"')) return "changed";
  return report.includes("starting") && !report.includes("failed") ? "ran" : "not started";
}

export const landlockWalls = (prlimit: string | null, network: Policy["network"], why: string): Walls => ({
  backend: "landlock",
  layers: ["landlock", "seccomp", ...(prlimit ? ["rlimit-only"] : [])],
  network,
  reason: `${why} Landlock limits which files and sockets a command can use; it does not hide other processes, and inside the workspace it can neither protect files such as .git/hooks nor hide what tools.file.deny_read matches: a command where such files lie is asked about, and refused where nobody can be asked.`,
});

const FD = { filter: 3, status: 5 };
const AF_UNIX = 1;
const AF_NETLINK = 16;
const NO_SOCKETS = [AF_NETLINK];
const PAIRS = [AF_UNIX];

/** Not all of /proc: as root, the environment of every process is in it. */
const SYSTEM = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"],
  ...["/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/self"],
];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

const CALLS = [
  "landlock_create_ruleset",
  "landlock_add_rule",
  "landlock_restrict_self",
  "openat",
  "openat2",
  "close",
  "prctl",
  "capset",
] as const satisfies readonly Syscall[];

/** The command that asks the kernel which version it has. */
export const abiQuestion = (arch: Arch): string[] => ["-e", `print syscall(${numberOf("landlock_create_ruleset", arch)}, 0, 0, 1)`];
