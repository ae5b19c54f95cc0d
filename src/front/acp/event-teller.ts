import { randomUUID } from "node:crypto";
import type { PlanEntry, StopReason } from "@agentclientprotocol/sdk";
import { answeredWords, type Ending, type ZephEvent } from "../../core/event.ts";
import type { Goal, Task } from "../../core/ports/goal.ts";
import { boundedMiddle, visible } from "../../text/visible.ts";
import { plural } from "../../text/words.ts";
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

  const begin = () => {
    message = randomUUID();
  };
  const tellers: { readonly [T in ZephEvent["type"]]?: (event: Of<T>) => Promise<void> } = {
    text: ({ text }) => chunk("agent_message_chunk", text),
    thinking: ({ text }) => chunk("agent_thought_chunk", text),
    tool_start({ request }) {
      begin();
      return calls.began(request.id, request);
    },
    async answered(event) {
      await notes.aside(answeredWords(event));
      if (event.answer !== "no") await calls.goesOn(event.callId);
    },
    progress: ({ callId, progress }) => calls.progress(callId, progress),
    tool_end: (event) => calls.ended(event),
    plan: ({ goal }) => wire.update({ sessionUpdate: "plan", entries: planOf(goal) }),
    usage(event) {
      begin();
      context = { used: event.context.used, size: event.context.budget };
      return usage();
    },
    compacted: (event) => compacted(event, wire, notes),
    retry({ why, inMs, discards }) {
      begin();
      const void_ = discards ? " The text of its last answer does not count." : "";
      return notes.aside(`The model could not be asked: ${why} It is asked again in ${Math.ceil(inMs / 1000)} s.${void_}`);
    },
    background: ({ runId, exitCode, command }) =>
      notes.aside(`The background command ${runId} ended with ${exitCode}: ${boundedMiddle(command, 300)}`),
    reload: (event) => notes.tell(event.problem === undefined ? "info" : "warning", reloadText(event)),
    warning: (event) => notes.tell("warning", event.message),
    async done({ why, totals, message: said }) {
      begin();
      spent += totals.cost ?? 0;
      if (said !== undefined && why !== "cancelled") await chunk("agent_message_chunk", `\n\n${visible(said)}`);
      if (context && totals.cost !== undefined) await usage();
      begin();
    },
  };
  // `turn_start` says nothing an editor does not know; a `question` is put by itself.
  return { tell: async (event) => (tellers[event.type] as ((event: ZephEvent) => Promise<void>) | undefined)?.(event) };
}

/** What went wrong is said in words: a "refusal" would make an editor take back what the person wrote, and an error hide what was said. */
const STOPPED: Readonly<Record<Ending, StopReason>> = {
  answered: "end_turn",
  failed: "end_turn",
  iterations: "max_turn_requests",
  repeated: "max_turn_requests",
  context: "max_tokens",
  length: "max_tokens",
  budget: "max_tokens",
  waiting: "end_turn",
  output: "end_turn",
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
  else
    await notes.aside(
      `${plural(messages, "earlier message is", "earlier messages are")} a summary from now on: ${tokens.before} tokens became ${tokens.after}.`,
    );
}

function reloadText({ changed, later, problem, mended }: Of<"reload">): string {
  if (problem !== undefined) return `The changed rules are not used; the old rules stay: ${problem}`;
  const now = changed.length > 0 ? `Settings that changed: ${changed.join(", ")}.` : "The rules were read again; nothing changed.";
  const after = later.length > 0 ? ` With the next start: ${later.join(", ")}.` : "";
  return `${mended ? "The configuration is right again. " : ""}${now}${after}`;
}
