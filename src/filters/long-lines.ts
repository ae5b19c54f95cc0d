import { isErrorShaped } from "./errors.ts";
import type { GatheredLine } from "./gather.ts";

/** A line of this length is not read by people. */
const MAX_LINE = 8000;
const SHOWN = 400;
const WINDOWS = 4;
const MOST_LOOKED_AT = 2000;
/** Words that say what went wrong; and words that may only be part of a program's text. */
const ALARMS = [
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|CRITICAL)\b ?[:\]]/g,
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|denied|エラー|错误)/g,
];

/** Head and tail of each overlong line and, between them, the places where something seems to have gone wrong. */
export function withoutLongLines(lines: readonly GatheredLine[]): { readonly lines: readonly GatheredLine[]; readonly cut: number } {
  if (lines.every(({ text }) => text.length <= MAX_LINE)) return { lines, cut: 0 };
  let cut = 0;
  const shorter = lines.map((line) => {
    if (line.text.length <= MAX_LINE) return line;
    const text = shortened(line.text);
    cut += line.text.length - text.length;
    return { ...line, text };
  });
  return { lines: shorter, cut };
}

function shortened(line: string): string {
  const end = line.length - SHOWN;
  const places = ALARMS.map((alarm) => alarmsIn(line, alarm, end)).find(({ length }) => length > 0) ?? [];
  const parts = [line.slice(0, SHOWN)];
  let shown = SHOWN;
  for (const place of places) {
    const to = Math.min(place + SHOWN / 2, end);
    parts.push(line.slice(Math.max(place - SHOWN / 4, shown), to));
    shown = to;
  }
  return `${[...parts, line.slice(end)].join(" … ")}`;
}

/** Where the first few different ones are. */
function alarmsIn(line: string, alarm: RegExp, end: number): number[] {
  const places: number[] = [];
  const kinds = new Set<string>();
  alarm.lastIndex = SHOWN;
  for (let looked = 0; looked < MOST_LOOKED_AT && places.length < WINDOWS; looked++) {
    const found = alarm.exec(line);
    if (!found || found.index >= end) break;
    const around = line.slice(Math.max(found.index - 40, 0), found.index + 60);
    const kind = around.replace(/\d+/g, "0");
    if (kinds.has(kind) || !isErrorShaped(around)) continue;
    kinds.add(kind);
    places.push(found.index);
    alarm.lastIndex = found.index + SHOWN / 2;
  }
  return places;
}
