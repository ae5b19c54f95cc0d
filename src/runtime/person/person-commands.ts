import type { SlashCommand } from "../../core/command.ts";
import type { Agent } from "../agent/agent-types.ts";
import { createBackgroundCommand } from "./background-command.ts";
import { createRewindCommand } from "./rewind.ts";
import { createUndoCommand } from "./undo.ts";

/** What a person does about an agent's work. Nothing of it is for a model. */
export function personCommands(agent: Agent, cwd: string): SlashCommand[] {
  return [createBackgroundCommand(agent), createUndoCommand(agent, cwd), createRewindCommand(agent)];
}
