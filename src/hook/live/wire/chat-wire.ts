import { isRecord } from "../../../text/json.ts";
import { allText, LAST_WORD, type ModelWire, offeredTool, plainEvent, recordsIn } from "./model-wire.ts";

/** OpenAI's chat completions, and those of all who speak as OpenAI did. */
export const CHAT_WIRE: ModelWire = {
  path: /\/chat\/completions$/,
  read: ({ tools, messages }) => ({
    tools: recordsIn(tools).flatMap(({ function: made }) => (isRecord(made) ? offeredTool(made.name, made.parameters) : [])),
    results: recordsIn(messages)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => allText(content)),
  }),
  answer({ stream, model }, call, { id }) {
    const base = { id: `chatcmpl-${id}`, created: 1, model };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const finish_reason = call ? "tool_calls" : "stop";
    const made = call && { id: `call_${id}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } };
    const message = { role: "assistant", content: call ? null : LAST_WORD, ...(made && { tool_calls: [made] }) };
    if (stream !== true)
      return { kind: "json", value: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage } };
    const delta = { ...message, ...(made && { tool_calls: [{ index: 0, ...made }] }) };
    const chunk = (choices: readonly object[], more = {}) => plainEvent({ ...base, object: "chat.completion.chunk", choices, ...more });
    const ends = chunk([{ index: 0, delta: {}, finish_reason }]);
    return {
      kind: "events",
      lines: [chunk([{ index: 0, delta, finish_reason: null }]), ends, chunk([], { usage }), "data: [DONE]\n\n"],
    };
  },
};
