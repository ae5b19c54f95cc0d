import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isBase64 } from "../../../core/media/media.ts";
import { record } from "../../../text/json.ts";
import { inALine } from "../trust/hidden-text.ts";

/**
 * Of an answer whose bytes are no base64, a text stands in the place of such a block: the SDK would throw the whole answer away, and what the call
 * did would be unknown for one bad picture.
 */
export function mendBlocks(message: JSONRPCMessage): JSONRPCMessage {
  const { content } = record(record(message).result);
  if (!Array.isArray(content) || content.every(isWhole)) return message;
  const { result, ...rest } = message as JSONRPCMessage & { readonly result: object };
  return {
    ...rest,
    result: { ...result, content: content.map((block) => (isWhole(block) ? block : namedBlock(record(block)))) },
  } as JSONRPCMessage;
}

/** Whether its bytes can be read, if it has any. */
function isWhole(block: unknown): boolean {
  const { type, data, resource } = record(block);
  if (type === "image" || type === "audio") return typeof data !== "string" || isBase64(data);
  const { blob } = record(type === "resource" ? resource : null);
  return typeof blob !== "string" || isBase64(blob);
}

const namedBlock = ({ type, mimeType, resource }: Record<string, unknown>) => {
  const kind = mimeType ?? record(resource).mimeType;
  return {
    type: "text",
    text: `[${String(type)}: ${inALine(String(kind ?? "unknown type"), 100)}, not sent: it is not written in base64]`,
  };
};
