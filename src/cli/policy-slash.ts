import { governanceCommands } from "../app/governance-commands.ts";
import type { Zeph } from "../app.ts";
import type { SlashCommand } from "../core/command.ts";
import { argumentsFrom } from "./line.ts";

/** What a person at the keyboard does about the rules; calls are written as in the tool console. */
export const governanceFor = ({ governance, judge, tools }: Zeph): SlashCommand[] =>
  governanceCommands(governance, { judge, tools, argumentsOf: (rest, tool) => argumentsFrom(rest, tool, tools()) });
