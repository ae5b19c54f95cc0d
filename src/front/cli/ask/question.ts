import type { Interface } from "node:readline/promises";
import { ANSWERED_ELSEWHERE, type Answer, type Question, type Unasked } from "../../../core/event.ts";
import { type Choice, pleaseAnswer, promptWords, typedAnswer } from "../../../question/answers.ts";
import { viewQuestion } from "../../../question/question.ts";
import { questionText } from "../../../question/text.ts";
import { lineWidth, prose, type Terminal } from "../terminal/terminal.ts";

/** Shows a prompt and reads one line. Null when nobody can answer any more. */
export type ReadLine = (prompt: string) => Promise<string | null>;

/** Puts the question on stderr and waits for a word on stdin. Null when nobody can answer any more. */
export async function ask(question: Question, read: ReadLine, terminal: Terminal, signal: AbortSignal): Promise<Answer | Unasked | null> {
  // It was stopped while another question was open.
  if (signal.aborted) return null;
  const { stderr, err } = terminal;
  const view = viewQuestion(question);
  if ("tooLong" in view) {
    stderr.write(`\n${err.yellow(prose(view.tooLong, stderr))}\n`);
    return { unasked: view.tooLong };
  }
  stderr.write(`\n${questionText(view, { colors: err, columns: lineWidth(stderr) })}\n`);
  return readChoice("Allow it?", view.choices, read, terminal);
}

/** Asks until one of the words is typed. Null when nobody can answer any more. */
export async function readChoice<T extends string>(
  what: string,
  choices: readonly Choice<T>[],
  read: ReadLine,
  { stderr, err }: Pick<Terminal, "stderr" | "err">,
): Promise<T | null> {
  for (;;) {
    const typed = await read(`${err.bold(what)} ${promptWords(choices)}: `);
    if (typed === null) return null;
    const answer = typedAnswer(typed, choices);
    if (answer !== null) return answer;
    stderr.write(`${prose(pleaseAnswer(choices), stderr)}\n`);
  }
}

/** Reads answers from readline until the signal. */
export const readFrom =
  (rl: Interface, stderr: Terminal["stderr"], signal: AbortSignal): ReadLine =>
  async (prompt) => {
    if (signal.aborted) return null;
    forget(rl);
    let end = () => {};
    const closed = new Promise<null>((resolve) => {
      end = () => {
        stderr.write("\n");
        resolve(null);
      };
      rl.once("close", end);
    });
    try {
      return await Promise.race([rl.question(prompt, { signal }), closed]);
    } catch {
      if (signal.reason === ANSWERED_ELSEWHERE) {
        forget(rl);
        stderr.write("\n");
      }
      return null;
    } finally {
      rl.off("close", end);
    }
  };

/** Drops keys from before the question: they cannot be an answer to it. */
function forget(rl: Interface): void {
  if (rl.line === "") return;
  rl.write(null, { ctrl: true, name: "e" });
  rl.write(null, { ctrl: true, name: "u" });
}
