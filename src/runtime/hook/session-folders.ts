import type { ClientName, HookedCall } from "../../hook/client.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { isWithin } from "../../text/path.ts";

const MOST_SESSIONS = 1000;

/** A call in the folder that its session began in. */
export interface SessionCall {
  readonly call: HookedCall;
  /** The same call in the folder that it was made from, where that is outside of the first one and has rules of its own. */
  readonly besides: HookedCall | null;
}

/**
 * A session belongs to the folder it began in. Some clients tell the folder that their shell has gone to meanwhile: the first one's rules hold there as
 * well, which a model could leave behind by going elsewhere otherwise. Outside of it the rules of that other folder hold besides.
 */
export function createSessionFolders(): (client: ClientName, call: HookedCall) => SessionCall {
  const began = new Map<string, string>();
  return (client, call) => {
    const session = `${client} ${call.session}`;
    const first = began.get(session) ?? call.cwd;
    keepRecent(began, session, first, MOST_SESSIONS);
    if (first === call.cwd) return { call, besides: null };
    return { call: { ...call, cwd: first, at: call.at ?? call.cwd }, besides: isWithin(first, call.cwd) ? null : call };
  };
}
