import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { boundTo } from "../core/ports/skill.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import type { Bound, TurnContext } from "../core/turn.ts";
import { makeOnce } from "../text/make-once.ts";

const input = makeOnce(() =>
  z.strictObject({
    task: z.string().min(1).max(4000).describe("What to do then, in words that explain themselves"),
    when: z.string().min(1).max(200).describe("A cron line, a time, or words: in 20 minutes, tomorrow at 9, every weekday at 17:30"),
  }),
);

export interface LaterTask {
  readonly task: string;
  readonly when: string;
  readonly untrusted: boolean;
  readonly bound: Bound | null;
}

/** Why a task is not kept: it cannot be, or there are too many already. */
export interface NotKept {
  readonly refused: string;
  readonly because: "nonsense" | "full";
}

/** Keeps a task for later. `add` says in words when it will run, or why it cannot be kept. */
export const scheduler = (
  add: (later: LaterTask, turn: TurnContext) => Promise<{ readonly id: string; readonly text: string } | NotKept>,
): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "scheduler",
    description:
      "Keep a task for later, once or again and again. An agent then does it on its own, in a new conversation, with nobody to ask.",
    effect: "stores",
    facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "work" },
    input,
    touches: () => [],
    async run(permit, { turn }) {
      const added = await add({ ...permit.input, untrusted: turn.seen.untrusted, bound: boundTo(turn) }, turn);
      if ("refused" in added)
        throw added.because === "full"
          ? new ToolError("policy_blocked", added.refused)
          : new ToolError("invalid_parameters", added.refused, { advice: "Call again with a time like the examples." });
      return { text: added.text, raw: { id: added.id } };
    },
  });
