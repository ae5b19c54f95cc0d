import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

export interface RuleFile {
  readonly name: string;
  readonly text: string;
}

const MAX_BYTES = 1024 * 1024;

/** The person's rule file: the one that was named, else `filters.toml` beside their configuration. A named one that cannot be read is told. */
export function readRuleFile(
  named: string,
  { userFile, home }: { readonly userFile: string | null; readonly home: string },
): { readonly file: RuleFile | null; readonly warnings: readonly string[] } {
  if (named === "" && userFile === null) return { file: null, warnings: [] };
  const folder = userFile === null ? home : dirname(userFile);
  const path = named === "" ? join(folder, "filters.toml") : absolute(named, folder, home);
  try {
    return { file: { name: path, text: read(path) }, warnings: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (named === "" && code === "ENOENT") return { file: null, warnings: [] };
    return { file: null, warnings: [`${path}: ${code ?? message}. The built-in rules are used.`] };
  }
}

/** A pipe must not be waited for, and a huge file not be read. */
function read(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes, more than the ${MAX_BYTES} a filter file may have`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function absolute(path: string, folder: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(folder, path);
}
