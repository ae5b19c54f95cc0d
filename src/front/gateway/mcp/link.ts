import { timingSafeEqual } from "node:crypto";
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";

/** What a gateway tells the process of a tenant: where to listen, and by what it is known. */
export interface McpLink {
  readonly socket: string;
  readonly secret: string;
}

export const isMcpLink = (message: unknown): message is McpLink => {
  const { socket, secret } = (message ?? {}) as Partial<McpLink>;
  return typeof socket === "string" && typeof secret === "string";
};

const PERSON = "zeph-person";
const SECRET = "zeph-secret";
/** These are about one connection, or are nobody's business behind the gateway. */
const LEFT_OUT = ["connection", "keep-alive", "transfer-encoding", "upgrade", "authorization", "cookie"];

const connections = new Agent({ keepAlive: true, maxFreeSockets: 16 });

/** Hands a request on, and its answer back, piece by piece. Rejects where there was no answer. */
export function handOn(link: McpLink, person: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { ...kept(request.headers), [PERSON]: encodeURIComponent(person), [SECRET]: link.secret };
    const sent = openRequest(
      { agent: connections, socketPath: link.socket, method: request.method, path: request.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, kept(answer.headers));
        response.flushHeaders();
        pipeline(answer, response, () => resolve());
      },
    );
    sent.on("error", (error) => (response.headersSent ? resolve(void response.destroy()) : reject(error)));
    response.once("close", () => sent.destroy());
    pipeline(request, sent, () => {});
  });
}

const kept = (headers: IncomingMessage["headers"]): NodeJS.Dict<string | string[]> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.includes(name)));

/** Who sent what was handed on; null where it was not our gateway that did. */
export function handedOnFor({ headers }: IncomingMessage, secret: string): string | null {
  const [given, wanted] = [Buffer.from(String(headers[SECRET] ?? "")), Buffer.from(secret)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  return decodeURIComponent(String(headers[PERSON] ?? "")) || null;
}
