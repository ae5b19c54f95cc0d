import {
  type AgentConnection,
  agent,
  type ClientCapabilities,
  type ListSessionsResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import type { EditorAgents } from "./editor-agents.ts";
import { listSessions } from "./list-sessions.ts";
import { withRequestErrors } from "./request-errors.ts";
import { sessionFolder } from "./session-folder.ts";
import { type AcpSessions, openAcpSessions } from "./sessions.ts";
import { createWires } from "./wire.ts";

export interface EditorConnection {
  /** The editor is gone. */
  readonly closed: Promise<void>;
  /** Ends every session and what runs in it. */
  close(): Promise<void>;
}

export interface ServingEditor {
  readonly version: string;
  /** `later`: the editor is not asked; each question is kept for `zeph answer`. */
  readonly asks?: "now" | "later";
}

/** An agent for an editor, over one connection. */
export function serveEditor(stream: Stream, desk: EditorAgents, { version, asks = "now" }: ServingEditor): EditorConnection {
  let can: ClientCapabilities = {};
  let opened: AcpSessions | null = null;
  const sessions = () => opened!;
  const { session: on } = methods.agent;
  const app = agent({ name: "zeph" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      if (params.protocolVersion < PROTOCOL_VERSION)
        throw RequestError.unsupportedProtocolVersion(params.protocolVersion, [PROTOCOL_VERSION]);
      can = params.clientCapabilities ?? {};
      return { protocolVersion: PROTOCOL_VERSION, agentInfo: { name: "zeph", title: "Zeph", version }, ...OFFERED };
    })
    .onRequest(on.new, ({ params }) => withRequestErrors(() => sessions().begin(params)))
    .onRequest(on.load, ({ params }) => withRequestErrors(() => sessions().resume(params, "shown")))
    .onRequest(on.resume, ({ params }) => withRequestErrors(() => sessions().resume(params, "known")))
    .onRequest(on.list, ({ params }) => withRequestErrors(() => list(desk, params)))
    .onRequest(on.close, ({ params }) => withRequestErrors(() => sessions().close(params.sessionId)))
    .onRequest(on.delete, ({ params }) => withRequestErrors(() => sessions().delete(params.sessionId)))
    .onRequest(on.prompt, ({ params, signal }) =>
      withRequestErrors(async () => (await sessions().get(params.sessionId)).prompt(params.prompt, signal)),
    )
    .onRequest(on.setMode, ({ params }) => withRequestErrors(async () => (await sessions().get(params.sessionId)).setMode(params.modeId)))
    .onRequest(on.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      withRequestErrors(async () => ({ configOptions: await (await sessions().get(sessionId)).setOption(configId, value) })),
    )
    .onNotification(on.cancel, ({ params }) => sessions().cancel(params.sessionId));
  const connection: AgentConnection = app.connect(stream);
  opened = openAcpSessions(
    desk,
    createWires(connection.client, () => can, connection.signal),
    asks,
  );
  return {
    closed: connection.closed,
    async close() {
      connection.close();
      await opened.closeAll();
    },
  };
}

const OFFERED = {
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: false, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
  },
  // Models and their keys are set up in the configuration, not here.
  authMethods: [],
};

async function list(desk: EditorAgents, params: { cwd?: string | null; cursor?: string | null }): Promise<ListSessionsResponse> {
  const cwd = params.cwd == null ? undefined : await sessionFolder(params.cwd, () => null);
  const found = await listSessions(desk, cwd, params.cursor ?? undefined);
  if (!found)
    throw RequestError.invalidParams({ cursor: params.cursor }, "This cursor is not known. List the sessions from the beginning.");
  return found;
}
