import type { ZephEvent } from "../core/event.ts";
import type { Layer } from "../core/layer.ts";
import type { ToolRequest } from "../core/request.ts";
import type { TurnContext } from "../core/turn.ts";

/** Tells the front end that a call began and how it ended. Outermost: what it reports is recorded already. */
export const report =
  (emit: (event: ZephEvent) => void, reformats: (turn: TurnContext) => boolean): Layer<ToolRequest> =>
  async (request, { turn }, next) => {
    const whose = turn.callerId === undefined || turn.front ? {} : { caller: turn.callerId };
    emit({ type: "tool_start", request, ...whose });
    const started = performance.now();
    const outcome = await next();
    const durationMs = performance.now() - started;
    const rollback = outcome.output?.rollback;
    if (rollback !== undefined) emit({ type: "rollback", callId: request.id, tool: request.name, rollback, ...whose });
    emit({ type: "tool_end", request, outcome, durationMs, ...(reformats(turn) && { reformats: true }), ...whose });
    return outcome;
  };
