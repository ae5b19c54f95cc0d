import { pathsIn } from "../text/paths-in-text.ts";
import type { ToolCall } from "./call.ts";
import { facetsOf } from "./facets.ts";

/** Where what a call brings comes from. */
export type ClaimSource = "shell" | "file_system" | "web" | "mcp" | "memory" | "diagnostics" | "user";

/** A tool that says where its answers come from is believed; then what the call touches tells; then whether its arguments name a path. */
export function claimSource({ tool, touches, input }: ToolCall): ClaimSource {
  if (tool.claims) return tool.claims;
  if (facetsOf(tool).origin === "server") return "mcp";
  if (touches.some(({ kind }) => kind === "command")) return "shell";
  if (touches.some(({ kind }) => kind === "url")) return "web";
  if (touches.some(({ kind }) => kind === "path") || namesPath(input)) return "file_system";
  return "user";
}

/** Of all texts in the arguments together, and of how many values. */
const MOST_CHARACTERS = 10_000;
const MOST_VALUES = 100;

function namesPath(input: unknown): boolean {
  const open: unknown[] = [input];
  for (let seen = 0, left = MOST_CHARACTERS; open.length > 0 && seen < MOST_VALUES && left > 0; seen++) {
    const value = open.shift();
    if (typeof value === "string") {
      if (!pathsIn(value.slice(0, left)).next().done) return true;
      left -= value.length;
    } else if (typeof value === "object" && value !== null) open.push(...Object.values(value).slice(0, MOST_VALUES));
  }
  return false;
}
