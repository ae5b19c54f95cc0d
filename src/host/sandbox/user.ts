import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { ToolError } from "../../core/error.ts";
import { runProgramNow } from "../../files/programs.ts";
import { attempt } from "../../text/attempt.ts";
import type { ScopeConfig } from "./config.ts";

/** Another user commands run as. */
export interface OtherUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The user that `tools.scope` names; undefined where commands run as the user of this process. */
export const scopeUser = ({ enabled, run_as_user }: ScopeConfig): OtherUser | undefined =>
  enabled && run_as_user !== "" ? (findOtherUser(run_as_user) ?? undefined) : undefined;

/**
 * `tools.scope.run_as_user`. Null when that is the user of this process, root too: nothing changes then. Throws when this process may not become that
 * user, or there is none. Node drops all other groups.
 */
export function findOtherUser(
  name: string,
  me: number | undefined = process.getuid?.(),
  accounts: Accounts = systemAccounts,
  status: () => string = ownStatus,
): OtherUser | null {
  const found = accounts(name);
  if (!found) throw new ToolError("policy_blocked", `tools.scope.run_as_user: there is no user "${name}" on this machine.`);
  if (me === found.uid) return null;
  if (me !== 0)
    throw new ToolError(
      "policy_blocked",
      `tools.scope.run_as_user = "${name}" needs root: only root may start commands as another user. Zeph does not use sudo by itself. Start Zeph as root (sudo zeph …) or clear the setting.`,
    );
  if (!mayChangeUser(status()))
    throw new ToolError(
      "policy_blocked",
      `tools.scope.run_as_user = "${name}" needs the capabilities CAP_SETUID and CAP_SETGID, which this root does not have, as in a container that drops them. Give them to it or clear the setting.`,
    );
  return found;
}

const SETGID = 1n << 6n;
const SETUID = 1n << 7n;

/** Root in a container may lack the right. Where the system says nothing of capabilities, root has it. */
function mayChangeUser(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective === undefined || (BigInt(`0x${effective}`) & (SETUID | SETGID)) === (SETUID | SETGID);
}

const ownStatus = (): string => attempt(() => readFileSync("/proc/self/status", "utf8"), "");

/** Under which user commands run: the other one, or whoever runs this process. */
export function commandUserName(runAs: string): string {
  if (runAs !== "") return runAs;
  try {
    return userInfo().username;
  } catch {
    // Somebody without an entry in the list of users.
    return String(process.getuid?.() ?? "unknown");
  }
}

export type Accounts = (name: string) => OtherUser | null;

const systemAccounts: Accounts = (name) => fromPasswd(name) ?? fromDirectory(name);

const fromPasswd = (name: string): OtherUser | null => attempt(() => parsePasswd(readFileSync("/etc/passwd", "utf8"), name), null);

export function parsePasswd(text: string, name: string): OtherUser | null {
  const fields = text
    .split("\n")
    .map((line) => line.split(":"))
    .find(([first]) => first === name);
  const [, , uid, gid, , home] = fields ?? [];
  return uid === undefined || gid === undefined ? null : { name, uid: Number(uid), gid: Number(gid), home: home || "/" };
}

/** macOS and machines with a directory service keep users elsewhere. */
function fromDirectory(name: string): OtherUser | null {
  // A name is no option.
  if (!/^[A-Za-z_][\w.-]*\$?$/.test(name)) return null;
  const ask = (flag: string) => Number(runProgramNow("/usr/bin/id", [flag, name], { env: {}, stdio: ["ignore", "pipe", "ignore"] }));
  try {
    return { name, uid: ask("-u"), gid: ask("-g"), home: process.platform === "darwin" ? `/Users/${name}` : `/home/${name}` };
  } catch {
    return null;
  }
}
