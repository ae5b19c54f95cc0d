import type { Line } from "../line.ts";
import { below, joined } from "./below.ts";
import { placeOf } from "./colon.ts";
import { type Format, type Reading, textAt } from "./diagnostic.ts";

const PACKAGE = /^# [^\s#]\S{0,300}(?: \[\S{1,300}\])?$/;

/** `# package`, then `file:line:column: message` with no severity: the go command. golangci-lint draws a caret below and names the linter. */
export const go: Format = () => {
  let inPackage = false;
  return (lines, at) => {
    const header = PACKAGE.test(textAt(lines, at)) && isGo(textAt(lines, at + 1));
    inPackage ||= header;
    const reading = header ? goAt(lines, at + 1, [lines[at]!], true) : goAt(lines, at, [], inPackage);
    inPackage &&= reading !== null;
    return reading;
  };
};

/** The same without a proof, for commands that are known to write it and nothing else. */
export const bare: Format = () => (lines, at) => goAt(lines, at, [], true);

/** What a test logs is indented. */
const isGo = (text: string): boolean => /^\S/.test(text) && placeOf(text)?.file.endsWith(".go") === true;

function goAt(lines: readonly Line[], at: number, header: readonly Line[], known: boolean): Reading | null {
  const place = placeOf(textAt(lines, at));
  if (!place) return null;
  const { more, source, drawn, end } = below(lines, at + 1, isPlace);
  const linted = drawn.length > 0 && /\([\w-]{2,40}\)$/.test(place.rest);
  if (!linted && !(known && isGo(textAt(lines, at)))) return null;
  const { rest, ...where } = place;
  const label = /^vet: /.test(textAt(lines, at)) ? "vet" : "";
  return { found: [{ ...where, label, message: joined(rest, more), source, said: [...header, lines[at]!, ...more], drawn }], end };
}

const isPlace = (text: string): boolean => placeOf(text) !== null || PACKAGE.test(text);
