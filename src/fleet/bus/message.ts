import { parseJson } from "../../text/json.ts";

/** Beyond this only the subject is told. */
const MOST_BYTES = 64 * 1024;

/** What goes over a wire: JSON, or nothing where there is no data. */
export function writeMessage(data: unknown): string {
  const text = data === undefined ? "" : (stringify(data) ?? "");
  return Buffer.byteLength(text) > MOST_BYTES ? "" : text;
}

/** What was told; null where it was not one of us who told it. */
export function readMessage(text: string): { readonly data: unknown } | null {
  if (text === "") return { data: undefined };
  if (text.length > MOST_BYTES || Buffer.byteLength(text) > MOST_BYTES) return null;
  const data = parseJson(text);
  return data === undefined ? null : { data };
}

function stringify(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
