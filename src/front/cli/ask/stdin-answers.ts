import { ANSWERS, type Answer, isAnswer } from "../../../core/event.ts";
import { record } from "../../../text/json.ts";
import { parseJsonLine } from "../arguments.ts";
import { type InputLine, readInputLines } from "../stdin.ts";

/** Answers a program gives on stdin, one JSON object on each line. */
export interface StdinAnswers {
  /** From now on an answer to this question counts. */
  open(callId: string): void;
  /** Null when nobody can answer any more, or needs to. */
  wait(callId: string, signal: AbortSignal): Promise<Answer | null>;
  close(): void;
}

interface Open {
  readonly answer: Promise<Answer | null>;
  readonly settle: (answer: Answer | null) => void;
  isAnswered: boolean;
}

/** Nothing is read before there is something to answer. */
export function openStdinAnswers(stdin: NodeJS.ReadStream, warn: (message: string) => void): StdinAnswers {
  const closing = new AbortController();
  const questions = new Map<string, Open>();
  let reading: "not yet" | "now" | "over" = "not yet";

  const take = (line: InputLine) => {
    const found = parse(line);
    if ("problem" in found) return warn(`${found.problem} ${FORM}`);
    const question = questions.get(found.callId);
    if (!question || question.isAnswered)
      return warn(`There is no open question about the call ${JSON.stringify(found.callId)}. The answer is not used.`);
    question.isAnswered = true;
    question.settle(found.answer);
  };
  const read = async () => {
    reading = "now";
    try {
      for await (const line of readInputLines(stdin, closing.signal)) if (!isEmpty(line)) take(line);
    } catch (error) {
      warn(`The answers on stdin cannot be read: ${(error as Error).message}`);
    }
    reading = "over";
    for (const { settle } of questions.values()) settle(null);
  };
  return {
    open(callId) {
      const question = opened();
      questions.set(callId, question);
      if (reading === "over") question.settle(null);
      if (reading === "not yet") void read();
    },
    async wait(callId, signal) {
      const question = questions.get(callId);
      const drop = () => question?.settle(null);
      signal.addEventListener("abort", drop, { once: true });
      const answer = (await question?.answer) ?? null;
      signal.removeEventListener("abort", drop);
      questions.delete(callId);
      return answer;
    },
    // A program that holds the other end open must not keep this one from ending.
    close: () => closing.abort(),
  };
}

function opened(): Open {
  let settle: Open["settle"] = () => {};
  const answer = new Promise<Answer | null>((resolve) => {
    settle = resolve;
  });
  return { answer, settle: (one) => settle(one), isAnswered: false };
}

const [FIRST, ...OTHERS] = ANSWERS.map((answer) => JSON.stringify(answer));
const FORM = `An answer is {"call_id":"…","answer":${FIRST}}; or ${OTHERS.join(", ")}.`;

type Parsed = { readonly callId: string; readonly answer: Answer } | { readonly problem: string };

function parse(line: InputLine): Parsed {
  if ("problem" in line) return line;
  const parsed = parseJsonLine(line.text);
  if ("problem" in parsed) return parsed;
  const { call_id, answer } = record(parsed.value);
  if (typeof call_id !== "string") return { problem: '"call_id" is missing or is not a text.' };
  if (!isAnswer(answer)) return { problem: `${JSON.stringify(answer) ?? "Nothing"} is not an answer.` };
  return { callId: call_id, answer };
}

const isEmpty = (line: InputLine) => "text" in line && line.text.trim() === "";
