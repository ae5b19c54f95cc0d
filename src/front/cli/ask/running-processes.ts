import type { Desk } from "../../../runtime/create.ts";
import { openDesk } from "../../../runtime/create.ts";
import { type LiveSourceParts, type OpenLiveSource, openLiveSource } from "../../../runtime/live/live-source.ts";
import type { GlobalSettings } from "../runtime.ts";

/** What runs, and what waits for an answer, for a command that has the stores open. */
export const openRunningProcesses = (
  { at, openQuestions }: Pick<Desk, "at" | "openQuestions">,
  settings: GlobalSettings,
  more: Pick<LiveSourceParts, "where" | "told">,
): OpenLiveSource =>
  openLiveSource({ folder: at.live, log: at.audit, openQuestions, fourEyes: (workspace) => fourEyes(workspace, settings), ...more });

/** The rules of a question are those of its folder. */
function fourEyes(workspace: string, settings: GlobalSettings): boolean {
  const desk = openDesk(workspace, settings);
  try {
    return desk.loaded.config.tools.four_eyes;
  } finally {
    void desk.close();
  }
}
