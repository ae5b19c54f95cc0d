import { randomUUID } from "node:crypto";
import { type McpServer, type NewSessionResponse, RequestError } from "@agentclientprotocol/sdk";
import type { EditorDesk, EditorHost, EditorServer, EditorSession } from "./desk.ts";
import { folderOf } from "./folder.ts";
import { openSession, type Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** The sessions of one editor. */
export interface Sessions {
  begin(wish: Wish): Promise<NewSessionResponse>;
  resume(wish: Wish & { readonly sessionId: string }, how: "shown" | "known"): Promise<State>;
  get(id: string): Promise<Session>;
  cancel(id: string): void;
  close(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  closeAll(): Promise<void>;
}
interface Wish {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | undefined;
}
type State = ReturnType<Session["state"]>;

/** Each has a store and a log open. */
const MOST_OPEN = 100;

export function openSessions(desk: EditorDesk, wireTo: (sessionId: string) => Wire): Sessions {
  const open = new Map<string, Promise<Session>>();
  /** Those that are there already, for a cancel that cannot wait. */
  const ready = new Map<string, Session>();
  let isClosed = false;

  /** One under its id, however often it is asked for at once. */
  const opened = (id: string, cwd: string, make: (host: EditorHost) => Promise<EditorSession | null>): Promise<Session> => {
    const known = open.get(id);
    if (known) return known;
    if (open.size >= MOST_OPEN)
      throw RequestError.invalidRequest(undefined, `${MOST_OPEN} sessions are open. Close one before you open another.`);
    const opening = openSession(wireTo(id), cwd, make).then(async (session) => {
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
  const announceLater = (session: Session) => void setImmediate(() => void session.announce());
  const get = async (id: string): Promise<Session> => {
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
      const cwd = await folderOf(given, desk.refusal);
      const sessionId = randomUUID();
      const session = await opened(sessionId, cwd, (host) => desk.begin(sessionId, { cwd, servers: mcpServers.map(serverOf), host }));
      announceLater(session);
      return { sessionId, ...session.state() };
    },
    async resume({ sessionId, cwd: given, mcpServers = [] }, how) {
      const cwd = await folderOf(given, desk.refusal);
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
