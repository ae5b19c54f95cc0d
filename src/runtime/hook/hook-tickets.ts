import { randomBytes } from "node:crypto";
import type { OpenQuestion, OpenQuestions } from "../../core/ports/open-questions.ts";
import { canonicalJson } from "../../text/json.ts";
import type { HookTickets, TicketQuestion } from "./answer-hook.ts";

/** So long a yes lifts the call. */
export const LIFTED_MS = 10 * 60_000;
/** A model that tries everything must not fill the store: the oldest go first. */
const MOST_OPEN = 100;
/** Nobody remembers what an older question was about. */
const OLDEST_MS = 24 * 60 * 60_000;

/**
 * Questions that a client could not put, among the others that wait for an answer. A yes lifts exactly the call that was shown (client, session,
 * folder, tool and arguments), once, and not for long.
 */
export const createHookTickets = (questions: OpenQuestions, now: () => number = Date.now): HookTickets => ({
  async take(question) {
    for (const one of await same(questions, question)) {
      if (!one.answered) continue;
      // Of two calls at once only one takes the yes.
      const isTaken = await questions.take(one.callId);
      if (isTaken && one.answered.answer === "once" && now() - one.answered.at < LIFTED_MS) return true;
    }
    return false;
  },
  async keep(question) {
    const known = (await same(questions, question)).find(({ answered }) => !answered);
    if (known) return known.callId;
    const open = (await questions.repeated(question.cwd)).filter(isTicket);
    const tooMany = open.slice(0, Math.max(0, open.length + 1 - MOST_OPEN));
    for (const { callId } of [...tooMany, ...open.filter(({ since }) => now() - since > OLDEST_MS)]) await questions.take(callId);
    const callId = randomBytes(4).toString("hex");
    await questions.add(openQuestion(callId, question));
    return callId;
  },
});

/** Whether a question is one that a client could not put. */
export const isTicket = ({ caller }: Pick<OpenQuestion, "caller">): boolean => caller.callerId?.startsWith(TICKET) ?? false;

const TICKET = "hook of client:";
const whoOf = ({ client, session }: TicketQuestion): string => `${TICKET}${client} ${session}`;

const same = async (questions: OpenQuestions, asked: TicketQuestion): Promise<readonly OpenQuestion[]> => {
  const args = canonicalJson(asked.args);
  const all = await questions.repeated(asked.cwd);
  return all.filter((one) => one.caller.callerId === whoOf(asked) && one.question.tool === asked.tool && canonicalJson(one.args) === args);
};

const openQuestion = (callId: string, asked: TicketQuestion): Omit<OpenQuestion, "since"> => ({
  callId,
  workspace: asked.cwd,
  question: { call_id: callId, tool: asked.tool, args: asked.args, why: [asked.why], touches: [], caller: whoOf(asked) },
  args: asked.args,
  asked: [],
  sight: "",
  // Rights of its own: `zeph answer`, which would make the call itself, leaves it alone.
  caller: { callerId: whoOf(asked), rights: { id: whoOf(asked) } },
  untrusted: false,
  repeats: true,
});
