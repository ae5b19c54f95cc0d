import { type Offer, SessionRefused } from "../../front/mcp-server/offer.ts";
import type { Workspaces } from "../../front/mcp-server/workspaces.ts";
import { movedAway, openServedSession, type ServedRuntime } from "./served-session.ts";

/** A folder was found when the session began, and is opened with its first call. In between another session may have put a link in its place. */
export async function openWithin(workspaces: Workspaces, runtime: ServedRuntime): Promise<Offer> {
  const { workspace } = runtime;
  const why = workspaces.refusal(workspace);
  if (why !== null) throw new SessionRefused(why);
  if (workspaces.find(workspace) !== workspace) throw movedAway(workspace);
  return openServedSession(runtime);
}
