import { randomUUID } from "node:crypto";
import { takesNothing } from "../catalog/think-fields.ts";
import { unfit } from "../core/input.ts";
import type { MessagePart, ToolSpec } from "../core/ports/model.ts";
import { type RawRequest, ToolRequest } from "../core/request.ts";
import type { AnswerPart } from "./answer.ts";

/** A call the model asks for: under its id on the wire, and as the request that goes to the door. */
export interface RequestedCall {
  readonly id: string;
  readonly request: ToolRequest;
}

/**
 * An answer as it is kept, and the calls in it. Only what a provider takes back is kept; only what was not merely thought is asked.
 * `tools` are those the model was shown: one without parameters is called even with nothing but a thought.
 */
export function readModelAnswer(
  said: readonly AnswerPart[],
  isKnown: (id: string) => boolean,
  tools: () => readonly ToolSpec[] = () => [],
): { readonly parts: readonly MessagePart[]; readonly asked: readonly RequestedCall[] } {
  const parts: MessagePart[] = [];
  const asked: RequestedCall[] = [];
  const here = new Set<string>();
  for (const one of said) {
    const meta = one.meta && { meta: one.meta };
    if (one.type !== "request") {
      // Providers refuse an empty text; a thought may be all signature.
      if (one.text.trim() !== "" || (one.type === "thinking" && one.meta)) parts.push({ type: one.type, text: one.text, ...meta });
      continue;
    }
    // A model may be anybody's code.
    const raw = { ...one.request, id: String(one.request.id ?? ""), name: String(one.request.name ?? "") };
    const problem = refusalOf(raw, here, asked.length);
    const isEnough = (name: string) => tools().some((tool) => tool.name === name && takesNothing(tool.parameters));
    const request = problem === null ? ToolRequest.from({ ...raw, id: randomUUID() }, isEnough) : refused(raw, problem);
    if (!request) continue;
    const id = onWire(raw.id, (known) => here.has(known) || isKnown(known));
    here.add(raw.id).add(id);
    parts.push({ type: "request", id, callId: request.id, name: nameOnWire(raw.name), args: objectOf(request.args), ...meta });
    asked.push({ id, request });
  }
  return { parts, asked };
}

/** What to tell a model that asked for calls and gave none of them an argument; null when that is not what happened. */
export function onlyThoughts(said: readonly AnswerPart[]): string | null {
  const names = said.flatMap((one) => (one.type === "request" ? [one.request.name] : []));
  return names.length === 0
    ? null
    : `Your call of ${names.join(", ")} held a thought and no arguments. Nothing was run. Call it with its arguments.`;
}

const refused = ({ name }: RawRequest, problem: string) => ToolRequest.from({ id: randomUUID(), name, args: {}, problem });

/** More calls than anybody means to make with one answer. */
const MOST_CALLS = 128;

/** Why a call is answered without being looked at; null when it goes its way. */
function refusalOf({ id, args }: RawRequest, here: ReadonlySet<string>, before: number): string | null {
  // It may be one call said twice, so only the first runs.
  if (id !== "" && here.has(id))
    return `Two calls came with the id ${JSON.stringify(id)}. Only the first was run; if you meant both, make this one again with an id of its own.`;
  if (before >= MOST_CALLS) return `Only the first ${MOST_CALLS} calls of one answer are made. Make the rest with the next.`;
  // What is too deep or too large to be written down is not carried any further.
  return typeof args === "object" && args !== null ? unfit(args) : null;
}

const GOOD_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The id the model gave, if a provider takes it back and it is not taken. */
const onWire = (id: string, isTaken: (id: string) => boolean): string =>
  GOOD_ID.test(id) && !isTaken(id) ? id : `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;

/** A name nobody owns is answered like any other; but providers refuse to read back some characters. */
const nameOnWire = (name: string): string => {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "_";
  // Others look names up in plain objects, which have these from birth.
  return plain in Object.prototype ? `${plain}_` : plain;
};

/** What may not enter is answered with the reason; it is not kept, because it could not be written down. */
const objectOf = (args: unknown): object =>
  typeof args === "object" && args !== null && !Array.isArray(args) && unfit(args) === null ? args : {};
