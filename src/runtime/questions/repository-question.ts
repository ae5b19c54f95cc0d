import type { Confirm, Question, ZephEvent } from "../../core/event.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { AskRepository, RepositoryQuestion } from "../../host/workday/opened-repository.ts";
import { putQuestion } from "../../pipeline/ask/put-question.ts";
import { oneLine, visible } from "../../text/visible.ts";

export interface RepositoryAsking {
  /** Who puts the questions of a turn's commands. */
  readonly confirmFor: (turn: TurnContext) => Confirm | undefined;
  readonly by: string;
  readonly emit: (event: ZephEvent) => void;
  /** What was answered, for the audit log. */
  readonly note: (text: string) => void;
  /** The runtime ends: open questions count as not answered. */
  readonly closing: AbortSignal;
}

/** Asks the person whether commands may change all of the repository that the workspace is a folder of. */
export function createRepositoryAsk({ confirmFor, by, emit, note, closing }: RepositoryAsking): AskRepository {
  return async (asked) => {
    const { turn, signal } = asked.ctx;
    if (turn.phase === "autonomous") return { why: "nobody is asked on behalf of Zeph itself" };
    const question = questionOf(asked);
    emit({ type: "question", ...question });
    const confirm = confirmFor(turn);
    if (!confirm) return { why: "there is nobody to ask" };
    const said = await putQuestion(confirm, question, AbortSignal.any([signal, closing]), emit);
    if (said === null || said === "later") return { why: "nobody answered; --yes is no answer to this" };
    if ("unasked" in said) return { why: said.unasked };
    // Whoever says yes to everything, once, was not asked this.
    const isYes = said.answer === "session";
    note(`${said.by ?? by} answered "${isYes ? "all of it" : "only here"}" about commands changing the repository ${asked.top}.`);
    return isYes ? "whole" : "here";
  };
}

const LONGEST_COMMAND = 120;

function questionOf({ top, workspace, command, permit, refused }: RepositoryQuestion): Question {
  const what = oneLine(visible(command), LONGEST_COMMAND);
  return {
    call_id: permit.call.id,
    tool: permit.call.tool.name,
    args: { command },
    wants: `This folder is part of the repository ${top}. May commands change all of it?`,
    why: [
      refused === undefined
        ? `\`${what}\` changes files of it outside of ${workspace}.`
        : `\`${what}\` wanted to write ${refused}, and that was closed to it.`,
      "A yes counts for commands, until Zeph ends. Git's hooks and settings, other work trees, and files named like a credential stay closed; the file tools stay in this folder. No copies are kept of what commands change there.",
    ],
    touches: [{ kind: "path", access: "write", path: top, tree: true }],
    whole_repository: top,
  };
}
