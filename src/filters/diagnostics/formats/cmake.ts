import { endOfRun } from "../../../text/group-by.ts";
import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";

/** The place is in the words of the head. */
const HEAD = /^(CMake (?:Error|Warning|Deprecation Warning)(?: \(dev\))?(?: (?:at|in) \S.*)?):$/;
const STACK = /^Call Stack \(most recent call first\):$/;
const CALL = /^ {2}(\S.*?):(\d{1,7}) \(/;
const MODULE = /\/share\/cmake[^/]{0,20}\/Modules\//;

/** `CMake Error at file:line (command):`, an indented text over several lines, and a stack. */
export const cmake: DiagnosticFormat = () => (lines, at) => {
  const [, label] = HEAD.exec(textAt(lines, at)) ?? [];
  if (label === undefined || !/^ {2}\S/.test(textAt(lines, at + 1))) return null;
  let end = indentedEnd(lines, at + 1);
  const said = lines.slice(at + 1, end);
  const drawn: Line[] = [];
  const calls: string[] = [];
  if (STACK.test(textAt(lines, end))) {
    const last = indentedEnd(lines, end + 1);
    drawn.push(...lines.slice(end, last));
    for (const { text } of drawn) {
      const [, from, where] = CALL.exec(text) ?? [];
      if (from !== undefined && !MODULE.test(from)) calls.push(`${from}:${where}`);
    }
    end = last;
  }
  const text = said
    .map((one) => one.text.trim())
    .filter(Boolean)
    .join(" ");
  const message = `${text}${calls.length > 0 ? ` (called from ${calls.join(", ")})` : ""}`;
  return { found: [diagnostic(readPlace(""), label, message, [lines[at]!, ...said], drawn)], end };
};

const indentedEnd = (lines: readonly Line[], from: number): number =>
  endOfRun(lines, from, ({ text }, at) => /^ {2}\S|^ {3,}/.test(text) || (text === "" && textAt(lines, at + 1).startsWith("  ")));
