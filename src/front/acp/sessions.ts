import { randomUUID } from "node:crypto";
import { type McpServer, type NewSessionResponse, RequestError } from "@agentclientprotocol/sdk";
import type { EditorAgents, EditorHost, EditorServer, EditorSession } from "./editor-agents.ts";
import { type AcpSession, openAcpSession } from "./session.ts";
import { sessionFolder } from "./session-folder.ts";
import type { Wire } from "./wire.ts";

/** The sessions of one editor. */
export interface AcpSessions {
  begin(wish: Wish): Promise<NewSessionResponse>;
  resume(wish: Wish & { readonly sessionId: string }, how: "shown" | "known"): Promise<State>;
  get(id: string): Promise<AcpSession>;
  cancel(id: string): void;
  close(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  closeAll(): Promise<void>;
}
interface Wish {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | undefined;
}
type State = ReturnType<AcpSession["state"]>;

/** Each has a store and a log open. */
const MOST_OPEN = 100;

export function openAcpSessions(desk: EditorAgents, wireTo: (sessionId: string) => Wire, asks: "now" | "later"): AcpSessions {
  const open = new Map<string, Promise<AcpSession>>();
  /** Sessions that are open by now, for a cancel that cannot wait. */
  const ready = new Map<string, AcpSession>();
  let isClosed = false;

  /** One under its id, however often it is asked for at once. */
  const opened = (id: string, cwd: string, make: (host: EditorHost) => Promise<EditorSession | null>): Promise<AcpSession> => {
    const known = open.get(id);
    if (known) return known;
    if (open.size >= MOST_OPEN)
      throw RequestError.invalidRequest(undefined, `${MOST_OPEN} sessions are open. Close one before you open another.`);
    const opening = openAcpSession(wireTo(id), cwd, make, asks).then(async (session) => {
      if (!session) throw RequestError.sessionNotFound(id);
      ready.set(id, session);
      if (isClosed) await session.close();
      return session;
    });
    open.set(id, opening);
    opening.catch(() => open.delete(id));
    return opening;
  };
  // The editor has to know of the session before it is told about it.
  const announceLater = (session: AcpSession) => void setImmediate(() => void session.announce());
  const get = async (id: string): Promise<AcpSession> => {
    const session = await open.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  };
  const close = async (id: string): Promise<boolean> => {
    const session = open.get(id);
    open.delete(id);
    ready.delete(id);
    await session?.then((one) => one.close());
    return session !== undefined;
  };

  return {
    async begin({ cwd: given, mcpServers = [] }) {
      const cwd = await sessionFolder(given, desk.refusal);
      const sessionId = randomUUID();
      const session = await opened(sessionId, cwd, (host) => desk.begin(sessionId, { cwd, servers: mcpServers.map(serverOf), host }));
      announceLater(session);
      return { sessionId, ...session.state() };
    },
    async resume({ sessionId, cwd: given, mcpServers = [] }, how) {
      const cwd = await sessionFolder(given, desk.refusal);
      const session = await opened(sessionId, cwd, (host) => desk.resume(sessionId, { cwd, servers: mcpServers.map(serverOf), host }));
      if (session.cwd !== cwd) throw RequestError.invalidParams({ sessionId, cwd }, `This session belongs to ${session.cwd}.`);
      if (how === "shown") await session.replay();
      announceLater(session);
      return session.state();
    },
    get,
    cancel: (id) => ready.get(id)?.cancel(),
    async close(id) {
      if (!(await close(id))) throw RequestError.sessionNotFound(id);
    },
    async delete(id) {
      await close(id);
      // That there is none is what was wanted.
      await desk.delete(id);
    },
    async closeAll() {
      isClosed = true;
      await Promise.allSettled([...open.keys()].map(close));
    },
  };
}

function serverOf(server: McpServer): EditorServer {
  const { name } = server;
  if ("command" in server) return { kind: "stdio", name, command: server.command, args: server.args, env: server.env };
  return server.type === "http" ? { kind: "http", name, url: server.url, headers: server.headers } : { kind: "sse", name };
}
