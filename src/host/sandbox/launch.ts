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
import { type HeldPlaces, holdPlaces, sourceOf } from "./held-places.ts";
import { createCage, limitsLayer, limitWords } from "./limits.ts";
import type { Policy } from "./policy.ts";
import type { Bubblewrap, Sandbox } from "./sandbox.ts";
import { type FindShipped, findRunner } from "./shipped.ts";
import { addStoppable } from "./stop-others.ts";
import type { OtherUser } from "./user.ts";
import { prefixVariables } from "./watchdog.ts";

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
  if (sandbox.backend === "seatbelt") return seatbeltLaunch(sandbox, policy, argv, options);
  if (sandbox.backend === "none") throw new ToolError("policy_blocked", sandbox.walls.reason ?? "There is no sandbox on this machine.");
  const places = options.places ?? holdPlaces(policy);
  const release = options.places ? () => {} : places.release;
  const held = {
    ...options,
    places,
    release,
    onReady: () => {
      release();
      options.onReady?.();
    },
  };
  try {
    return sandbox.backend === "bubblewrap" ? bubblewrapLaunch(sandbox, policy, argv, held) : landlockLaunch(sandbox, policy, argv, held);
  } catch (error) {
    release();
    throw error;
  }
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

type HeldOptions = LaunchOptions & { readonly places: HeldPlaces; readonly onReady: () => void; release(): void };

function bubblewrapLaunch(sandbox: Bubblewrap, policy: Policy, argv: readonly string[], options: HeldOptions): Launch {
  const { user, starter, join, places, release, onReady } = options;
  const runner = runnerFor(policy, options);
  // bwrap compares nothing with what was judged, so without this program nothing would.
  if (runner === null)
    throw new ToolError("policy_blocked", "zeph-run, which builds and compares the walls, cannot be used here. Install Zeph again.");
  const builder = builderLine(sandbox, runner);
  const root = (user?.uid ?? process.getuid?.()) === 0;
  const isOurs = starter !== "other";
  const isOwn = sandbox.bwrap === null;
  // The network namespace is what hides the machine's abstract sockets. Without one, Landlock can.
  const scope = policy.network === "open" && sandbox.landlock ? socketScopeArgs(sandbox.landlock, sandbox.arch) : [];
  const command = [...(isOwn ? [] : enterWords(policy)), ...scope, ...argv];
  const variables = { ...policy.inner, ...policy.env };
  const env = scope.length > 0 ? prefixVariables(variables) : variables;
  const etc = isPlainEtc(policy) ? preparedEtc.look([...policy.write, policy.cwd]) : null;
  const joined = policy.network === "closed" ? join : undefined;
  const words = bubblewrapArgs(
    { ...policy, inner: {}, env, joined: joined !== undefined, runner: isOwn ? null : runner, etc },
    (option) => sandbox.options.has(option),
    realDisk,
    places,
  );
  const args = isOwn ? words : ["--as-pid-1", ...withoutIdentities(words)];
  // Variables may be secrets, and the arguments of a program are for everybody on the machine to read.
  const shown = isOurs ? [] : args.slice(0, args.length - 3 * Object.keys(variables).length);
  const cage =
    isOurs && root && policy.limits.processes !== null
      ? createCage({ processes: policy.limits.processes + OWN_PROCESSES, memoryBytes: policy.limits.dataBytes })
      : null;
  const walls: Walls = {
    backend: "bubblewrap",
    layers: [
      "namespaces",
      "seccomp",
      ...(scope.length > 0 ? ["landlock"] : []),
      ...limitsLayer(runner, { root, cgroup: cage !== null }),
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
      ...(isOwn ? limitWords(policy.limits).flatMap((word) => ["--limit", word]) : []),
      ...["--args", String(FD.args), "--seccomp", String(FD.seccomp), "--json-status-fd", String(FD.status)],
      "--",
      ...command,
    ],
  };
  return createFedLaunch({
    ...line,
    programs: [builder.file, RUNNER_INSIDE],
    ...(policy.overlay && withOverlay(line, policy.overlay, FD.status)),
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
      ...(isOwn ? [] : [[FD.mounts, mountRecords(words, (path) => places.identity(sourceOf(policy, path)))] as const]),
    ],
    statusFd: FD.status,
    ...(!isOwn && { reportFd: FD.report, stoppable: addStoppable() }),
    judge: (report) => statusWith(places, report),
    runner,
    group: cage?.folder,
    onReady,
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

/** The program that builds, and its first words. */
export const builderLine = ({ bwrap }: Pick<Bubblewrap, "bwrap">, runner: string): CommandLine =>
  bwrap === null ? { file: runner, args: ["build"] } : { file: bwrap, args: [] };

/** What bwrap starts: limits are set and all mounts are compared before the command. */
const enterWords = ({ limits }: Policy): string[] => [
  ...[RUNNER_INSIDE, "enter", ...limitWords(limits).map((word) => `LIMIT:${word}`)],
  ...[`REPORT:${FD.report}`, `MOUNTS:${FD.mounts}`, "--"],
];

/** bwrap's outer process is counted with the command. */
const OWN_PROCESSES = 1;

/** Where the walls could not be built, something may have been exchanged that the builder needed: bubblewrap compares nothing, and ends with words of its own. */
function statusWith(places: HeldPlaces, report: string): LaunchStatus {
  const status = bubblewrapStatus(report);
  const isUnbuilt = status !== "ran" && !report.includes('"ready"');
  return isUnbuilt && places.changed() !== null ? "changed" : status;
}

/** bwrap reports an exit code when its first process was started, zeph-run when the command was about to be. */
function bubblewrapStatus(report: string): LaunchStatus {
  if (report.includes('"changed"')) return "changed";
  if (report.includes('"exit-code"')) return "ran";
  return report.includes('"child-pid"') ? "set up" : "not started";
}
