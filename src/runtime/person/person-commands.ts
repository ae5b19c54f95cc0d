import type { SlashCommand } from "../../core/command.ts";
import type { Agent } from "../agent/agent-types.ts";
import { backgroundCommand } from "./background-command.ts";

/** What a person does about an agent's work. Nothing of it is for a model. */
export function personCommands(agent: Agent): SlashCommand[] {
  return [backgroundCommand(agent)];
}
