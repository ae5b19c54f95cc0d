import type { Readable, Writable } from "node:stream";
import { isPeerBelowAgent } from "../../files/agent-process.ts";
import { createTokenCheck, isLoopback } from "../../front/http/guard.ts";
import type { FirstAnswer } from "../../front/mcp-server/first-answer.ts";
import { INSTRUCTIONS } from "../../front/mcp-server/greeting.ts";
import { type HttpServed, serveHttp } from "../../front/mcp-server/http.ts";
import type { SessionLimits } from "../../front/mcp-server/http-sessions.ts";
import type { Client } from "../../front/mcp-server/offer.ts";
import { equipOwnTexts } from "../../front/mcp-server/own-texts.ts";
import { openMcpSession } from "../../front/mcp-server/session.ts";
import { serveStdio } from "../../front/mcp-server/stdio.ts";
import { createWorkspaces, rootFolder, type Workspaces } from "../../front/mcp-server/workspaces.ts";
import { createTracing } from "../events/telemetry.ts";
import { openOrClose, openStores } from "../settings/stores.ts";
import { createFolderRefusal } from "./folder-refusal.ts";
import { openWithin } from "./open-within.ts";
import type { ServedSettings } from "./served-session.ts";

export { HABITS, habitLines } from "../../front/mcp-server/client-own-tools.ts";
export type { FirstAnswer } from "../../front/mcp-server/first-answer.ts";
export { CLIENTS, type SnippetClient, snippetFor } from "../../front/mcp-server/snippets.ts";

export interface Serving {
  /** Where a session works that asks for nothing. */
  readonly cwd: string;
  /** Folders that sessions may ask for; none given: `cwd` and what is in it. */
  readonly workspaces: readonly string[];
  readonly settings: ServedSettings;
  /** Questions are kept for `zeph answer`, also where the client could put them. */
  readonly later?: boolean;
  /** The client puts each call to its person, so Zeph does not ask about what no rule speaks of in the workspace. */
  readonly asks?: "the client";
  warn(message: string): void;
}

export interface ServingStdio extends Serving {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
  /** What the client was answered before this was read. */
  readonly answered?: FirstAnswer | undefined;
  /** Told where the session works, once that is known. */
  working?(folder: string, why: "root" | "given"): void;
}

export interface ServingHttp extends Serving, Partial<SessionLimits> {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** It cannot be served like this, and the message says what to give instead. */
export class ServingError extends Error {
  override readonly name = "ServingError";
}

const tracing = createTracing();
const SHORTEST_TOKEN = 16;
/** Over pipes a client is told of later tools. Codex asks its model a second after it started us, with the tools it knows by then. */
const FIRST_MEETING_MS = 250;

/** One client, over two pipes. Resolves when it has left, with everything closed. */
export async function serveOverStdio(given: ServingStdio): Promise<void> {
  const { cwd, workspaces: folders, settings, warn, later, asks, working } = given;
  const { store, at } = openStores(settings, cwd);
  const refusal = createFolderRefusal(at, INSTEAD);
  const workspaces = openOrClose(store, () => allowedIn(folders, cwd, refusal));
  const open = async (client: Client) => {
    const root = await onlyRoot(client, folders.length > 0 ? workspaces : null);
    const workspace = root ?? workspaces.usual;
    const around = root === null || folders.length > 0 ? workspaces : createWorkspaces([root], root, refusal);
    const id = `stdio-${process.pid}`;
    const offer = await openWithin(around, { id, workspace, settings, store, warn, later, asks, meetingMs: FIRST_MEETING_MS });
    working?.(workspace, root === null ? "given" : "root");
    return offer;
  };
  try {
    await serveStdio({ ...given, session: openMcpSession({ open, instructions: INSTRUCTIONS, equip: equipOwnTexts, warn, tracing }) });
  } finally {
    await store.close();
  }
}

/** Many clients, each with a session of its own. Throws where that would not be safe. */
export async function serveOverHttp({
  cwd,
  workspaces: folders,
  settings,
  warn,
  later,
  asks,
  host,
  port,
  token,
  ...limits
}: ServingHttp): Promise<HttpServed> {
  if (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token))
    throw new ServingError(
      `The token has to have at least ${SHORTEST_TOKEN} characters, without spaces: whoever knows it runs commands on this machine.`,
    );
  // What is wrong with the configuration is said now, not with the first call.
  const { store, at } = openStores(settings, cwd);
  const workspaces = openOrClose(store, () => allowedIn(folders, cwd, createFolderRefusal(at, INSTEAD)));
  const unusual = workspaces.refusal(workspaces.usual);
  if (unusual !== null) warn(unusual);
  const open = (id: string, workspace: string) =>
    openMcpSession({
      open: () => openWithin(workspaces, { id, workspace, settings, store, warn, later, asks }),
      instructions: INSTRUCTIONS,
      equip: equipOwnTexts,
      warn,
      tracing,
    });
  try {
    const served = await serveHttp({
      ...limits,
      host,
      port,
      authorize: createTokenCheck(token),
      isBelowAgent: (socket) => isPeerBelowAgent(socket, at.audit),
      workspacesOf: () => workspaces,
      open,
    });
    return { ...served, close: () => served.close().finally(store.close) };
  } catch (error) {
    await store.close();
    throw new ServingError(
      `${host}:${port} cannot be served: ${(error as Error).message}. Another --port may be free; 0 takes any that is.`,
    );
  }
}

function allowedIn(folders: readonly string[], cwd: string, refusal: Workspaces["refusal"]): Workspaces {
  try {
    return createWorkspaces(folders, cwd, refusal);
  } catch (error) {
    throw new ServingError(`--workspace: ${(error as Error).message}`);
  }
}

export { isLoopback };

const INSTEAD = "Name a folder of a project: with --workspace when Zeph starts, or as the client's root.";

/** A client that works in exactly one folder means that one. */
async function onlyRoot(client: Client, allowed: Workspaces | null): Promise<string | null> {
  const roots = await client.roots();
  const folder = roots.length === 1 ? rootFolder(roots[0]!) : null;
  if (folder === null) return null;
  return allowed ? allowed.find(folder) : folder;
}
