import * as z from "zod";
import { ANSWERS } from "../../core/event.ts";
import { makeOnce } from "../../text/make-once.ts";
import type { RequestRefusal } from "../http/guard.ts";
import { type GatewayReply, refusal } from "./reply.ts";
import { type GatewayRequest, type Route, readRequestJson } from "./request.ts";
import { problem } from "./task-input.ts";
import { approvalJson } from "./task-json.ts";

const given = makeOnce(() =>
  z.strictObject({
    answer: z.enum(ANSWERS),
    digest: z.string().min(1).max(200),
    reason: z.string().max(2000).optional(),
  }),
);

/** `isBelowAgent`: what an agent started may not answer for a person. */
export const approvalRoutes = (isBelowAgent: (socket: GatewayRequest["raw"]["socket"]) => boolean): readonly Route[] => [
  {
    method: "GET",
    path: "/v1/approvals",
    roles: ["approver"],
    answer: async ({ door }) => ({ status: 200, body: (await door.approvals()).map(approvalJson) }),
  },
  {
    method: "POST",
    path: "/v1/approvals/*",
    roles: ["approver"],
    answer: async (request) =>
      isBelowAgent(request.raw.socket)
        ? refusal(403, "An agent started the process that answers, and only a person may do that.")
        : answer(request),
  },
];

async function answer(request: GatewayRequest): Promise<GatewayReply | RequestRefusal> {
  const read = await readRequestJson(request);
  if ("status" in read) return read;
  const parsed = given().safeParse(read.body);
  if (!parsed.success) return refusal(400, problem(parsed.error));
  const [id = ""] = request.words;
  await request.door.answer(id, parsed.data);
  return { status: 200, body: { id, answer: parsed.data.answer } };
}
