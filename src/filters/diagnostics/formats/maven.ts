import { endOfRun } from "../../../text/group-by.ts";
import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";
import { joinMessage } from "../frame.ts";

const HEAD = /^\[(ERROR|WARNING)\] ((?:[A-Za-z]:[\\/])?[^\s:][^:]*):\[(\d{1,7})(?:,(\d{1,6}))?\] (\S.*)$/;
const DETAIL = /^(?:\[(?:ERROR|WARNING)\])? {2,}((?:symbol|location|required|found|reason|where|method|constructor)\b.*)$/;

/** Said of every failure. */
const IDLE =
  /^\[ERROR\] *(?:$|-> \[Help \d\]|\[Help \d\] https?:|To see the full stack trace of the errors, re-run|Re-run Maven using the -X|For more information about the errors)/;

/** `[ERROR] file:[line,column] message`: maven, which says it again at the end. */
export const maven: DiagnosticFormat = () => (lines, at) => {
  if (IDLE.test(textAt(lines, at))) return { found: [], end: at + 1 };
  const [, label, file, line, column, message] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined) return null;
  const end = endOfRun(lines, at + 1, ({ text }, end) => end < at + 12 && DETAIL.test(text));
  const more = lines.slice(at + 1, end);
  const plain = more.map((one) => ({ ...one, text: DETAIL.exec(one.text)![1]! }));
  return { found: [diagnostic(readPlace(file, line, column), label!, joinMessage(message!, plain), [lines[at]!, ...more])], end };
};
