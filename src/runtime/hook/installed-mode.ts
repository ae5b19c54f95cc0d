import type { HookMode } from "../../hook/client.ts";
import { chosenFor, readInstalled } from "../../hook/install/installed.ts";
import { statePaths } from "../../store/state-paths.ts";

/** The mode that a person chose for a client when its hooks were installed, for calls in this folder. A hook that was written by hand judges. */
export const installedMode = (client: string, cwd: string): HookMode =>
  chosenFor(readInstalled(statePaths({ store: "", audit: "" }).state), client, cwd)?.mode ?? "guard";

/** The same where no command is rewritten, so that nothing runs behind walls: such a client is judged all the same. */
export const judgingMode = (client: string, cwd: string): HookMode => (installedMode(client, cwd) === "filter" ? "filter" : "guard");
