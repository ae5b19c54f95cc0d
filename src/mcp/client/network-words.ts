import { outputOf } from "../../core/draft.ts";
import { ToolError } from "../../core/error.ts";
import type { ServerConfig } from "../config.ts";
import type { RunTool } from "./tools.ts";

/** What programs say when they could not reach something. */
const UNREACHED =
  /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|ENOTCACHED)\b|fetch failed|only-if-cached|name resolution|resolve host|name or service not known|network is unreachable|getaddrinfo|dns error|lookup address information|net::ERR_(?:NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|CONNECTION_REFUSED|PROXY_CONNECTION_FAILED)|closed by zeph|not among the names that were agreed/i;
const MISSING_PACKAGE = /ENOTCACHED|only-if-cached|network was disabled/i;
const LOCAL =
  /ECONNREFUSED[^\n]{0,40}?(?:127\.\d+\.\d+\.\d+|::1|localhost):?(\d+)?|(?:127\.0\.0\.1|localhost):(\d+)[^\n]{0,40}ECONNREFUSED/i;
/** A name with a dot in it, where programs put the one they looked for. */
const NAMED =
  /(?:EAI_AGAIN|ENOTFOUND|resolve host(?: name)?:?|getaddrinfo \w+|https?:\/\/|closed to) ?["'(]?((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24})\b/i;
/** Of longer texts only the beginning is looked at: an answer may be a page about networks. */
const LONGEST = 4000;

type Server = Pick<ServerConfig, "name" | "url" | "network">;

/** Which setting opens what a server could not reach, where its network is closed; null where that is not what it speaks of. */
export function closedNetworkWords({ name, url, network }: Server, said: string): string | null {
  const text = said.slice(0, LONGEST);
  if (url !== undefined || network === true || !UNREACHED.test(text)) return null;
  if (MISSING_PACKAGE.test(text)) return packageWords(name, network);
  if (network === "install" && /closed by zeph|not among the names/i.test(text))
    return `While its packages are fetched "${name}" may reach your package registries alone. If they lie elsewhere, install it yourself and name its file, or set network = true for it (zeph mcp add --force --network).`;
  const local = LOCAL.exec(text);
  if (local) {
    const port = local[1] ?? local[2];
    const what = port === undefined ? "what listens on this machine" : `what listens on port ${port} of this machine`;
    return `The localhost of "${name}" is its own. To let it reach ${what}, set network = true for it (zeph mcp add --force --network).`;
  }
  const host = NAMED.exec(text)?.[1]?.toLowerCase();
  const opens = host === undefined ? "" : `network = ["${host}"] (zeph mcp add --force --reach ${host}), or `;
  if (typeof network === "object") {
    const isOpen = host !== undefined && network.includes(host);
    if (isOpen)
      return `"${name}" may reach ${host}, but only through a proxy, which Node before 22.21 does not know. With another Node, or with network = true for it (zeph mcp add --force --network), it works.`;
    return `The network of "${name}" is closed but for ${network.join(", ")}. To open ${host ?? "more"}, add the name to network in its [[mcp.servers]], or set network = true.`;
  }
  return `The network of "${name}" is closed (network = ${JSON.stringify(network)}). To let it reach ${host ?? "what it needs"}, set ${opens}network = true for it (zeph mcp add --force --network).`;
}

const packageWords = (name: string, network: ServerConfig["network"]): string =>
  network === "install"
    ? `A package of "${name}" is not in its folder. To fetch all of them anew: zeph mcp test ${name} --fetch`
    : `"${name}" may not fetch its packages: its network is closed. To have them fetched before it starts, set network = "install" for it (zeph mcp add --force without a flag).`;

/** Only the person can change it. */
const ADVICE = "Only the user can open the network of a server. Tell them which setting does, and go on without this call.";

/** Calls that failed because the network of the server is closed say so, with the setting that opens it. */
export const tellClosedNetwork =
  (run: RunTool, server: Server): RunTool =>
  async (definition, args, ctx) => {
    try {
      const output = await run(definition, args, ctx);
      const words = typeof output.text === "string" && output.text.length <= LONGEST ? closedNetworkWords(server, output.text) : null;
      // Some servers tell of a failure as if it were an answer.
      return words === null ? output : { ...output, text: `${output.text.replace(/\n+$/, "")}\n[${words}]` };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const { category, output, message, cause } = error;
      const words = closedNetworkWords(server, `${message}\n${output ? outputOf(output).text : ""}`);
      if (words === null || message.includes(words)) throw error;
      throw new ToolError(category, `${message} ${words}`, { cause, advice: ADVICE, ...(output && { output }) });
    }
  };
