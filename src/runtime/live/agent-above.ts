import { isBelowAnyAgent } from "../../live/peer-proof.ts";
import type { StatePaths } from "../../store/state-paths.ts";

/**
 * Whether an agent started this process. What a model types may name another log or another folder for the sockets, so whoever has the store open that is
 * to be used counts as well.
 */
export const isStartedByAgent = ({ audit, store, live }: Pick<StatePaths, "audit" | "store" | "live">): boolean =>
  isBelowAnyAgent(process.pid, { folder: live, logs: () => [audit, store] });

export { refusalWithoutWalls } from "../../live/without-walls.ts";
