import type { Confirm } from "../../core/event.ts";
import type { Store } from "../../core/ports/store.ts";
import type { SessionFolder } from "../../fleet/workspace/fleet-folders.ts";
import { openRuntime } from "../create.ts";
import type { TurnParts } from "./turn-runner.ts";

interface NewFolder {
  readonly folder: SessionFolder;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * Runs the repository's setup command in a folder that was made anew, behind the walls and by the rules as any command. The command where it failed; null where
 * it did not, or there is none.
 */
export async function setUpFolder(
  { setups = [], settings: { model: _model, ...settings }, warn }: TurnParts,
  { folder, store, signal }: NewFolder,
): Promise<string | null> {
  const { repo } = folder;
  const setup = repo === null || folder.state === "kept" ? undefined : setups.find((one) => repo.startsWith(one.repo));
  if (!setup) return null;
  const run = async (): Promise<boolean> => {
    const { zeph } = await openRuntime({ ...settings, cwd: folder.folder, shared: store, confirm: agreed, confirmedBy: "fleet.setup" });
    try {
      const outcome = await zeph.call("bash", { command: setup.command }, { signal });
      const isWell = outcome.ok && outcome.output.exitCode === 0;
      if (!isWell) warn(`The setup command of ${repo} failed: ${outcome.ok ? outcome.output.text.slice(-500) : outcome.error.message}`);
      return isWell;
    } finally {
      await zeph.close();
    }
  };
  return (await folder.setUp(setup, run)) === "failed" ? setup.command : null;
}

/** The operator wrote the command down. Without walls it runs no more than any other. */
const agreed: Confirm = (question) => (question.without_walls ? { unasked: "A setup command does not run without walls." } : "once");
