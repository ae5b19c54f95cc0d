import type { ToolCall } from "./call.ts";

/** Where what a call brings comes from. */
export type ClaimSource = "shell" | "file_system" | "web" | "mcp" | "memory" | "diagnostics" | "user";

/** A tool that says where its answers come from is believed; else what the call touches tells. */
export function claimSource({ tool, touches }: ToolCall): ClaimSource {
  if (tool.claims) return tool.claims;
  if (touches.some(({ kind }) => kind === "command")) return "shell";
  if (touches.some(({ kind }) => kind === "url")) return "web";
  return touches.some(({ kind }) => kind === "path") ? "file_system" : "user";
}
