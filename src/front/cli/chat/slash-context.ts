import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { grouped } from "../../../text/words.ts";
import { createChatCalls, governanceFor } from "../policy/slash.ts";
import type { CallOutputs } from "./call-outputs.ts";
import { type ChatTotals, dollars } from "./chat-totals.ts";
import type { SlashContext } from "./slash.ts";

/** What a chat brings to its slash commands. */
export interface ChatContextParts extends Pick<SlashContext, "settings" | "terminal" | "forms" | "send" | "waiting"> {
  readonly sum: ChatTotals;
  /** How full it is, as the model was asked last. */
  readonly context: () => string;
  readonly outputs: CallOutputs;
}

/** The context of a chat's slash commands. */
export const createChatContext = (
  agent: Agent,
  { settings, terminal, forms, sum, context, outputs, send, waiting }: ChatContextParts,
): SlashContext => ({
  zeph: agent.zeph,
  settings,
  terminal,
  forms,
  outputs,
  send,
  // The first command of a name counts: here calls may be written as in the tool console.
  commands: () => [...governanceFor(agent.zeph, createChatCalls(outputs)), ...agent.commands()],
  parts: () => agent.status(),
  calls: () => sum.totals().calls,
  waiting,
  async state({ reputation }) {
    const { good, bad } = await reputation.get(agent.model.id);
    const { usage, cost } = sum.totals();
    const { date } = agent.model.price ?? {};
    const price = cost === undefined ? "" : `, ${dollars(cost)}${date === undefined ? "" : ` by the prices of ${date}`}`;
    return {
      model: agent.model.id + (good + bad === 0 ? "" : `, ${good} of ${good + bad} calls had valid arguments, in all conversations`),
      conversation: agent.conversation ?? "none yet",
      context: (agent.conversation !== null && context()) || "nothing was sent yet",
      tokens: `${grouped(usage.input)} in, ${grouped(usage.output)} out${price}`,
    };
  },
  clear() {
    agent.restart();
    return "A new conversation begins. Session grants and counts are forgotten; audit, trust and the old conversation stay.";
  },
});
