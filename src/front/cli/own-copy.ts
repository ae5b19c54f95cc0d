import { dirname, join } from "node:path";
import { isBelowAgent } from "../../files/agent-process.ts";
import { cacheRoot, workspaceSlug } from "../../files/known-workspaces.ts";
import { CopyError, openPrivateCopy, type PrivateCopy, recordBuild } from "../../files/private-copy.ts";
import { statEntry } from "../../files/stat.ts";
import { homeFolder, stateFolder } from "../../files/state-folder.ts";
import { isWithin } from "../../text/path.ts";

/** Read by bin/zeph.cjs before anything else of the package, where the package lies in a project. */
export function openOwnCopy(root: string, workspace: string): PrivateCopy | null {
  const home = homeFolder();
  const open = [workspace, ...parentsOf(root).filter((folder) => isKnownWorkspace(folder, home))].filter(
    (folder) => folder !== "/" && folder !== home && isWithin(folder, root),
  );
  if (open.length === 0) return null;
  const state = stateFolder(home);
  const around = open.find((folder) => isWithin(folder, state));
  if (around !== undefined)
    throw new CopyError(
      `Zeph and its state (${state}) both lie in ${around}, where commands may write. Install Zeph elsewhere (npm install --global zeph), or set XDG_STATE_HOME.`,
    );
  return openPrivateCopy(sourceIn(root, state));
}

/** What scripts/build.mjs says at its end, with the list of files it has written. */
export const recordOwnBuild = (root: string, list: string): void => recordBuild(list, sourceIn(root, stateFolder()));

const sourceIn = (root: string, state: string) => ({
  root,
  state,
  isBelowAgent: () => isBelowAgent(process.pid, join(state, "audit.jsonl")),
});

/** Commands of an earlier session could write there. */
const isKnownWorkspace = (folder: string, home: string): boolean =>
  statEntry(join(cacheRoot(home, process.env), workspaceSlug(folder))) !== null;

function parentsOf(path: string): string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) found.push(at);
  return found;
}
