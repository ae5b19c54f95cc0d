import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { lowest, type Skills } from "../core/skill.ts";
import { defineTool, type Tool } from "../core/tool.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { about, skillNamed } from "./load-skill.ts";
import { untrusted } from "./untrusted.ts";

/** Instructions to be carried out in a turn inside the turn, under no more than this trust. */
export interface SkillErrand {
  readonly skill: string;
  readonly trust: Trust;
  readonly instructions: string;
  readonly task: string;
}

export interface SkillErrands {
  /** Returns the model's last words. */
  follow(errand: SkillErrand, turn: TurnContext, signal: AbortSignal): Promise<string>;
  /** Variables this skill would be given, had somebody vouched for it. */
  variables(skill: string): readonly string[];
}

const input = z.strictObject({
  name: z.string().min(1).max(100).describe("The skill's name"),
  input: z.string().max(100_000).optional().describe("What to do with it, and what it needs to know"),
});

/** Has a skill carried out by a model that sees its instructions and the task, and nothing of the conversation. */
export const invokeSkill = (skills: Skills, { follow, variables }: SkillErrands): Tool<typeof input> =>
  defineTool({
    name: "invoke_skill",
    description: "Have a skill carried out on its own, with its own environment, and get its result.",
    effect: "unknown",
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
      const errand = { skill: name, trust, instructions, task: task.trim() || "Follow the instructions of the skill." };
      const said = await follow(errand, turn, signal);
      const words = said.trim() || `The skill "${name}" ended without a word.`;
      const raw = { skill: name, trust, result: said };
      if (skill.trust === "trusted") return { text: words, raw };
      // Its last words are the skill's author's as much as the model's.
      turn.seen.untrusted = true;
      return { text: untrusted(`skill ${name}`, words), raw };
    },
  });

const without = (name: string, variables: readonly string[]): string =>
  `Not set, because nobody vouched for this skill as it is now: ${variables.join(", ")}. The person can run \`zeph trust --skill ${name}\`.`;
