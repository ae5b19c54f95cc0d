import type { Walls } from "../../core/ports/walls.ts";
import { isWithin } from "../../text/path.ts";
import type { CommandLine } from "./backends/perl.ts";
import { type Arch, archOf, numberOf } from "./backends/syscalls.ts";
import { type Fixture, plantFixture } from "./fixture.ts";
import { launch, openLaunch } from "./launch.ts";
import type { Policy } from "./policy.ts";
import { runLaunch } from "./run.ts";
import type { Sandbox } from "./sandbox.ts";
import type { OtherUser } from "./user.ts";

export interface Canary {
  /** What a command must not be able to do. */
  readonly name: string;
  readonly holds: true | false | "unknown";
  readonly detail: string;
}

export interface Checkup {
  readonly walls: Walls;
  readonly canaries: readonly Canary[];
  /** How to get what is missing. */
  readonly advice: readonly string[];
}

/** Really tries, on this machine, what the walls promise to stop. For `zeph doctor`. Leaves nothing behind. */
export async function checkup(
  sandbox: Sandbox,
  policy: Policy,
  { home, user, join }: { home: string; user?: OtherUser | undefined; join?: CommandLine | undefined },
): Promise<Checkup> {
  const advice = adviceFor(sandbox, policy, user);
  // Without walls the attempts are made too: they reach only what was planted for them, and show what a command could do.
  const begin = sandbox.backend === "none" ? openLaunch.bind(null, sandbox.walls) : launch.bind(null, sandbox);
  const fixture = await plantFixture({ home, user });
  const canaries: Canary[] = [];
  let { walls } = sandbox;
  try {
    for (const attempt of ATTEMPTS) {
      const line = begin(policy, ["/bin/bash", "--noprofile", "--norc", "-c", attempt.script(fixture, archOf(process.arch) ?? "x64")], {
        user,
        join,
      });
      walls = line.walls;
      canaries.push(await tryOne(attempt, line, fixture, policy, sandbox.backend !== "none"));
    }
  } finally {
    await fixture.remove();
  }
  return { walls, canaries, advice };
}

const LONGEST_ATTEMPT_MS = 20_000;

async function tryOne(
  { name, hostSide, excused }: Attempt,
  line: ReturnType<typeof launch>,
  fixture: Fixture,
  policy: Policy,
  walled: boolean,
): Promise<Canary> {
  let said = "";
  const { ran, setupError, stopped } = await runLaunch(line, {
    timeoutMs: LONGEST_ATTEMPT_MS,
    onOutput: (chunk) => (said = (said + chunk).slice(0, 2000)),
  });
  const words =
    said
      .replace(/\b(?:GOT|PAST|NO)\b/g, "")
      .trim()
      .split("\n")
      .at(-1)
      ?.slice(0, 200) ?? "";
  if (!ran) return { name, holds: "unknown", detail: setupError ?? "the command did not start" };
  const got = hostSide ? hostSide(fixture) : /\bGOT\b/.test(said);
  // An attempt may fail in part and succeed all the same: what it said on the way would read like a refusal.
  if (got) return { name, holds: false, detail: excused?.(policy) ?? "it worked" };
  if (walled && /\bPAST\b/.test(said)) return { name, holds: false, detail: `not stopped by the walls: ${words}` };
  // No answer: the program for this attempt is missing here.
  if (!hostSide && !/\b(?:PAST|NO)\b/.test(said))
    return { name, holds: "unknown", detail: stopped ? "it took too long" : words || "no answer" };
  // Harmless, but no wall is to be thanked for it.
  if (!walled) return { name, holds: "unknown", detail: `not possible here, with or without walls${words && ` (${words})`}` };
  return { name, holds: true, detail: words || "refused" };
}

interface Attempt {
  readonly name: string;
  /** Prints GOT when it worked, NO when it was refused, and PAST when it failed for another reason than the walls. */
  readonly script: (fixture: Fixture, arch: Arch) => string;
  /** Asked instead of the command's own words. */
  readonly hostSide?: (fixture: Fixture) => boolean;
  /** Why success is what the settings ask for. */
  readonly excused?: (policy: Policy) => string | undefined;
}

const answered = (command: string) => `if ${command}; then echo GOT; else echo NO; fi`;
/** A raw system call; perl because it is nearly everywhere. */
const perl = (code: string) => `command -v perl >/dev/null || exit; perl -e '${code}'`;
const calling = (call: string) => perl(`my $r = ${call}; print $r >= 0 ? "GOT\\n" : "NO $!\\n"`);

