import { type Line, standFor } from "./line.ts";

/** More than anyone reads at once, whoever printed it. */
const GIANT = 200_000;
const SHARE = 6000;

/** What is still enormous after every rule: its head, its tail, and one of each kind of error between them. Others are counted. */
export function withoutBulk(lines: readonly Line[]): readonly Line[] | null {
  if (lines.reduce((sum, { text }) => sum + text.length + 1, 0) <= GIANT) return null;
  const head = upTo(lines, SHARE);
  const tail = upTo([...lines].reverse(), SHARE).reverse();
  const between = lines.slice(head.length, lines.length - tail.length);
  return [...head, ...upTo(kinds(between), SHARE), ...tail];
}

function upTo(lines: readonly Line[], most: number): Line[] {
  let length = 0;
  let end = 0;
  while (end < lines.length && length + lines[end]!.text.length < most) length += lines[end++]!.text.length + 1;
  return lines.slice(0, end);
}

function kinds(lines: readonly Line[]): Line[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    if (line.errors === 0) continue;
    const kind = line.text.slice(0, 300).replace(/[0-9a-f]*\d[0-9a-f]*/gi, "0");
    const group = groups.get(kind);
    if (group) group.push(line);
    else groups.set(kind, [line]);
  }
  return [...groups.values()].map((group) => standFor(group.length > 1 ? `${group[0]!.text} (×${group.length})` : group[0]!.text, group));
}
