import { isErrorShaped } from "./errors.ts";

/** Nobody reads a line of this length. */
const MAX_LINE = 8000;
const SHOWN = 400;
const WINDOWS = 4;
const ALARMS = /\b(?:[A-Za-z]*(?:Error|Exception)|ERROR|error|FATAL|fatal|panic|FAILED|failed|denied)\b/g;

/** Head and tail of each overlong line and, between them, the places where something seems to have gone wrong. */
export function withoutLongLines(lines: readonly string[]): { readonly lines: readonly string[]; readonly cut: number } {
  if (lines.every(({ length }) => length <= MAX_LINE)) return { lines, cut: 0 };
  let cut = 0;
  const shorter = lines.map((line) => {
    if (line.length <= MAX_LINE) return line;
    const short = shortened(line);
    cut += line.length - short.length;
    return short;
  });
  return { lines: shorter, cut };
}

function shortened(line: string): string {
  const last = line.length - SHOWN;
  const parts = [line.slice(0, SHOWN)];
  let shown = SHOWN;
  ALARMS.lastIndex = SHOWN;
  while (parts.length <= WINDOWS) {
    const found = ALARMS.exec(line);
    if (!found || found.index >= last) break;
    const from = Math.max(found.index - SHOWN / 4, shown);
    const to = Math.min(found.index + SHOWN / 2, last);
    if (isErrorShaped(line.slice(from, to))) {
      parts.push(line.slice(from, to));
      shown = to;
    }
    ALARMS.lastIndex = to;
  }
  return `${[...parts, line.slice(last)].join(" … ")}`;
}
