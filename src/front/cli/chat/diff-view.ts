import { visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";
import type { Colors } from "../terminal/terminal.ts";

const INDENT = "  ";
const TAB = "    ";

/** The first lines of a unified diff, each in one line of the screen, and how many are left. The names of the files stand in the line above. */
export function briefDiff(
  diff: string,
  most: number,
  width: number,
  colors: Colors,
): { readonly lines: readonly string[]; readonly left: number } {
  const body = diffBody(diff);
  const lines = body.slice(0, most).map((line) => INDENT + coloured(fitting(line, width - INDENT.length), colors));
  return { lines, left: body.length - lines.length };
}

/** The lines from the first hunk on. */
export function diffBody(diff: string): string[] {
  const all = diff.replace(/\n$/, "").split("\n");
  return all.slice(
    Math.max(
      0,
      all.findIndex((line) => line.startsWith("@@")),
    ),
  );
}

/** A line that fits. It is cut before it is made visible, because it may be long, and again after that, because it may have grown. */
const fitting = (line: string, columns: number): string => cutTo(visible(line.slice(0, 4 * columns).replaceAll("\t", TAB)), columns);

function coloured(line: string, colors: Colors): string {
  if (line.startsWith("@@")) return colors.cyan(line);
  if (line.startsWith("+")) return colors.green(line);
  return line.startsWith("-") ? colors.red(line) : colors.dim(line);
}