const ATTEMPTS: readonly Attempt[] = [
  {
    name: "write outside the workspace",
    script: ({ folder }) => `echo x > '${folder}/written'; echo NO`,
    hostSide: ({ wasWritten }) => wasWritten(),
  },
  {
    name: "read a key in ~/.ssh",
    script: ({ key, home }) => answered(`grep -q canary '${key}' || ls '${home}/.ssh'`),
    excused: ({ read, write }) =>
      [...read, ...write].some((root) => isWithin(root, "/home") || root === "/root") ? "home is listed" : undefined,
  },
  {
    name: "connect to the machine's network",
    script: ({ port }) => answered(`exec 3<>/dev/tcp/127.0.0.1/${port}`),
    excused: ({ network }) => (network === "open" ? "open by tools.sandbox.allow_network" : undefined),
  },
  { name: "trace another process", script: (_, arch) => calling(`syscall(${numberOf("ptrace", arch)}, 0, 0, 0, 0)`) },
  {
    name: "type into the terminal (TIOCSTI)",
    // On something that is no terminal the kernel's own answer would be ENOTTY; the filter's is EPERM.
    script: () => perl(`my $c = "x"; my $r = ioctl(STDIN, 0x5412, $c); print $r ? "GOT\\n" : $!{EPERM} ? "NO $!\\n" : "PAST $!\\n"`),
  },
  {
    name: "read the environment of another process",
    script: ({ pid, word }) =>
      answered(`env | grep -q ${word} || cat /proc/1/environ /proc/${pid}/environ | tr '\\0' '\\n' | grep -q '${word}'`),
  },
  { name: "see the machine's processes", script: ({ pid, word }) => answered(`tr '\\0' ' ' </proc/${pid}/cmdline | grep -q '${word}'`) },
  {
    name: "kill a process of the machine",
    // A process that was killed takes a moment to go.
    script: ({ pid }) => `kill -9 ${pid} && for i in {1..50}; do [ -e /proc/${pid}/exe ] || break; sleep 0.02; done; echo NO`,
    hostSide: ({ isAlive }) => !isAlive(),
  },
  { name: "make a user namespace", script: (_, arch) => calling(`syscall(${numberOf("unshare", arch)}, 0x10000000)`) },
  {
    name: "open a socket to the hypervisor (vsock)",
    script: () => perl(`print socket(my $s, 40, 1, 0) ? "GOT\\n" : "NO $!\\n"`),
  },
  {
    name: "write a kernel setting in /proc/sys",
    // The value it already has: a test must not change the machine.
    script: () => answered(`v=$(cat /proc/sys/kernel/core_pattern) && printf %s "$v" > /proc/sys/kernel/core_pattern`),
  },
  {
    name: "live on after the command",
    script: ({ word }) =>
      `setsid bash -c 'exec -a ${word}-later sleep 30' >/dev/null 2>&1 </dev/null & p=$!
      for i in {1..40}; do case $(tr '\\0' ' ' 2>/dev/null </proc/$p/cmdline) in ${word}-later*) break;; esac; sleep 0.02; done 2>/dev/null; echo NO`,
    hostSide: ({ survivors }) => survivors() > 0,
  },
];

/** Said of every machine where it is so: the number alone would promise more. */
const MEMORY =
  "Memory is limited for each process (4 GiB of its own data), not for a command as a whole: shared memory and files in memory (memfd) are not counted, because no cgroup of version 2 with a memory controller can be used here.";

function adviceFor({ backend, walls }: Sandbox, { network }: Policy, user: OtherUser | undefined): string[] {
  const root = (user?.uid ?? process.getuid?.()) === 0;
  return [
    ...(walls.reason ? [walls.reason] : []),
    ...(root ? ["Commands run as root. An ordinary user is safer: start Zeph as one, or set tools.scope.run_as_user."] : []),
    ...(walls.layers.includes("rlimit-only") && backend === "bubblewrap"
      ? ["As root the number of processes is only limited by a pids cgroup, and none can be made here: a fork bomb is not contained."]
      : []),
    ...(backend !== "none" && !walls.layers.includes("memory") ? [MEMORY] : []),
    ...(network === "open" && backend !== "none"
      ? ["Commands share the machine's network. Set tools.sandbox.allow_network = false to close it."]
      : []),
  ];
}
