import { createBudget } from "../../agent/budget.ts";
import { runTurn } from "../../agent/loop.ts";
import { createTemporaryConversation } from "../../agent/temporary-conversation.ts";
import { openTranscript } from "../../agent/transcript.ts";
import { createTurnTotals } from "../../agent/turn-totals.ts";
import { ToolError } from "../../core/error.ts";
import type { Message } from "../../core/ports/model.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { SkillTask } from "./lent-model.ts";
import { createTurnLoop, type Turns } from "./turn-loop.ts";

/** A turn inside a turn: the same door, the same tools, under the trust and the name of a skill. Returns the model's last words. */
export async function runSkillTask(
  turns: Turns,
  { skill, trust, instructions, task }: SkillTask,
  outer: TurnContext,
  signal: AbortSignal,
): Promise<string> {
  const { inside, model, spending } = turns;
  const { id, conversations } = createTemporaryConversation(inside.cwd);
  const system = `${await turns.system()}\n\nYou carry out the skill "${skill}" now. Its instructions:\n\n${instructions}`;
  const transcript = await openTranscript(conversations, id, 0);
  const counts = createTurnTotals(model.price);
  const loop = createTurnLoop(turns, {
    turn: {
      ...outer,
      // Whoever judges a call, and whoever runs it, hears how far the skill is believed then.
      get trust() {
        return trust();
      },
      skillName: skill,
    },
    transcript,
    system: () => system,
    tools: () => inside.zeph.tools().filter(({ name }) => inside.facets(name).needs === "nothing"),
    compactor: null,
    maxTurns: inside.config.agent.max_tool_iterations,
    budget: spending.budget() ?? createBudget([], counts.totals),
    tally: { ...counts, answered: (usage, price = model.price) => spending.add(usage, price), asked() {} },
    // Its words are for the one who sent it; its calls are told by the door.
    emit: (event) => {
      if (event.type === "warning") inside.warn(event.message);
    },
  });
  const ended = await runTurn(loop, [{ role: "user", text: task }], signal);
  if (ended.why === "cancelled") throw new ToolError("cancelled", `The skill ${skill} was stopped.`);
  const words = lastWords(transcript.messages());
  if (ended.why === "failed") throw new ToolError("permanent_failure", ended.message ?? `The skill ${skill} failed.`);
  if (ended.why === "answered") return words || "(the skill ended without a word)";
  return `${words}\n\n[the skill did not end by itself: ${ended.message ?? ended.why}]`.trim();
}

function lastWords(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  return last ? last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") : "";
}
