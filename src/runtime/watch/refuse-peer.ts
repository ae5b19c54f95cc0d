import { type ConnectionPorts, isPeerBelowAgent } from "../../files/agent-process.ts";
import { peerUsers } from "../../files/peer-user.ts";

/**
 * Why a program may not post to the page: it is another user's, or an agent started it. The link stands on the command line of the browser, where
 * other users of the machine may read it, and what a model starts may find a cookie: neither is the person.
 */
export function refusePeer(ends: ConnectionPorts, log: string): string | null {
  const users = peerUsers(ends);
  const own = ownUsers();
  if (users !== null && (users.length === 0 || users.some((user) => !own.includes(user)))) return "another user of this machine sent it";
  return isPeerBelowAgent(ends, log) ? "a program that an agent started sent it" : null;
}

/** Who works with `sudo` has their browser under their own name. */
function ownUsers(): readonly number[] {
  const user = process.getuid?.() ?? -1;
  const before = process.env.SUDO_UID;
  return user === 0 && before !== undefined && /^\d{1,10}$/.test(before) ? [user, Number(before)] : [user];
}
