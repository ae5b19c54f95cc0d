import { chownSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporary } from "../../temporary.ts";
import { createPlainLaunch, type Launch } from "../fed-launch.ts";
import type { Policy } from "../policy.ts";
import type { Seatbelt } from "../sandbox.ts";
import type { OtherUser } from "../user.ts";
import { copyPlacedFiles, placesOutside } from "./placed-files.ts";

export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** macOS: a profile file for each command, and a temporary folder of its own; both are gone when it ends. */
export function seatbeltLaunch(
  sandbox: Seatbelt,
  policy: Policy,
  argv: readonly string[],
  { user }: { user?: OtherUser | undefined },
): Launch {
  const made = createTemporary({ kind: "command" });
  const folder = realpathSync(made.path);
  const temp = mkdtempSync(join(folder, "tmp-"));
  copyPlacedFiles(policy, temp, user);
  const profile = join(folder, "profile.sb");
  writeFileSync(profile, seatbeltProfile(policy, temp), { mode: 0o644 });
  if (user) for (const path of [folder, temp]) chownSync(path, user.uid, user.gid);
  return createPlainLaunch({
    argv: [SANDBOX_EXEC, "-f", profile, ...argv],
    cwd: policy.cwd,
    env: {
      ...placesOutside(policy),
      ...policy.env,
      PATH: `/opt/homebrew/bin:${policy.env.PATH ?? ""}`,
      HOME: policy.home ?? temp,
      TMPDIR: policy.temp?.folder ?? temp,
    },
    walls: { ...sandbox.walls, network: policy.network },
    user,
    runner: null,
    after: () => made.remove(),
  });
}

/** Of several rules that fit, the last one wins: closed, then the system, then what is listed, then what stays read-only. */
export function seatbeltProfile(policy: Policy, temp: string): string {
  const { pinned, frozen, thawed } = policy.protect;
  const kept = [...(policy.cache ? [policy.cache.cache] : []), ...(policy.temp ? [policy.temp.folder] : [])];
  return lines(
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem ipc-posix-shm*)",
    "(allow pseudo-tty)",
    rule("allow", "mach-lookup", "global-name", MACH),
    "(allow file-read-metadata)",
    rule("allow", "file-read*", "subpath", SYSTEM),
    rule("allow", "file-read*", "literal", ["/", "/private/var/select/sh", "/dev/random", "/dev/urandom", "/dev/autofs_nowait"]),
    rule("allow", "file-read* file-write* file-ioctl", "literal", ["/dev/null", "/dev/zero", "/dev/dtracehelper"]),
    rule("allow", "file-read* file-write*", "subpath", ["/dev/fd"]),
    rule("deny", "file-read* file-write*", "subpath", SHARED),
    rule("allow", "file-read*", "subpath", policy.read),
    rule("allow", "file-read* file-write*", "subpath", [...policy.write, ...kept, temp]),
    rule("deny", "file-write-unlink", "literal", [...pinned, ...policy.write]),
    rule("deny", "file-write*", "subpath", frozen),
    rule("allow", "file-write*", "subpath", thawed?.folders ?? []),
    rule("deny", "file-write*", "subpath", thawed?.frozen ?? []),
    rule("deny", "file-write-unlink", "literal", thawed?.folders ?? []),
    rule("deny", "file-read* file-write*", "subpath", policy.hidden?.places.map(({ path }) => path) ?? []),
    ...(policy.network === "open"
      ? ["(allow network*)", "(allow system-socket)", rule("allow", "mach-lookup", "global-name", MACH_NETWORK)]
      : []),
  );
}

/** Shared by all programs of the machine: secrets and sockets lie around there. */
const SHARED = ["/private/tmp", "/private/var/folders", "/var/folders", "/private/etc"];
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/opt/homebrew",
  "/private/var/db/timezone",
  "/private/var/db/dyld",
];
const MACH = ["com.apple.system.opendirectoryd.libinfo", "com.apple.system.logger", "com.apple.system.notification_center"];
const MACH_NETWORK = ["com.apple.SystemConfiguration.configd", "com.apple.trustd", "com.apple.trustd.agent", "com.apple.mDNSResponder"];

const rule = (verdict: "allow" | "deny", operations: string, filter: "subpath" | "literal" | "global-name", values: readonly string[]) =>
  values.length === 0 ? "" : `(${verdict} ${operations}\n${values.map((value) => `  (${filter} ${quoted(value)})`).join("\n")})`;

/** A path may hold anything but must never end its string. */
const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;
const lines = (...parts: string[]) => `${parts.filter((part) => part !== "").join("\n")}\n`;
