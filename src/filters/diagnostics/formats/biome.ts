import { endOfRun } from "../../../text/group-by.ts";
import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";

const HEAD = /^(\S.*?)(?::(\d{1,7}):(\d{1,6}))? ([a-z]+(?:\/[\w/-]{1,100})?)(?: {1,3}[A-Z][A-Z ]{1,30}?)? +━{3,}$/;
const SAID = /^ {1,4}([×✖!⚠iℹ]) (\S.*)$/;
const SEVERITIES: Readonly<Record<string, string>> = { "×": "error", "✖": "error", "!": "warning", "⚠": "warning", i: "info", ℹ: "info" };

/** biome: a heading drawn across the screen, a message, frames, advice and a diff. */
export const biome: DiagnosticFormat = () => (lines, at) => {
  if (/^[a-z]{1,20} ━{3,}$/.test(textAt(lines, at))) return { found: [], end: at + 1 };
  const [, file, line, column, rule] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined) return null;
  const first = textAt(lines, at + 1) === "" ? at + 2 : at + 1;
  const [, sign, message] = SAID.exec(textAt(lines, first)) ?? [];
  if (message === undefined) return null;
  const end = bodyEnd(lines, first + 1);
  const drawn = lines.slice(first + 1, end);
  const place = readPlace(file.replace(/^\.\//, ""), line, column);
  const said = [lines[at]!, lines[first]!];
  return { found: [diagnostic(place, SEVERITIES[sign!]!, `${message.replace(/:$/, "")} (${rule})`, said, drawn)], end };
};

/** The body of a biome diagnostic is indented. A line that is not belongs to another program. */
function bodyEnd(lines: readonly Line[], at: number): number {
  let end = endOfRun(lines, at, ({ text }) => text === "" || text.startsWith("  "));
  while (end > at && textAt(lines, end - 1) === "") end--;
  return end;
}
