import { attempt } from "../../../text/attempt.ts";
import { isRecord } from "../../../text/json.ts";

/** Whether a schema refers to something that is not in it, or is nothing but itself. Not for one that is nested without end. */
export function refersToNothing(schema: Readonly<Record<string, unknown>>): boolean {
  if (schema.$ref === "#") return true;
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith("#/") && !isThere(schema, $ref)) return true;
    open.push(...Object.values(node));
  }
  return false;
}

function isThere(schema: unknown, ref: string): boolean {
  let at: unknown = schema;
  for (const part of ref.slice(2).split("/")) {
    const name = decoded(part);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return isRecord(at) || typeof at === "boolean";
}

function decoded(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  return attempt(() => decodeURIComponent(plain), plain);
}
