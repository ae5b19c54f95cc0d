import type { ZephEvent } from "../core/event.ts";
import type { Layer } from "../core/layer.ts";
import type { ToolRequest } from "../core/request.ts";

/** Tells the front end that a call began and how it ended. Outermost: what it reports is recorded already. */
export const report =
  (emit: (event: ZephEvent) => void): Layer<ToolRequest> =>
  async (request, _ctx, next) => {
    emit({ type: "tool_start", request });
    const started = performance.now();
    const outcome = await next();
    emit({ type: "tool_end", request, outcome, durationMs: performance.now() - started });
    return outcome;
  };
