import { storedUnder } from "../../core/turn.ts";
import { plural } from "../../text/words.ts";
import { scheduler } from "../../tools/scheduler.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { addedText, addTask, isOpen, taskWords, timeWords } from "../agent/scheduled-add.ts";

/** Tasks for later: a tool for the model, and a line about what comes next. Listing and removing is the person's: `zeph schedule`. */
export function schedulePart({
  store: { schedule },
  workspace,
  redact,
  config,
}: Pick<Surroundings, "store" | "workspace" | "redact" | "config">): Part {
  const now = () => Date.now();
  const { max_tasks: most, max_per_session, min_interval_secs: leastSeconds } = config.agent.schedule;
  /** Kept by models since the start. */
  let kept = 0;
  const add = scheduler(async (later, turn) => {
    if (kept >= max_per_session)
      return {
        refused: `${kept} tasks were scheduled in this session, which is the most (agent.schedule.max_per_session). The user can add more with \`zeph schedule add\`.`,
        because: "full",
      };
    // Counted first: calls of one message run side by side.
    kept += 1;
    // A caller's task is done by an agent over that caller's view, with its rights, or by nobody.
    const added = await addTask({ schedule, workspace: storedUnder(workspace, turn), redact, now, limits: { most, leastSeconds } }, later);
    if (!("refused" in added)) return { id: added.id, text: addedText(added, now()) };
    kept -= 1;
    return added;
  });
  return {
    tools: [add],
    async status() {
      const open = (await schedule.list(workspace)).filter(isOpen);
      const [next] = open;
      if (!next) return { schedule: "nothing" };
      const count = plural(open.length, "task");
      return { schedule: `${count}, next ${timeWords(next.nextAt!, now())} ${taskWords(next.task)}` };
    },
  };
}
