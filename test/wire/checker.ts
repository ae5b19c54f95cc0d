import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicFault, rememberThinking } from "./rules-anthropic.ts";
import { geminiFault, rememberSignatures } from "./rules-gemini.ts";
import { chatFault, rememberReasoning, responsesFault } from "./rules-openai.ts";

export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: any;
  /** Why it was refused; null when it was let through. */
  readonly fault: string | null;
}

export interface Checker {
  readonly url: string;
  readonly seen: Seen[];
  stop(): Promise<void>;
}

/** What was sent to the client before, to be compared with what comes back. */
export type Memory = Map<string, string>;

interface Api {
  readonly fault: (body: any, memory: Memory) => string | null;
  readonly remember: (events: any[], memory: Memory) => void;
  readonly refusal: (message: string) => object;
}

const openaiRefusal = (message: string) => ({ error: { message, type: "invalid_request_error", param: null, code: null } });

const APIS: Readonly<Record<string, Api>> = {
  "/v1/messages": {
    fault: anthropicFault,
    remember: rememberThinking,
    refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  },
  "/v1/chat/completions": { fault: chatFault, remember: () => {}, refusal: openaiRefusal },
  "/v1/responses": { fault: responsesFault, remember: rememberReasoning, refusal: openaiRefusal },
  "/v1/models/gemini": { fault: geminiFault, remember: rememberSignatures, refusal: openaiRefusal },
};
/** The name of the model is in the path of one API. */
const apiOf = (path: string): Api | undefined => APIS[path.replace(/^(\/v1\/models\/)[\w.-]+:streamGenerateContent\?alt=sse$/, "$1gemini")];

/** A server that is as strict about requests as the real ones are, in front of one that is not. */
export async function startChecker(upstream: string): Promise<Checker> {
  const seen: Seen[] = [];
  const memory: Memory = new Map();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? "";
    const api = apiOf(path);
    const text = await textOf(request);
    if (!api) return void response.writeHead(404).end();
    const body = JSON.parse(text);
    const fault = api.fault(body, memory);
    seen.push({ path, headers: request.headers, text, body, fault });
    if (fault !== null) return void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(api.refusal(fault)));
    const { "content-type": type = "application/json" } = request.headers;
    const answered = await fetch(upstream + path.replace(/^\/v1\/models/, "/v1beta/models"), {
      method: "POST",
      headers: { "content-type": type },
      body: text,
    });
    const whole = await answered.text();
    api.remember(sseEvents(whole), memory);
    response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "text/event-stream" }).end(whole);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

const sseEvents = (text: string): any[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
