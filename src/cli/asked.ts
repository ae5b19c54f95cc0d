import type { Interface } from "node:readline/promises";
import type { RuntimeOptions } from "../app.ts";
import type { Elicit } from "../core/elicitation.ts";
import type { Answer, Question } from "../core/event.ts";
import type { Keyboard } from "./keyboard.ts";
import { ask, readAnswer } from "./question.ts";
import type { Stop } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** Who answers questions: nobody, when it is empty. */
export type Asked = Pick<RuntimeOptions, "confirm" | "confirmedBy" | "elicit">;

export const YES: Asked = { confirm: () => "once", confirmedBy: "--yes" };

/** Asks a person who types nothing else: the keyboard is taken for the question alone. */
export const askOnce = (question: Question, terminal: Terminal, { signal, stop }: Stop): Promise<Answer | null> =>
  atKeyboard(terminal, stop, (rl) => ask(question, rl, terminal, signal));

/** The same for what an MCP server wants to know. */
export const elicitOnce =
  (terminal: Terminal, { signal, stop }: Stop): Elicit =>
  async (asked, given) => {
    const { elicited } = await import("./elicit.ts");
    const open = AbortSignal.any([signal, given]);
    return atKeyboard(terminal, stop, (rl) => elicited(asked, (prompt) => readAnswer(prompt, rl, terminal.stderr, open), terminal));
  };

/** The same at a keyboard where more is typed than answers. `during` keeps what else is told out of the way. */
export const eliciting =
  (terminal: Terminal, keyboard: Keyboard, running: AbortSignal, during: During): Elicit =>
  async (asked, given) => {
    const { elicited } = await import("./elicit.ts");
    return during(() => keyboard.asking((read) => elicited(asked, read, terminal), AbortSignal.any([running, given])));
  };

type During = <T>(question: () => Promise<T>) => Promise<T>;

/** One question at a time: two would read each other's answers. */
export function oneByOne(during: During): During {
  let free: Promise<unknown> = Promise.resolve();
  return (question) => {
    const mine = free.then(() => during(question));
    free = mine.catch(() => {});
    return mine;
  };
}

const alone = oneByOne((question) => question());

async function atKeyboard<T>({ stdin, stderr }: Terminal, stop: () => void, put: (rl: Interface) => Promise<T>): Promise<T> {
  const { createInterface } = await import("node:readline/promises");
  return alone(async () => {
    const rl = createInterface({ input: stdin, output: stderr, terminal: true });
    rl.on("SIGINT", stop);
    try {
      return await put(rl);
    } finally {
      rl.close();
    }
  });
}
