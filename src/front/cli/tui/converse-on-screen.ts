import { basename } from "node:path";
import type { Config } from "../../../config/schema.ts";
import type { ZephEvent } from "../../../core/event.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { type AgentRequest, type OpenAgent, withAgent } from "../agent.ts";
import { elicitFrom } from "../ask/elicit.ts";
import type { QuestionHandlers } from "../ask/person.ts";
import { createBackgroundRuns } from "../chat/background-runs.ts";
import { createCallOutputs } from "../chat/call-outputs.ts";
import { createChatTotals } from "../chat/chat-totals.ts";
import { brief, keepable, modelText } from "../chat/chat-words.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import { wishOf } from "../run/run-options.ts";
import { killedText } from "../run/run-text.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { pastLines } from "./past-lines.ts";
import { openScreenNotices, type ScreenNotices } from "./screen-notices.ts";
import { createScreenQuestions } from "./screen-questions.ts";
import { createScreenSession } from "./screen-session.ts";
import { createSessionCounts } from "./session-counts.ts";
import { createTurnLines, WIDEST_PROSE } from "./turn-lines.ts";
import { noteLines, warningLines } from "./view/notices.ts";
import { wrapLine } from "./width.ts";

/** A conversation on the screen, once everything it needs is read, and others that the person goes on with. */
export async function converseOnScreen(given: Invocation, screen: ChatScreen, ui: Config["ui"]): Promise<number> {
  const notices = openScreenNotices(screen.writer, ui);
  try {
    for (let wish = wishOf(given.flags); ; ) {
      const next = await oneConversation(given, wish, screen, notices);
      if (next === null) return EXIT.ok;
      wish = { ...wish, conversation: next };
    }
  } finally {
    notices.close();
  }
}

/** Returns the conversation to go on with; null where the person left. */
async function oneConversation(given: Invocation, wish: AgentRequest, screen: ChatScreen, notices: ScreenNotices): Promise<string | null> {
  const { writer, theme } = screen;
  const outputs = createCallOutputs();
  const sum = createChatTotals();
  const runs = createBackgroundRuns();
  const facts = createSessionCounts();
  const lines = createTurnLines({ writer, outputs, theme });
  const questions = createScreenQuestions(screen, lines, notices);
  const width = () => Math.min(WIDEST_PROSE, writer.size().columns - 1);

  const tell = (event: ZephEvent) => {
    sum.add(event);
    runs.add(event);
    facts.add(event);
    lines.event(event);
    writer.refresh();
  };
  const talk = async (opened: OpenAgent): Promise<string | null> => {
    const { agent } = opened;
    const session = createScreenSession({ given, screen, opened, questions, lines, facts, sum, outputs, notices });
    asking = session.elicit;
    const { bold, dim } = theme();
    const welcome = `${bold("Zeph")} ${dim(`with ${visible(modelText(agent.model))} in ${oneLine(visible(basename(process.cwd())))}  /help  Ctrl-O calls  Ctrl-T resources`)}`;
    writer.commit(wrapLine(welcome, width(), { hang: "  " }));
    if (agent.conversation !== null) writer.commit(pastLines(await agent.history(), width(), theme()));
    screen.history.keep(keepable(agent), (message) => tell({ type: "warning", message }));
    void facts.look(agent).then(() => writer.refresh());
    screen.serve(session.app);
    const watch = agent.watchSchedule({
      began: ({ task }) => writer.commit(noteLines(`scheduled task started: ${brief(task)}`, width(), theme())),
      ended: ({ task }, end) => {
        if (end.ok) session.showTask(brief(task), end);
      },
      warn: (message) => tell({ type: "warning", message }),
    });
    await whileOpen(watch, session.run);
    const left = await runs.left(agent, async (event) => lines.event(event));
    lines.rest();
    if (left.length > 0) writer.commit(warningLines(killedText(left, "chat"), width(), theme()));
    return session.next();
  };

  let asking: ReturnType<typeof createScreenSession>["elicit"] | null = null;
  const asked: QuestionHandlers = {
    confirm: questions.confirm,
    elicit: async (form, signal) => asking?.((read, terminal) => elicitFrom(form, read, terminal), signal) ?? { action: "cancel" },
  };
  return withAgent(given.settings, { ...wish, live: { kind: "chat", where: "the terminal" } }, asked, tell, talk);
}
