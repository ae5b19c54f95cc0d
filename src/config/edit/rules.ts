import { isDeepStrictEqual } from "node:util";
import type { PermissionRule } from "../../gates/permissions/permissions.ts";
import { globProblem } from "../../text/glob.ts";
import { ConfigError } from "../problem.ts";
import { changeFile } from "./change.ts";
import { entriesAt, entryBlock, insertEntry } from "./entries.ts";

/** Writes a rule into the user's file, where it is matched first. The file is made when there is none. */
export function saveRule(userFile: string, tool: string, rule: PermissionRule): void {
  changeFile(userFile, (before) => addRule(before ?? "", tool, rule));
}

/** Adds a rule before all others of its tool. Only inserts: every byte that was there stays. A rule that is first already is not added again. */
export function addRule(text: string, tool: string, { pattern, action, exact, caller }: PermissionRule): string {
  const rule = { pattern, action, ...(exact && { exact: true }), ...(caller !== undefined && { caller }) };
  const problem = pattern === "" ? "it is empty" : exact ? null : globProblem(pattern);
  if (problem) throw new ConfigError([{ message: `The pattern ${JSON.stringify(pattern)} cannot be saved: ${problem}.` }]);
  const path = ["tools", "permissions", tool];
  const [first] = entriesAt(text, path, "rules");
  if (isDeepStrictEqual({ ...(first as object) }, rule)) return text;
  const edited = insertEntry(text, path, rule, "first");
  if (edited !== null) return edited;
  throw new ConfigError([{ message: `No safe place was found for the rule. Add it yourself:\n\n${entryBlock("\n", path, rule)}` }]);
}
