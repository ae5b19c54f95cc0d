import { ToolCall } from "../call.ts";
import type { ToolError } from "../error.ts";
import { ToolRequest } from "../request.ts";
import type { Objection } from "./verdict.ts";

/** The same call with another address; null for a tool that is given none. An error where the tool does not take that address. */
export function redirectedCall({ id, tool, input, cwd }: ToolCall, url: string): ToolCall | ToolError | null {
  if (typeof input?.url !== "string") return null;
  const request = ToolRequest.from({ id, name: tool.name, args: { ...input, url } });
  return request && ToolCall.parse(request, new Map([[tool.name, tool]]), cwd);
}

export const UNFIT_ADDRESS: Objection = {
  kind: "deny",
  gate: "door",
  rule: "redirect",
  why: "The tool does not take the address it is redirected to.",
};
