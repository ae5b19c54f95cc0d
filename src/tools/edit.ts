import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { defineOwnTool } from "../core/tool.ts";
import { plural } from "../text/words.ts";
import { unifiedDiff } from "./diff.ts";
import { explainMiss, lineAt } from "./missed-text.ts";
import { pathArgument } from "./path-argument.ts";

export const edit = defineOwnTool({
  name: "edit",
  description: "Replace a text that occurs exactly once in a file; with replace_all, all its occurrences.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      path: pathArgument(),
      old_string: z.string().describe("Exactly as in the file, without line numbers"),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
    }),
  touches: ({ path }) => [
    { kind: "path", access: "read", path },
    { kind: "path", access: "write", path },
  ],
  varies: ["old_string", "new_string", "replace_all"],
  async run(permit, { host }) {
    const { path } = permit.input;
    assertEditInput(permit.input);
    const before = await host.files.text(permit, path);
    const { after, places, fresh } = editedText(before, permit.input);
    const written = await host.files.replace(permit, path, before, after);
    const diff = await unifiedDiff(path, before, after);
    const line = lineAt(before, places[0]!);
    return {
      text: `Edited ${path} at line ${line}${places.length > 1 ? ` and ${more(places.length - 1)}` : ""}:\n${around(after, places[0]!, fresh)}`,
      ...(diff !== undefined && { diff, raw: diff }),
      locations: [{ path: written.path, line }],
    };
  },
});

interface EditInput {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export function assertEditInput({ old_string, new_string }: EditInput): void {
  if (old_string === "") throw new ToolError("invalid_parameters", "old_string is empty. Use write to create a file.");
  if (old_string === new_string)
    throw new ToolError("invalid_parameters", "old_string and new_string are the same, so nothing would change.");
}

/** The text after the edit. Throws a ToolError where there is nothing to replace, or more than was meant. */
export function editedText(before: string, { path, old_string, new_string, replace_all = false }: EditInput) {
  const { old, fresh } = likeFile(before, old_string, new_string);
  const places = occurrences(before, old);
  if (places.length === 0) throw missed(before, path, old_string);
  if (places.length > 1 && !replace_all)
    throw new ToolError(
      "invalid_parameters",
      `old_string occurs ${count(places.length)} in ${path}, ${where(before, places)}. Make it longer, or set replace_all.`,
    );
  // Through a function: `$&` in the new text is text.
  return { after: replace_all ? before.replaceAll(old, () => fresh) : before.replace(old, () => fresh), places, fresh };
}

function missed(text: string, path: string, wanted: string): ToolError {
  const { why, place } = explainMiss(text, wanted);
  // A place is output and no part of the message, which is one line.
  return new ToolError("invalid_parameters", `old_string does not occur in ${path}${why}`, {
    ...(place !== undefined && { output: { text: place } }),
  });
}

const MOST_SHOWN = 8;

/** The changed lines of a file with the line before and after them, numbered. The middle of many is left out: whoever wrote it knows it. */
function around(text: string, at: number, fresh: string): string {
  const last = lineAt(text, at + fresh.length);
  const first = Math.max(1, lineAt(text, at) - 1);
  let from = text.lastIndexOf("\n", at - 1);
  if (from > 0) from = text.lastIndexOf("\n", from - 1);
  const lines: string[] = [];
  for (let n = first, start = from + 1; n <= last + 1 && start < text.length; n++) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end).replace(/\r$/, "");
    lines.push(
      `${n}\t${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length - LONGEST_LINE} more characters)` : line}`,
    );
    if (end < 0) break;
    start = end + 1;
  }
  if (lines.length <= MOST_SHOWN) return lines.join("\n");
  const half = MOST_SHOWN / 2;
  return [...lines.slice(0, half), `(${lines.length - MOST_SHOWN} lines between them)`, ...lines.slice(-half)].join("\n");
}

const LONGEST_LINE = 300;

const MOST_PLACES = 10_000;

/** A model writes `\n`; where the file says `\r\n` throughout, that is what is meant. */
function likeFile(text: string, old: string, fresh: string): { old: string; fresh: string } {
  if (!usesReturns(text)) return { old, fresh };
  return { old: text.includes(old) ? old : withReturns(old), fresh: withReturns(fresh) };
}

const usesReturns = (text: string) => text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
const withReturns = (text: string) => text.replace(/\r?\n/g, "\r\n");

function occurrences(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && places.length <= MOST_PLACES; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

const more = (n: number) => (n >= MOST_PLACES ? "many more places" : plural(n, "more place"));
const count = (n: number) => (n > MOST_PLACES ? `more than ${MOST_PLACES} times` : `${n} times`);

function where(text: string, places: readonly number[]): string {
  const lines = places.slice(0, 5).map((at) => lineAt(text, at));
  return `in lines ${lines.join(", ")}${places.length > 5 ? " and others" : ""}`;
}
