import type { JsonNode } from "./json-tree.ts";

/** How the author of a JSON text breaks and indents lines. */
export interface JsonStyle {
  readonly eol: string;
  readonly indent: string;
}

export function styleOf(text: string, root: JsonNode | null): JsonStyle {
  const first = root?.items[0];
  const before = first === undefined ? "" : lineIndent(text, first.start);
  const isOwnLine = first !== undefined && text.slice(root!.start, first.start).includes("\n");
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", indent: (isOwnLine && before) || "  " };
}

/** The white space that the line of a place begins with. */
export function lineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

/** A value over several lines, the first of which stands somewhere already. */
export const renderLines = (value: unknown, { eol, indent }: JsonStyle, outer: string): string =>
  JSON.stringify(value, null, indent).split("\n").join(`${eol}${outer}`);
