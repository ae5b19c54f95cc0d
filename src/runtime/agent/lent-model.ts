import { ToolError } from "../../core/error.ts";
import type { Sampled, SampleWish } from "../../core/ports/mcp/sampling.ts";
import type { Model, Price, Usage } from "../../core/ports/model.ts";
import type { CompactionMethod } from "../../core/ports/store.ts";
import type { Trust, TurnContext } from "../../core/turn.ts";

/** What an agent lends to the parts of its runtime. */
export interface LentModel {
  /** The one that answers, without a program's middleware. */
  readonly model: Model;
  /** The conversation it is in; null before anything was said. */
  conversation(): string | null;
  /** One answer in words, without tools, by the provider for such work (`agent.compress_provider`). Its tokens count. Throws a ModelError. */
  ask(prompt: { readonly system: string; readonly text: string }, signal: AbortSignal): Promise<string>;
  /** One answer for an MCP server, by the model that answers here. Its tokens count, and a turn whose budget is used up has none. Throws a ModelError. */
  sample(wish: SampleWish, signal: AbortSignal): Promise<Sampled>;
  /** Tokens that were spent on the agent's behalf. */
  spent(usage: Usage | null, price: Price | undefined): void;
  /** A turn inside a turn: the same tools and the same door, under less trust. Returns the model's last words. */
  follow(errand: SkillTask, turn: TurnContext, signal: AbortSignal): Promise<string>;
  /** Earlier messages of the conversation become a summary. What cannot be summarised stays as it is, and the error says why. */
  compact(
    conversation: string,
    wish: { readonly focus?: string; readonly method: CompactionMethod },
    signal: AbortSignal,
  ): Promise<Compacted>;
}

export interface SkillTask {
  readonly skill: string;
  /** As it is at the moment it is asked. */
  readonly trust: () => Trust;
  readonly instructions: string;
  readonly task: string;
}

export interface Compacted {
  readonly messages: number;
  readonly tokens: { readonly before: number; readonly after: number };
}

/** For tools that cannot work without an agent around them. */
export function requireModel(mind: LentModel | null, tool: string): LentModel {
  if (mind) return mind;
  throw new ToolError("permanent_failure", `${tool} works only in a conversation with a model: \`zeph\`, \`zeph run\` or createAgent.`);
}

/** The place of a mind in a runtime: empty until an agent lends one. */
export interface LentModelSlot {
  current(): LentModel | null;
  /** From now on there is a model behind the tools. */
  lend(mind: LentModel): void;
}

/** `working`: the agent among several on whose behalf something happens now. */
export function createLentModelSlot(working: () => { readonly mind: () => LentModel } | undefined): LentModelSlot {
  let mind: LentModel | null = null;
  return {
    current: () => working()?.mind() ?? mind,
    lend(lent) {
      mind = lent;
    },
  };
}
