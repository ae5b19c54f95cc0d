import type { Answer, Question, Unasked } from "../../../core/event.ts";
import { visible } from "../../../text/visible.ts";
import type { ReadLine } from "../ask/question.ts";
import { EXIT } from "../exit.ts";
import type { InputLine } from "../stdin.ts";
import { endQuietlyWhenUnread } from "../stop.ts";
import { type Completion, openLineEditor } from "./editor.ts";
import type { History } from "./history.ts";
import { createLineQueue, type Editing } from "./line-queue.ts";
import { createPastes, recalled } from "./paste.ts";
import type { Terminal } from "./terminal.ts";

/** A person at a terminal: the lines they type, their answers, and their Ctrl-C. */
export interface Keyboard {
  /** Each message once; the prompt is shown while one is waited for. */
  readonly lines: AsyncIterable<InputLine>;
  /** From now on. What was typed before stays. */
  serve(options: KeyboardOptions): void;
  /** Shows the prompt before anybody waits for a line. */
  invite(): void;
  /** Takes the prompt and what was typed from the screen until the next line is waited for. Nothing that was typed is lost. */
  withdraw(): void;
  /** Something is written while somebody may be typing: the prompt and the line are drawn again below it. */
  above(work: () => Promise<void>): Promise<void>;
  /** The line that is not on the screen now. */
  typedAhead(): string;
  /** Lines that were finished and not taken yet are forgotten; how many there were. */
  forget(): number;
  ask(question: Question, signal: AbortSignal): Promise<Answer | Unasked | null>;
  /** Puts questions of another kind, each read as one line. */
  asking<T>(put: (read: ReadLine) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The same for questions before there is a conversation: Escape leaves them unanswered, and one reader shows nothing of what is typed. */
  askingPrivately<T>(put: (readers: PrivateReaders) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** While this runs, Ctrl-C cancels it, and a second one leaves. At the prompt it clears the line, and twice on an empty one it leaves. */
  cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

export interface PrivateReaders {
  readonly read: ReadLine;
  /** For a key: no character of it is on the screen or in a history. */
  readonly readHidden: ReadLine;
}

export interface KeyboardOptions {
  readonly prompt: string;
  readonly completer: (line: string) => Completion | Promise<Completion>;
  /** Lines that arrive together: each for itself, or all as one text. Only where they are one text does a backslash at the end go on. */
  readonly pasted: "one by one" | "together";
  readonly history: History;
}

const LEAVING = "(Ctrl-C again or Ctrl-D leaves)";
const MORE = "...> ";

export async function openKeyboard(terminal: Terminal, first: KeyboardOptions): Promise<Keyboard> {
  const { stdin, stdout, stderr } = terminal;
  const pastes = createPastes();
  const queue = createLineQueue();
  let options = first;
  let running: AbortController | null = null;
  let leaving = false;
  let asking: AbortController | null = null;
  let isPrivate = false;
  let isHidden = false;
  let stopped = false;
  let closed = false;
  let isUsed = false;
  /** Lines that end in a backslash, until one does not. */
  let begun = "";
  const prompt = () => (begun === "" ? options.prompt : MORE);
  const editor = await openLineEditor(terminal, {
    prompt,
    completer: (line) => options.completer(line),
    isAsking: () => asking !== null,
    unanswered: () => asking?.abort(),
    isPrivate: () => isPrivate,
    isHidden: () => isHidden,
    pasted: (text) => (asking ? text.replaceAll("\n", " ") : options.pasted === "together" ? pastes.shown(text) : null),
  });
  const { rl } = editor;
  const recall = () => editor.recall(recalled(options.history.entries, pastes));

  // Closing sets the terminal back; where it is gone that is an error, which comes here again.
  const leave = () => {
    if (stopped) return;
    stopped = true;
    rl.close();
  };
  const leaveAtOnce = () => {
    rl.close();
    // After the spinner has taken itself away. The shell's prompt begins on a line of its own.
    process.once("exit", () => void stdout.write("\n"));
    process.exit(EXIT.cancelled);
  };
  rl.on("SIGINT", () => {
    if (running?.signal.aborted) return leaveAtOnce();
    if (running) return running.abort();
    const isEmpty = rl.line === "" && begun === "";
    if (isEmpty && leaving) return isUsed ? leave() : leaveAtOnce();
    if (isEmpty) stderr.write(`\n${LEAVING}\n`);
    else stdout.write("^C\n");
    leaving = isEmpty;
    begun = "";
    editor.set("");
    if (editor.isShown()) editor.show();
  });
  // Asked to end from outside: what runs is stopped, and no line is read any more.
  for (const name of ["SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      running?.abort();
      leave();
    });
  // A terminal that is gone cannot be read, nor be set back to how it was.
  endQuietlyWhenUnread(rl, stdin, editor.keys);
  rl.on("error", () => {
    running?.abort();
    leave();
  });
  // Readline keeps every line; which of them are called back, and how, is decided here.
  rl.on("history", recall);
  rl.on("line", (line) => {
    if (asking) return;
    const goesOn = options.pasted === "together" && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    const text = begun + (goesOn ? line.slice(0, -1) : line);
    begun = goesOn ? `${text}\n` : "";
    if (goesOn) return editor.isShown() ? editor.show() : undefined;
    const whole = pastes.whole(text);
    queue.add({ text: whole, ...(whole !== text && { typed: text }), ...(!editor.isShown() && { unseen: text }) });
    options.history.add(whole);
    recall();
  });
  rl.once("close", () => {
    closed = true;
    // Left before anything was there: what is told then begins on a line of its own.
    if (editor.isShown() && !isUsed) stdout.write("\n");
    editor.end();
    queue.wake();
  });

  /** Puts finished messages back to the prompt: after a stop they may not be wanted. */
  const giveBack = () => {
    const lines = queue.take().map(({ text, unseen }) => unseen ?? text);
    const rest = begun + rl.line;
    begun = "";
    editor.set([...lines, ...(rest === "" ? [] : [rest])].join("\n"));
  };
  /** The keyboard is for an answer alone; what was typed before comes back. */
  const answering = async <T>(signal: AbortSignal, put: (open: AbortSignal) => Promise<T>): Promise<T> => {
    const typed = rl.line;
    editor.set("");
    const mine = new AbortController();
    asking = mine;
    try {
      return await put(AbortSignal.any([signal, mine.signal]));
    } finally {
      asking = null;
      editor.set(typed);
    }
  };
  const editing: Editing = {
    since: () => (closed || (rl.line === "" && begun === "") ? null : editor.began()),
    show: () => void (editor.isShown() || editor.show()),
  };
  async function* lines(): AsyncGenerator<InputLine> {
    isUsed = true;
    // Until now the process was busy reading itself, and when a key was pressed is not known. What there is came at once.
    queue.touch();
    editor.touch();
    while (!closed || (queue.size() > 0 && !stopped)) {
      if (queue.size() === 0) {
        editing.show();
        await queue.more();
        continue;
      }
      leaving = false;
      const taken = options.pasted === "one by one" ? [queue.next()] : await queue.together(editing);
      editor.hide();
      // It was typed while something else was on the screen.
      for (const { unseen } of taken) if (unseen !== undefined) stdout.write(`${options.prompt}${visible(unseen)}\n`);
      const typed = taken.some((line) => line.typed !== undefined) && { typed: taken.map(({ text, typed }) => typed ?? text).join("\n") };
      yield { text: taken.map(({ text }) => text).join("\n"), ...typed };
    }
    // Left in the middle of a line: the shell's prompt begins on one of its own.
    stdout.write("\n");
  }

  return {
    lines: { [Symbol.asyncIterator]: lines },
    serve(next) {
      options = next;
      recall();
    },
    invite: editor.show,
    withdraw: editor.withdraw,
    async above(work) {
      const wasShown = editor.isShown();
      editor.withdraw();
      await work();
      if (wasShown && !closed) editor.show();
    },
    typedAhead: () => (editor.isShown() || asking ? "" : rl.line),
    forget: () => queue.take().length,
    async ask(question, signal) {
      const { ask, readFrom } = await import("../ask/question.ts");
      return answering(signal, (open) => ask(question, readFrom(rl, stderr, open), terminal, open));
    },
    async asking(put, signal) {
      const { readFrom } = await import("../ask/question.ts");
      return answering(signal, (open) => put(readFrom(rl, stderr, open)));
    },
    async askingPrivately(put, signal) {
      const { readFrom } = await import("../ask/question.ts");
      isPrivate = true;
      try {
        return await answering(signal, (open) => {
          const read = readFrom(rl, stderr, open);
          const readHidden: ReadLine = async (prompt) => {
            stdout.write(prompt);
            isHidden = true;
            try {
              return await read("");
            } finally {
              editor.set("");
              isHidden = false;
              stdout.write("\n");
            }
          };
          return put({ read, readHidden });
        });
      } finally {
        isPrivate = false;
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
        if (leaving && options.pasted === "together") giveBack();
      }
    },
    close: leave,
  };
}
