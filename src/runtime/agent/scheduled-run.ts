import type { ScheduledTask } from "../../core/ports/store.ts";
import type { Agent } from "./agent-types.ts";
import type { Due } from "./scheduled.ts";

/** Does a scheduled task with an agent, in a conversation of its own and with nobody to ask. */
export const taskRun =
  ({ runTask }: Pick<Agent, "runTask">): Due["run"] =>
  (task, signal) =>
    runTask({ text: taskText(task), title: task.task, untrusted: task.untrusted, bound: task.bound }, signal);

/** What the model is told: the task, and that it is alone. */
const taskText = ({ task, when }: ScheduledTask): string =>
  `[scheduled] This was scheduled for "${when}", and the time has come. Nobody is there to answer: a call that needs a yes is refused. Do what can be done, and say at the end what could not.\n\n${task}`;
