import { answerJson } from "./answer.ts";
import type { Totals, ZephEvent } from "./event.ts";
import type { Goal } from "./ports/goal.ts";
import type { Usage } from "./ports/model.ts";
import type { OpenQuestion } from "./ports/open-questions.ts";
import type { BackgroundCommand } from "./ports/shell.ts";

/** A question that waits for an answer, as `zeph answer --json` prints it: `call_id` is its `callId`, `since` the time in ISO 8601. */
export const openQuestionJson = ({
  callId,
  workspace,
  since,
  question,
}: Pick<OpenQuestion, "callId" | "workspace" | "since" | "question">): object => ({
  call_id: callId,
  workspace,
  since: new Date(since).toISOString(),
  question,
});

/** An event as one JSON object: the public contract of `zeph run --json`. */
export function eventJson(event: ZephEvent): object {
  const { type } = event;
  switch (type) {
    case "turn_start":
      return { type, turn_id: event.turnId, conversation: event.conversation, model: event.model };
    case "tool_start":
      return { type, call_id: event.request.id, tool: event.request.name, args: event.request.args };
    case "tool_end": {
      const { call_id, media, ...answer } = answerJson(event.outcome, event.durationMs, event.reformats ? "reformats" : "as it is");
      // Their bytes would be most of what a listener has to read.
      return { type, call_id, tool: event.request.name, ...answer, ...(media && { media: media.map(({ data: _, ...about }) => about) }) };
    }
    case "rollback":
      return { type, call_id: event.callId, tool: event.tool, rollback: event.rollback };
    case "answered":
      return { type, call_id: event.callId, answer: event.answer, by: event.by, where: event.where };
    case "progress":
      return { type, call_id: event.callId, ...event.progress };
    case "background":
      return { type, run_id: event.runId, command: event.command, exit_code: event.exitCode };
    case "run_start":
    case "run_end":
      return { type, ...runJson(event.run), ...(event.caller !== undefined && { caller: event.caller }) };
    case "egress": {
      const { callId, ...rest } = event;
      return { ...rest, ...(callId !== undefined && { call_id: callId }) };
    }
    case "retry":
      return {
        type,
        why: event.why,
        in_ms: event.inMs,
        attempt: event.attempt,
        discards: event.discards,
        ...(event.discardedChars !== undefined && { discarded_chars: event.discardedChars }),
      };
    case "budget":
      return { type, limit: event.limit, used: event.used, most: event.most };
    case "usage":
      return { type, usage: usageJson(event.usage), context: event.context };
    case "plan":
      return { type, goal: goalJson(event.goal) };
    case "compacted":
      return { type, method: event.method, messages: event.messages, tokens: event.tokens };
    case "reload":
      return {
        type,
        changed: event.changed,
        later: event.later,
        ...(event.problem !== undefined && { problem: event.problem }),
        ...(event.mended && { mended: true }),
      };
    case "done":
      return { type, why: event.why, ...(event.message !== undefined && { message: event.message }), ...totalsJson(event.totals) };
    case "without_walls":
      return { type, ...(event.callId !== undefined && { call_id: event.callId }), tool: event.tool, reason: event.reason };
    case "text":
    case "thinking":
    case "question":
    case "warning":
      return event;
  }
}

const runJson = ({ id, command, since, state, until, exitCode }: BackgroundCommand) => ({
  run_id: id,
  command,
  since,
  state,
  ...(until !== undefined && { until }),
  ...(exitCode !== undefined && { exit_code: exitCode }),
});

const goalJson = ({ id, text, status, tasks }: Goal) => ({ id, text, status, tasks });

const usageJson = ({ input, cacheRead, cacheWrite, output }: Usage) => ({
  input_tokens: input,
  cache_read_tokens: cacheRead,
  cache_write_tokens: cacheWrite,
  output_tokens: output,
});

const totalsJson = ({ usage, cost, requests, calls, denied, unanswered }: Totals) => ({
  usage: usageJson(usage),
  ...(cost !== undefined && { cost_usd: cost }),
  requests,
  calls,
  denied,
  unanswered,
});
