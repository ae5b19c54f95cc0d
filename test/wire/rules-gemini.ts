import type { Memory } from "./checker.ts";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Why the Gemini API would refuse this request; null when it would not. */
export function geminiFault(body: any, memory: Memory): string | null {
  const contents: any[] = body.contents ?? [];
  if (contents[0]?.role !== "user") return "contents must begin with the user";
  for (const { name } of body.tools?.[0]?.functionDeclarations ?? []) if (!NAME.test(name)) return `Invalid function name: ${name}`;
  for (const [i, { role, parts }] of contents.entries()) {
    if (contents[i + 1]?.role === role) return `contents[${i}]: two turns of ${role} in a row`;
    if (parts.length === 0) return `contents[${i}].parts: must not be empty`;
    const fault = parts.map((part: any) => partFault(part, memory)).find((one: string | null) => one !== null);
    if (fault) return `contents[${i}]: ${fault}`;
    const calls = role === "model" ? named(parts, "functionCall") : [];
    const results = calls.length > 0 ? named((contents[i + 1]?.parts ?? []).slice(0, calls.length), "functionResponse") : [];
    if (calls.join() !== results.join())
      return `contents[${i}]: the number of function response parts is not that of the function call parts`;
  }
  return null;
}

const named = (parts: any[], kind: string): string[] =>
  parts.filter((part) => part[kind]).map((part) => `${part[kind].id} ${part[kind].name}`);

function partFault(part: any, memory: Memory): string | null {
  const { text, functionCall, functionResponse, thoughtSignature, inlineData } = part;
  if (inlineData && !/^(?:image\/(?:png|jpeg|webp)|audio\/(?:wav|mp3))$/.test(inlineData.mimeType))
    return `Unsupported MIME type: ${inlineData.mimeType}`;
  for (const { inlineData: inside } of functionResponse?.parts ?? [])
    if (!/^image\/(?:png|jpeg|webp)$/.test(inside?.mimeType)) return `Unsupported MIME type: ${inside?.mimeType}`;
  if (text !== undefined && text.trim() === "" && thoughtSignature === undefined) return "empty text";
  const { name, args, response } = functionCall ?? functionResponse ?? { name: "a", args: {} };
  if (!NAME.test(name)) return `Invalid function name: ${name}`;
  const given = args ?? response;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "args must be an object";
  if (thoughtSignature !== undefined && memory.get(thoughtSignature) !== (text ?? name)) return "Thought signature is not valid";
  return null;
}

/** Keeps what each signature was sent with. */
export function rememberSignatures(events: any[], memory: Memory): void {
  for (const event of events)
    for (const { text, functionCall, thoughtSignature } of event.candidates?.[0]?.content?.parts ?? [])
      if (thoughtSignature) memory.set(thoughtSignature, text ?? functionCall?.name);
}
