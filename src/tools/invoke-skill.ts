import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { lowest, type Skills } from "../core/ports/skill.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { makeOnce } from "../text/make-once.ts";
import { about, skillNamed } from "./load-skill.ts";
import { untrusted } from "./untrusted.ts";

/** Instructions to be carried out in a turn inside the turn, under no more than this trust. */
export interface SkillErrand {
  readonly skill: string;
  /** Asked anew for each call: what was vouched for may have been swapped meanwhile. It only falls. */
  readonly trust: () => Trust;
  readonly instructions: string;
  readonly task: string;
}

export interface SkillErrands {
  /** Returns the model's last words. */
  follow(errand: SkillErrand, turn: TurnContext, signal: AbortSignal): Promise<string>;
  /** Variables this skill would be given, had somebody vouched for it. */
  variables(skill: string): readonly string[];
}

const input = makeOnce(() =>
  z.strictObject({
    name: z.string().min(1).max(100).describe("The skill's name"),
    input: z.string().max(100_000).optional().describe("What to do with it, and what it needs to know"),
  }),
);

/** Has a skill carried out by a model that sees its instructions and the task, and nothing of the conversation. */
export const invokeSkill = (skills: Skills, { follow, variables }: SkillErrands): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "invoke_skill",
    description: "Have a skill carried out on its own, with its own environment, and get its result.",
    effect: "unknown",
    facets: { answers: "fresh", shape: "whole", needs: "model", about: "skill" },
    input,
    touches: () => [],
    async run(permit, { turn, signal }) {
      const { name: written, input: task = "" } = permit.input;
      if (turn.skillName !== undefined)
        throw new ToolError(
          "permanent_failure",
          `A skill cannot have another carried out: "${turn.skillName}" is at work. Read "${written}" with load_skill and follow it.`,
        );
      const skill = await skillNamed(skills, written);
      const { name } = skill;
      if (skill.body === "") throw new ToolError("permanent_failure", `The skill "${name}" holds no instructions.`);
      const trust = lowest(turn.trust, turn.seen.skill?.trust ?? "trusted", skill.trust);
      const withheld = trust === "trusted" ? [] : variables(name);
      const instructions = [...about(skill), ...(withheld.length === 0 ? [] : [without(name, withheld)]), "", skill.body].join("\n");
      const now = falling(trust, () => skills.trustOf(skill.folder));
      const errand = { skill: name, trust: now, instructions, task: task.trim() || "Follow the instructions of the skill." };
      const said = await follow(errand, turn, signal);
      const words = said.trim() || `The skill "${name}" ended without a word.`;
      const after = now();
      const raw = { skill: name, trust: after, result: said };
      const changed = trust === "trusted" && after !== "trusted" ? `${swapped(name)}\n\n` : "";
      if (skill.trust === "trusted" && changed === "") return { text: words, raw };
      // Its last words are the skill's author's as much as the model's.
      turn.seen.untrusted = true;
      return { text: `${changed}${untrusted(`skill ${name}`, words)}`, raw };
    },
  });

/** The least it ever was. A skill that cannot be looked at is not the one that was vouched for. */
function falling(first: Trust, now: () => Trust): () => Trust {
  let level = first;
  return () => {
    if (level !== "trusted") return level;
    try {
      level = lowest(level, now());
    } catch {
      level = "untrusted";
    }
    return level;
  };
}

const swapped = (name: string): string =>
  `[the skill "${name}" changed while it was carried out: from then on it was not trusted and got no variables; \`zeph trust --skill ${name}\` vouches for it as it is now]`;

const without = (name: string, variables: readonly string[]): string =>
  `Not set, because nobody vouched for this skill as it is now: ${variables.join(", ")}. The person can run \`zeph trust --skill ${name}\`.`;
