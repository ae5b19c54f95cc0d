import type { RuntimeOptions } from "../app.ts";
import type { Answer, Question } from "../core/event.ts";
import { ask } from "./question.ts";
import type { Stop } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** Who answers questions: nobody, when it is empty. */
export type Asked = Pick<RuntimeOptions, "confirm" | "confirmedBy">;

export const YES: Asked = { confirm: () => "once", confirmedBy: "--yes" };

/** Asks a person who types nothing else: the keyboard is taken for the question alone. */
export async function askOnce(question: Question, terminal: Terminal, { signal, stop }: Stop): Promise<Answer | null> {
  const { createInterface } = await import("node:readline/promises");
  const rl = createInterface({ input: terminal.stdin, output: terminal.stderr, terminal: true });
  rl.on("SIGINT", stop);
  try {
    return await ask(question, rl, terminal, signal);
  } finally {
    rl.close();
  }
}
