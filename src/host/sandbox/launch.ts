import { existsSync } from "node:fs";
import { ToolError } from "../../core/error.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { noteCommandFolders } from "../../files/command-folders.ts";
import { bubblewrapArgs, ETC_FILES, isPlainEtc, RUNNER_INSIDE } from "./backends/bubblewrap.ts";
import { landlockLaunch, socketScopeArgs } from "./backends/landlock.ts";
import { mountRecords, withoutIdentities } from "./backends/mount-records.ts";
import { withOverlay } from "./backends/overlay.ts";
import type { CommandLine } from "./backends/perl.ts";
import { createPreparedEtc } from "./backends/prepared-etc.ts";
import { seatbeltLaunch } from "./backends/seatbelt.ts";
import { seccompFilter } from "./backends/seccomp.ts";
import type { Arch } from "./backends/syscalls.ts";
import { realDisk } from "./disk.ts";
import { createFedLaunch, createPlainLaunch, type Launch, type LaunchStatus } from "./fed-launch.ts";
import { type HeldPlaces, holdPlaces } from "./held-places.ts";
import { createCage, limitsLayer, limitWords, withLimits } from "./limits.ts";
import type { PlaceIdentity, Policy } from "./policy.ts";
import type { Bubblewrap, Sandbox } from "./sandbox.ts";
import { type FindShipped, findRunner } from "./shipped.ts";
import { addStoppable } from "./stop-others.ts";
import type { OtherUser } from "./user.ts";
import { hasWatchdog, prefixVariables } from "./watchdog.ts";

export interface LaunchOptions {
  readonly user?: OtherUser | undefined;
  /** Somebody else starts the line, so it must stand for itself: what it says is in its arguments, and nobody waits at a gate for it. */
  readonly starter?: "us" | "other";
  /** What goes before bwrap's line to enter a network that is closed already; else a command with a closed network has one of its own. */
  readonly join?: CommandLine | undefined;
  /** Without walls: variables that win over all others. */
  readonly env?: Readonly<Record<string, string>>;
  /** What was judged, held since then; without it the places are opened now. */
  readonly places?: HeldPlaces | undefined;
  /** Called when the walls stand, where the backend reports that. */
  readonly onReady?: (() => void) | undefined;
  /** Where programs that Zeph brings along are found; tests put their own here. */
  readonly shipped?: FindShipped;
}

/** The command as the sandbox wants it started. Throws when there is no sandbox and nobody allowed running without. */
export function launch(sandbox: Sandbox, policy: Policy, argv: readonly string[], options: LaunchOptions = {}): Launch {
  noteCommandFolders(policy.write);
  if (sandbox.backend === "bubblewrap") return bubblewrapLaunch(sandbox, policy, argv, options);
  if (sandbox.backend === "landlock") return landlockLaunch(sandbox, policy, argv, options);
  if (sandbox.backend === "seatbelt") return seatbeltLaunch(sandbox, policy, argv, options);
  throw new ToolError("policy_blocked", sandbox.walls.reason ?? "There is no sandbox on this machine.");
}

/** Without walls, by the person's own decision. The environment is clean all the same. */
export function openLaunch(walls: Walls, policy: Policy, argv: readonly string[], options: LaunchOptions = {}): Launch {
  noteCommandFolders(policy.write);
  const { user, env = {} } = options;
  const temp = process.env.TMPDIR ?? "/tmp";
  const home = user?.home ?? process.env.HOME ?? temp;
  return createPlainLaunch({
    argv,
    cwd: policy.cwd,
    env: { ...policy.env, PATH: process.env.PATH ?? policy.env.PATH ?? "", TMPDIR: temp, HOME: home, ...env },
    walls,
    user,
    runner: runnerFor(policy, options),
  });
}

/** A program in a folder that commands can write is theirs, not ours. */
const runnerFor = ({ write, cwd }: Policy, { user, shipped }: LaunchOptions) => findRunner({ writable: [...write, cwd], user }, shipped);

/** 6 is left to the one who runs the command, for a channel of its own. */
const FD = { seccomp: 3, args: 4, status: 5, report: 7, mounts: 10 };

/** One for all runtimes of this process. */
export const preparedEtc = createPreparedEtc(ETC_FILES);

