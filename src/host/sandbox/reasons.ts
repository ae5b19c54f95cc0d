import { existsSync, readFileSync } from "node:fs";
import type { WallsBuilder } from "../../core/ports/walls.ts";

/** Why bubblewrap does not work here, in words, with what to do. */
export interface SandboxReason {
  readonly why: string;
  readonly kind: "missing" | "old" | "namespaces" | "nested" | "workspace" | "slow" | "broken";
}

/** What the machine says about itself; null for a file that is not there. */
export type MachineFacts = (path: string) => string | null;

export const machineFacts: MachineFacts = (path) => {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return existsSync(path) ? "" : null;
  }
};

/** From bwrap's own words. The first pattern that fits speaks. */
export function reasonFor(words: string, facts: MachineFacts = machineFacts, origin: WallsBuilder = "system"): SandboxReason {
  const hit = SAID.find(([pattern]) => pattern.test(words));
  return hit ? hit[1]({ facts, words, origin }) : broken(`${origin === "own" ? "zeph-run" : "bwrap"} failed: ${firstLine(words)}`);
}

/** Neither the machine's own bwrap works nor the shipped one. What the second said counts, if it could be tried at all. */
export const neither = (system: SandboxReason, shipped: SandboxReason | { readonly why: string }): SandboxReason =>
  "kind" in shipped
    ? shipped
    : { ...system, why: `${system.why} The bwrap that Zeph brings along is not used: ${shipped.why.replace(/\.$/, "")}.` };

export const NOT_INSTALLED: SandboxReason = {
  kind: "missing",
  why: "bubblewrap is not installed. Install it: Debian and Ubuntu `sudo apt-get install bubblewrap`, Fedora `sudo dnf install bubblewrap`, Alpine `sudo apk add bubblewrap`.",
};
export const TOO_SLOW: SandboxReason = {
  kind: "slow",
  why: "bwrap did not answer within the time limit. Try it by hand: `bwrap --ro-bind / / true`.",
};
export const tooOld = (missing: readonly string[]): SandboxReason => ({
  kind: "old",
  why: `this bubblewrap is too old: it does not know ${missing.join(", ")}. Install 0.5 or newer.`,
});
export const notOurs = (path: string): SandboxReason => ({
  kind: "broken",
  why: `the bwrap found at ${path} can be changed by commands, so it is not used. Install bubblewrap system-wide.`,
});
export const broken = (why: string): SandboxReason => ({ kind: "broken", why: `${why}. See docs/sandbox.md.` });

export const notWritable = (folder: string): SandboxReason => ({
  kind: "workspace",
  why: `commands could not write ${folder} inside the sandbox: it belongs to another user, and inside even root has no right to override that. Start Zeph as its owner, set tools.scope.run_as_user to that user, or change the owner (chown -R).`,
});

interface Said {
  readonly facts: MachineFacts;
  readonly words: string;
  readonly origin: WallsBuilder;
}

