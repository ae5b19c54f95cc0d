/** A path as seen from where the whole command started; null when the folder it is relative to is not known. */
export function joinFolder(cwd: string | null, path: string): string | null {
  if (path === "" || path.startsWith("/") || path.startsWith("~")) return path === "" ? null : path;
  if (cwd === null) return null;
  return cwd === "." ? path : `${cwd.replace(/\/+$/, "")}/${path}`;
}

const NOWHERE = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|random|urandom|fd\/\d+|pts\/\d+)$/;

/** Devices that keep nothing and break nothing. */
export const nowhere = (path: string): boolean => NOWHERE.test(path);

/** A file that is no file: what it holds comes from standard input or from a substitution, however the way to it is written. */
export const isInput = (path: string | null): boolean => {
  if (path === null || path === "-") return path === "-";
  const plain = path.replace(/\/+(\.?\/+)*/g, "/");
  return /^\/(dev\/(stdin|fd\/.*)|proc\/.*\/fd\/.*|(dev|proc)\/(.*\/)?\.\.\/.*)$/.test(plain);
};

/** What bash puts in the place of `<(…)`. */
export const SUBSTITUTED = "/dev/fd/63";

/** A file or folder that was made for the command. */
export const MADE_BY_MKTEMP = "/tmp/tmp.*";
/** Where temporary files go by the environment. Where that says nothing, `$TMPDIR/x` is `/x`: no place to delete from unseen. */
export const IN_TMPDIR = "/tmp/TMPDIR.*";

/** Whether a path lies in a place for temporary files. */
export const isTemporary = (path: string): boolean => /^\/tmp\/(tmp|TMPDIR)\.\*/.test(path) && !path.includes("/..");
