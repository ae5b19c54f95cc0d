import type { Confirm, Question, Totals, ZephEvent } from "../../../core/event.ts";
import type { Elicit } from "../../../core/ports/elicitation.ts";
import { answerByFlags, answerCommand, confirmWith, howToAnswer, howToAnswerElsewhere, howToAnswerLater } from "../../../question/flags.ts";
import { viewQuestion } from "../../../question/question.ts";
import { questionText } from "../../../question/text.ts";
import { quoteShell } from "../../../text/quote-shell.ts";
import { visible } from "../../../text/visible.ts";
import type { AgentRequest } from "../agent.ts";
import { askPerson, elicitPerson, type QuestionHandlers } from "../ask/person.ts";
import type { BackgroundRun } from "../chat/background-runs.ts";
import { totalsText } from "../chat/chat-totals.ts";
import { createScreen } from "../chat/screen.ts";
import type { Stop } from "../stop.ts";
import { createAnswerHolder } from "../terminal/answer-holder.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import type { RunSettings } from "./run-options.ts";

/** How a run is told, and who answers. */
export interface RunFront {
  readonly asked: QuestionHandlers;
  event(event: ZephEvent): Promise<void>;
  /** Everything is said. `killed` are the commands that end with the run. */
  end(totals: Totals, conversation: string | null, killed: readonly BackgroundRun[]): Promise<void>;
  close(): void;
}

/** For people: the model's words on stdout, so that they can be used; the rest on stderr. */
export async function createTextFront({ answers, flags, wish, waits }: RunSettings, terminal: Terminal, stop: Stop): Promise<RunFront> {
  const { stderr, err } = terminal;
  const open = await createScreen(terminal);
  const screen = terminal.stdout.isTTY ? open : createAnswerHolder(open);
  const isThere = answers === "whoever is there" && terminal.attended && !flags.later;
  const ask: Confirm = (question, { signal }) => screen.during(() => askPerson(question, terminal, stop, signal));
  /** Questions that are kept for later. A skill cannot wait, and its call ends at once. */
  const left = new Map<string, Question>();
  const put = elicitPerson(terminal, stop);
  // `--yes` answers what the gates ask. What a server wants to know is no such question.
  const elicit: Elicit = (asked, signal) => screen.during(() => put(asked, signal));
  return {
    asked: { ...confirmWith(flags, isThere ? ask : undefined), ...(terminal.attended && { elicit }) },
    async event(event) {
      await screen.event(event);
      if (event.type === "tool_end" && !(!event.outcome.ok && event.outcome.waiting)) left.delete(event.outcome.callId);
      if (event.type !== "question" || isThere || answerByFlags(flags, event) !== null) return;
      const view = viewQuestion(event);
      const shown = "tooLong" in view ? view.tooLong : questionText(view, { colors: err, columns: Number.POSITIVE_INFINITY });
      if (flags.later && event.wants === undefined) left.set(event.call_id, event);
      const how = waits ? howToAnswerElsewhere(event) : flags.later ? howToAnswerLater(event) : howToAnswer(event);
      stderr.write(`${shown}\n${how}\n`);
    },
    async end(totals, conversation, killed) {
      if (killed.length > 0) stderr.write(`${err.yellow(visible(killedText(killed, "run")))}\n`);
      const about = [totalsText(totals), ...(conversation === null ? [] : [`conversation ${conversation}`])].join(", ");
      stderr.write(`${err.dim(prose(about, stderr))}\n`);
      if (left.size > 0) stderr.write(`${[...left.values()].map((question) => `Answer with: ${answerCommand(question)}\n`).join("")}`);
      else if (conversation !== null) stderr.write(`${err.dim(`Go on with: ${again(conversation, wish)}`)}\n`);
    },
    close: screen.rest,
  };
}

/** The beginning of an id is enough, and can be typed. */
const again = (conversation: string, { model }: AgentRequest): string =>
  ["zeph run --continue", conversation.slice(0, 8), ...(model === undefined ? [] : ["--model", quoteShell(visible(model))]), '"…"'].join(
    " ",
  );
export const killedText = (runs: readonly BackgroundRun[], what: "run" | "chat"): string =>
  `Killed because the ${what} ends: ${runs.map(({ runId, command }) => `${command.slice(0, 200)} (${runId})`).join("; ")}`;
