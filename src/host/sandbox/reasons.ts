import { existsSync, readFileSync } from "node:fs";

/** Why bubblewrap does not work here, in words, with what to do. `namespaces`: a second tier may still be possible. */
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
export function reasonFor(words: string, facts: MachineFacts = machineFacts): SandboxReason {
  const hit = SAID.find(([pattern]) => pattern.test(words));
  return hit ? hit[1](facts, words) : broken(`bwrap failed: ${firstLine(words)}`);
}

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

const SAID: readonly (readonly [RegExp, (facts: MachineFacts, words: string) => SandboxReason])[] = [
  [/nesting depth|ENOSPC|No space left on device/i, () => nested],
  [
    /No permissions to create (?:a )?new namespace|Creating new namespace failed: (?:Operation not permitted|Permission denied)|clone.*Operation not permitted/i,
    forbidden,
  ],
  [/setting up uid map: Permission denied|RTM_NEWADDR: Operation not permitted|loopback: Failed/i, () => appArmor],
  [/Unknown option (\S+)/i, (_, words) => tooOld([/Unknown option (\S+)/i.exec(words)![1]!])],
  [/Can't find source path (.*?): /i, (_, words) => broken(`a path to be mounted has gone: ${/source path (.*?): /i.exec(words)![1]}`)],
  [/Can't mount proc|mount proc.*Operation not permitted/i, () => maskedProc],
];

const nested: SandboxReason = {
  kind: "nested",
  why: "Zeph already runs inside a sandbox, which allows no second one. Run it outside, or, if the outer one is enough for you, set tools.sandbox.fallback.",
};
const appArmor: SandboxReason = {
  kind: "namespaces",
  why: "AppArmor forbids user namespaces to bwrap (Ubuntu 23.10 and later). Allow them to this one program: put an AppArmor profile for /usr/bin/bwrap in place as docs/sandbox.md shows; do not switch the restriction off for everything.",
};
const maskedProc: SandboxReason = {
  kind: "namespaces",
  why: "this container masks /proc, so a new one cannot be mounted. Start it with `--security-opt systempaths=unconfined`, or run Zeph outside the container.",
};

/** The same refusal has several authors; the machine tells which. */
function forbidden(facts: MachineFacts): SandboxReason {
  const because = AUTHORS.find(({ file, is }) => {
    const value = facts(file);
    return value !== null && is(value);
  });
  return {
    kind: "namespaces",
    why: because?.why ?? "user namespaces are forbidden on this machine. docs/sandbox.md tells how to allow them to bwrap.",
  };
}

const AUTHORS: readonly { readonly file: string; readonly is: (value: string) => boolean; readonly why: string }[] = [
  {
    file: "/proc/sys/user/max_user_namespaces",
    is: (value) => value === "0",
    why: "user namespaces are switched off. Allow them: `sudo sysctl user.max_user_namespaces=15000`.",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    is: (value) => value === "0",
    why: "user namespaces are only for root here. Allow them: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
  },
  { file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", is: (value) => value === "1", why: appArmor.why },
  {
    file: "/.dockerenv",
    is: () => true,
    why: "Docker's seccomp profile forbids user namespaces. Start the container with `--security-opt seccomp=unconfined` (or a profile that allows clone and unshare) and `--security-opt systempaths=unconfined`, or run Zeph outside the container.",
  },
  {
    file: "/run/.containerenv",
    is: () => true,
    why: "this container's seccomp profile forbids user namespaces. Start it with `--security-opt seccomp=unconfined`, or run Zeph outside the container.",
  },
];

const firstLine = (words: string) => words.trim().split("\n")[0]?.slice(0, 300) || "it said nothing";
