import type { Subject } from "./command.ts";
import type { Line } from "./line.ts";
import type { Rule } from "./rule.ts";

/** The rules for what a command printed, in the order in which they apply. */
export function rulesFor(subject: Subject, lines: readonly Line[], rules: readonly Rule[]): readonly Rule[] {
  const isData = subject.verbatim === null && isJson(lines);
  return rules.filter((rule) => mayApply(rule, subject) && (!isData || rule.origin === "user") && rule.matches(subject));
}

/** Text that was asked for as it is belongs to the person. */
export const mayApply = (rule: Rule, { verbatim }: Subject): boolean => rule.origin === "user" || verbatim === null || rule.files;

/** One document of JSON, which a program made for machines. A log with a record of JSON in each line is a log. */
export function isJson(lines: readonly Line[]): boolean {
  const end = lines.findLast(({ text }) => text.trim() !== "")?.text ?? "";
  if (!/[}\]]\s*$/.test(end.slice(-100))) return false;
  const head = lines
    .slice(0, 200)
    .map(({ text }) => text)
    .join("\n");
  return (
    /^\s*[{[]/.test(head) &&
    !/^\s*\[[^\]"{\n]*\] ?\S/.test(head) &&
    !/^\s*(?:\{.*\}|\[.*\])\s*\n\s*(?:\{.*\}|\[.*\])\s*(?:\n|$)/.test(head.slice(0, 20_000))
  );
}
