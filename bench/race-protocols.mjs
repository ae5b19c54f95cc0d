// The protocols of the clients of the race: Anthropic Messages, OpenAI Chat and Responses, Gemini. Each reads a request (the tools that are offered, the
// texts of the results so far) and writes an answer: one call, or the last word.
export const sendJson = (response, value, ended) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value), ended);
const sendEvents = (response, events, ended) =>
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" }).end(events.join(""), ended);
const named = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const plain = (data) => `data: ${JSON.stringify(data)}\n\n`;
const DONE = "Done.";

/** Everything that is text in a result, however it is wrapped. */
const textOf = (value) =>
  typeof value === "string" ? value : typeof value === "object" && value !== null ? Object.values(value).map(textOf).join("\n") : "";

const anthropic = {
  path: /\/v1\/messages$/,
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.filter(({ input_schema }) => input_schema).map(({ name, input_schema }) => ({ name, schema: input_schema })),
    results: messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => textOf(content)),
  }),
  answer(response, call, { stream: isStream, model }, n, ended) {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const message = { id: `msg_${n}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    const reason = call ? "tool_use" : "end_turn";
    const block = call ? { type: "tool_use", id: `toolu_${n}`, name: call.name, input: call.args } : { type: "text", text: DONE };
    if (!isStream) return sendJson(response, { ...message, content: [block], stop_reason: reason }, ended);
    const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text: DONE };
    const begun = call ? { ...block, input: {} } : { type: "text", text: "" };
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: begun },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    sendEvents(response, events.map(named), ended);
  },
};

const chat = {
  path: /\/chat\/completions$/,
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
  }),
  answer(response, call, { stream: isStream, model }, n, ended) {
    const base = { id: `chatcmpl-${n}`, created: 1, model };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const finish_reason = call ? "tool_calls" : "stop";
    const made = call && { id: `call_${n}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } };
    const message = { role: "assistant", content: call ? null : DONE, ...(call && { tool_calls: [made] }) };
    if (!isStream)
      return sendJson(response, { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage }, ended);
    const delta = { ...message, ...(call && { tool_calls: [{ index: 0, ...made }] }) };
    const chunk = (choices, more = {}) => plain({ ...base, object: "chat.completion.chunk", choices, ...more });
    const ends = chunk([{ index: 0, delta: {}, finish_reason }]);
    sendEvents(response, [chunk([{ index: 0, delta, finish_reason: null }]), ends, chunk([], { usage }), "data: [DONE]\n\n"], ended);
  },
};

const responses = {
  path: /\/responses$/,
  read: ({ tools = [], input = [] }) => ({
    // The tools of a server stand in a namespace.
    tools: tools
      .flatMap((tool) => (tool.type === "namespace" ? tool.tools.map((one) => ({ ...one, namespace: tool.name })) : tool))
      .filter(({ type }) => type === "function")
      .map(({ name, namespace, parameters }) => ({ name, schema: parameters, ...(namespace && { namespace }) })),
    results: Array.isArray(input) ? input.filter(({ type }) => /_output$/.test(type ?? "")).map(({ output }) => textOf(output)) : [],
  }),
  answer(response, call, { model }, n, ended) {
    if (call?.input !== undefined) return answerFreely(response, call, model, n, ended);
    const text = { type: "output_text", text: DONE, annotations: [] };
    const item = call
      ? {
          id: `fc_${n}`,
          type: "function_call",
          status: "completed",
          call_id: `call_${n}`,
          name: call.name,
          // A tool of a server stands in a namespace of that server's.
          ...(call.namespace && { namespace: call.namespace }),
          arguments: JSON.stringify(call.args),
        }
      : { id: `msg_${n}`, type: "message", status: "completed", role: "assistant", content: [text] };
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    const whole = (status, output) => ({
      id: `resp_${n}`,
      object: "response",
      created_at: 1,
      status,
      model,
      output,
      usage: status === "completed" ? usage : null,
      error: null,
      incomplete_details: null,
    });
    const at = { item_id: item.id, output_index: 0 };
    const begun = { ...item, status: "in_progress", ...(call ? { arguments: "" } : { content: [] }) };
    const said = call
      ? [
          { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
          { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
        ]
      : [
          { type: "response.content_part.added", ...at, content_index: 0, part: { ...text, text: "" } },
          { type: "response.output_text.delta", ...at, content_index: 0, delta: DONE },
          { type: "response.output_text.done", ...at, content_index: 0, text: DONE },
        ];
    const events = [
      { type: "response.created", response: whole("in_progress", []) },
      { type: "response.output_item.added", output_index: 0, item: begun },
      ...said,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole("completed", [item]) },
    ];
    sendEvents(
      response,
      events.map((event, sequence_number) => named({ ...event, sequence_number })),
      ended,
    );
  },
};

/** A tool that takes a text in place of arguments. */
function answerFreely(response, { name, input }, model, n, ended) {
  const item = { id: `ctc_${n}`, type: "custom_tool_call", status: "completed", call_id: `call_${n}`, name, input };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const whole = (status, output) => ({ id: `resp_${n}`, object: "response", created_at: 1, status, model, output, usage, error: null });
  const at = { item_id: item.id, output_index: 0 };
  const events = [
    { type: "response.created", response: whole("in_progress", []) },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", input: "" } },
    { type: "response.custom_tool_call_input.delta", ...at, delta: input },
    { type: "response.custom_tool_call_input.done", ...at, input },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: whole("completed", [item]) },
  ];
  sendEvents(
    response,
    events.map((event, sequence_number) => named({ ...event, sequence_number })),
    ended,
  );
}

const gemini = {
  path: /:(?:streamGenerateContent|generateContent)$/,
  read: ({ tools = [], contents = [] }) => ({
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
    results: contents
      .flatMap(({ parts = [] }) => parts)
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse }) => textOf(functionResponse.response)),
  }),
  answer(response, call, { generationConfig }, n, ended) {
    // It is asked which model to take and who speaks next, and wants JSON back.
    const choice = { reasoning: "x", model_choice: "flash", complexity_score: 1, complexity_reasoning: "x", next_speaker: "user" };
    const text = generationConfig?.responseMimeType === "application/json" ? JSON.stringify(choice) : DONE;
    const part = call ? { functionCall: { id: `fc${n}`, name: call.name, args: call.args } } : { text };
    const answer = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "m",
    };
    if (response.req.url.includes("streamGenerateContent")) sendEvents(response, [plain(answer)], ended);
    else sendJson(response, answer, ended);
  },
};

export const PROTOCOLS = [anthropic, chat, responses, gemini];
