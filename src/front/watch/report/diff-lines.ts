export interface DiffLine {
  readonly kind: "added" | "removed" | "place" | "same";
  readonly text: string;
}

/** The lines of a unified diff, each with what it is. The names of the files are places. */
export const diffLines = (diff: string): readonly DiffLine[] =>
  diff
    .replace(/\n$/, "")
    .split("\n")
    .map((text) => ({ kind: kindOf(text), text }));

function kindOf(line: string): DiffLine["kind"] {
  if (line.startsWith("@@") || line.startsWith("+++ ") || line.startsWith("--- ")) return "place";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
}
