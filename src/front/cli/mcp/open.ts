import type { ZephEvent } from "../../../core/event.ts";
import { createRuntime, type Zeph } from "../../../runtime/create.ts";
import { type McpDesk, openMcpDesk } from "../../../runtime/features/mcp-settings.ts";
import { serverNamed } from "../../../runtime/features/mcp-words.ts";
import type { Mcp } from "../../../runtime/mcp.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
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
    zeph = await createRuntime({ cwd: process.cwd(), ...settings, set, onEvent: (event) => void onEvent(event) });
    try {
      for (const message of zeph.warnings) say(message);
      const { mcp } = zeph;
      // One that was met for the first time has been tried already.
      await Promise.all(mcp.states().map((one) => (one.state === "idle" ? mcp.connect(one.name) : undefined)));
      spinner.hide();
      return await work({ mcp, servers, ms: performance.now() - started, signal });
    } finally {
      await zeph.close();
    }
  });
}

/** Who could not be reached, and what changed, is told by whoever asked for it. */
const TOLD_HERE = [/^The MCP server "[^"]*" could not be reached/, /^The definition of .* changed\. It is no longer offered/];

/** The desk is open for as long as the work takes. */
export async function withDesk<T>({ settings }: Pick<McpRequest, "settings">, work: (desk: McpDesk) => Promise<T>): Promise<T> {
  const desk = openMcpDesk(process.cwd(), settings);
  try {
    return await work(desk);
  } finally {
    await desk.close();
  }
}

const chosenServers = (settings: McpRequest["settings"], name: string | null): Promise<readonly Server[]> =>
  withDesk({ settings }, async ({ servers }) => (name === null ? servers : [configured(name, servers)]));

export const configured = (name: string, servers: readonly Server[]): Server =>
  serverNamed(name, servers, (message) => new UsageError(message));

export const refuseCommand = ({ command }: McpRequest): void => {
  if (command !== null) throw new UsageError("Only `zeph mcp add` takes a command after --.");
};
