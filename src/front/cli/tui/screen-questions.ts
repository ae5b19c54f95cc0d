import type { Confirm } from "../../../core/event.ts";
import { viewQuestion } from "../../../question/question.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { createQuestionQueue, type QuestionQueue } from "./question-queue.ts";
import type { ScreenNotices } from "./screen-notices.ts";
import { type TurnLines, WIDEST_PROSE } from "./turn-lines.ts";
import { warningLines } from "./view/notices.ts";

/** The questions of a chat, and how a runtime puts them. */
export interface ScreenQuestions extends QuestionQueue {
  readonly confirm: Confirm;
}

export function createScreenQuestions(
  { writer, draft, lastKeyAt, theme }: ChatScreen,
  lines: Pick<TurnLines, "asked">,
  notices: Pick<ScreenNotices, "tell">,
): ScreenQuestions {
  const questions = createQuestionQueue({ lastKeyAt, isTyping: () => draft.text() !== "", changed: () => writer.refresh() });
  return {
    ...questions,
    async confirm(question, { signal }) {
      const view = viewQuestion(question);
      if ("tooLong" in view) {
        writer.commit(warningLines(view.tooLong, Math.min(WIDEST_PROSE, writer.size().columns - 1), theme()));
        return { unasked: view.tooLong };
      }
      const since = performance.now();
      notices.tell({ type: "question", text: view.heading });
      const answer = await questions.ask(question, signal);
      lines.asked(question.call_id, performance.now() - since);
      return answer;
    },
  };
}
