import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, isSourceFile, type ReadDiagnostic, textAt } from "../diagnostic.ts";

/** A file, and below it a row for each problem: eslint, stylelint, oxlint, next lint, ruff grouped. */
export const stylish: DiagnosticFormat = () => {
  let file = "";
  return (lines, at) => {
    const named = rowIn(textAt(lines, at + 1)) ? fileIn(textAt(lines, at)) : null;
    const first = named === null ? at : at + 1;
    file = named ?? file;
    const found: ReadDiagnostic[] = [];
    let end = first;
    for (let row = file === "" ? null : rowIn(textAt(lines, end)); row; row = rowIn(textAt(lines, end))) {
      // The name of the file is said with its first row.
      const said: Line[] = end === first && first > at ? [lines[at]!, lines[end]!] : [lines[end]!];
      found.push(diagnostic({ file, line: row.line, column: row.column }, row.label, row.message, said));
      end++;
    }
    return found.length > 0 ? { found, end } : null;
  };
};

function fileIn(text: string): string | null {
  if (text === "" || text.length > 400 || /^\s/.test(text)) return null;
  const name = text.replace(/:$/, "");
  return isSourceFile(name) ? name : null;
}

const ROW = /^ {0,6}(\d{1,7}):(\d{1,6})\s{1,8}(error|warning|info|Error:|Warning:|✖|⚠|ℹ|×|‼|[A-Z]{1,6}\d{2,5})\s{1,10}(\S.*)$/;
const RULE = /^(?:@?[\w-]+[/(])?[@\w][\w@/.()-]*$/;

function rowIn(text: string) {
  const [, line, column, label, rest] = ROW.exec(text) ?? [];
  if (rest === undefined) return null;
  const trimmed = rest.trimEnd();
  const gap = trimmed.lastIndexOf("  ");
  const rule = gap > 0 ? trimmed.slice(gap).trim() : "";
  const message = rule !== "" && RULE.test(rule) ? `${trimmed.slice(0, gap).trimEnd()} (${rule})` : trimmed;
  return { label: label!.replace(":", ""), message: message.replace(/ {2,}/g, " "), line: Number(line), column: Number(column) };
}
