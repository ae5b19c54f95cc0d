import type { ApprovedCall } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Drafted, InnerLayer } from "../core/layer.ts";
import type { CallLedger } from "../core/ports/fleet/session.ts";
import { decisionOf } from "./decision.ts";

/**
 * The layer, and behind it the journal that all machines share: a call that is more than a read is noted there before it is made, and when it has ended.
 * For a session that is no longer ours nothing is done. A call that crashes stays open: nobody knows what came of it.
 */
export const withCallLedger =
  (layer: InnerLayer, ledger: CallLedger): InnerLayer =>
  (permit, ctx, next) => {
    const { call } = permit;
    if (call.tool.effect === "reads") return layer(permit, ctx, next);
    return layer(permit, ctx, async () => {
      if (!(await ledger.intent(call.id, call.tool.effect))) return notOurs(permit);
      const outcome = await next();
      await ledger.done(call.id, endWord(outcome));
      return outcome;
    });
  };

/** The innermost layer: pictures of files before a change are made between the intent and the effect, and meanwhile the process may have been frozen. */
export const createLastLook =
  (ledger: CallLedger): InnerLayer =>
  async (permit, _ctx, next) =>
    permit.call.tool.effect === "reads" || (await ledger.isOurs()) ? next() : notOurs(permit);

const notOurs = ({ call, grant }: ApprovedCall): Drafted => ({
  ok: false,
  callId: call.id,
  error: new ToolError("cancelled", "Nothing was done: the session is held by another worker now, or its task was cancelled.", {
    advice: "Stop here. Nothing more is done for this session on this machine.",
  }),
  decision: decisionOf(grant),
});

const endWord = (outcome: Drafted): string => (outcome.ok ? "ok" : outcome.error.category);
