import type { BinaryFiles, SearchResult } from "../core/ports/host.ts";
import { quoteName } from "../text/path.ts";
import { grouped, plural } from "../text/words.ts";

export const IGNORED_FOLDER = "(.gitignore leaves this folder out; it was searched because you named it)";

/** In how many files nothing was found, and what was left out, to follow "No matches". Empty where the host does not count. */
export function searchedText({ files }: SearchResult<unknown>): string {
  if (!files) return "";
  const { searched, leftByGlob, leftByIgnore } = files;
  const left = [...(leftByGlob > 0 ? [`${grouped(leftByGlob)} by the glob`] : []), ...ignoredText(leftByIgnore)];
  return `${searched === 0 ? ": no file was searched" : ` in ${plural(searched, "file")}`}${left.length > 0 ? `, left out: ${left.join(", ")}` : ""}`;
}

/** Which files match and are left out, to follow "No files match". */
export function leftOutText({ files }: SearchResult<unknown>): string {
  if (!files) return "";
  const { searched, leftByGlob, leftByIgnore } = files;
  return ` among ${plural(searched + leftByGlob, "file")}${leftByIgnore > 0 ? `, left out: ${ignoredText(leftByIgnore).join("")}` : ""}`;
}

const ignoredText = (count: number): string[] => (count > 0 ? [`${grouped(count)} by .gitignore`] : []);

export const CUT_BINARY = "(a binary file: what follows its first NUL byte is not shown)";

const MOST_NAMED = 3;

/** What matches and is no text. */
export function binaryText({ paths, more }: BinaryFiles): string {
  if (paths.length === 0) return "(binary files were not searched to the end)";
  const one = paths.length === 1 && !more;
  const rest = paths.length > MOST_NAMED ? ", …" : "";
  const names = paths.slice(0, MOST_NAMED).map(quoteName).join(", ");
  return `(${more ? "at least " : ""}${plural(paths.length, "binary file")} ${one ? "matches and is" : "match and are"} not shown: ${names}${rest})`;
}
