import { randomUUID } from "node:crypto";
import type { PlanEntry, StopReason } from "@agentclientprotocol/sdk";
import type { Ending, ZephEvent } from "../../core/event.ts";
import type { Goal, Task } from "../../core/ports/goal.ts";
import { boundedMiddle, visible } from "../../text/visible.ts";
import type { EditorCalls } from "./calls.ts";
import type { EditorNotes } from "./notes.ts";
import type { Wire } from "./wire.ts";

/** Tells an editor what happens in a session. */
export interface EventTeller {
  tell(event: ZephEvent): Promise<void>;
}

export function createEventTeller(wire: Wire, calls: EditorCalls, notes: EditorNotes): EventTeller {
  /** One for each answer of the model, so that an editor knows what belongs together. */
  let message = randomUUID();
  let context: { used: number; size: number } | null = null;
  let spent = 0;
  const chunk = (kind: "agent_message_chunk" | "agent_thought_chunk", text: string) =>
    wire.update({ sessionUpdate: kind, messageId: message, content: { type: "text", text } });
  const usage = () =>
    wire.update({ sessionUpdate: "usage_update", ...context!, ...(spent > 0 && { cost: { amount: spent, currency: "USD" } }) });

  const tell = async (event: ZephEvent): Promise<void> => {
    switch (event.type) {
      case "text":
        return chunk("agent_message_chunk", event.text);
      case "thinking":
        return chunk("agent_thought_chunk", event.text);
      case "tool_start":
        message = randomUUID();
        return calls.began(event.request.id, event.request);
      case "progress":
        return calls.progress(event.callId, event.progress);
      case "tool_end":
        return calls.ended(event);
      case "plan":
        return wire.update({ sessionUpdate: "plan", entries: planOf(event.goal) });
      case "usage":
        message = randomUUID();
        context = { used: event.context.used, size: event.context.budget };
        return usage();
      case "compacted":
        return compacted(event, wire, notes);
      case "retry":
        message = randomUUID();
        return notes.aside(
          `The model could not be asked: ${event.why} It is asked again in ${Math.ceil(event.inMs / 1000)} s.${event.discards ? " The text of its last answer does not count." : ""}`,
        );
      case "background":
        return notes.aside(`The background command ${event.runId} ended with ${event.exitCode}: ${boundedMiddle(event.command, 300)}`);
      case "reload":
        return notes.tell(event.problem === undefined ? "info" : "warning", reloadText(event));
      case "warning":
        return notes.tell("warning", event.message);
      case "done":
        message = randomUUID();
        spent += event.totals.cost ?? 0;
        if (event.message !== undefined && event.why !== "cancelled") await chunk("agent_message_chunk", `\n\n${visible(event.message)}`);
        if (context && event.totals.cost !== undefined) await usage();
        message = randomUUID();
        return;
      default:
        // `turn_start` says nothing an editor does not know; a `question` is put by itself.
        return;
    }
  };
  return { tell };
}

/** What went wrong is said in words: a "refusal" would make an editor take back what the person wrote, and an error hide what was said. */
const STOPPED: Readonly<Record<Ending, StopReason>> = {
  answered: "end_turn",
  failed: "end_turn",
  iterations: "max_turn_requests",
  repeated: "max_turn_requests",
  context: "max_tokens",
  length: "max_tokens",
  cancelled: "cancelled",
};
export const stopReason = (why: Ending): StopReason => STOPPED[why];

const MOST_TASKS = 200;

export const planOf = ({ tasks, status }: Pick<Goal, "tasks" | "status">): PlanEntry[] =>
  status === "cancelled"
    ? []
    : tasks.slice(0, MOST_TASKS).map((task) => ({ content: taskText(task), priority: "medium", status: TASK[task.status] }));

/** The protocol knows no task that failed; it is still to be done, and says so. */
const TASK: Readonly<Record<Task["status"], PlanEntry["status"]>> = {
  open: "pending",
  active: "in_progress",
  done: "completed",
  failed: "pending",
};
const taskText = ({ title, status, note }: Task) => visible(status === "failed" ? `${title} (failed${note ? `: ${note}` : ""})` : title);

type Of<T extends ZephEvent["type"]> = Extract<ZephEvent, { type: T }>;

async function compacted({ messages, tokens }: Of<"compacted">, wire: Wire, notes: EditorNotes): Promise<void> {
  if (wire.can.session?.compaction)
    await wire.update({ sessionUpdate: "compaction_update", compactionId: randomUUID(), status: "completed" });
  else await notes.aside(`${messages} earlier messages are a summary from now on: ${tokens.before} tokens became ${tokens.after}.`);
}

function reloadText({ changed, later, problem, mended }: Of<"reload">): string {
  if (problem !== undefined) return `The changed rules are not used; the old rules stay: ${problem}`;
  const now = changed.length > 0 ? `Settings that changed: ${changed.join(", ")}.` : "The rules were read again; nothing changed.";
  const after = later.length > 0 ? ` With the next start: ${later.join(", ")}.` : "";
  return `${mended ? "The configuration is right again. " : ""}${now}${after}`;
}
