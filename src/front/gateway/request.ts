import type { IncomingMessage, ServerResponse } from "node:http";
import { unfit } from "../../core/input.ts";
import type { FleetPerson, FleetRole } from "../../core/ports/fleet/person.ts";
import { jsonBody } from "../http/adapter.ts";
import type { RequestRefusal } from "../http/guard.ts";
import type { GatewayDoor } from "./door.ts";
import { type GatewayReply, refusal } from "./reply.ts";

/** A request of a person who was let in. */
export interface GatewayRequest {
  readonly person: FleetPerson;
  readonly door: GatewayDoor;
  readonly url: URL;
  /** The parts of the path that its route leaves open. */
  readonly words: readonly string[];
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Route {
  readonly method: "GET" | "POST";
  /** `*` stands for one part of any kind. */
  readonly path: string;
  /** One of them is needed; none given: everybody who is known. */
  readonly roles: readonly FleetRole[];
  /** It answers for as long as there is something to tell. */
  readonly isStream?: true;
  /** Null: it was answered already, as a stream. */
  answer(request: GatewayRequest): Promise<GatewayReply | RequestRefusal | null>;
}

const MOST_BODY = 1024 * 1024;

export async function readRequestJson({ raw }: GatewayRequest): Promise<{ readonly body: unknown } | RequestRefusal> {
  const type = raw.headers["content-type"] ?? "";
  if (!/^application\/json *(?:;|$)/i.test(type)) return refusal(415, "Send JSON, with the header Content-Type: application/json.");
  const read = await jsonBody(raw, MOST_BODY);
  const problem = "body" in read ? unfit(read.body) : null;
  return problem === null ? read : refusal(400, problem);
}

/** W3C trace context of whoever asks. */
export function traceOf({ headers }: IncomingMessage): string | undefined {
  const given = headers.traceparent;
  return typeof given === "string" && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : undefined;
}
