import type { Confirm } from "../../../core/event.ts";
import { viewQuestion } from "../../../question/question.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { createQuestionDesk, type QuestionDesk } from "./question-desk.ts";
import type { ScreenNotices } from "./screen-notices.ts";
import { type TurnLines, WIDEST_PROSE } from "./turn-lines.ts";
import { warningLines } from "./view/notices.ts";

/** The questions of a chat, and how a runtime puts them. */
export interface ScreenDesk extends QuestionDesk {
  readonly confirm: Confirm;
}

export function createScreenDesk(
  { writer, draft, lastKeyAt, theme }: ChatScreen,
  lines: Pick<TurnLines, "asked">,
  notices: Pick<ScreenNotices, "tell">,
): ScreenDesk {
  const desk = createQuestionDesk({ lastKeyAt, isTyping: () => draft.text() !== "", changed: () => writer.refresh() });
  return {
    ...desk,
    async confirm(question, { signal }) {
      const view = viewQuestion(question);
      if ("tooLong" in view) {
        writer.commit(warningLines(view.tooLong, Math.min(WIDEST_PROSE, writer.size().columns - 1), theme()));
        return { unasked: view.tooLong };
      }
      const since = performance.now();
      notices.tell({ type: "question", text: view.heading });
      const answer = await desk.ask(question, signal);
      lines.asked(question.call_id, performance.now() - since);
      return answer;
    },
  };
}
