import { scheduler } from "../../tools/scheduler.ts";
import type { Part, Surroundings } from "../part.ts";
import { addedText, addTask, isOpen, taskWords, timeWords } from "../scheduled-add.ts";

/** Tasks for later: a tool for the model, and a line about what comes next. Listing and removing is the person's: `zeph schedule`. */
export function schedulePart({ store: { schedule }, workspace, redact }: Pick<Surroundings, "store" | "workspace" | "redact">): Part {
  const now = () => Date.now();
  const add = scheduler(async (later) => {
    const added = await addTask({ schedule, workspace, redact, now }, later);
    return "refused" in added ? added : { id: added.id, text: addedText(added, now()) };
  });
  return {
    tools: [add],
    async status() {
      const open = (await schedule.list(workspace)).filter(isOpen);
      const [next] = open;
      if (!next) return { schedule: "nothing" };
      const count = `${open.length} task${open.length === 1 ? "" : "s"}`;
      return { schedule: `${count}, next ${timeWords(next.nextAt!, now())} ${taskWords(next.task)}` };
    },
  };
}
