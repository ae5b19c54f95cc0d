import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { mark, type Skill, type Skills, skillHeading } from "../core/ports/skill.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import { makeOnce } from "../text/make-once.ts";
import { didYouMean } from "../text/nearest.ts";
import { nameOf } from "../text/path.ts";

const input = makeOnce(() => z.strictObject({ name: z.string().min(1).max(100).describe("The skill's name") }));

/** Gives the model a skill's text. From then on the conversation is believed no more than the skill is. */
export const loadSkill = (skills: Skills): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "load_skill",
    description: "Read the instructions of a skill and the list of its files, to follow them yourself.",
    effect: "reads",
    facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "skill" },
    input,
    touches: () => [],
    async run(permit, { turn }) {
      const skill = await skillNamed(skills, permit.input.name);
      mark(turn.seen, skill);
      const { name, folder, trust, files, asks } = skill;
      return { text: loaded(skill), raw: { name, folder, trust, files, asks, body: skill.body } };
    },
  });

/** Throws when there is none, with the names that are close; or why it cannot be used. */
export async function skillNamed(skills: Skills, written: string): Promise<Skill> {
  const name = written.trim().toLowerCase();
  const skill = await skills.get(name);
  if (skill) return skill;
  const known = (await skills.list()).map((one) => one.name);
  const broken = (await skills.broken()).find(({ folder }) => nameOf(folder) === name);
  if (broken) throw new ToolError("permanent_failure", `The skill in ${broken.folder} cannot be used: ${broken.why}.`);
  const all = known.length === 0 ? " There are no skills here." : ` There are: ${known.slice(0, 50).join(", ")}.`;
  throw new ToolError("permanent_failure", `There is no skill named "${name}".${didYouMean(name, known) || all}`);
}

function loaded(skill: Skill): string {
  const { name, trust } = skill;
  return [skillHeading(skill), ...(trust === "trusted" ? [] : [`(${BINDS[trust](name)})`]), ...about(skill), "", skill.body].join("\n");
}

/** One line of what is so from now on. */
const BINDS = {
  provisional: (name: string) => `Nobody vouched for ${name}: from now on everything but reading is asked about.`,
  untrusted: (name: string) => `${name} was changed since somebody vouched for it: from now on you can only read.`,
};

/** Where it lies, what is beside it, and what it asks for. */
export function about({ folder, files, filesLeftOut, asks }: Skill): string[] {
  return [
    `Folder: ${folder}`,
    ...(files.length === 0 ? [] : [`Files: ${files.map(plain).join(", ")}${filesLeftOut > 0 ? ` and ${filesLeftOut} more` : ""}`]),
    ...(asks.length === 0 ? [] : [`It asks for (which grants nothing): ${asks.map(plain).join("; ")}`]),
  ];
}

/** A file's name may hold a line end, and must not look like a line of ours. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
