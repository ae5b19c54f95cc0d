import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";
import { hasMargin } from "../frame.ts";

const HEAD = /^(ERROR|WARNING) in (\S.*?)(?: (\d{1,7}):(\d{1,6})(?:-[\d:]{1,16})?)?$/;
/** How the resolver looked for a module, and which file asked for it. */
const TRACE = /^resolve '|^ {2,}\S|^ ?@ |^\s*$|^See https?:\/\/|^You may need an appropriate loader|^File was (?:parsed|processed)/;

/** `ERROR in ./src/index.js 41:21-57`, then the message and a trace. */
export const webpack: DiagnosticFormat = () => (lines, at) => {
  const [, label, file, line, column] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined || textAt(lines, at + 1) === "") return null;
  const said: Line[] = [];
  const drawn: Line[] = [];
  let end = at + 1;
  for (; end < lines.length && textAt(lines, end) !== "" && !HEAD.test(textAt(lines, end)); end++) {
    const { text } = lines[end]!;
    const traced = said.length > 0 && (TRACE.test(text) || hasMargin(text.replace(/^>/, " ")));
    (traced ? drawn : said).push(lines[end]!);
  }
  const message = said.map(({ text }) => text.trim()).join(" ");
  return { found: [diagnostic(readPlace(file, line, column), label!, message, [lines[at]!, ...said], drawn)], end };
};
