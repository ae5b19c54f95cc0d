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
import type { EditorDesk } from "./desk.ts";
import { folderOf } from "./folder.ts";
import { listSessions } from "./list.ts";
import { telling } from "./problems.ts";
import { openSessions, type Sessions } from "./sessions.ts";
import { openWires } from "./wire.ts";

export interface Serving {
  /** The editor is gone. */
  readonly closed: Promise<void>;
  /** Ends every session and what runs in it. */
  close(): Promise<void>;
}

/** An agent for an editor, over one connection. */
export function serveEditor(stream: Stream, desk: EditorDesk, { version }: { readonly version: string }): Serving {
  let can: ClientCapabilities = {};
  let opened: Sessions | null = null;
  const sessions = () => opened!;
  const { session: on } = methods.agent;
  const app = agent({ name: "zeph" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      if (params.protocolVersion < PROTOCOL_VERSION)
        throw RequestError.unsupportedProtocolVersion(params.protocolVersion, [PROTOCOL_VERSION]);
      can = params.clientCapabilities ?? {};
      return { protocolVersion: PROTOCOL_VERSION, agentInfo: { name: "zeph", title: "Zeph", version }, ...OFFERED };
    })
    .onRequest(on.new, ({ params }) => telling(() => sessions().begin(params)))
    .onRequest(on.load, ({ params }) => telling(() => sessions().resume(params, "shown")))
    .onRequest(on.resume, ({ params }) => telling(() => sessions().resume(params, "known")))
    .onRequest(on.list, ({ params }) => telling(() => list(desk, params)))
    .onRequest(on.close, ({ params }) => telling(() => sessions().close(params.sessionId)))
    .onRequest(on.delete, ({ params }) => telling(() => sessions().delete(params.sessionId)))
    .onRequest(on.prompt, ({ params, signal }) =>
      telling(async () => (await sessions().get(params.sessionId)).prompt(params.prompt, signal)),
    )
    .onRequest(on.setMode, ({ params }) => telling(async () => (await sessions().get(params.sessionId)).setMode(params.modeId)))
    .onRequest(on.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      telling(async () => ({ configOptions: await (await sessions().get(sessionId)).setOption(configId, value) })),
    )
    .onNotification(on.cancel, ({ params }) => sessions().cancel(params.sessionId));
  const connection: AgentConnection = app.connect(stream);
  opened = openSessions(
    desk,
    openWires(connection.client, () => can, connection.signal),
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

async function list(desk: EditorDesk, params: { cwd?: string | null; cursor?: string | null }): Promise<ListSessionsResponse> {
  const cwd = params.cwd == null ? undefined : await folderOf(params.cwd, () => null);
  const found = await listSessions(desk, cwd, params.cursor ?? undefined);
  if (!found)
    throw RequestError.invalidParams({ cursor: params.cursor }, "This cursor is not known. List the sessions from the beginning.");
  return found;
}
