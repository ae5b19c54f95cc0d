import { debuglog } from "node:util";
import type { Catalogue } from "../../catalog/catalogue.ts";
import { alwaysOnOf } from "../../catalog/config.ts";
import { createDependencies, type Dependencies } from "../../catalog/dependencies.ts";
import type { SlashCommand } from "../../core/command.ts";
import type { ToolSpec } from "../../core/ports/model.ts";
import type { AnyTool, Toolset } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { ALIASES } from "../../tools/index.ts";
import { cataloguePart } from "../features/catalogue.ts";
import { compactionPart } from "../features/compaction.ts";
import { createCustomCommandsPart } from "../features/custom-commands.ts";
import { type GoalsPart, goalsPart } from "../features/goals.ts";
import { createInstructionsPart, type InstructionsPart } from "../features/instructions.ts";
import { mcpPart } from "../features/mcp.ts";
import { memoryPart } from "../features/memory.ts";
import { schedulePart } from "../features/schedule.ts";
import { type SkillsPart, skillsPart } from "../features/skills.ts";
import type { Mcp } from "../mcp.ts";
import type { Part, Surroundings } from "./feature.ts";

/** What the agent knows and sees, piece by piece. */
export interface Parts {
  readonly goals: GoalsPart;
  readonly skills: SkillsPart;
  readonly instructions: InstructionsPart;
  readonly tools: readonly AnyTool[];
  /** What needs to know all tools; asked for once they are there. */
  choose(
    tools: () => readonly ToolSpec[],
    names: () => readonly string[],
    isOwn: (tool: string) => boolean,
    working: () => Pick<Chosen, "catalogue"> | undefined,
  ): Chosen;
  /** MCP servers come last: their tools are registered beside those of the parts. */
  addServers(mcp: Mcp): void;
  readonly commands: readonly SlashCommand[];
  status(): Promise<Readonly<Record<string, string>>>;
  /** What the agent works towards in the turn that begins; it is remembered by its id for `goalText`. */
  goal(): Promise<{ readonly id: string; readonly text: string } | null>;
  /** The goal a call belongs to; null when it belongs to none. */
  goalText(turn: TurnContext): string | null;
  close(): void;
}

export interface Chosen {
  /** That of the agent on whose behalf something happens now. */
  readonly catalogue: Catalogue;
  /** Another one beside it, for one of several agents that is shown these tools. */
  openCatalogue(tools: () => readonly ToolSpec[]): Catalogue;
  readonly dependencies: Dependencies | null;
  readonly finders: Toolset;
}

export interface PartsOptions extends Surroundings {
  /** Folders of the person's own skills; null where no file of theirs is read. */
  readonly ownSkills: readonly string[] | null | undefined;
  /** Whether nobody may read a file (`tools.file.deny_read`). */
  readonly isHidden: (path: string) => boolean;
}

export function openParts(s: PartsOptions): Parts {
  const conversation = () => s.mind()?.conversation() ?? null;
  const goals = goalsPart(s);
  const skills = skillsPart(s, { isHidden: s.isHidden, ...(s.ownSkills !== undefined && { own: s.ownSkills }) });
  const instructions = createInstructionsPart(s, { own: s.ownSkills === null ? "none" : "read", isHidden: s.isHidden });
  const own: readonly Part[] = [instructions, memoryPart(s), skills, schedulePart(s), goals, compactionPart(s, conversation)];
  const custom = createCustomCommandsPart(s, { own: s.ownSkills !== null, isHidden: s.isHidden });
  let servers: Part | null = null;
  let chosen: Part | null = null;
  const all = (): Part[] => [...own, servers, chosen, custom].filter((part) => part !== null);
  const texts = new Map<string, string>();
  // Asked once a turn, because the list of tools is made with every request.
  let hasGoal = false;
  let hasSkills = false;
  const ownTools = own.flatMap(({ tools = [] }) => tools);
  return {
    goals,
    skills,
    instructions,
    tools: ownTools,
    choose(tools, names, isOwn, working) {
      const { dependencies: rules } = s.config.tools;
      const alwaysOn = alwaysOnOf(s.config.agent.tool_filter);
      const dependencies = rules.enabled
        ? createDependencies({ config: rules, alwaysOn, tools: names, nameOf: (name) => ALIASES.get(name) ?? name, warn: s.warn })
        : null;
      const aboutOf = (tool: string) => ownTools.find(({ name }) => name === tool)?.facets?.about;
      const isNeeded = (tool: string) => (aboutOf(tool) === "skill" && hasSkills) || (aboutOf(tool) === "plan" && hasGoal);
      const noUse = (tool: string) => {
        const about = aboutOf(tool);
        if (about === "skill" && !hasSkills) return "there are no skills";
        return about === "plan" && !hasGoal ? "there is no goal" : null;
      };
      const part = cataloguePart({ ...s, tools, working, dependencies, noUse, isOwn, isNeeded, aliases: ALIASES, log });
      chosen = part;
      const { catalogue, openCatalogue } = part;
      return { catalogue, openCatalogue, dependencies, finders: { id: "catalogue", own: true, list: () => part.tools ?? [] } };
    },
    addServers(mcp) {
      servers = mcpPart({ mcp, warn: s.warn });
    },
    get commands() {
      return all().flatMap(({ commands = [] }) => commands);
    },
    async status() {
      const rows = await Promise.all(all().map((part) => part.status?.().catch(saying) ?? {}));
      return Object.assign({}, ...rows);
    },
    async goal() {
      const goal = await goals.active();
      hasGoal = goal !== null;
      hasSkills = skills.any();
      if (goal) texts.set(goal.id, goal.text);
      if (texts.size > MOST_GOALS) texts.delete(texts.keys().next().value!);
      return goal;
    },
    goalText: ({ goalId }) => (goalId === undefined ? null : (texts.get(goalId) ?? null)),
    close() {
      for (const part of all()) part.close?.();
    },
  };
}

const MOST_GOALS = 100;
const log = debuglog("zeph");

/** One part that cannot say how it is does not silence the others. */
const saying = (error: unknown): Record<string, string> => ({ problem: error instanceof Error ? error.message : String(error) });
