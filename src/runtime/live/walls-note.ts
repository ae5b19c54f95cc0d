import { noteWithoutWalls } from "../../live/without-walls.ts";
import { makeFolder } from "../../store/folder.ts";

/** Tells other processes of this user that commands of this runtime run without walls, from the first one on. */
export interface WallsNote {
  write(): void;
  close(): void;
}

export function openWallsNote(folder: string, warn: (message: string) => void): WallsNote {
  let remove: (() => void) | null = null;
  let isTold = false;
  return {
    write() {
      if (remove) return;
      try {
        makeFolder(folder);
        remove = noteWithoutWalls(folder);
      } catch (error) {
        if (!isTold) warn(`Nobody else on this machine can see that commands run without walls here: ${(error as Error).message}`);
        isTold = true;
      }
    },
    close() {
      remove?.();
      remove = null;
    },
  };
}
