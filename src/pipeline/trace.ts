import { answerText } from "../core/answer.ts";
import { ApprovedCall } from "../core/door.ts";
import type { Decision } from "../core/gate/verdict.ts";
import type { Drafted, Layer, Outcome } from "../core/layer.ts";
import type { Attributes, Tracing } from "../core/ports/span.ts";
import type { ToolRequest } from "../core/request.ts";
import { decisionOf } from "./decision.ts";

/** A span around each call: which tool, what was decided, how it ended. What was asked and answered only where a person wants that told. */
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
      span.content(() => ({ "gen_ai.tool.call.arguments": request.args, "gen_ai.tool.call.result": answerText(outcome) }));
      if (!outcome.ok) span.fail(outcome.error.category);
      return outcome;
    });
  };

/** The way through the door, the wait for a person's answer included. */
export const traceGates = (tracing: Tracing, enter: () => Promise<ApprovedCall | Outcome>): Promise<ApprovedCall | Outcome> =>
  tracing.span("gates", "internal", NOTHING, async (span) => {
    const entered = await enter();
    const isIn = entered instanceof ApprovedCall;
    span.set({
      ...decisionAttributes(isIn ? decisionOf(entered.grant) : entered.decision),
      ...(isIn && { "zeph.grant": entered.grant.kind }),
    });
    return entered;
  });

/** What happens behind the door: the tool at work, and what is made of its output. */
export const traceRun = (tracing: Tracing, run: () => Promise<Drafted>): Promise<Drafted> =>
  tracing.span("run", "internal", NOTHING, async (span) => {
    const drafted = await run();
    const { output } = drafted;
    span.set({
      "zeph.cached": drafted.ok && drafted.cached,
      ...(output?.exitCode !== undefined && { "zeph.exit_code": output.exitCode }),
      ...(output?.walls && { "zeph.sandbox": output.walls.backend }),
    });
    if (!drafted.ok) span.fail(drafted.error.category);
    return drafted;
  });

const NOTHING = (): Attributes => ({});

/** What was decided, and by which gate. Its rule and its reason quote paths and commands. */
const decisionAttributes = ({ verdict, gate }: Decision): Attributes => ({
  "zeph.decision": verdict,
  ...(gate !== undefined && { "zeph.gate": gate }),
});

const ending = (outcome: Outcome): Attributes => ({
  ...decisionAttributes(outcome.decision),
  ...(outcome.ok && { "zeph.grant": outcome.grant.kind }),
  "zeph.cached": outcome.ok && outcome.cached,
  ...(outcome.output?.exitCode !== undefined && { "zeph.exit_code": outcome.output.exitCode }),
});
