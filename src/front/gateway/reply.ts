import type { ServerResponse } from "node:http";
import type { RequestRefusal } from "../http/guard.ts";

/** What a request is answered with. */
export interface GatewayReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusal = (status: number, message: string, headers?: Readonly<Record<string, string>>): RequestRefusal => ({
  status,
  message,
  ...(headers && { headers }),
});

export function sendReply({ status, body, headers }: GatewayReply, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}

export const sendRefusal = ({ status, message, headers }: RequestRefusal, response: ServerResponse): void =>
  sendReply({ status, body: { error: message }, ...(headers && { headers }) }, response);
