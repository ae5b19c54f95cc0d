import { type Offer, SessionRefused } from "../../front/mcp-server/offer.ts";
import type { Workspaces } from "../../front/mcp-server/workspaces.ts";
import { movedAway, openServedSession, type ServedRuntime } from "./served-session.ts";

/** What every client is told. */
export const INSTRUCTIONS =
  "Tools that act on the person's own machine, behind their rules. A call that is refused says why; do not work around it. All calls of a session share one shell: cd and exports carry on. Long outputs are shortened and kept: read_overflow reads the rest by the id that is shown.";

/** A folder was found when the session began, and is opened with its first call. In between another session may have put a link in its place. */
export async function openWithin(workspaces: Workspaces, runtime: ServedRuntime): Promise<Offer> {
  const { workspace } = runtime;
  const why = workspaces.refusal(workspace);
  if (why !== null) throw new SessionRefused(why);
  if (workspaces.find(workspace) !== workspace) throw movedAway(workspace);
  return openServedSession(runtime);
}
