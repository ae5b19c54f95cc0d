import type { Memory } from "./checker.ts";

const PLAIN = /^[a-zA-Z0-9_-]{1,128}$/;

/** Why the Messages API would refuse this request; null when it would not. */
export function anthropicFault(body: any, memory: Memory): string | null {
  if (!Number.isInteger(body.max_tokens)) return "max_tokens: Field required";
  for (const [i, { name }] of (body.tools ?? []).entries())
    if (!PLAIN.test(name)) return `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  const messages: any[] = body.messages ?? [];
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0].role !== "user") return "messages: first message must use the user role";
  if (!body.tools?.length && messages.some((one) => blocksOf(one, "tool_use").length > 0))
    return "Requests which include `tool_use` or `tool_result` blocks must define tools.";
  const ids = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const fault =
      contentFault(message, i) ??
      (message.role === "assistant"
        ? (useFault(message, messages[i + 1], i, ids) ?? thinkingFault(message, i, memory))
        : resultFault(message, messages[i - 1], i));
    if (fault !== null) return fault;
  }
  return body.thinking?.type === "enabled" ? missingThinking(messages) : null;
}

/** Keeps the thinking that was sent, under its signature. */
export function rememberThinking(events: any[], memory: Memory): void {
  const open = new Map<number, { text: string; signature: string }>();
  for (const event of events) {
    if (event.type === "content_block_start" && event.content_block.type === "thinking")
      open.set(event.index, { text: event.content_block.thinking ?? "", signature: event.content_block.signature ?? "" });
    const block = open.get(event.index);
    if (event.type === "content_block_delta" && block) {
      block.text += event.delta.thinking ?? "";
      block.signature += event.delta.signature ?? "";
    }
    if (event.type === "content_block_stop" && block) memory.set(block.signature, block.text);
  }
}

const blocksOf = (message: any, type: string): any[] =>
  Array.isArray(message?.content) ? message.content.filter((block: any) => block.type === type) : [];

function contentFault({ content }: any, i: number): string | null {
  if (content.length === 0) return `messages.${i}: all messages must have non-empty content`;
  if (!Array.isArray(content)) return null;
  const empty = content.findIndex((block: any) => block.type === "text" && block.text.trim() === "");
  return empty === -1 ? null : `messages.${i}.content.${empty}: text content blocks must contain non-whitespace text`;
}

function useFault(message: any, next: any, i: number, ids: Set<string>): string | null {
  const uses = blocksOf(message, "tool_use");
  for (const { id, name, input } of uses) {
    if (!PLAIN.test(id)) return `messages.${i}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (!PLAIN.test(name)) return `messages.${i}: tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (ids.has(id)) return `messages.${i}: \`tool_use\` ids must be unique: ${id}`;
    ids.add(id);
    if (typeof input !== "object" || input === null || Array.isArray(input))
      return `messages.${i}: tool_use.input: Input should be a valid dictionary`;
  }
  const answered = new Set(blocksOf(next, "tool_result").map(({ tool_use_id }) => tool_use_id));
  const missing = uses.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
  return missing.length === 0
    ? null
    : `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`;
}

function resultFault(message: any, before: any, i: number): string | null {
  const results = blocksOf(message, "tool_result");
  if (results.length === 0) return null;
  const asked = new Set(blocksOf(before, "tool_use").map(({ id }) => id));
  for (const { tool_use_id } of results)
    if (!asked.has(tool_use_id)) return `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}`;
  if (new Set(results.map(({ tool_use_id }) => tool_use_id)).size < results.length)
    return `messages.${i}: each tool_use must have a single result`;
  for (const { is_error, content } of results)
    for (const { type, text, source } of Array.isArray(content) ? content : []) {
      if (is_error && type !== "text") return `messages.${i}: all content must be type "text" if "is_error" is true`;
      if (type !== "text" && type !== "image") return `messages.${i}: Input tag '${type}' found using 'type' does not match`;
      if (type === "text" && text.trim() === "") return `messages.${i}: text content blocks must contain non-whitespace text`;
      if (type === "image" && !/^image\/(?:png|jpeg|gif|webp)$/.test(source.media_type)) return `messages.${i}: unknown media_type`;
    }
  const first = message.content.findIndex((block: any) => block.type !== "tool_result");
  return first !== -1 && first < results.length ? `messages.${i}: tool_result blocks must come first` : null;
}

function thinkingFault(message: any, i: number, memory: Memory): string | null {
  if (message.content.at(-1).type === "thinking") return `messages.${i}: The final block in an assistant message cannot be \`thinking\`.`;
  for (const { thinking, signature, cache_control } of blocksOf(message, "thinking")) {
    if (cache_control) return `messages.${i}: thinking blocks cannot have cache_control`;
    if (memory.get(signature) !== thinking)
      return `messages.${i}: \`thinking\` blocks in an assistant message cannot be modified: invalid signature`;
  }
  return null;
}

/** Within a turn, an answer that asked for calls must keep the thinking it began with. */
function missingThinking(messages: any[]): string | null {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const isMidTurn = last !== -1 && blocksOf(messages[last + 1], "tool_result").length > 0;
  if (!isMidTurn || ["thinking", "redacted_thinking"].includes(messages[last].content[0].type)) return null;
  return `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${messages[last].content[0].type}\``;
}
