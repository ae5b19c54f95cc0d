import type { ServerResponse } from "node:http";
import type { RequestRefusal } from "../http/guard.ts";

/** A refusal as clients of this protocol read one. */
export function refuse({ status, message, headers }: RequestRefusal, response: ServerResponse, id: unknown = null): void {
  if (response.headersSent) return void response.destroy();
  const code = status === 400 && message.startsWith("Parse error") ? -32700 : -32000;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id }));
}
