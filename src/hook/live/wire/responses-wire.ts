import {
  allText,
  LAST_WORD,
  type ModelWire,
  namedEvent,
  type OfferedTool,
  offeredTool,
  recordsIn,
  type WantedCall,
  type WireAnswer,
} from "./model-wire.ts";

/** OpenAI's responses. */
export const RESPONSES_WIRE: ModelWire = {
  path: /\/responses$/,
  read: ({ tools, input }) => ({
    tools: recordsIn(tools).flatMap((tool) =>
      tool.type === "namespace"
        ? recordsIn(tool.tools).flatMap((one) => functionOf(one).map((found) => ({ ...found, namespace: String(tool.name) })))
        : functionOf(tool),
    ),
    results: recordsIn(input)
      .filter(({ type }) => /_output$/.test(String(type)))
      .map(({ output }) => allText(output)),
  }),
  answer({ model }, call, { id }) {
    if (call?.input !== undefined) return freely(call, model, id);
    const text = { type: "output_text", text: LAST_WORD, annotations: [] };
    const item = call
      ? {
          id: `fc_${id}`,
          type: "function_call",
          status: "completed",
          call_id: `call_${id}`,
          name: call.name,
          // A tool of a server stands in a namespace of that server's.
          ...(call.namespace !== undefined && { namespace: call.namespace }),
          arguments: JSON.stringify(call.args),
        }
      : { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content: [text] };
    const at = { item_id: item.id, output_index: 0 };
    const args = JSON.stringify(call?.args);
    const said = call
      ? [
          { type: "response.function_call_arguments.delta", ...at, delta: args },
          { type: "response.function_call_arguments.done", ...at, arguments: args },
        ]
      : [
          { type: "response.content_part.added", ...at, content_index: 0, part: { ...text, text: "" } },
          { type: "response.output_text.delta", ...at, content_index: 0, delta: LAST_WORD },
          { type: "response.output_text.done", ...at, content_index: 0, text: LAST_WORD },
        ];
    const begun = { ...item, status: "in_progress", ...(call ? { arguments: "" } : { content: [] }) };
    return streamed({ item, begun, said, model, id });
  },
};

const functionOf = ({ type, name, parameters }: Readonly<Record<string, unknown>>): readonly OfferedTool[] =>
  type === "function" ? offeredTool(name, parameters) : [];

/** A tool that takes a text in place of arguments. */
function freely({ name, input }: WantedCall, model: unknown, id: string): WireAnswer {
  const item = { id: `ctc_${id}`, type: "custom_tool_call", status: "completed", call_id: `call_${id}`, name, input };
  const at = { item_id: item.id, output_index: 0 };
  const said = [
    { type: "response.custom_tool_call_input.delta", ...at, delta: input },
    { type: "response.custom_tool_call_input.done", ...at, input },
  ];
  return streamed({ item, begun: { ...item, status: "in_progress", input: "" }, said, model, id });
}

interface Streamed {
  readonly item: object;
  readonly begun: object;
  readonly said: readonly { readonly type: string }[];
  readonly model: unknown;
  readonly id: string;
}

function streamed({ item, begun, said, model, id }: Streamed): WireAnswer {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const common = { id: `resp_${id}`, object: "response", created_at: 1, model, error: null, incomplete_details: null };
  const events: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[] = [
    { type: "response.created", response: { ...common, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: begun },
    ...said,
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...common, status: "completed", output: [item], usage } },
  ];
  return { kind: "events", lines: events.map((event, sequence_number) => namedEvent(Object.assign({ sequence_number }, event))) };
}
