import type { ZephEvent } from "../core/event.ts";
import { eventJson } from "../core/event-json.ts";
import { openAnswers } from "./answers.ts";
import { YES } from "./asked.ts";
import { jsonLine } from "./print.ts";
import type { RunOptions } from "./run-options.ts";
import type { Front } from "./run-text.ts";
import { killedText } from "./run-text.ts";
import type { Terminal } from "./terminal.ts";

/** For programs: an event on each line of stdout, answers to questions on stdin. */
export function jsonFront({ answers: who }: RunOptions, { stdin, stdout }: Terminal): Front {
  const print = (event: ZephEvent) => void stdout.write(jsonLine(eventJson(event)));
  const answers = openAnswers(stdin, (message) => print({ type: "warning", message }));
  const isHeard = who === "whoever is there";
  return {
    asked: isHeard ? { confirm: ({ call_id }) => answers.wait(call_id), confirmedBy: "stdin" } : YES,
    async event(event) {
      print(event);
      // It is printed: from here on it can be answered.
      if (event.type === "question" && isHeard) answers.open(event.call_id);
    },
    async end(_totals, _conversation, killed) {
      if (killed.length > 0) print({ type: "warning", message: killedText(killed, "run") });
    },
    close: answers.close,
  };
}
