import type { ToolCall } from "../../core/call.ts";
import { spelled } from "../../text/url.ts";

/** Whether an expression is found in the arguments of a call; null when it would take too long to tell. */
export type Find = (expression: (text: string) => boolean | null) => boolean | null;

/** How long one call may be searched: everybody waits for the answer. */
const PATIENCE_MS = 1000;

/** A rule that allows looks at the texts among the arguments. One that forbids looks deeper: into lists and tables, and at commands without their quotes. */
export function finder(call: ToolCall, effect: "allow" | "deny"): Find {
  const texts = effect === "allow" ? topTexts(call.input) : withAddresses([...allTexts(call.input), ...policyCommands(call)]);
  let spent = 0;
  return (expression) => {
    if (spent > PATIENCE_MS) return null;
    const began = performance.now();
    const answers = texts.map(expression);
    spent += performance.now() - began;
    return answers.includes(true) || (answers.includes(null) ? null : false);
  };
}

/** Addresses also as they would be sent: letters and signs can be written in many ways. */
function withAddresses(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => (text.includes("://") ? text.split(/[\s"'<>]+/).filter(isAddressed) : []));
  const sent = found.slice(0, MOST_ADDRESSES).flatMap((word) => spelled(word.slice(Math.max(0, word.search(SCHEME)))) ?? []);
  return sent.length === 0 ? [...texts] : [...texts, ...new Set(sent)];
}

/** Nobody sends a longer one. */
const isAddressed = (word: string) => word.length <= 4096 && word.includes("://");
const MOST_ADDRESSES = 256;
const SCHEME = /[a-z][a-z0-9+.-]*:\/\//i;

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
export const policyCommands = ({ touches }: ToolCall): string[] =>
  touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv.map((word) => word ?? "…").join(" ")] : []));
