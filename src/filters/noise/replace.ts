import { RE2JS } from "re2js";
import { endOfRun } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import { trustedPattern } from "../patterns.ts";
import type { Test } from "../strategy.ts";
import { createAnyTest } from "./any-pattern.ts";

interface Written {
  readonly pattern: string;
  readonly with: string;
  readonly label?: string | undefined;
}

interface Replacement {
  readonly matches: Test;
  /** Neighbours of the same kind share one line, behind this. */
  readonly label: string | undefined;
  readonly apply: (text: string) => string;
}

/** Lines said more shortly, each by the first replacement that matches it. */
export function createReplacer(
  written: readonly Written[],
  compile: (pattern: string) => Test,
): (lines: readonly Line[]) => readonly Line[] {
  const isMeant = createAnyTest(
    written.map(({ pattern }) => pattern),
    compile,
  );
  const replacements = written.map((each) => replacement(each, compile));
  const first = (text: string) => (isMeant(text) ? replacements.find(({ matches }) => matches(text)) : undefined);
  return (lines) => (written.length > 0 ? replaced(lines, first) : lines);
}

function replaced(lines: readonly Line[], first: (text: string) => Replacement | undefined): readonly Line[] {
  const result: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const found = first(lines[at]!.text);
    const end = endOfRun(lines, at + 1, ({ text }) => found?.label !== undefined && first(text) === found);
    result.push(found ? said(lines.slice(at, end), found) : lines[at]!);
    at = end;
  }
  return result.length < lines.length || result.some((line, n) => line !== lines[n]) ? result : lines;
}

function said(group: readonly Line[], { label = "", apply }: Replacement): Line {
  const text = `${label}${group.map((line) => apply(line.text)).join(", ")}`;
  return text === group[0]!.text ? group[0]! : standFor(text, group);
}

function replacement({ pattern, with: text, label }: Written, compile: (pattern: string) => Test): Replacement {
  return { matches: compile(pattern), label, apply: compile === trustedPattern ? fast(pattern, text) : linear(pattern, text) };
}

/** For patterns of ours. */
function fast(pattern: string, text: string): (line: string) => string {
  const expression = new RegExp(pattern, "g");
  return (line) => line.replace(expression, text);
}

/** For patterns of others: linear in the line, whatever they say. */
function linear(pattern: string, text: string): (line: string) => string {
  const expression = RE2JS.compile(pattern);
  return (line) => expression.matcher(line).replaceAll(text);
}
