import type { Limits, ZephEvent } from "../../core/event.ts";
import type { Message } from "../../core/ports/model.ts";
import { openAgent } from "../../runtime/agent/agent.ts";
import type { Agent, AgentOptions } from "../../runtime/agent/agent-types.ts";
import type { LiveOptions } from "../../runtime/live/live-side.ts";
import type { QuestionHandlers } from "./ask/person.ts";
import type { GlobalSettings } from "./runtime.ts";
import { listenForReload } from "./signal-reload.ts";

/** The agent that a front end wants. */
export interface AgentRequest {
  /** The name of a provider. */
  readonly model?: string;
  /** The id of a conversation, or "last". */
  readonly conversation?: string;
  readonly limits?: Limits;
  /** How other processes see it. */
  readonly live?: LiveOptions;
}

export type Tell = (event: ZephEvent) => void | Promise<void>;

/** An agent, and how its turns are told. */
export interface OpenAgent {
  readonly agent: Agent;
  /** Reads a turn to its end. */
  tell(events: AsyncIterable<ZephEvent>): Promise<void>;
}

/** Opens an agent, tells what is odd about the configuration, and closes it whatever happens. */
export async function withAgent<T>(
  settings: GlobalSettings,
  wish: AgentRequest,
  asked: QuestionHandlers,
  tell: Tell,
  work: (open: OpenAgent) => Promise<T>,
): Promise<T> {
  const options: AgentOptions & Pick<AgentRequest, "live"> = {
    cwd: process.cwd(),
    ...settings,
    ...wish,
    ...asked,
    watch: true,
    onEventBetweenTurns: (event) => {
      if (event.type === "warning" || event.type === "reload") void tell(event);
    },
  };
  const reload = listenForReload();
  const agent = await openAgent(options).catch((error) => {
    reload.close();
    throw error;
  });
  try {
    reload.serve(agent.zeph);
    for (const message of agent.zeph.warnings) await tell({ type: "warning", message });
    const other = wish.conversation === undefined ? null : otherModel(await agent.history(), agent.model.id);
    if (other !== null)
      await tell({ type: "warning", message: `This conversation was held with ${other}. It continues with ${agent.model.id}.` });
    return await work({
      agent,
      async tell(events) {
        for await (const event of events) await tell(event);
      },
    });
  } finally {
    await agent.close();
    reload.close();
  }
}

/** The model that gave the last answer; null when it is this one. */
function otherModel(history: readonly Message[], model: string): string | null {
  const last = history.findLast((message) => message.role === "assistant");
  return last && last.model !== model ? last.model : null;
}
