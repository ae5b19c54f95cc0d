import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, isSourceFile, readPlace, textAt } from "../diagnostic.ts";

const OPEN = /^ {0,12}(?:╭─+|,-+)\[ ?(\S.*?):(\d{1,7}):(\d{1,6}) ?\]?$/;
const CLOSE = /^ {0,12}─*(?:╰─+|╯|`-{2,})\s*$/;
const SIDE = /^ {0,12}(?:\d{1,7} {0,2})?[│|·:](?: |$)/;
const SEVERITIES: Readonly<Record<string, string>> = { x: "error", "×": "error", "✖": "error", "!": "warning", "⚠": "warning", i: "info" };

/** A message above a box that is headed by the place: oxlint, rolldown, vite, everything drawn by miette or ariadne. */
export const box: DiagnosticFormat = () => (lines, at) => {
  let open = at + 1;
  while (open < at + 3 && !isOpen(textAt(lines, open))) open++;
  if (!isOpen(textAt(lines, open)) || textAt(lines, at) === "") return null;
  const [, file, line, column] = OPEN.exec(textAt(lines, open))!;
  const close = closeAt(lines, open + 1);
  const head = lines.slice(at, open);
  if (close === -1 || !isSourceFile(file!) || !head.every(({ text }, n) => n === 0 || /^\s+\S/.test(text))) return null;
  const [, sign = "", said = ""] = /^\s{0,8}(?:([x×✖!⚠i]) )?(\S.*)$/.exec(head[0]!.text) ?? [];
  const body = lines.slice(open + 1, close + 1);
  const label = labelIn(body);
  const help = /^ {1,4}help: /.test(textAt(lines, close + 1)) ? [lines[close + 1]!] : [];
  const message = [said, ...head.slice(1).map(({ text }) => text.replace(/^[\s│|]+/, "")), label].filter(Boolean).join(" ");
  const drawn = [...body, ...help];
  return {
    found: [diagnostic(readPlace(file!, line, column), SEVERITIES[sign] ?? "", message, lines.slice(at, open + 1), drawn)],
    end: close + 1 + help.length,
  };
};

const isOpen = (text: string): boolean => (text.includes("─[") || text.includes(",-[")) && OPEN.test(text);

function closeAt(lines: readonly Line[], at: number): number {
  for (let n = at; n < Math.min(lines.length, at + 60); n++) {
    if (CLOSE.test(textAt(lines, n))) return n;
    if (!SIDE.test(textAt(lines, n))) return -1;
  }
  return -1;
}

/** What the mark says, if it is more than a repetition. */
function labelIn(body: readonly Line[]): string {
  const labels = body.flatMap(({ text }) => /(?:╰─+|`-+) (\S.*)$/.exec(text)?.[1]?.trim() ?? []);
  return labels.length > 0 ? `(${labels.join("; ")})` : "";
}