const SAID: readonly (readonly [RegExp, (said: Said) => SandboxReason])[] = [
  [/nesting depth|ENOSPC|No space left on device/i, (said) => (areSwitchedOff(said.facts) ? forbidden(said) : nested)],
  [
    /No permissions to create (?:a )?new namespace|no new namespaces|Creating new namespace failed|clone.*Operation not permitted|unshare.*(?:Invalid argument|not implemented)/i,
    forbidden,
  ],
  [
    /setting up uid map: Permission denied|self\/(?:setgroups|uid_map): |RTM_NEWADDR: Operation not permitted|loopback: Failed/i,
    ({ origin }) => appArmor(origin),
  ],
  [/Unknown option (\S+)/i, ({ words }) => tooOld([/Unknown option (\S+)/i.exec(words)![1]!])],
  [/Can't find source path (.*?): /i, ({ words }) => broken(`a path to be mounted has gone: ${/source path (.*?): /i.exec(words)![1]}`)],
  [/Can't mount proc|mount proc.*Operation not permitted/i, () => maskedProc],
];

const MOST_NAMESPACES = "/proc/sys/user/max_user_namespaces";
const areSwitchedOff = (facts: MachineFacts): boolean => facts(MOST_NAMESPACES) === "0";

const nested: SandboxReason = {
  kind: "nested",
  why: "Zeph already runs inside a sandbox, which allows no second one. Run it outside, or, if the outer one is enough for you, set tools.sandbox.fallback.",
};
/** Ubuntu's own profile is for the system's path, so the shipped one may be refused where the system's would work. */
const appArmor = (origin: WallsBuilder): SandboxReason => ({
  kind: "namespaces",
  why:
    origin === "own"
      ? "AppArmor forbids user namespaces to it (Ubuntu 23.10 and later)."
      : origin === "shipped"
        ? "AppArmor forbids user namespaces to the bwrap that Zeph brings along (Ubuntu 23.10 and later). `sudo apt-get install bubblewrap` is enough on Ubuntu 24.04 and later, which allow them to that one; before, put an AppArmor profile for /usr/bin/bwrap in place as well, as docs/sandbox.md shows."
        : "AppArmor forbids user namespaces to bwrap (Ubuntu 23.10 and later). Allow them to this one program: put an AppArmor profile for /usr/bin/bwrap in place as docs/sandbox.md shows; do not switch the restriction off for everything.",
});
const maskedProc: SandboxReason = {
  kind: "namespaces",
  why: "this container masks /proc, so a new one cannot be mounted. Start it with `--security-opt systempaths=unconfined`, or run Zeph outside the container.",
};

/** The same refusal has several authors; the machine tells which. */
function forbidden({ facts, origin }: Said): SandboxReason {
  const because = AUTHORS.find(({ file, is }) => {
    const value = facts(file);
    return value !== null && is(value);
  });
  return {
    kind: "namespaces",
    why: because?.why(origin) ?? "user namespaces are forbidden on this machine. docs/sandbox.md tells how to allow them to bwrap.",
  };
}

const AUTHORS: readonly {
  readonly file: string;
  readonly is: (value: string) => boolean;
  readonly why: (origin: WallsBuilder) => string;
}[] = [
  {
    file: "/proc/version",
    // WSL2 says "microsoft-standard".
    is: (value) => /-Microsoft\b/.test(value),
    why: () =>
      "this is version 1 of the Windows Subsystem for Linux, which has no namespaces. Version 2 has: `wsl --set-version <distribution> 2`.",
  },
  {
    file: "/proc/version",
    // The one version and date it gives everybody.
    is: (value) => /gVisor|Linux version 4\.4\.0 #1 SMP Sun Jan 10 15:06:54 PST 2016/.test(value),
    why: () =>
      "this container runs on gVisor, whose kernel allows no user namespaces here and has no Landlock. If the container is wall enough for you, set tools.sandbox.fallback; else run Zeph outside of it.",
  },
  {
    file: MOST_NAMESPACES,
    is: (value) => value === "0",
    why: () => "user namespaces are switched off. Allow them: `sudo sysctl user.max_user_namespaces=15000`.",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    is: (value) => value === "0",
    why: () => "user namespaces are only for root here. Allow them: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
  },
  { file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", is: (value) => value === "1", why: (origin) => appArmor(origin).why },
  {
    file: "/.dockerenv",
    is: () => true,
    why: () =>
      "Docker's seccomp profile forbids user namespaces. Start the container with `--security-opt seccomp=unconfined` (or a profile that allows clone and unshare) and `--security-opt systempaths=unconfined`, or run Zeph outside the container.",
  },
  {
    file: "/run/.containerenv",
    is: () => true,
    why: () =>
      "this container's seccomp profile forbids user namespaces. Start it with `--security-opt seccomp=unconfined`, or run Zeph outside the container.",
  },
];

const firstLine = (words: string) => words.trim().split("\n")[0]?.slice(0, 300) || "it said nothing";
