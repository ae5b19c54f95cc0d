import { ToolError } from "../../core/error.ts";
import type { Answered } from "../../core/event.ts";
import type { OpenQuestion, OpenQuestions } from "../../core/ports/open-questions.ts";
import { isAgentProcess } from "../../files/agent-process.ts";
import type { LiveAnswered, LiveQuestion, LiveRun, LiveSource } from "../../front/watch/watch-sources.ts";
import { type FollowerParts, type LiveFollower, type LiveProcess, openLiveFollower } from "../../live/follow-live.ts";
import { refusalWithoutWalls } from "../../live/without-walls.ts";
import { answerCommand } from "../../question/flags.ts";
import { createListeners } from "../events/listeners.ts";
import { takeQuestion } from "../questions/take-question.ts";

/** What runs, and what it asks, across processes. Somebody closes it. */
export interface OpenLiveSource extends LiveSource {
  /** Resolves when those that run already have spoken. */
  ready(): Promise<void>;
  close(): void;
}

export interface LiveSourceParts {
  /** Where the sockets lie. */
  readonly folder: string;
  readonly openQuestions: OpenQuestions;
  /** The audit log, by which a process that asks is known to be an agent. */
  readonly log: string;
  /** Whether a yes has to come from another person than the caller, in that workspace. */
  fourEyes(workspace: string): boolean;
  /** Where answers are given: `zeph watch`. */
  readonly where: string;
  /** Everything that is said, as it comes. */
  told?: FollowerParts["changed"];
}

export function openLiveSource(parts: LiveSourceParts): OpenLiveSource {
  const { folder, openQuestions, log } = parts;
  const listeners = createListeners();
  const follower = openLiveFollower({
    folder,
    changed(pid, line) {
      listeners.tell();
      parts.told?.(pid, line);
    },
  });
  const asked = () => follower.processes().flatMap((one) => [...one.questions.values()].map((question) => questionOf(one, question)));
  const left = async () => (await openQuestions.list()).filter((question) => !isHeld(question, follower, log));
  return {
    ready: follower.ready,
    runs: () => follower.processes().flatMap((one) => [...one.runs.values()].map((run) => runOf(one.pid, run))),
    async questions() {
      return [...asked(), ...(await left()).map(leftQuestion)].sort((a, b) => a.since - b.since);
    },
    async answer(callId, said) {
      const one = follower.processes().find(({ questions }) => questions.has(callId));
      const refusal = refusalWithoutWalls(folder);
      if (refusal !== null) return { counts: false, why: refusal };
      if (!one) return answerLeft(parts, callId, said);
      const why = await follower.answer(one.pid, { call_id: callId, ...said, where: parts.where });
      return why === null ? { counts: true, message: `Answered: ${said.answer}. The process ${one.pid} goes on.` } : { counts: false, why };
    },
    follow: listeners.add,
    close: () => follower.close(),
  };
}

/** A question of a running process has its number. */
export type RunningQuestion = LiveQuestion;
export type { LiveLine } from "../../live/wire.ts";

type RunLine = LiveProcess["runs"] extends ReadonlyMap<number, infer R> ? R : never;
type QuestionLine = LiveProcess["questions"] extends ReadonlyMap<string, infer Q> ? Q : never;

const runOf = (pid: number, { kind, workspace, since, model, conversation, calls }: RunLine): LiveRun => ({
  pid,
  kind,
  workspace,
  since,
  ...(model !== undefined && { model }),
  ...(conversation !== undefined && { conversation }),
  calls: calls.map(({ call_id, tool, args, since }) => ({ callId: call_id, tool, args, since })),
});

function questionOf({ pid, runs }: LiveProcess, { call_id, run, since, question }: QuestionLine): LiveQuestion {
  const { workspace = "", model } = runs.get(run) ?? {};
  return { callId: call_id, workspace, since, question, pid, ...(model !== undefined && { model }) };
}

const leftQuestion = ({ callId, workspace, since, question, repeats }: OpenQuestion): LiveQuestion => ({
  callId,
  workspace,
  since,
  question,
  ...(!repeats && { onlyWith: answerCommand(question) }),
});

/** A process has put it to somebody: what it says itself counts, and where it says nothing it is asked there. */
const isHeld = ({ asking }: OpenQuestion, follower: LiveFollower, log: string): boolean =>
  asking !== undefined && (follower.processes().some(({ pid }) => pid === asking) || isAgentProcess(asking, log));

/** A question of no running process. The call of most is made with the answer, which takes an agent. */
async function answerLeft(
  { openQuestions, log, fourEyes }: LiveSourceParts,
  callId: string,
  said: Required<Pick<Answered, "answer" | "by">> & Pick<Answered, "reason">,
): Promise<LiveAnswered> {
  const found = await openQuestions.get(callId);
  if (!found || found.answered) return { counts: false, why: "No such question is open. It may have been answered already." };
  const { asking, workspace, repeats, question } = found;
  if (asking !== undefined && isAgentProcess(asking, log))
    return { counts: false, why: `The question is open in the process ${asking}, which cannot be reached. Answer it there.` };
  if (!repeats) return { counts: false, why: `The call is made with the answer, so give it in a terminal: ${answerCommand(question)}` };
  const taken = await takeQuestion(openQuestions, { callId, workspace, answer: said, fourEyes: fourEyes(workspace) });
  if (taken instanceof ToolError) return { counts: false, why: taken.message };
  return { counts: true, message: "waits" in taken ? taken.waits : "The answer is kept." };
}
