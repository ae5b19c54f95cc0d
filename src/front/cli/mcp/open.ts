import type { ZephEvent } from "../../../core/event.ts";
import { openDesk, openRuntime, type Zeph } from "../../../runtime/create.ts";
import { type McpDesk, openMcpDesk } from "../../../runtime/features/mcp-settings.ts";
import { serverNamed } from "../../../runtime/features/mcp-words.ts";
import type { Mcp } from "../../../runtime/mcp.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { EXIT } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { readArgs, UsageError } from "../io.ts";
import { warn } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { withSpinner } from "../terminal/spinner.ts";
import type { McpRequest } from "./mcp.ts";

type Server = McpDesk["servers"][number];

/** Servers of the configuration, open and connected as far as they can be. */
export interface OpenServers {
  readonly mcp: Mcp;
  readonly servers: readonly Server[];
  /** How long connecting took. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Connects this server, or all of them, and no other: a broken one is no reason to wait. Ctrl-C ends it at once. */
export async function withServers<T>(
  { settings, terminal }: Pick<McpRequest, "settings" | "terminal">,
  name: string | null,
  work: (open: OpenServers) => Promise<T>,
): Promise<T> {
  const servers = await chosenServers(settings, name);
  const { signal } = listenForStop();
  const set = [...settings.set, `mcp.servers=${JSON.stringify(servers)}`];
  const say = (message: string) => {
    if (!TOLD_HERE.some((form) => form.test(message))) warn(terminal, message);
  };
  return withSpinner(name === null ? "connecting" : `connecting to ${visible(name)}`, terminal, async (spinner) => {
    let zeph: Zeph | null = null;
    const leave = async () => {
      spinner.hide();
      await zeph?.close().catch(() => {});
      process.exit(EXIT.cancelled);
    };
    signal.addEventListener("abort", () => void leave(), { once: true });
    const started = performance.now();
    const onEvent = (event: ZephEvent) => event.type === "warning" && say(event.message);
    ({ zeph } = await openRuntime({ cwd: process.cwd(), ...settings, set, onEvent: (event) => void onEvent(event) }));
    return whileOpen(zeph, async ({ mcp, warnings }) => {
      for (const message of warnings) say(message);
      // One that was met for the first time has been tried already.
      await Promise.all(mcp.states().map((one) => (one.state === "idle" ? mcp.connect(one.name) : undefined)));
      spinner.hide();
      return work({ mcp, servers, ms: performance.now() - started, signal });
    });
  });
}

/** Warnings that a command says itself: a server that was not reached, a definition that changed. */
const TOLD_HERE = [/^The MCP server "[^"]*" could not be reached/, /^The definition of .* changed\. It is no longer offered/];

/** The desk is open for as long as the work takes. */
export const withDesk = async <T>({ settings }: Pick<McpRequest, "settings">, work: (desk: McpDesk) => Promise<T>): Promise<T> =>
  whileOpen(openMcpDesk(process.cwd(), settings), work);

/** Whoever agrees to what a server offers is a person. */
export const assertPersonAgrees = ({ settings }: Pick<McpRequest, "settings">, command: string): Promise<void> =>
  whileOpen(openDesk(process.cwd(), settings), async ({ at }) => assertPersonDecides(at, command));

const chosenServers = (settings: McpRequest["settings"], name: string | null): Promise<readonly Server[]> =>
  withDesk({ settings }, async ({ servers }) => (name === null ? servers : [configured(name, servers)]));

export const configured = (name: string, servers: readonly Server[]): Server =>
  serverNamed(name, servers, (message) => new UsageError(message));

/** The words and flags of a word of `zeph mcp` that takes no command. `most` is how many words it takes. */
export function readMcpArgs<F extends Parameters<typeof readArgs>[3]>(
  { words, command }: McpRequest,
  usage: string,
  most: number,
  flags: F,
) {
  if (command !== null) throw new UsageError("Only `zeph mcp add` takes a command after --.");
  return readArgs(words, usage, most, flags);
}
