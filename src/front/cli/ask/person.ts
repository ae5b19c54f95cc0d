import type { Answer, Question, Unasked } from "../../../core/event.ts";
import type { Elicit } from "../../../core/ports/elicitation.ts";
import { YES_OR_NO } from "../../../question/answers.ts";
import type { RuntimeOptions } from "../../../runtime/create.ts";
import { createQueue } from "../../../text/queue.ts";
import type { Stop } from "../stop.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { ask, type ReadLine, readChoice, readFrom } from "./question.ts";

/** How a runtime reaches the person. Without handlers nobody is asked. */
export type QuestionHandlers = Pick<RuntimeOptions, "confirm" | "confirmedBy" | "elicit">;

/** Asks a person who types nothing else: the keyboard is taken for the question alone. */
export function askPerson(question: Question, terminal: Terminal, stop: Stop, asked: AbortSignal): Promise<Answer | Unasked | null> {
  const signal = AbortSignal.any([stop.signal, asked]);
  return atKeyboard(terminal, stop, signal, (read) => ask(question, read, terminal, signal));
}

/** The same for what an MCP server wants to know. */
export const elicitPerson =
  (terminal: Terminal, stop: Stop): Elicit =>
  async (asked, given) => {
    const { elicitFrom } = await import("./elicit.ts");
    return atKeyboard(terminal, stop, AbortSignal.any([stop.signal, given]), (read) => elicitFrom(asked, read, terminal));
  };

/** The same at a keyboard where more is typed than answers. `during` keeps everything else off the screen meanwhile. */
export const elicitAtKeyboard =
  (terminal: Terminal, keyboard: Keyboard, running: AbortSignal, during: <T>(question: () => Promise<T>) => Promise<T>): Elicit =>
  async (asked, given) => {
    const { elicitFrom } = await import("./elicit.ts");
    return during(() => keyboard.asking((read) => elicitFrom(asked, read, terminal), AbortSignal.any([running, given])));
  };

/** A yes or no about something that is no call. Ctrl-C and a terminal that is gone are a no. */
export function agreeAtTerminal(what: string, terminal: Terminal): Promise<boolean> {
  const stopped = new AbortController();
  const put = async (read: ReadLine) => (await readChoice(what, YES_OR_NO, read, terminal)) === "yes";
  return atKeyboard(terminal, { stop: () => stopped.abort() }, stopped.signal, put);
}

/** One question at a time: two would read each other's answers. */
const oneByOne = createQueue();

async function atKeyboard<T>(
  { stdin, stderr }: Terminal,
  { stop }: Pick<Stop, "stop">,
  signal: AbortSignal,
  put: (read: ReadLine) => Promise<T>,
): Promise<T> {
  const { createInterface } = await import("node:readline/promises");
  return oneByOne(async () => {
    const rl = createInterface({ input: stdin, output: stderr, terminal: true });
    rl.on("SIGINT", stop);
    try {
      return await put(readFrom(rl, stderr, signal));
    } finally {
      rl.close();
    }
  });
}
