import { ANTHROPIC_WIRE } from "./anthropic-wire.ts";
import { CHAT_WIRE } from "./chat-wire.ts";
import { GEMINI_WIRE } from "./gemini-wire.ts";
import type { ModelWire, WireAnswer } from "./model-wire.ts";
import { RESPONSES_WIRE } from "./responses-wire.ts";

/** The languages that clients speak with their models. */
export const MODEL_WIRES: readonly ModelWire[] = [ANTHROPIC_WIRE, CHAT_WIRE, RESPONSES_WIRE, GEMINI_WIRE];

/** What is sent over HTTP. */
export interface WireResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const JSON_TYPE = "application/json";

export const responseOf = (answer: WireAnswer): WireResponse =>
  answer.kind === "events"
    ? { status: 200, type: "text/event-stream", text: answer.lines.join("") }
    : { status: 200, type: JSON_TYPE, text: JSON.stringify(answer.value) };

/** What clients ask besides: which models there are, and how long a text is. */
export function answerBeside(path: string): WireResponse {
  if (/count_?tokens$/i.test(path)) return responseOf({ kind: "json", value: { totalTokens: 10, input_tokens: 10 } });
  if (/\/models$/.test(path)) {
    const data = [{ id: "m", object: "model", created: 1, owned_by: "x" }];
    return responseOf({ kind: "json", value: { object: "list", data, models: [] } });
  }
  return { status: 404, type: JSON_TYPE, text: '{"error":{"message":"not found"}}' };
}
