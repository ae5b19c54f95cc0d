import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { printError } from "../run/print.ts";
import type { McpRequest } from "./mcp.ts";
import { configured, readMcpArgs, withDesk, withServers } from "./open.ts";
import { isConnected, offeredText, sayAway } from "./text.ts";

/** `zeph mcp login`: the person signs in with their browser. Nothing is opened for them. */
export async function login(wish: McpRequest): Promise<number> {
  const name = only(wish, "login");
  return withServers(wish, name, async ({ mcp, servers, signal }) => {
    const { stdout, stderr } = wish.terminal;
    const [server] = servers;
    if (!server || server.url === undefined) throw new UsageError(`${name} is a command on this machine; there is nothing to sign in at.`);
    try {
      await mcp.login(
        server.name,
        (url, issuer) =>
          void stderr.write(`To sign in for ${server.name} at ${visible(issuer)}, open this address in a browser:\n\n${visible(url)}\n\n`),
        signal,
      );
    } catch (error) {
      printError(wish.terminal, (error as Error).message);
      return EXIT.failed;
    }
    const [state] = mcp.states();
    if (state && !isConnected(state)) sayAway(state, wish.terminal);
    else stdout.write(`Signed in at ${server.name}${state ? `; ${offeredText(state)}` : ""}.\n`);
    return state && isConnected(state) ? EXIT.ok : EXIT.failed;
  });
}

/** Nobody is talked to for it. */
export async function logout(wish: McpRequest): Promise<number> {
  const name = only(wish, "logout");
  return withDesk(wish, async (desk) => {
    const server = configured(name, desk.servers);
    wish.terminal.stdout.write(desk.signOut(server) ? `Signed out of ${server.name}.\n` : `Nobody was signed in at ${server.name}.\n`);
    return EXIT.ok;
  });
}

function only(wish: McpRequest, word: "login" | "logout"): string {
  const usage = `Usage: zeph mcp ${word} <server>`;
  const [name] = readMcpArgs(wish, usage, 1, {}).positionals;
  if (name === undefined) throw new UsageError(`Say which server.\n${usage}`);
  return name;
}
