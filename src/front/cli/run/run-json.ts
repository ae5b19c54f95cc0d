import type { Question, ZephEvent } from "../../../core/event.ts";
import { eventJson } from "../../../core/event-json.ts";
import { answerByFlags, confirmWith } from "../../../question/flags.ts";
import { visible } from "../../../text/visible.ts";
import { openStdinAnswers } from "../ask/stdin-answers.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonLine } from "./print.ts";
import type { RunSettings } from "./run-options.ts";
import { killedText, type RunFront } from "./run-text.ts";

/** For programs: an event on each line of stdout, answers to questions on stdin. */
export function createJsonFront({ flags }: RunSettings, { stdin, stdout, stderr }: Terminal): RunFront {
  const print = (event: ZephEvent) => void stdout.write(jsonLine(eventJson(event)));
  const answers = openStdinAnswers(stdin, (message) => print({ type: "warning", message }));
  // With --yes or --later no answers are read.
  const isHeard = (question: Question) => !flags.yes && !flags.later && answerByFlags(flags, question) === null;
  return {
    asked: {
      ...confirmWith(flags, (question, { signal }) => (isHeard(question) ? answers.wait(question.call_id, signal) : null)),
      confirmedBy: "stdin",
    },
    async event(event) {
      print(event);
      // It is printed: from here on it can be answered.
      if (event.type === "question" && isHeard(event)) answers.open(event.call_id);
      // Stdout belongs to a program; the person reads stderr.
      if (event.type === "without_walls") stderr.write(`warning: ${visible(`${event.tool} runs without walls: ${event.reason}`)}\n`);
    },
    async end(_totals, _conversation, killed) {
      if (killed.length > 0) print({ type: "warning", message: killedText(killed, "run") });
    },
    close: answers.close,
  };
}
