import { dirname, join } from "node:path";
import { OwnFileError, readOwnFile } from "../files/own-file.ts";
import { TOML_LIMITS } from "../text/toml.ts";
import { namedPath } from "./policy/policy-file.ts";

export interface RuleFile {
  readonly name: string;
  readonly text: string;
}

const MAX_BYTES = TOML_LIMITS.length;

/** The person's rule file: the one that was named, else `filters.toml` beside their configuration. A named one that cannot be read is told. */
export function readRuleFile(
  named: string,
  { userFile, home }: { readonly userFile: string | null; readonly home: string },
): { readonly file: RuleFile | null; readonly warnings: readonly string[] } {
  if (named === "" && userFile === null) return { file: null, warnings: [] };
  const folder = userFile === null ? home : dirname(userFile);
  const path = named === "" ? join(folder, "filters.toml") : namedPath(named, {}, { cwd: folder, home });
  try {
    return { file: { name: path, text: readOwnFile(path, { maxBytes: MAX_BYTES }).bytes.toString("utf8") }, warnings: [] };
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    if (named === "" && error.reason === "missing") return { file: null, warnings: [] };
    return { file: null, warnings: [`${path}: ${error.message} The built-in rules are used.`] };
  }
}
