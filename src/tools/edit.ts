import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { defineOwnTool } from "../core/tool.ts";
import { plural } from "../text/words.ts";
import { closest } from "./closest.ts";
import { unifiedDiff } from "./diff.ts";
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
    const { path, old_string, new_string } = permit.input;
    if (old_string === "") throw new ToolError("invalid_parameters", "old_string is empty. Use write to create a file.");
    if (old_string === new_string)
      throw new ToolError("invalid_parameters", "old_string and new_string are the same, so nothing would change.");

    const before = await host.files.text(permit, path);
    const { after, places } = editedText(before, permit.input);
    const written = await host.files.replace(permit, path, before, after);
    const diff = await unifiedDiff(path, before, after);
    const line = lineOf(before, places[0]!);
    return {
      text: `Edited ${path} at line ${line}${places.length > 1 ? ` and ${more(places.length - 1)}` : ""}.`,
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

/** The text after the edit. Throws a ToolError where there is nothing to replace, or more than was meant. */
export function editedText(before: string, { path, old_string, new_string, replace_all = false }: EditInput) {
  const { old, fresh } = likeFile(before, old_string, new_string);
  const places = occurrences(before, old);
  if (places.length === 0) throw new ToolError("invalid_parameters", `old_string does not occur in ${path}.${closest(before, old_string)}`);
  if (places.length > 1 && !replace_all)
    throw new ToolError(
      "invalid_parameters",
      `old_string occurs ${count(places.length)} in ${path}, ${where(before, places)}. Make it longer, or set replace_all.`,
    );
  // Through a function: `$&` in the new text is text.
  return { after: replace_all ? before.replaceAll(old, () => fresh) : before.replace(old, () => fresh), places };
}

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
  const lines = places.slice(0, 5).map((at) => lineOf(text, at));
  return `in lines ${lines.join(", ")}${places.length > 5 ? " and others" : ""}`;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}
