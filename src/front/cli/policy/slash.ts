import type { SlashCommand } from "../../../core/command.ts";
import type { Zeph } from "../../../runtime/create.ts";
import type { Calls } from "../../../runtime/governance/calls.ts";
import { governanceCommands } from "../../../runtime/governance/commands.ts";
import type { CallOutputs } from "../chat/call-outputs.ts";
import { argumentsFrom } from "../chat/line.ts";

/** The slash commands about rules for a person at the keyboard; calls are written as in the tool console. */
export const governanceFor = ({ governance, judge }: Zeph, calls: Calls): SlashCommand[] =>
  governanceCommands(governance, { judge, calls, argumentsOf: (rest, tool) => argumentsFrom(rest, tool, governance.tools()) });

/** Calls as a chat shows them. */
export const createChatCalls = ({ get, refused }: CallOutputs): Calls => ({ numbered: (n) => get(n)?.callId, refused });
