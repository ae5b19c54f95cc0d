import * as z from "zod";
import type { EditorServer, Pairs } from "../../front/acp/editor-agents.ts";
import { mcpConfig, type ServerConfig } from "../../mcp/config.ts";
import { networkFor } from "../features/mcp-paths.ts";
import type { Mcp } from "../mcp.ts";

const MOST_SERVERS = 50;

/** The MCP servers an editor brings along, on top of those of the configuration. One that fails is told, and stops nobody. */
export async function addServers(mcp: Mcp, servers: readonly EditorServer[], tell: (message: string) => void): Promise<void> {
  if (servers.length > MOST_SERVERS) tell(`Only the first ${MOST_SERVERS} MCP servers of the editor are used.`);
  const one = async (server: EditorServer) => {
    const config = configOf(server);
    if (typeof config === "string") return tell(`The MCP server "${server.name}" of the editor is not used: ${config}`);
    if (mcp.states().some(({ name }) => name.toLowerCase() === config.name.toLowerCase()))
      return tell(`The MCP server "${server.name}" of the editor is not used: the configuration has one of that name.`);
    if (config.url !== undefined) tell(`The MCP server "${server.name}" of the editor is at ${addressOf(config.url)}.`);
    const { state, why } = await mcp.add(withPackages(config));
    if (state === "failed" || state === "needs login")
      tell(`The MCP server "${server.name}" of the editor ${state === "failed" ? "failed" : "needs a login"}${why ? `: ${why}` : "."}`);
  };
  await Promise.all(
    servers
      .slice(0, MOST_SERVERS)
      .map((server) => one(server).catch((error: Error) => tell(`The MCP server "${server.name}" of the editor failed: ${error.message}`))),
  );
}

/** A text says why it cannot be. Like any server it is believed provisionally, and has no network. */
function configOf(server: EditorServer): ServerConfig | string {
  if (server.kind === "sse") return "it speaks the old SSE transport. Use streamable HTTP.";
  const name = nameOf(server.name);
  if (name === null) return "its name has no letter or digit to call it by.";
  const [kind, pairs] = server.kind === "stdio" ? ["variable", server.env] : ["header", server.headers];
  // What the configuration says may name the person's keys. An editor's list may come with a project, so it never may.
  const named = pairs.find(({ value }) => value.includes("${"));
  if (named)
    return `its ${kind} ${named.name} asks for a value of yours with \${…}. Put the server into your configuration, or the value into the editor's.`;
  const given =
    server.kind === "stdio"
      ? { name, command: server.command, args: server.args, env: recordOf(server.env) }
      : { name, url: server.url, headers: recordOf(server.headers) };
  if (given.url !== undefined && holdsPassword(given.url)) return "its address holds a name or a password. Give it a header instead.";
  const parsed = mcpConfig().safeParse({ servers: [given] });
  return parsed.success ? parsed.data.servers[0]! : z.prettifyError(parsed.error).replace(/\s+/g, " ");
}

/**
 * As with one that the person adds, its packages are fetched before it starts: that sees nothing of the person's, so nobody has to be asked. It
 * is let read nothing more than commands are: the list may come with a project, which could name any folder.
 */
function withPackages(config: ServerConfig): ServerConfig {
  const { command, args } = config;
  const fetches = command !== undefined && networkFor({ name: config.name }, command, args) !== null;
  return fetches ? { ...config, network: "install" } : config;
}

/** Editors allow names that tools cannot have. */
function nameOf(given: string): string | null {
  const name = given
    .replace(/[^A-Za-z0-9-]+/g, "-")
    .slice(0, 32)
    .replace(/^-+|-+$/g, "");
  return name === "" ? null : name;
}

/** They would be in every message about it, and no request can be made with them. */
function holdsPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/** A token in it is nobody's business. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const recordOf = (pairs: Pairs): Record<string, string> => Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
