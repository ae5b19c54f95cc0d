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
    const { call, grant } = permit;
    if (call.tool.effect === "reads") return layer(permit, ctx, next);
    return layer(permit, ctx, async () => {
      if (!(await ledger.intent(call.id, call.tool.effect)))
        return { ok: false, callId: call.id, error: notOurs(), decision: decisionOf(grant) };
      const outcome = await next();
      await ledger.done(call.id, endWord(outcome));
      return outcome;
    });
  };

const notOurs = () =>
  new ToolError("cancelled", "Nothing was done: the session is held by another worker now, or its task was cancelled.", {
    advice: "Stop here. Nothing more is done for this session on this machine.",
  });

const endWord = (outcome: Drafted): string => (outcome.ok ? "ok" : outcome.error.category);
