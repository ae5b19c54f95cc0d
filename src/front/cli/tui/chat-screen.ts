import { EXIT } from "../exit.ts";
import { endQuietlyWhenUnread } from "../stop.ts";
import { createInputHistory, type History, historyFile } from "../terminal/history.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type LiveFrame, openScreenWriter, type ScreenWriter } from "./screen-writer.ts";
import { createTerminalModes } from "./terminal-modes.ts";
import { chooseTheme, type Theme, type ThemeSetting } from "./theme.ts";
import { createDraftEditor, type DraftEditor } from "./typing/draft-editor.ts";
import { inputLines } from "./typing/input-lines.ts";
import { createKeyDecoder, type Key } from "./typing/keys.ts";
import { createRecall, type Recall } from "./typing/recall.ts";

/** Whoever draws the live lines and takes the keys. */
export interface ScreenApp {
  key(key: Key): void;
  draw(columns: number, rows: number): LiveFrame;
  /** The window has another size. */
  resized(): void;
  /** Asked to end from outside, or the terminal is gone. */
  ended(): void;
}

/** A message that was finished and is not sent yet. */
export interface FinishedMessage {
  readonly text: string;
  /** As it stood on the screen: a word in place of what was pasted. */
  readonly typed: string;
}

/** The screen of a chat: what is typed, what is drawn, and the terminal's modes. It is there before everything else is read. */
export interface ChatScreen {
  readonly writer: ScreenWriter;
  readonly draft: DraftEditor;
  readonly recall: Recall;
  readonly history: History;
  /** Messages that were finished and not sent yet, oldest first. */
  readonly waiting: FinishedMessage[];
  theme(): Theme;
  useTheme(setting: ThemeSetting): void;
  /** When the last key came. */
  lastKeyAt(): number;
  /** From now on. */
  serve(app: ScreenApp): void;
  /** Somebody else has the terminal meanwhile. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Ctrl-Z: the process stops, and goes on where it was. */
  suspend(): void;
  close(): void;
}

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
/** So long after the signal a process that is still there was not stopped: nobody would wake it. */
const STOPPED_MS = 300;

export function openChatScreen({ stdin, stdout, out }: Terminal): ChatScreen {
  let theme = chooseTheme(process.env, out.isColorSupported ? "auto" : "none");
  let lastKey = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  const draft = createDraftEditor();
  const history = createInputHistory(historyFile("history"));
  const recall = createRecall(draft, history.entries);
  const waiting: FinishedMessage[] = [];
  let app: ScreenApp = createFirstApp();
  const decoder = createKeyDecoder((key) => {
    if (key.name !== "focus-in" && key.name !== "focus-out") lastKey = performance.now();
    app.key(key);
  });
  const writer = openScreenWriter(stdout, (columns, rows) => app.draw(columns, rows));
  const modes = createTerminalModes(stdin, stdout, () => writer.close());
  const heard = (bytes: Buffer) => decoder.push(bytes);
  const resized = () => app.resized();
  const ended = () => app.ended();
  const goOn = () => {
    modes.on();
    writer.redraw();
    app.resized();
  };
  const self: ChatScreen = {
    writer,
    draft,
    recall,
    history,
    waiting,
    theme: () => theme,
    useTheme(setting) {
      theme = chooseTheme(process.env, out.isColorSupported ? setting : "none");
    },
    lastKeyAt: () => lastKey,
    serve(next) {
      app = next;
      writer.refresh("now");
    },
    async lend(work) {
      writer.withdraw();
      stdin.off("data", heard);
      modes.off();
      stdin.pause();
      try {
        return await work();
      } finally {
        decoder.reset();
        if (!isClosed) {
          stdin.on("data", heard);
          goOn();
        }
      }
    },
    suspend() {
      writer.withdraw();
      modes.off();
      let isOn = false;
      const wake = () => {
        if (isOn || isClosed) return;
        isOn = true;
        process.off("SIGCONT", wake);
        goOn();
      };
      process.once("SIGCONT", wake);
      setTimeout(wake, STOPPED_MS);
      // The whole job, as the terminal itself would do it.
      process.kill(0, "SIGTSTP");
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      writer.close();
      modes.off();
      decoder.reset();
      stdin.off("data", heard);
      stdin.pause();
      stdin.off("end", ended);
      stdin.off("error", ended);
      process.off("uncaughtExceptionMonitor", self.close);
      stdout.off("resize", resized);
      for (const name of SIGNALS) process.off(name, ended);
    },
  };
  modes.on();
  stdin.on("data", heard);
  stdin.once("end", ended);
  // A terminal that is gone cannot be read.
  endQuietlyWhenUnread(stdin);
  stdin.on("error", ended);
  // What is told about a mistake of ours must not be drawn over.
  process.on("uncaughtExceptionMonitor", self.close);
  stdout.on("resize", resized);
  for (const name of SIGNALS) process.on(name, ended);
  writer.refresh("now");
  return self;

  /** Until everything is read: somebody may type and finish messages, or leave. */
  function createFirstApp(): ScreenApp {
    let isLeaving = false;
    const leave = (code: number) => {
      self.close();
      process.exit(code);
    };
    return {
      resized() {},
      ended: () => leave(EXIT.cancelled),
      draw: (columns) => {
        const input = inputLines({ draft, hint: "", label: recall.label(), note: isLeaving ? LEAVING : "" }, columns, theme);
        const before = waiting.map(({ text }) => theme.dim(`  next: ${text.replace(/\s+/g, " ")}`));
        const cursor = input.cursor && ([input.cursor[0] + before.length, input.cursor[1]] as const);
        return { lines: [...before, ...input.lines, ""], cursor };
      },
      key(key) {
        const wasLeaving = isLeaving;
        isLeaving = false;
        if (recall.key(key)) return writer.refresh("now");
        if (key.name === "ctrl-c") {
          if (draft.text() !== "") draft.set("");
          else if (wasLeaving) return leave(EXIT.cancelled);
          else isLeaving = true;
        } else if (key.name === "ctrl-d" && draft.text() === "") return leave(EXIT.ok);
        else if (key.name === "ctrl-z") return self.suspend();
        else if (key.name === "enter") finishMessage(self);
        else draft.key(key);
        writer.refresh("now");
      },
    };
  }
}

export const LEAVING = "Ctrl-C again leaves";

/** Enter: what is typed is a message that waits to be sent, unless it goes on in the next line. */
export function finishMessage({ draft, waiting, history }: Pick<ChatScreen, "draft" | "waiting" | "history">): void {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(draft.before())) {
    draft.key({ name: "backspace" });
    draft.insert("\n");
    return;
  }
  const text = draft.whole();
  const typed = draft.text();
  draft.set("");
  if (text.trim() === "") return;
  history.add(text);
  waiting.push({ text, typed });
}
