import type { ToolCall } from "../../core/call.ts";
import { claimSource } from "../../core/claim.ts";
import { facetsOf } from "../../core/facets.ts";
import { programName } from "../../shell/options.ts";
import { wordSet } from "../../text/words.ts";

/** Whether what a call brings was written by a stranger: a page, what a server answers, what a command loads from an address. */
export function bringsStrangersText(call: ToolCall): boolean {
  const { tool, touches } = call;
  if (tool.effect === "fetches" || isOfServer(call)) return true;
  const source = claimSource(call);
  if (source === "web" || source === "mcp") return true;
  return touches.some((touch) => touch.kind === "url" || (touch.kind === "command" && loads(touch.argv)));
}

/** A tool of an MCP server. Its arguments go there, whatever it says it does with them. */
export const isOfServer = ({ tool }: Pick<ToolCall, "tool">): boolean => facetsOf(tool).origin === "server";

/** These load from addresses that need not look like one: `curl example.com`. */
const LOADERS = wordSet("curl wget http https xh aria2c lynx w3m links elinks nc ncat netcat telnet ssh scp sftp ftp gh glab");
const GIT: ReadonlySet<string> = new Set(["clone", "fetch", "pull", "ls-remote"]);

function loads([program, ...rest]: readonly (string | null)[]): boolean {
  if (typeof program !== "string") return false;
  const name = programName(program);
  return LOADERS.has(name) || (name === "git" && rest.some((word) => word !== null && GIT.has(word)));
}
