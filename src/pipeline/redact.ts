import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { ToolOutput } from "../core/tool.ts";
import { type Secret, type Secrets, warningLine } from "../filters/secrets/secrets.ts";

/** Takes the secrets out of everything an outcome carries. `known` were found in the text already, and told. */
export function redacted(outcome: Outcome, secrets: Secrets, known: readonly Secret[]): Outcome {
  if (outcome.ok) return { ...outcome, output: redactedOutput(outcome.output, secrets, known) };
  const output = outcome.output && redactedOutput(outcome.output, secrets, known);
  return { ...outcome, error: redactedError(outcome.error, secrets, known), ...(output && { output }) };
}

export function redactedOutput(output: ToolOutput, secrets: Secrets, known: readonly Secret[]): ToolOutput {
  const { text, raw, diff, list } = output;
  const strings: string[] = [text];
  if (diff !== undefined && diff !== raw) strings.push(diff);
  if (list) strings.push(list.text);
  collect(raw, strings, 0);
  const found = merged(known, findIn(strings, secrets));
  if (found.length === 0) return output;
  const clean = (value: string) => secrets.redact(value, found);
  const shown = clean(text);
  return {
    ...output,
    text: shown === text || known.length > 0 ? shown : `${shown}\n${warningLine(found)}`,
    ...(raw !== undefined && { raw: mapped(raw, clean, 0) }),
    ...(diff !== undefined && { diff: clean(diff) }),
    ...(list && { list: { ...list, text: clean(list.text) } }),
    ...(output.locations && { locations: output.locations.map((location) => ({ ...location, path: clean(location.path) })) }),
  };
}

const LONG = 100_000;

/** Short texts are looked at together: a key may lie in several lines of data. Long ones one by one, so that nothing huge is copied. */
function findIn(strings: readonly string[], secrets: Secrets): readonly Secret[] {
  const short = strings.filter(({ length }) => length <= LONG);
  const long = strings.filter(({ length }) => length > LONG);
  return [short.length === 1 ? short[0]! : short.join("\n"), ...long].reduce<readonly Secret[]>(
    (found, text) => merged(found, secrets.find(text)),
    [],
  );
}

function redactedError(error: ToolError, secrets: Secrets, known: readonly Secret[]): ToolError {
  const found = merged(known, secrets.find(error.message));
  const message = found.length > 0 ? secrets.redact(error.message, found) : error.message;
  if (message === error.message && !error.output) return error;
  // The cause and the output as it was may hold the value too, so they do not travel on; the outcome carries the output.
  return new ToolError(error.category, message, error.advice === undefined ? {} : { advice: error.advice });
}

const merged = (known: readonly Secret[], more: readonly Secret[]): readonly Secret[] => {
  if (known.length === 0) return more;
  const values = new Set(known.map(({ value }) => value));
  return [...known, ...more.filter(({ value }) => !values.has(value))];
};

const MAX_DEPTH = 20;

function collect(value: unknown, into: string[], depth: number): void {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    for (const item of Object.values(value)) collect(item, into, depth + 1);
}

/** Data too deep to look at is not handed on. */
function mapped(value: unknown, change: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change, depth + 1)]));
}
