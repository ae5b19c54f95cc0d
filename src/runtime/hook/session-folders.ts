import type { SessionMemory } from "../../core/ports/store.ts";
import type { ClientName, HookedCall } from "../../hook/client.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { isWithin } from "../../text/path.ts";

/** Looked up in the store when there are more. */
const MOST_SESSIONS = 1000;
/** Which folder a session began in is known before there is a workspace. */
const NOWHERE = "";
const FOLDER = "folder";

/** A call in the folder that its session began in. */
export interface SessionCall {
  readonly call: HookedCall;
  /** The same call in the folder that it was made from, where that is outside of the first one and has rules of its own. */
  readonly besides: HookedCall | null;
}

export type FindSession = (client: ClientName, call: HookedCall) => Promise<SessionCall>;

/**
 * A session belongs to the folder it began in, also for the next process. Some clients tell the folder that their shell has gone to meanwhile: the first
 * one's rules hold there as well, which a model could leave behind by going elsewhere otherwise. Outside of it the rules of that other folder hold besides.
 */
export function createSessionFolders(store: SessionMemory): FindSession {
  const began = new Map<string, { readonly folder: string; readonly since: number }>();
  const find = async (session: string, folder: string): Promise<string> => {
    const known = began.get(session);
    if (known && Date.now() - known.since < DAY_MS) return known.folder;
    const key = { workspace: NOWHERE, owner: session };
    const stored = store.read(key, 0)?.items.get(FOLDER) ?? null;
    const first = stored === null ? (known?.folder ?? folder) : (JSON.parse(stored) as string);
    // Written once a day as well, so that it is kept as long as the session is used.
    await store.write([{ ...key, put: new Map([[FOLDER, JSON.stringify(first)]]), remove: [] }], Date.now());
    keepRecent(began, session, { folder: first, since: Date.now() }, MOST_SESSIONS);
    return first;
  };
  return async (client, call) => {
    const first = await find(`${client} ${call.session}`, call.cwd);
    if (first === call.cwd) return { call, besides: null };
    return { call: { ...call, cwd: first, at: call.at ?? call.cwd }, besides: isWithin(first, call.cwd) ? null : call };
  };
}

const DAY_MS = 24 * 3_600_000;
