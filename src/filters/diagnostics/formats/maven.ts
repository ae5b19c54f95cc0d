import { diagnostic, type Format, placeOf, textAt } from "../diagnostic.ts";
import { joined } from "../frame.ts";

const HEAD = /^\[(ERROR|WARNING)\] ((?:[A-Za-z]:[\\/])?[^\s:][^:]*):\[(\d{1,7})(?:,(\d{1,6}))?\] (\S.*)$/;
const DETAIL = /^(?:\[(?:ERROR|WARNING)\])? {2,}((?:symbol|location|required|found|reason|where|method|constructor)\b.*)$/;

/** Said of every failure. */
const IDLE =
  /^\[ERROR\] *(?:$|-> \[Help \d\]|\[Help \d\] https?:|To see the full stack trace of the errors, re-run|Re-run Maven using the -X|For more information about the errors)/;

/** `[ERROR] file:[line,column] message`: maven, which says it again at the end. */
export const maven: Format = () => (lines, at) => {
  if (IDLE.test(textAt(lines, at))) return { found: [], end: at + 1 };
  const [, label, file, line, column, message] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined) return null;
  let end = at + 1;
  while (end < at + 12 && DETAIL.test(textAt(lines, end))) end++;
  const more = lines.slice(at + 1, end);
  const plain = more.map((one) => ({ ...one, text: DETAIL.exec(one.text)![1]! }));
  return { found: [diagnostic(placeOf(file, line, column), label!, joined(message!, plain), [lines[at]!, ...more])], end };
};
