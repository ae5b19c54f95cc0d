import { dropServer } from "../../../config/edit/servers.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine } from "../run/print.ts";
import type { McpRequest } from "./mcp.ts";
import { configured, readMcpArgs, withDesk } from "./open.ts";

const USAGE = "Usage: zeph mcp remove <name> [--data] [--json]";

/** `zeph mcp remove`: out of the person's own file, and with it what was agreed to and what signing in brought. */
export async function removeServer(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, USAGE, 1, { json: { type: "boolean" }, data: { type: "boolean" } });
  const [name] = positionals;
  if (name === undefined) throw new UsageError(`Say which server to remove.\n${USAGE}`);
  return withDesk(wish, async (desk) => {
    const server = desk.own.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? configured(name, desk.servers);
    if (!dropServer(desk.userFile, server.name))
      throw new UsageError(
        `"${server.name}" is not in your own file (${desk.userFile}). \`zeph config explain mcp.servers\` says who set it.`,
      );
    await desk.forget(server);
    const kept = desk.kept(server.name);
    if (values.data) desk.dropKept(server.name);
    const text = `Removed: ${server.name}. Its agreed definitions and its sign-in are forgotten.\n${keptWords(kept, values.data ? "removed" : "stays")}`;
    const folders = values.data ? { removed_folders: kept } : { kept_folders: kept };
    wish.terminal.stdout.write(values.json ? jsonLine({ removed: server.name, file: desk.userFile, ...folders }) : visible(text));
    return EXIT.ok;
  });
}

function keptWords(folders: readonly string[], how: "removed" | "stays"): string {
  if (folders.length === 0) return "";
  const list = folders.map((folder) => `  ${folder}\n`).join("");
  return how === "removed" ? `Removed with what it kept:\n${list}` : `What it kept stays (--data removes it too):\n${list}`;
}
