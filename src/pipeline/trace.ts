import type { Layer, Outcome } from "../core/layer.ts";
import type { Attributes, Tracing } from "../core/ports/span.ts";
import type { ToolRequest } from "../core/request.ts";

/** A span around each call: which tool, what was decided, how it ended. Never what was asked or answered. */
export const trace =
  (tracing: Tracing, isTool: (name: string) => boolean): Layer<ToolRequest> =>
  (request, { turn }, next) => {
    // A name of no tool is a model's text, and there is no end to such names.
    const tool = isTool(request.name) ? request.name : "(unknown)";
    const named = () => ({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": request.id,
      ...(turn.conversationId !== undefined && { "gen_ai.conversation.id": turn.conversationId }),
    });
    return tracing.span(`execute_tool ${tool}`, "internal", named, async (span) => {
      const outcome = await next();
      span.set(ending(outcome));
      if (!outcome.ok) span.fail(outcome.error.category);
      return outcome;
    });
  };

const ending = (outcome: Outcome): Attributes => ({
  "zeph.decision": outcome.decision.verdict,
  ...(outcome.decision.gate !== undefined && { "zeph.gate": outcome.decision.gate }),
  "zeph.cached": outcome.ok && outcome.cached,
  ...(outcome.output?.exitCode !== undefined && { "zeph.exit_code": outcome.output.exitCode }),
});
