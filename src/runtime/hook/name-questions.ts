import type { Confirm, Question } from "../../core/event.ts";
import type { HookTickets } from "./answer-hook.ts";
import type { TicketFor } from "./tickets.ts";

/** Names of the internet that are asked about stand under this tool. */
export const NETWORK = "network";

/** Questions about names that commands of clients want to reach. Nobody sits at such a command, so a person answers later. */
export interface NameQuestions {
  readonly confirm: Confirm;
  /** A command of a client runs under this id until the function that is returned is called. */
  begin(callId: string, ticket: TicketFor): () => void;
}

export function createNameQuestions(tickets: HookTickets): NameQuestions {
  const running = new Map<string, TicketFor>();
  return {
    begin(callId, ticket) {
      running.set(callId, ticket);
      return () => void running.delete(callId);
    },
    async confirm(question) {
      const ticket = running.get(question.call_id);
      const name = nameIn(question);
      if (!ticket || name === null) return { unasked: NOBODY };
      const { client, session, cwd } = ticket;
      const asked = { client, session, cwd, tool: NETWORK, args: { name }, why: question.wants ?? `A command wants to reach ${name}.` };
      // It stays open for this session of the client, as long as its folder is in use.
      if (await tickets.take(asked)) return "session";
      return {
        unasked: `a person opens it for this session with \`zeph hook approve ${await tickets.keep(asked)}\`, then repeat the command`,
      };
    },
  };
}

const NOBODY = "nobody can be asked here";

const nameIn = ({ wants, touches }: Question): string | null => {
  const [touch] = touches;
  return wants !== undefined && touch?.kind === "url" && URL.canParse(touch.url) ? new URL(touch.url).hostname : null;
};
