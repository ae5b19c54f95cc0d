import { attempt } from "../../../text/attempt.ts";
import { deeperThan, isRecord } from "../../../text/json.ts";
import { compileSchema } from "./compile.ts";

/** How a structured answer differs from what its server said it would be; null where it does not. A schema that makes no sense, or costs too much, says nothing. */
export function outputMisfit(schema: unknown, value: unknown): string | null {
  if (!isRecord(schema) || deeperThan(value, MOST_DEPTH)) return null;
  const [first] = attempt(() => compileSchema(schema)(value), []);
  return first === undefined ? null : `${first.instancePath || "it"} ${first.message}`.slice(0, 200);
}

const MOST_DEPTH = 64;
