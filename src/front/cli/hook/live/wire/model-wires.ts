import type { ServerResponse } from "node:http";
import { ANTHROPIC_WIRE } from "./anthropic-wire.ts";
import { CHAT_WIRE } from "./chat-wire.ts";
import { GEMINI_WIRE } from "./gemini-wire.ts";
import type { ModelWire, WireAnswer } from "./model-wire.ts";
import { RESPONSES_WIRE } from "./responses-wire.ts";

/** The languages that clients speak with their models. */
export const MODEL_WIRES: readonly ModelWire[] = [ANTHROPIC_WIRE, CHAT_WIRE, RESPONSES_WIRE, GEMINI_WIRE];

/** Sends it; `ended` is called when all of it is with the system. */
export function sendAnswer(response: ServerResponse, answer: WireAnswer, ended?: () => void): void {
  const isStream = answer.kind === "events";
  response.writeHead(200, isStream ? { "content-type": "text/event-stream", "cache-control": "no-cache" } : { "content-type": JSON_TYPE });
  response.end(isStream ? answer.lines.join("") : JSON.stringify(answer.value), ended);
}

const JSON_TYPE = "application/json";

/** What clients ask besides: which models there are, and how long a text is. */
export function answerBeside(path: string, response: ServerResponse): void {
  if (/count_?tokens$/i.test(path)) return void sendAnswer(response, { kind: "json", value: { totalTokens: 10, input_tokens: 10 } });
  if (/\/models$/.test(path)) {
    const data = [{ id: "m", object: "model", created: 1, owned_by: "x" }];
    return void sendAnswer(response, { kind: "json", value: { object: "list", data, models: [] } });
  }
  response.writeHead(404, { "content-type": JSON_TYPE }).end('{"error":{"message":"not found"}}');
}
