import type { ToolCall } from "../core/call.ts";
import type { Regexes } from "./policy-rule.ts";

/** Which expressions are found in the arguments of a call. */
export interface Found {
  has(expression: number): boolean;
  /** Something was not searched. What forbids counts as found then, what allows as not. */
  readonly tooLong: boolean;
}

/** Longer texts are not searched: everybody waits for the answer. */
const MOST_SEARCHED = 1024 * 1024;

/** A rule that allows looks at the texts among the arguments. One that forbids looks deeper: into lists and tables, and at commands without their quotes. */
export function finder(patterns: readonly string[], regexes: Regexes): (call: ToolCall, effect: "allow" | "deny") => Found {
  if (patterns.length === 0) return () => ({ has: () => false, tooLong: false });
  const search = regexes(patterns);
  return (call, effect) => {
    const texts = effect === "allow" ? topTexts(call.input) : [...allTexts(call.input), ...commandsOf(call)];
    const short = texts.filter(({ length }) => length <= MOST_SEARCHED);
    const tooLong = short.length < texts.length;
    const found = new Set(short.flatMap(search));
    return { has: (expression) => found.has(expression) || (tooLong && effect === "deny"), tooLong };
  };
}

const topTexts = (input: object): string[] => Object.values(input).filter((value) => typeof value === "string");

/** Every text at any depth, names of tables too. The depth and number of values of an input are limited where it enters. */
export function allTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(allTexts);
  return Object.values(value).flatMap((inner) => (isTable(inner) ? [...Object.keys(inner), ...allTexts(inner)] : allTexts(inner)));
}

const isTable = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

/** Each simple command as the shell would run it: `r''m  -rf x` is `rm -rf x`. */
export const commandsOf = ({ touches }: ToolCall): string[] =>
  touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv.map((word) => word ?? "…").join(" ")] : []));
