import { resolve } from "node:path";
import type { Diff, ToolCallContent } from "@agentclientprotocol/sdk";
import { parsePatch } from "diff";
import { attempt } from "../../text/attempt.ts";
import { record } from "../../text/json.ts";
import type { NamedCall } from "./call-titles.ts";

/** More pieces than anybody looks at. */
const MOST_HUNKS = 200;

/** A unified diff as an editor wants it: for each piece what was there and what is there now. A new file has no old text. Empty for any other text. */
export function diffsOf(unified: string, where: { readonly cwd: string; readonly path?: string }): Diff[] {
  const found = attempt(() => parsePatch(unified), []).flatMap(({ oldFileName = "", newFileName = "", hunks }) => {
    const path = where.path ?? resolve(where.cwd, (newFileName === NOWHERE ? oldFileName : newFileName).replace(/^[ab]\//, ""));
    return hunks.map(({ lines }): Diff => {
      const oldText = sideOf(lines, "+");
      return { path, oldText: oldFileName === NOWHERE && oldText === "" ? null : oldText, newText: sideOf(lines, "-") };
    });
  });
  return found.slice(0, MOST_HUNKS);
}

const NOWHERE = "/dev/null";

/** One side of a piece: all lines but those of the other side. A mark behind a line says that no line end follows it. */
function sideOf(lines: readonly string[], other: "+" | "-"): string {
  const isMark = (line: string | undefined) => line?.startsWith("\\") ?? false;
  return lines
    .flatMap((line, n) => (line.startsWith(other) || isMark(line) ? [] : [`${line.slice(1)}${isMark(lines[n + 1]) ? "" : "\n"}`]))
    .join("");
}

export const diffPieces = (unified: string, where: Parameters<typeof diffsOf>[1]): ToolCallContent[] =>
  diffsOf(unified, where).map((diff) => ({ type: "diff", ...diff }));

const LONGEST_PIECE = 20_000;

/** A piece that is replaced, as far as the arguments of a call tell. What a whole file replaces they do not. */
export function editContent({ name, args }: NamedCall, cwd: string): ToolCallContent[] {
  if (name !== "edit") return [];
  const { path, old_string, new_string } = record(args);
  if (typeof path !== "string" || typeof old_string !== "string" || typeof new_string !== "string") return [];
  if (old_string.length + new_string.length > LONGEST_PIECE) return [];
  return [{ type: "diff", path: resolve(cwd, path), oldText: old_string, newText: new_string }];
}
