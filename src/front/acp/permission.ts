import { methods, type PermissionOption, type ToolCallContent } from "@agentclientprotocol/sdk";
import type { Answer, Question, Unasked } from "../../core/event.ts";
import type { Choice } from "../../question/answers.ts";
import { howToAnswerLater } from "../../question/flags.ts";
import { type QuestionView, viewQuestion } from "../../question/question.ts";
import { questionDetails } from "../../question/text.ts";
import { type EditorCalls, textContent } from "./calls.ts";
import { diffPieces, editContent } from "./diffs.ts";
import { fenced } from "./fenced.ts";
import type { EditorNotes } from "./notes.ts";
import type { Wire } from "./wire.ts";

export interface PermissionParts {
  readonly wire: Wire;
  readonly calls: EditorCalls;
  readonly notes: Pick<EditorNotes, "tell">;
}

/**
 * Asks the person whether a call may be made. Null when nobody answered, which is not a no. It waits as long as the turn lasts; where the editor
 * cannot ask, or is gone, the answer comes later.
 */
export async function askPermission(
  { wire, calls, notes }: PermissionParts,
  question: Question,
  signal: AbortSignal,
): Promise<Answer | Unasked | "later" | null> {
  const view = viewQuestion(question);
  if ("tooLong" in view) {
    await notes.tell("warning", view.tooLong);
    return { unasked: view.tooLong };
  }
  const { call_id, tool, args, preview } = question;
  const change = preview === undefined ? editContent({ name: tool, args }, calls.cwd) : diffPieces(preview, { cwd: calls.cwd });
  const content = [...change, questionContent(view)];
  try {
    const { outcome } = await wire.client.request(
      methods.client.session.requestPermission,
      {
        sessionId: wire.sessionId,
        toolCall: await calls.asked(call_id, { name: tool, args }, content),
        options: view.choices.map(optionOf),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (signal.aborted || outcome.outcome !== "selected") return null;
    // Only what was offered counts.
    const answer = view.choices.find((choice) => choice.answer === outcome.optionId)?.answer ?? null;
    if (answer !== null && answer !== "no") await calls.goesOn(call_id);
    return answer;
  } catch {
    // The editor cannot ask, or is gone. Nobody said no.
    return signal.aborted ? null : leaveQuestion({ notes }, question);
  }
}

/** Says how to answer later. A call that runs already cannot wait. */
export async function leaveQuestion({ notes }: Pick<PermissionParts, "notes">, question: Question): Promise<"later" | null> {
  if (question.wants !== undefined || question.whole_repository !== undefined) return null;
  await notes.tell("info", howToAnswerLater(question));
  return "later";
}

const KINDS: Readonly<Record<Answer, PermissionOption["kind"]>> = {
  once: "allow_once",
  session: "allow_always",
  edits: "allow_always",
  always: "allow_always",
  no: "reject_once",
};

const optionOf = ({ answer, label }: Choice): PermissionOption => ({
  optionId: answer,
  kind: KINDS[answer],
  name: label[0]!.toUpperCase() + label.slice(1),
});

/** Everything of the call is in blocks, so that an editor lays nothing of it out. */
function questionContent({ heading, why, rows }: QuestionView): ToolCallContent {
  const command = rows.find(({ isCommand }) => isCommand);
  const details = questionDetails({ why, rows: rows.filter((row) => row !== command) });
  return textContent([heading, ...(command ? [fenced(command.text, "sh")] : []), fenced(details)].join("\n"));
}
