import { createHash } from "node:crypto";
import type { ServedProgram } from "../../../core/ports/served.ts";
import { version } from "../../../files/version.ts";
import { canonicalJson } from "../../../text/json.ts";
import type { ServerConfig } from "../../config.ts";

/** Who named a server: the person, in their settings or by typing it; or somebody else, such as an editor whose list may come with a project. */
export type ServerOrigin = "own" | "brought";

/** The program of a server, as the host starts it. */
export function programOf(server: ServerConfig, origin: ServerOrigin = "own"): ServedProgram {
  const { command, args, env, network, allow_read, allow_write } = server;
  return {
    argv: [command!, ...args],
    env,
    network: typeof network === "boolean" ? (network ? "open" : "closed") : network,
    kept: keptName(server, origin),
    greeting: `${JSON.stringify(GREETING)}\n`,
    ...(allow_read.length > 0 && { read: allow_read }),
    ...(allow_write.length > 0 && { write: allow_write }),
  };
}

/**
 * The name of the folders that are kept for a server. Another program under the same name has others; another version of the same package has
 * the same. What somebody else brought has folders of its own, for each set of variables: one of those could make the same program do another's will.
 */
export function keptName({ name, command, args, env }: ServerConfig, origin: ServerOrigin = "own"): string {
  const who = { command, args: args.map(withoutVersion), env: origin === "own" ? Object.keys(env).sort() : env, origin };
  return `${name}-${createHash("sha256").update(canonicalJson(who)).digest("hex").slice(0, 16)}`;
}

/** `name@1.2.3`, `@scope/name@latest`, `name==1.2` */
const withoutVersion = (word: string): string => word.replace(/^(@?[\w.-]+(?:\/[\w.-]+)?)(?:@|==)[\w.^~*+-]+$/, "$1");

/** Any answer to it shows that the program runs, be it a refusal. */
const GREETING = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "zeph", version: version() } },
};
