import { allText, LAST_WORD, type ModelWire, namedEvent, offeredTool, recordsIn } from "./model-wire.ts";

/** Anthropic's messages. */
export const ANTHROPIC_WIRE: ModelWire = {
  path: /\/v1\/messages$/,
  read: ({ tools, messages }) => ({
    tools: recordsIn(tools).flatMap(({ name, input_schema: schema }) => (schema ? offeredTool(name, schema) : [])),
    results: recordsIn(messages)
      .flatMap(({ content }) => recordsIn(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => allText(content)),
  }),
  answer({ stream, model }, call, { id }) {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    const reason = call ? "tool_use" : "end_turn";
    const block = call ? { type: "tool_use", id: `toolu_${id}`, name: call.name, input: call.args } : { type: "text", text: LAST_WORD };
    if (stream !== true) return { kind: "json", value: { ...message, content: [block], stop_reason: reason } };
    const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text: LAST_WORD };
    const begun = call ? { ...block, input: {} } : { type: "text", text: "" };
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: begun },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    return { kind: "events", lines: events.map(namedEvent) };
  },
};
