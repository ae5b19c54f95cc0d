import type { Interface } from "node:readline/promises";
import type { Answer, Question } from "../core/event.ts";
import { ask as put } from "./question.ts";
import type { Line } from "./stdin.ts";
import type { Terminal } from "./terminal.ts";

/** A person at a terminal: the lines they type, their answers, and their Ctrl-C. */
export interface Keyboard {
  readonly lines: AsyncIterable<Line>;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** While this runs, Ctrl-C cancels it. At the prompt it clears the line, and twice on an empty one it leaves. */
  cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

const PROMPT = "zeph> ";
const HISTORY = 1000;

export async function openKeyboard(terminal: Terminal, completer: (line: string) => [string[], string]): Promise<Keyboard> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin, stdout, stderr } = terminal;
  const rl = createInterface({ input: stdin, output: stdout, completer, historySize: HISTORY, removeHistoryDuplicates: true });
  rl.setPrompt(PROMPT);
  let running: AbortController | null = null;
  let leaving = false;
  let asking = false;

  rl.on("SIGINT", () => {
    if (running) return running.abort();
    if (rl.line === "" && leaving) return rl.close();
    if (rl.line === "") stderr.write("\n(Ctrl-C again or Ctrl-D leaves)\n");
    else stdout.write("^C\n");
    leaving = rl.line === "";
    clearLine(rl);
    rl.prompt();
  });
  // An answer is no command to be called back with the up key.
  rl.on("history", (history) => {
    if (asking) history.shift();
  });

  return {
    lines: typedLines(rl, stdout, () => {
      leaving = false;
    }),
    async ask(question, signal) {
      asking = true;
      try {
        return await put(question, rl, terminal, signal);
      } finally {
        asking = false;
        rl.setPrompt(PROMPT);
      }
    },
    async cancellable(work) {
      running = new AbortController();
      try {
        return await work(running.signal);
      } finally {
        running = null;
      }
    },
    close: () => rl.close(),
  };
}

async function* typedLines(rl: Interface, stdout: NodeJS.WriteStream, typed: () => void): AsyncGenerator<Line> {
  let closed = false;
  rl.once("close", () => {
    closed = true;
  });
  rl.prompt();
  for await (const text of rl) {
    typed();
    yield { text };
    if (!closed) rl.prompt();
  }
  // Left in the middle of a line: the shell's prompt begins on one of its own.
  stdout.write("\n");
}

function clearLine(rl: Interface): void {
  rl.write(null, { ctrl: true, name: "e" });
  rl.write(null, { ctrl: true, name: "u" });
}
