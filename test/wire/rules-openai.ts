import type { Memory } from "./checker.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Why the Chat Completions API would refuse this request; null when it would not. */
export function chatFault(body: any): string | null {
  for (const tool of body.tools ?? [])
    if (!NAME.test(tool.function?.name)) return "Invalid 'tools[0].function.name': string does not match pattern";
  const messages: any[] = body.messages ?? [];
  if (messages.length === 0) return "Invalid 'messages': empty array";
  let open = new Set<string>();
  const known = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const parts: any[] = Array.isArray(message.content) ? message.content : [];
    const unknown = parts.find(({ type }) => message.role === "tool" || !["text", "image_url", "input_audio"].includes(type));
    if (unknown) return `Invalid value: '${unknown.type}' in 'messages[${i}].content'`;
    if (parts.some(({ input_audio }) => input_audio && !["wav", "mp3"].includes(input_audio.format))) return "unknown format";
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id))
        return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${message.tool_call_id}`;
      continue;
    }
    if (open.size > 0) return unanswered(open);
    if (message.role !== "assistant" && typeof message.content === "string" && message.content === "")
      return `Invalid 'messages[${i}].content': empty`;
    if (message.role === "assistant" && !message.content && !message.tool_calls?.length) return `Invalid 'messages[${i}]': nothing in it`;
    for (const { id, function: called } of message.tool_calls ?? []) {
      if (known.has(id)) return `Duplicate value for 'tool_call_id' of '${id}'`;
      known.add(id);
      if (!NAME.test(called.name)) return `Invalid 'messages[${i}].tool_calls': string does not match pattern`;
      if (!isObject(called.arguments)) return `Invalid 'messages[${i}].tool_calls': arguments are no JSON object`;
    }
    open = new Set((message.tool_calls ?? []).map(({ id }: any) => id));
  }
  return open.size > 0 ? unanswered(open) : null;
}

const unanswered = (ids: Iterable<string>) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${[...ids].join(", ")}`;

/** Why the Responses API would refuse this request, with nothing stored there; null when it would not. */
export function responsesFault(body: any, memory: Memory): string | null {
  if (body.store !== false) return "the request would be stored";
  for (const tool of body.tools ?? []) {
    if (!NAME.test(tool.name)) return `Invalid 'tools[0].name': string does not match pattern`;
    if (tool.strict !== false) return `Invalid schema for function '${tool.name}': 'additionalProperties' is required to be false`;
  }
  const input: any[] = body.input ?? [];
  const asked = new Set<string>();
  const answered = new Set<string>();
  for (const [i, item] of input.entries()) {
    if (item.type === "item_reference") return `Item with id '${item.id}' not found. Items are not persisted when 'store' is set to false.`;
    if (item.type === "function_call") {
      if (asked.has(item.call_id)) return `Duplicate function call ${item.call_id}`;
      if (!NAME.test(item.name)) return `Invalid 'input[${i}].name': string does not match pattern`;
      if (!isObject(item.arguments)) return `Invalid 'input[${i}].arguments'`;
      asked.add(item.call_id);
    }
    if (item.type === "function_call_output") {
      const parts: any[] = Array.isArray(item.output) ? item.output : [];
      const bad = parts.find(({ type, image_url }) => type !== "input_text" && !(type === "input_image" && typeof image_url === "string"));
      if (bad) return `Invalid value: '${bad.type}' in 'input[${i}].output'`;
      if (!asked.has(item.call_id) || answered.has(item.call_id))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
      answered.add(item.call_id);
    }
    if (item.type === "reasoning") {
      if (memory.get(item.id) !== (item.encrypted_content ?? "")) return `The encrypted content for item ${item.id} could not be verified.`;
      const next = input[i + 1];
      if (!next || !(next.type === "function_call" || next.type === "reasoning" || next.role === "assistant"))
        return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
    const texts: any[] = Array.isArray(item.content) ? item.content : [];
    if (texts.some(({ text }) => text === "")) return `Invalid 'input[${i}].content': empty text`;
  }
  const missing = [...asked].filter((id) => !answered.has(id));
  return missing.length > 0 ? `No tool output found for function call ${missing[0]}.` : null;
}

/** Keeps the sealed thinking that was sent, under the id of its item. */
export function rememberReasoning(events: any[], memory: Memory): void {
  for (const { type, item } of events)
    if (type === "response.output_item.done" && item.type === "reasoning") memory.set(item.id, item.encrypted_content ?? "");
}

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
