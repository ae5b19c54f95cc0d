import type { Interface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Question } from "../core/event.ts";
import { EXIT } from "./exit.ts";
import { ask as put } from "./question.ts";
import type { Line } from "./stdin.ts";
import { endQuietlyWhenUnread } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** A person at a terminal: the lines they type, their answers, and their Ctrl-C. */
export interface Keyboard {
  readonly lines: AsyncIterable<Line>;
  ask(question: Question, signal: AbortSignal): Promise<Answer | null>;
  /** While this runs, Ctrl-C cancels it, and a second one leaves. At the prompt it clears the line, and twice on an empty one it leaves. */
  cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

export interface KeyboardOptions {
  readonly prompt: string;
  readonly completer: (line: string) => [string[], string];
  /** Lines that arrive together: each for itself, or all as one text. */
  readonly pasted: "one by one" | "together";
}

const HISTORY = 1000;
const LEAVING = "(Ctrl-C again or Ctrl-D leaves)";

export async function openKeyboard(terminal: Terminal, { prompt, completer, pasted }: KeyboardOptions): Promise<Keyboard> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin, stdout, stderr } = terminal;
  const rl = createInterface({ input: stdin, output: stdout, completer, historySize: HISTORY, removeHistoryDuplicates: true });
  rl.setPrompt(prompt);
  let running: AbortController | null = null;
  let leaving = false;
  let asking = false;
  let stopped = false;

  // Closing sets the terminal back; where it is gone that is an error, which comes here again.
  const leave = () => {
    if (stopped) return;
    stopped = true;
    rl.close();
  };
  const leaveAtOnce = () => {
    rl.close();
    process.exit(EXIT.cancelled);
  };
  rl.on("SIGINT", () => {
    if (running?.signal.aborted) return leaveAtOnce();
    if (running) return running.abort();
    if (rl.line === "" && leaving) return leave();
    if (rl.line === "") stderr.write(`\n${LEAVING}\n`);
    else stdout.write("^C\n");
    leaving = rl.line === "";
    clearLine(rl);
    rl.prompt();
  });
  // Asked to end from outside: what runs is stopped, and no line is read any more.
  for (const name of ["SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      running?.abort();
      leave();
    });
  // A terminal that is gone cannot be read, nor be set back to how it was.
  endQuietlyWhenUnread(rl, stdin);
  rl.on("error", () => {
    running?.abort();
    leave();
  });
  // An answer is no command to be called back with the up key.
  rl.on("history", (history) => {
    if (asking) history.shift();
  });

  return {
    lines: typedLines(rl, stdout, pasted, {
      typed() {
        leaving = false;
      },
      isStopped: () => stopped,
    }),
    async ask(question, signal) {
      asking = true;
      try {
        return await put(question, rl, terminal, signal);
      } finally {
        asking = false;
        rl.setPrompt(prompt);
      }
    },
    async cancellable(work) {
      const mine = new AbortController();
      running = mine;
      try {
        return await work(mine.signal);
      } finally {
        running = null;
        // Who stopped it and presses once more wants to leave.
        leaving = mine.signal.aborted;
      }
    },
    close: leave,
  };
}

interface Watch {
  typed(): void;
  /** Somebody wants to leave; Ctrl-D only says that no more is typed. */
  isStopped(): boolean;
}

/** What is pasted comes at once; nobody types a second line so soon. */
const PASTE_MS = 30;

async function* typedLines(
  rl: Interface,
  stdout: NodeJS.WriteStream,
  pasted: KeyboardOptions["pasted"],
  { typed, isStopped }: Watch,
): AsyncGenerator<Line> {
  const waiting: string[] = [];
  let closed = false;
  let wake = () => {};
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  rl.on("line", (text) => {
    waiting.push(text);
    wake();
  });
  rl.once("close", () => {
    closed = true;
    wake();
  });
  rl.prompt();
  while (!closed || (waiting.length > 0 && !isStopped())) {
    if (waiting.length === 0) {
      await more();
      continue;
    }
    typed();
    if (pasted === "one by one") yield { text: waiting.shift()! };
    else {
      await sleep(PASTE_MS);
      // The last line of what was pasted still stands in the editor, and goes with the rest.
      while (rl.line !== "" && !closed) await more();
      yield { text: waiting.splice(0).join("\n") };
    }
    if (!closed && waiting.length === 0) rl.prompt();
  }
  // Left in the middle of a line: the shell's prompt begins on one of its own.
  stdout.write("\n");
}

function clearLine(rl: Interface): void {
  rl.write(null, { ctrl: true, name: "e" });
  rl.write(null, { ctrl: true, name: "u" });
}
