import { isRecord, record } from "../../../text/json.ts";

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Why the arguments that a definition wants in headers cannot go there; null when they can, or none shall.
 * Only plain arguments reached through `properties` may, under names that are valid and differ.
 */
export function headerProblem(schema: unknown): string | null {
  const seen = new Set<string>();
  const open: { node: unknown; reachable: boolean; property: boolean }[] = [{ node: schema, reachable: true, property: false }];
  while (open.length > 0) {
    const { node, reachable, property } = open.pop()!;
    if (Array.isArray(node)) for (const inner of node) open.push({ node: inner, reachable: false, property: false });
    if (!isRecord(node)) continue;
    if (KEY in node) {
      const name = node[KEY];
      if (!reachable || !property) return "it wants an argument in a header that is not a plain one";
      if (typeof name !== "string" || !TOKEN.test(name)) return "it names a header that cannot be one";
      if (!["string", "integer", "boolean"].includes(node.type as string))
        return "it wants an argument in a header that is not a text, integer or boolean";
      if (seen.has(name.toLowerCase())) return "it names one header twice";
      seen.add(name.toLowerCase());
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === "properties") for (const inner of Object.values(record(value))) open.push({ node: inner, reachable, property: true });
      else if (!VALUES.has(key)) open.push({ node: value, reachable: false, property: false });
    }
  }
  return null;
}

const VALUES = new Set([KEY, "enum", "const", "default", "examples"]);
