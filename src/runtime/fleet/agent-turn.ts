import type { ZephEvent } from "../../core/event.ts";
import type { TaskPayload } from "../../fleet/task.ts";
import type { Agent } from "../agent/agent-types.ts";
import { collectRun, type RunResult } from "../agent/run-result.ts";

/** So often the model hears of commands that ended in the background. */
const MOST_ATTENDED = 20;

/** The turn, and then the ends of commands in the background. */
export async function runAgentTurn(
  agent: Agent,
  text: string,
  given: TaskPayload["limits"],
  signal: AbortSignal,
  tell: (event: ZephEvent) => void,
): Promise<Omit<RunResult, "output">> {
  async function* told(turn: AsyncIterable<ZephEvent>) {
    for await (const event of turn) {
      tell(event);
      yield event;
    }
  }
  const { turns: maxTurns, seconds, ...rest } = given ?? {};
  const options = {
    signal,
    limits: { ...rest, ...(seconds !== undefined && { ms: seconds * 1000 }) },
    ...(maxTurns !== undefined && { maxTurns }),
  };
  let run = await collectRun(told(agent.send(text, options)));
  for (let n = 0; run.why === "answered" && agent.pending() > 0 && n < MOST_ATTENDED && !signal.aborted; n++) {
    const next = await collectRun(told(agent.attend(options)));
    run = { ...next, totals: addTotals(run.totals, next.totals) };
  }
  return run;
}

const addTotals = (a: RunResult["totals"], b: RunResult["totals"]): RunResult["totals"] => ({
  usage: {
    input: a.usage.input + b.usage.input,
    output: a.usage.output + b.usage.output,
    cacheRead: a.usage.cacheRead + b.usage.cacheRead,
    cacheWrite: a.usage.cacheWrite + b.usage.cacheWrite,
  },
  ...((a.cost !== undefined || b.cost !== undefined) && { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
  requests: a.requests + b.requests,
  calls: a.calls + b.calls,
  denied: a.denied + b.denied,
  unanswered: a.unanswered + b.unanswered,
});
