/** Whole segments, never letters: `/work-evil` is not within `/work`. Both paths are absolute and canonical. */
export const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(root === "/" ? "/" : `${root}/`);

/** The path as people want to see it: relative where it lies below the working directory. */
export function display(path: string, cwd: string): string {
  if (path === cwd) return ".";
  return isWithin(cwd, path) && cwd !== "/" ? path.slice(cwd.length + 1) : path;
}

export const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** A name or path on one line: one that holds a line break or another control character is shown as a JSON string, which can be given back as it is. */
export const quoteName = (path: string): string => (/[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path);
