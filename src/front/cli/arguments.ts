import { ToolError } from "../../core/error.ts";
import type { Outcome } from "../../core/layer.ts";

/** Arguments as somebody typed them. Text that is no JSON goes to the runtime as it is, so that it is refused and recorded there. */
export interface Given {
  readonly args: unknown;
  /** The mistake in the JSON; null when there is none. */
  readonly problem: string | null;
}

export function parseArguments(text: string): Given {
  try {
    return { args: JSON.parse(text), problem: null };
  } catch (error) {
    return { args: text, problem: explain(text, (error as Error).message) };
  }
}

/** The runtime can only say that it got a string. What is wrong with that string is known here. */
export function explainArguments(outcome: Outcome, { problem }: Given): Outcome {
  if (problem === null || outcome.ok || outcome.error.category !== "invalid_parameters") return outcome;
  return { ...outcome, error: new ToolError("invalid_parameters", problem, { cause: outcome.error }) };
}

function explain(text: string, message: string): string {
  if (text.trim() === "") return `The arguments are empty. Give them as JSON, at least {}.`;
  return `The arguments are not valid JSON: ${jsonProblem(text, message)}.${hint(text)}`;
}

/** A line of JSON that a program wrote, or what is wrong with it. */
export function parseJsonLine(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `The line is not valid JSON: ${jsonProblem(text, (error as Error).message)}.` };
  }
}

/** The engine gives a position or an excerpt, and says "JSON" once more than is needed. */
function jsonProblem(text: string, message: string): string {
  const [, what, at] = /^(.*?) in JSON at position (\d+)/s.exec(message) ?? [];
  if (what !== undefined) return what + place(text, Number(at));
  const [, token, near] = /^(.*?), (?:\.{3})?"(.*)"(?:\.{3})? is not valid JSON$/s.exec(message) ?? [];
  return token === undefined ? message : `${token} near ${JSON.stringify(near)}`;
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  const near = text.slice(Math.max(0, at - 20), at + 10).replace(/\s+/g, " ");
  return ` at line ${before.length}, column ${before.at(-1)!.length + 1}, near ${JSON.stringify(near)}`;
}

function hint(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith("{")) return ` Write an object, like '{"path":"README.md"}'.`;
  if (/^\{\s*['\w]/.test(start)) return " JSON puts names and texts in double quotes; in a shell, put single quotes around the whole.";
  return "";
}
