import { closeSync } from "node:fs";

/** Does the work with an open file, and closes the file whatever happens. */
export function closeAfter<T>(fd: number, work: (fd: number) => T): T {
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Looks at a file that was opened. One that is not what was wanted is closed: `look` throws. */
export function keepIf<T>(fd: number, look: (fd: number) => T): T {
  try {
    return look(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
