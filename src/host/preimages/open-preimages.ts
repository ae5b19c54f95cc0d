import { join } from "node:path";
import type { TurnUndo } from "../../core/ports/preimage.ts";
import { createLeftovers } from "../files/leftovers.ts";
import type { PathRules } from "../files/paths.ts";
import { createPreimageKeeper, type PreimageKeeper } from "./keeper.ts";
import { createPreimageStore, preimageHash } from "./preimage-store.ts";
import { createTurnUndo } from "./undo-turn.ts";

export interface KeptPreimages {
  /** Keeps what files were before they are changed; null where somebody else changes them. */
  readonly keeper: PreimageKeeper | null;
  /** Takes back what turns changed in files; null where nothing is kept. */
  readonly undoing: TurnUndo | null;
}

/** What is kept of the files of one workspace, below a folder where only this user can look. */
export function openPreimages(rules: PathRules, folder: string | undefined, notes: string): KeptPreimages {
  if (folder === undefined) return { keeper: null, undoing: null };
  const store = createPreimageStore(join(folder, preimageHash(Buffer.from(rules.cwd)).slice(0, 32)));
  return {
    keeper: createPreimageKeeper(rules, store),
    undoing: {
      last: store.lastTurn,
      undo: (turn) => createTurnUndo(rules, store, createLeftovers(notes)).undo(turn),
    },
  };
}
