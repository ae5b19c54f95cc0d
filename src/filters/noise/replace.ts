import { RE2JS } from "re2js";
import { type Line, standFor } from "../line.ts";
import type { Test } from "../strategy.ts";

/** A line said more shortly. With a label, neighbours of the same kind share one line. */
export interface Replacement {
  readonly matches: Test;
  readonly label: string | undefined;
  readonly apply: (text: string) => string;
}

interface Written {
  readonly pattern: string;
  readonly with: string;
  readonly label?: string | undefined;
}

/** The replacing itself is linear, whoever wrote the pattern, so it knows no lookaround; `matches` only spares it most lines. */
export function replacement({ pattern, with: text, label }: Written, compile: (pattern: string) => Test): Replacement {
  const expression = RE2JS.compile(pattern);
  return { matches: compile(pattern), label, apply: (line) => expression.matcher(line).replaceAll(text) };
}

export function replaced(lines: readonly Line[], replacements: readonly Replacement[]): readonly Line[] {
  const result: Line[] = [];
  let changed = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const found = firstOf(replacements, line.text);
    if (!found) {
      result.push(line);
      continue;
    }
    const { label, apply } = found;
    let end = at + 1;
    if (label !== undefined) while (end < lines.length && firstOf(replacements, lines[end]!.text) === found) end++;
    const group = lines.slice(at, end);
    const text = `${label ?? ""}${group.map((each) => apply(each.text)).join(", ")}`;
    changed ||= group.length > 1 || text !== line.text;
    result.push(text === line.text ? line : standFor(text, group));
    at = end - 1;
  }
  return changed ? result : lines;
}

const firstOf = (replacements: readonly Replacement[], text: string): Replacement | undefined =>
  replacements.find(({ matches }) => matches(text));
