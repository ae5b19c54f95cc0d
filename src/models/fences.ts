/** A fenced block of text that was opened and closed. */
export interface Fence {
  /** All that stands behind the opening marks. */
  readonly info: string;
  readonly body: string;
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})(.*)$/s;

/** The closed fences of a text, from top to bottom. A fence inside a longer one is text of that one; one without end is no fence. */
export function fencesOf(text: string): Fence[] {
  const found: Fence[] = [];
  let open: { readonly indent: number; readonly marks: string; readonly info: string; readonly lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (open) {
      if (closes(line, open.marks)) {
        found.push({ info: open.info, body: open.lines.join("\n") });
        open = null;
      } else open.lines.push(withoutIndent(line, open.indent));
      continue;
    }
    const [, indent, marks, info] = OPENING.exec(line) ?? [];
    // Marks within a line (```like this```) quote code; they open nothing.
    if (marks === undefined || (marks.startsWith("`") && info!.includes("`"))) continue;
    open = { indent: indent!.length, marks, info: info!.trim(), lines: [] };
  }
  return found;
}

function closes(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === marks[0]!.repeat(text.length);
}

function withoutIndent(line: string, indent: number): string {
  let cut = 0;
  while (cut < indent && (line[cut] === " " || line[cut] === "\t")) cut++;
  return line.slice(cut);
}
