import { CommandError, type Reply, type SlashCommand } from "../../core/command.ts";
import { ToolError } from "../../core/error.ts";
import { mark, type Skill, type Skills } from "../../core/ports/skill.ts";
import type { TaintMarks } from "../../core/turn.ts";
import { invokeSkill } from "../../tools/invoke-skill.ts";
import { about, loadSkill, skillNamed } from "../../tools/load-skill.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { requireModel } from "../agent/lent-model.ts";
import { openSkills, ownSkillFolders } from "./skill-folders.ts";
import { oneLine, skillSummary } from "./skill-summary.ts";

export interface SkillsPart extends Part {
  /** The skills there are, for the system prompt; empty when there are none. The same until they change. */
  summary(): Promise<string>;
  any(): boolean;
  /** A model read a skill of this name earlier, in a conversation that is opened again. One that is gone now cannot be vouched for any more. */
  wasRead(name: string, seen: TaintMarks): Promise<void>;
}

export interface SkillsOptions {
  /** Folders of the person's own skills; null where no file of theirs is read. Default: beside their configuration, and in their home. */
  readonly own?: readonly string[] | null;
  /** Whether a file is one that nobody may read. */
  readonly isHidden?: (path: string) => boolean;
}

/** Skills: found, read, carried out, and told about. */
export function skillsPart(
  { config, store, workspace, home, mind, warn }: Pick<Surroundings, "config" | "store" | "workspace" | "home" | "mind" | "warn">,
  { own = ownSkillFolders({ home, env: process.env }), isHidden }: SkillsOptions = {},
): SkillsPart {
  const skills = openSkills({ config, workspace, home, trust: store.trust, own, isHidden });
  const told = new Set<string>();
  /** Each thing once. */
  const tell = (message: string): void => {
    if (told.has(message) || told.size >= MOST_TOLD) return;
    told.add(message);
    warn(message);
  };
  const variables = (skill: string): readonly string[] => (Object.hasOwn(config.skills.env, skill) ? config.skills.env[skill]! : []);
  const off = !config.skills.enabled;
  return {
    tools: off
      ? []
      : [
          loadSkill(skills),
          invokeSkill(skills, { variables, follow: async (...errand) => requireModel(mind(), "invoke_skill").follow(...errand) }),
        ],
    commands: off ? [] : [slashSkill(skills)],
    any: skills.any,
    async wasRead(written, seen) {
      const name = written.trim().toLowerCase().slice(0, LONGEST_NAME);
      mark(seen, (await skills.get(name)) ?? { name, trust: "provisional" });
    },
    async summary() {
      const list = await skills.list();
      for (const { folder, why, isOwnDouble } of await skills.broken())
        if (!isOwnDouble) tell(`The skill in ${oneLine(folder)} is left out: ${oneLine(why)}.`);
      for (const { name, notes } of list) for (const note of notes) tell(`The skill "${name}": ${oneLine(note)}.`);
      return skillSummary(list);
    },
    async status(): Promise<Readonly<Record<string, string>>> {
      const list = await skills.list();
      const broken = await skills.broken();
      if (list.length + broken.length === 0) return { skills: off ? "switched off" : "none" };
      const [first] = broken;
      const counts = [
        ...(["trusted", "untrusted"] as const).flatMap((level) => {
          const count = list.filter(({ trust }) => trust === level).length;
          return count === 0 ? [] : [`${count} ${level}`];
        }),
        ...(first ? [`${broken.length} broken: ${oneLine(first.folder)}: ${oneLine(first.why)}`] : []),
      ];
      return { skills: counts.length === 0 ? `${list.length}` : `${list.length} (${counts.join(", ")})` };
    },
  };
}

const MOST_TOLD = 1000;
const LONGEST_NAME = 64;

const slashSkill = (skills: Skills): SlashCommand => ({
  name: "/skill",
  usage: "/skill [show] [name] [input]",
  help: "list the skills, show one, or have one used",
  async complete(rest) {
    const names = (await skills.list()).map(({ name }) => name);
    return [...names, ...names.map((name) => `show ${name}`)].filter((word) => word.startsWith(rest.trimStart()));
  },
  async run(rest): Promise<Reply> {
    const [, first = "", more = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
    if (first === "") return { text: await listed(skills) };
    if (first === "show" && more !== "") return { text: shown(await known(skills, more)) };
    const { name, trust } = await known(skills, first);
    return {
      text: `Using the skill ${name} (${trust}).`,
      send: `Use the skill "${name}" (invoke_skill; load_skill if you need its text here).${more && `\n\n${more}`}`,
    };
  },
});

/** What a person mistyped is told as their mistake. */
async function known(skills: Skills, name: string): Promise<Skill> {
  try {
    return await skillNamed(skills, name);
  } catch (error) {
    throw error instanceof ToolError ? new CommandError(`${error.message} /skill lists them.`) : error;
  }
}

async function listed(skills: Skills): Promise<string> {
  const list = await skills.list();
  const broken = (await skills.broken()).map(({ folder, why }) => `  left out: ${oneLine(folder)}: ${oneLine(why)}`);
  if (list.length + broken.length === 0) return "There are no skills. A skill is a folder with a SKILL.md, in .zeph/skills for example.";
  const widest = Math.max(0, ...list.map(({ name }) => name.length));
  const rows = list.map(
    ({ name, trust, description }) => `  ${name.padEnd(widest)}  ${trust.padEnd(11)}  ${oneLine(description).slice(0, LONGEST_ROW)}`,
  );
  return [...rows, ...broken].join("\n");
}

const LONGEST_ROW = 200;

function shown(skill: Skill): string {
  const { name, trust, description, notes, body } = skill;
  const how = trust === "trusted" ? "" : `; \`zeph trust --skill ${name}\` vouches for it as it is now`;
  const odd = notes.map((note) => `Note: ${oneLine(note)}`);
  return [
    `${name}: ${oneLine(description)}`,
    `Trust: ${trust}${how}`,
    ...about(skill).map(oneLine),
    ...odd,
    "",
    withoutControls(body),
  ].join("\n");
}

const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "");
