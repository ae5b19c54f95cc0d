import type { SlashCommand } from "../../core/command.ts";
import type { Agent } from "../agent/agent-types.ts";
import { backgroundCommand } from "./background-command.ts";
import { rewindCommand } from "./rewind.ts";
import { undoCommand } from "./undo.ts";

/** What a person does about an agent's work. Nothing of it is for a model. */
export function personCommands(agent: Agent, cwd: string): SlashCommand[] {
  return [backgroundCommand(agent), undoCommand(agent, cwd), rewindCommand(agent)];
}
