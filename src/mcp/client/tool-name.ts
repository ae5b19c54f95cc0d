import { createHash } from "node:crypto";
import { SERVER_PREFIX } from "../../core/facets.ts";

const LONGEST = 64;

/** The name of a server's tool here: one that every provider takes, and the same every time. */
export function toolName(server: string, tool: string): string {
  const name = `${SERVER_PREFIX}${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= LONGEST) return name;
  const mark = createHash("sha256").update(tool).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