function bubblewrapLaunch(sandbox: Bubblewrap, policy: Policy, argv: readonly string[], options: LaunchOptions): Launch {
  const { user, starter, join } = options;
  const runner = runnerFor(policy, options);
  const builder = builderLine(sandbox, runner);
  const root = (user?.uid ?? process.getuid?.()) === 0;
  const isOurs = starter !== "other";
  // bwrap itself compares nothing; what it mounted is compared before the command.
  const isCompared = sandbox.bwrap !== null && runner !== null;
  const places = options.places ?? (sandbox.bwrap === null || isCompared ? holdPlaces(policy) : NO_PLACES);
  const release = options.places ? () => {} : places.release;
  const cage =
    isOurs && root && policy.limits.processes !== null && hasWatchdog(runner)
      ? createCage({ processes: policy.limits.processes + OWN_PROCESSES, memoryBytes: policy.limits.dataBytes })
      : null;
  // The network namespace is what hides the machine's abstract sockets. Without one, Landlock can.
  const scope = policy.network === "open" && sandbox.landlock ? socketScopeArgs(sandbox.landlock, sandbox.arch) : [];
  const command =
    sandbox.bwrap === null ? [...scope, ...argv] : enteredBehindBwrap(sandbox, policy, { runner, isOurs }, [...scope, ...argv]);
  const variables = { ...policy.inner, ...policy.env };
  const env = scope.length > 0 ? prefixVariables(variables) : variables;
  const etc = isPlainEtc(policy) ? preparedEtc.look([...policy.write, policy.cwd]) : null;
  const joined = policy.network === "closed" ? join : undefined;
  const words = bubblewrapArgs(
    { ...policy, inner: {}, env, joined: joined !== undefined, runner: sandbox.bwrap === null ? null : runner, etc },
    (option) => sandbox.options.has(option),
    realDisk,
    places.identity,
  );
  const args = sandbox.bwrap === null ? words : [...(isCompared ? ["--as-pid-1"] : []), ...withoutIdentities(words)];
  // Variables may be secrets, and the arguments of a program are for everybody on the machine to read.
  const shown = isOurs ? [] : args.slice(0, args.length - 3 * Object.keys(variables).length);
  const walls: Walls = {
    backend: "bubblewrap",
    layers: [
      "namespaces",
      "seccomp",
      ...(scope.length > 0 ? ["landlock"] : []),
      ...limitsLayer(runner ?? sandbox.prlimit, { root, cgroup: cage !== null }),
      ...(cage?.countsMemory ? ["memory"] : []),
    ],
    network: policy.network,
    builder: sandbox.builder,
  };
  const line = {
    file: joined?.file ?? builder.file,
    args: [
      ...(joined ? [...joined.args, builder.file] : []),
      ...builder.args,
      ...shown,
      ...(sandbox.bwrap === null ? limitWords(policy.limits).flatMap((word) => ["--limit", word]) : []),
      ...["--args", String(FD.args), "--seccomp", String(FD.seccomp), "--json-status-fd", String(FD.status)],
      "--",
      ...command,
    ],
  };
  return createFedLaunch({
    ...line,
    program: builder.file,
    ...(policy.overlay && withOverlay(line, policy.overlay)),
    cwd: "/",
    // bwrap's own environment stays readable inside, as /proc/1/environ.
    env: {},
    user,
    walls,
    tree: "dies",
    feeds: [
      [FD.seccomp, filterFor(sandbox.arch)],
      [
        FD.args,
        Buffer.from(
          args
            .slice(shown.length)
            .map((arg) => `${arg}\0`)
            .join(""),
        ),
      ],
      ...(isCompared ? [[FD.mounts, mountRecords(words, places.identity)] as const] : []),
    ],
    statusFd: FD.status,
    ...(isCompared && isOurs && { reportFd: FD.report }),
    judge: bubblewrapStatus,
    runner,
    group: cage?.folder,
    onReady: () => {
      release();
      options.onReady?.();
    },
    ...(isCompared && isOurs && { stoppable: addStoppable() }),
    after: () => {
      release();
      cage?.remove();
    },
  });
}

const filters = new Map<Arch, Buffer>();

/** It is always the same, and assembling it costs as much as a mount. */
function filterFor(arch: Arch): Buffer {
  const made = filters.get(arch) ?? seccompFilter({ arch });
  filters.set(arch, made);
  return made;
}

const NO_PLACES: HeldPlaces = { identity: () => undefined, release: () => {} };

/** The program that builds, and its first words. */
export function builderLine({ bwrap }: Pick<Bubblewrap, "bwrap">, runner: string | null): CommandLine {
  if (bwrap !== null) return { file: bwrap, args: [] };
  if (runner === null) throw new ToolError("policy_blocked", "The program that builds the walls is gone. Install Zeph again.");
  return { file: runner, args: ["build"] };
}

/** What bwrap starts: limits are set and all mounts are compared before the command. */
function enteredBehindBwrap(
  { prlimit }: Bubblewrap,
  policy: Policy,
  { runner, isOurs }: { readonly runner: string | null; readonly isOurs: boolean },
  command: readonly string[],
): string[] {
  if (runner === null) return withLimits(prlimit, policy.limits, [...(isOurs ? stillThere(heldPlaces(policy)) : []), ...command]);
  const limits = limitWords(policy.limits).map((word) => `LIMIT:${word}`);
  return [RUNNER_INSIDE, "enter", ...limits, ...(isOurs ? [`REPORT:${FD.report}`] : []), `MOUNTS:${FD.mounts}`, "--", ...command];
}

/** bwrap's outer process is counted with the command. */
const OWN_PROCESSES = 1;

/**
 * Names are looked up once more when the walls are built, and somebody else may exchange a folder for a link just then. So the first thing
 * behind the walls is a look at what is there, before anything of the command is run.
 */
const heldPlaces = ({ held, alsoHeld = [], standIns }: Policy): PlaceIdentity[] => [
  ...(held && !standIns?.has(held.path) ? [held] : []),
  ...alsoHeld,
];

function stillThere(places: readonly PlaceIdentity[]): string[] {
  const stat = STAT.find((path) => existsSync(path));
  if (places.length === 0 || stat === undefined) return [];
  return ["/bin/sh", "-c", LOOK, "sh", stat, String(places.length), ...places.flatMap(({ path, mark }) => [path, mark])];
}

const STAT = ["/usr/bin/stat", "/bin/stat"];
const LOOK = `s=$1 n=$2; shift 2
while [ "$n" -gt 0 ]; do
  [ "$("$s" -c %d:%i "$1" 2>/dev/null)" = "$2" ] || { echo "$1: the workspace is no longer the folder it was." >&2; exit 126; }
  shift 2; n=$((n-1))
done; exec "$@"`;

/** The exit code is reported only when the command really ran: a failed setup and a missing program look like exit 1 from outside. */
function bubblewrapStatus(report: string): LaunchStatus {
  if (report.includes('"changed"')) return "changed";
  if (report.includes('"exit-code"')) return "ran";
  return report.includes('"child-pid"') ? "set up" : "not started";
}
