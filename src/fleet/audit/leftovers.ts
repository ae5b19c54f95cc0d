import { statSync } from "node:fs";
import { lockFile } from "../../store/audit/lock.ts";
import { auditFamily, auditName } from "../../store/audit/names.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { type Copier, openCopier } from "./copier.ts";

/** Copies what processes that are gone have left in the files beside this one. */
export function createLeftoverCopier(
  db: Pg,
  { path, log }: { readonly path: string; readonly log: string },
  warn: (message: string) => void,
): Pick<Copier, "copyAll"> {
  /** How long files were that are copied. */
  const done = new Map<string, number>();
  const copyFile = async (file: string, size: number) => {
    // Whoever writes a file holds its lock, and copies it.
    const release = lockFile(`${file}.lock`);
    if (!release) return;
    const copier = openCopier(db, file, warn);
    try {
      await copier.copyAll();
      done.set(file, size);
    } finally {
      copier.close();
      release();
    }
  };
  let running: Promise<void> | null = null;
  const copyAll = async () => {
    for (const file of auditFamily(auditName(log), []).there) {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (file !== path && size > 0 && done.get(file) !== size) await copyFile(file, size);
    }
  };
  return {
    copyAll() {
      running ??= copyAll().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
