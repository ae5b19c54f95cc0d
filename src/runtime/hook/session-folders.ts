import type { ClientName, HookedCall } from "../../hook/client.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { isWithin } from "../../text/path.ts";

const MOST_SESSIONS = 1000;

/**
 * A session belongs to the folder it began in. Some clients tell the folder that their shell has gone to meanwhile: what lies below the first one is still
 * judged by the first one's rules, which a model could leave behind by going into a folder otherwise.
 */
export function createSessionFolders(): (client: ClientName, call: HookedCall) => HookedCall {
  const began = new Map<string, string>();
  return (client, call) => {
    const session = `${client} ${call.session}`;
    const first = began.get(session);
    const isBelow = first !== undefined && isWithin(first, call.cwd);
    keepRecent(began, session, isBelow ? first : call.cwd, MOST_SESSIONS);
    return isBelow && first !== call.cwd ? { ...call, cwd: first, at: call.at ?? call.cwd } : call;
  };
}
