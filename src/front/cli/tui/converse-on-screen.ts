import type { ZephEvent } from "../../../core/event.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { cutTo } from "../../../text/columns.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { grouped } from "../../../text/words.ts";
import { type OpenAgent, withAgent } from "../agent.ts";
import { elicitFrom } from "../ask/elicit.ts";
import type { QuestionHandlers } from "../ask/person.ts";
import { createBackgroundRuns } from "../chat/background-runs.ts";
import { createChatBench } from "../chat/bench.ts";
import { createCallOutputs } from "../chat/call-outputs.ts";
import { createChatTotals } from "../chat/chat-totals.ts";
import { brief, isTold, keepable, lastWords, modelText } from "../chat/chat-words.ts";
import { splitLine } from "../chat/line.ts";
import { type SlashContext, slashCommand } from "../chat/slash.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import { wishOf } from "../run/run-options.ts";
import { killedText } from "../run/run-text.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { createQuestionDesk } from "./question-desk.ts";
import { createScreenApp } from "./screen-app.ts";
import { createScreenTerminal } from "./screen-terminal.ts";
import { createSessionFacts } from "./session-facts.ts";
import { createTurnLines } from "./turn-lines.ts";
import { wrapLine } from "./width.ts";

const FORMS = `Type what you want; the model answers and calls the tools it needs.
`;

/** A conversation on the screen, once everything it needs is read. The person may have typed already. */
export async function converseOnScreen({ flags, settings, terminal: real }: Invocation, screen: ChatScreen): Promise<number> {
  const { writer, theme } = { ...screen, theme: screen.theme };
  const terminal = createScreenTerminal(writer, real, theme);
  const wish = wishOf(flags);
  const outputs = createCallOutputs();
  const sum = createChatTotals();
  const facts = createSessionFacts();
  const lines = createTurnLines({ writer, terminal, outputs, theme });
  const runs = createBackgroundRuns();
  const desk = createQuestionDesk({
    lastKeyAt: screen.lastKeyAt,
    isTyping: () => screen.draft.text() !== "",
    changed: () => writer.refresh(),
  });
  let running: AbortController | null = null;
  let wake = () => {};
  let isLeaving = false;
  let open: Agent | null = null;

  const tell = (event: ZephEvent) => {
    sum.add(event);
    runs.add(event);
    facts.add(event);
    lines.event(event);
    writer.refresh();
  };
  const cancellable = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const mine = new AbortController();
    running = mine;
    const ticking = setInterval(() => writer.refresh(), 100);
    try {
      return await work(mine.signal);
    } finally {
      clearInterval(ticking);
      running = null;
      writer.refresh();
    }
  };
  const stop = () => {
    desk.dismiss();
    running?.abort();
  };
  const leave = () => {
    isLeaving = true;
    stop();
    wake();
  };
  const app = createScreenApp({
    screen,
    desk,
    live: lines.live,
    panel: () => [],
    question: (width) => standInQuestion(width),
    status: () => ` ${open?.model.id ?? ""}`,
    isBusy: () => running !== null,
    submitted: () => wake(),
    stop,
    leave,
    command: (name) => {
      if (name === "ctrl-t") app.togglePanel();
      else if (name === "ctrl-z") screen.suspend();
      else return false;
      return true;
    },
    explain: async () => {},
  });
  const standInQuestion = (width: number): string[] => {
    const asked = desk.current()!;
    asked.isSeen = true;
    return [...wrapLine(JSON.stringify(asked.question), width - 2), asked.state];
  };

  const asked: QuestionHandlers = {
    confirm: async (question, { signal }) => {
      const since = performance.now();
      const answer = await desk.ask(question, signal);
      lines.asked(question.call_id, performance.now() - since);
      return answer;
    },
    elicit: (form, signal) => elicitFrom(form, (prompt) => app.readLine(prompt, signal), terminal),
  };

  const turn = async (text: string, { agent, tell }: OpenAgent): Promise<number> => {
    await cancellable((signal) => tell(agent.send(text, { signal })));
    lines.rest();
    return EXIT.ok;
  };
  /** A mistake in a line is told and ends nothing. */
  const oneMessage = async (text: string, bench: SlashContext): Promise<number | "leave"> => {
    const { you, signs } = theme();
    const width = Math.min(100, writer.size().columns - 2);
    writer.commit([
      "",
      ...wrapLine(visible(text), width - 2, { hard: true }).map((line, n) => `${n === 0 ? you(signs.prompt) : " "} ${you(line)}`),
      "",
    ]);
    try {
      const typed = splitLine(text);
      if (typed && /^\/[\w-]+$/.test(typed.name)) return await slashCommand(bench, typed.name, typed.rest);
      return await bench.send(text);
    } catch (error) {
      lines.rest();
      if (!isTold(error)) throw error;
      writer.commit([theme().bad(`! ${visible(error.message)}`)]);
      return EXIT.failed;
    } finally {
      terminal.flush();
    }
  };

  const talk = async (opened: OpenAgent): Promise<number> => {
    const { agent } = opened;
    open = agent;
    const bench = createChatBench(agent, {
      settings,
      terminal,
      forms: FORMS,
      sum,
      context: () => {
        const context = facts.context();
        return context === null ? "" : `${grouped(context.used)} of ${grouped(context.budget)} tokens`;
      },
      outputs,
      send: (text) => turn(text, opened),
      waiting: (_label, work) => cancellable(work),
    });
    screen.history.keep(keepable(agent), (message) => tell({ type: "warning", message }));
    void facts.look(agent).then(() => writer.refresh());
    writer.commit([
      `${theme().bold("Zeph")} ${theme().dim(`with ${visible(modelText(agent.model))}  /help  Ctrl-O calls  Ctrl-T resources`)}`,
    ]);
    if (agent.conversation !== null) writer.commit([theme().dim(cutTo(lastWords(await agent.history()), writer.size().columns - 1))]);
    screen.serve(app);
    const watch = agent.watchSchedule({
      began: ({ task }) => writer.commit([theme().dim(`  Scheduled task started: ${brief(visible(task))}`)]),
      ended: ({ task }, end) =>
        void (
          end.ok && writer.commit([theme().dim(`  Scheduled task done: ${brief(visible(task))}`), ...wrapLine(visible(end.text), 100)])
        ),
      warn: (message) => tell({ type: "warning", message }),
    });
    await whileOpen(watch, async () => {
      while (!isLeaving) {
        const text = screen.waiting.shift();
        if (text === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if ((await oneMessage(text, bench)) === "leave") break;
      }
    });
    const left = await runs.left(agent, async (event) => lines.event(event));
    lines.rest();
    if (left.length > 0) writer.commit([theme().warn(visible(killedText(left, "chat")))]);
    return EXIT.ok;
  };
  return withAgent(settings, wish, asked, tell, talk);
}
