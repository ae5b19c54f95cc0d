import { createMcpHandler, type McpHttpHandler, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { RequestRefusal } from "../http/guard.ts";
import { createEventStore } from "./event-store.ts";
import type { McpSession } from "./session.ts";

/** A session as HTTP has it: by an id we gave (2025), or by a name the client chose or left out (2026). */
export interface HttpSession {
  readonly session: McpSession;
  readonly workspace: string;
  /** Whose it is. */
  readonly caller: string;
  /** Answers one request. */
  answer(request: Request, body: unknown): Promise<Response>;
  /** A request or a stream is open: the session is in use meanwhile. Returns what ends it. */
  use(): () => void;
}

export interface SessionLimits {
  /** Sessions that may be open at a time. */
  readonly most: number;
  readonly idleMs: number;
  /** How long a session has to be idle to give up its place to another, when there is no other place. */
  readonly spareMs: number;
  /** There is no memory left for another session. */
  isCrowded(): boolean;
}

export interface HttpSessionsParts extends SessionLimits {
  open(id: string, workspace: string, caller: string): McpSession;
}

export interface HttpSessions {
  /** Somebody else's is not found. */
  byId(id: string, caller: string): HttpSession | undefined;
  /** The caller's session of this name in this folder, begun if need be. */
  byName(name: string, workspace: string, caller: string): HttpSession | RequestRefusal;
  /** One that begins with the client's first request. It is found by its id once the client has been told it. */
  begin(id: string, workspace: string, caller: string): Promise<HttpSession | RequestRefusal>;
  size(): number;
  close(): Promise<void>;
}

export function openHttpSessions({ most, idleMs, spareMs, isCrowded, open }: HttpSessionsParts): HttpSessions {
  const all = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();

  const end = (key: string): void => {
    const kept = all.get(key);
    if (!kept || !all.delete(key)) return;
    const closed = kept.end().catch(() => {});
    closing.add(closed);
    void closed.then(() => closing.delete(closed));
  };
  /** The ones nobody has used for so long, the longest first. */
  const idleFor = (ms: number): string[] => {
    const latest = Date.now() - ms;
    const idle = [...all].filter(([, { used, users, session }]) => users === 0 && session.busy() === 0 && used <= latest);
    return idle.sort(([, one], [, other]) => one.used - other.used).map(([key]) => key);
  };
  const sweep = () => idleFor(idleMs).forEach(end);
  const timer = setInterval(sweep, Math.max(10, Math.min(60_000, idleMs / 2)));
  timer.unref();

  /** Null when there is room for one more, or was made. */
  const full = (): RequestRefusal | null => {
    if (all.size < most && !isCrowded()) return null;
    const [oldest] = idleFor(spareMs);
    if (oldest !== undefined) {
      end(oldest);
      return null;
    }
    const why = all.size < most ? `There is no memory left beside ${all.size} sessions` : `${most} sessions are open, which is the limit`;
    return {
      status: 429,
      message: `${why}, and none of them has been idle for ${Math.ceil(spareMs / 1000)} seconds. End one with DELETE, or come again later.`,
      headers: { "retry-after": "60" },
    };
  };
  const keep = (key: string, begun: Omit<HttpSession, "use">, leave: () => Promise<void>): Kept => {
    const kept: Kept = {
      ...begun,
      used: Date.now(),
      users: 0,
      use() {
        kept.users++;
        kept.used = Date.now();
        return () => {
          kept.users--;
          kept.used = Date.now();
        };
      },
      async end() {
        await leave();
        await begun.session.close();
      },
    };
    all.set(key, kept);
    return kept;
  };

  return {
    byId(id, caller) {
      const found = all.get(idKey(id));
      return found?.caller === caller ? found : undefined;
    },
    byName(name, workspace, caller) {
      const key = JSON.stringify(["name", workspace, name, caller]);
      const known = all.get(key);
      if (known) return known;
      const refusal = full();
      if (refusal) return refusal;
      const session = open(name, workspace, caller);
      const handler: McpHttpHandler = createMcpHandler(() => session.server("modern"), { legacy: "reject" });
      session.onChange(() => handler.notify.toolsChanged());
      const answer: HttpSession["answer"] = (request, body) => handler.fetch(request, { parsedBody: body });
      return keep(key, { session, workspace, caller, answer }, handler.close);
    },
    async begin(id, workspace, caller) {
      const refusal = full();
      if (refusal) return refusal;
      const session = open(id, workspace, caller);
      const server = session.server("legacy");
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        onsessionclosed: () => end(idKey(id)),
        // A client whose connection broke asks again for what it missed.
        eventStore: createEventStore(),
        retryInterval: 1000,
      });
      session.onChange(() => void server.server.sendToolListChanged().catch(() => {}));
      await server.connect(transport);
      const answer: HttpSession["answer"] = (request, body) =>
        transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      return keep(idKey(id), { session, workspace, caller, answer }, () => server.close());
    },
    size: () => all.size,
    async close() {
      clearInterval(timer);
      for (const key of [...all.keys()]) end(key);
      await Promise.all(closing);
    },
  };
}

interface Kept extends HttpSession {
  used: number;
  users: number;
  end(): Promise<void>;
}

const idKey = (id: string) => JSON.stringify(["id", id]);
