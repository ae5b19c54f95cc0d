import { type ChatScreen, finishMessage, LEAVING, type ScreenApp } from "./chat-screen.ts";
import { type AskedQuestion, type QuestionQueue, RESTING_MS } from "./question-queue.ts";
import { questionWindow } from "./question-window.ts";
import type { LiveFrame } from "./screen-writer.ts";
import { inputLines, MOST_TYPED_LINES } from "./typing/input-lines.ts";
import type { Key } from "./typing/keys.ts";
import type { Menu } from "./typing/menu.ts";
import { queuedLines } from "./view/work.ts";
import type { ViewStack } from "./view-stack.ts";

/** What the screen shows and what its keys do, besides typing. */
export interface ScreenParts {
  readonly screen: ChatScreen;
  readonly questions: QuestionQueue;
  readonly menu: Menu;
  readonly views: ViewStack;
  /** What is said and done just now, and what waits to be sent. */
  live(width: number): readonly string[];
  panel(width: number): readonly string[];
  status(width: number): string;
  /** Every key, and whether the window is in front. */
  heard(key: Key): void;
  isBusy(): boolean;
  /** Everything that runs was told to stop. */
  isStopping(): boolean;
  /** A message was finished. */
  submitted(): void;
  stop(): void;
  leave(): void;
  /** Does not wait for what was told to stop. */
  leaveAtOnce(): void;
  /** Keys that open something or change a setting; false where it is none of them. */
  command(name: string): boolean;
  /** Every gate's word about the call in question. */
  explain(asked: AskedQuestion): void;
  /** Escape twice while nothing runs and nothing is typed. */
  rewind(): void;
}

/** The screen of a chat that is open. */
export interface OpenScreenApp extends ScreenApp {
  /** A word on the rule, until the next key. */
  note(text: string): void;
  togglePanel(): void;
  /**
   * Reads one line for something else than a message: the draft is put aside meanwhile. Null where it was left with Escape. Where the person does not
   * expect it, what is typed in the first moment still belongs to the draft.
   */
  readLine(label: string, signal: AbortSignal, when?: "expected" | "unexpected"): Promise<string | null>;
}

/** So high that a question does not need every row. */
const AIRY_ROWS = 12;
/** In a low window so many rows are left to a question, and to what is said just now. */
const LEAST_ROWS = { question: 4, live: 1 };
const LEAVING_MS = 2000;
const TWICE_MS = 600;
const BUSY_HINT = "type ahead: it is sent when this turn ends";
const IDLE_HINT = "what shall be done?  / commands  @ files  ! runs a command";

export function createScreenApp(parts: ScreenParts): OpenScreenApp {
  const { screen, questions, menu, views } = parts;
  const { draft, recall, writer, waiting } = screen;
  let note = "";
  let leavingUntil = 0;
  let escapedAt = Number.NEGATIVE_INFINITY;
  let isPanel = false;
  let reading: { readonly label: string; before: string; readonly from: number; end(text: string | null): void } | null = null;

  const draw = (width: number, height: number): LiveFrame => {
    const theme = screen.theme();
    const asked = questions.current();
    const most = Math.max(1, height - 1 - (asked ? LEAST_ROWS.question : LEAST_ROWS.live));
    const input = inputLines(
      {
        draft,
        hint: reading ? "" : parts.isBusy() ? BUSY_HINT : IDLE_HINT,
        label: reading?.label ?? recall.label(),
        note: performance.now() < leavingUntil ? LEAVING : note,
        most: Math.max(1, Math.min(MOST_TYPED_LINES, most - 2)),
      },
      width,
      theme,
    );
    // A low window loses the status line first, then the rule.
    const isRuled = input.lines.length <= most;
    const typedLines = isRuled ? input.lines : input.lines.slice(1);
    const status = typedLines.length < most ? [parts.status(width - 1)] : [];
    const offered = menu.lines(width - 1, theme, most - typedLines.length - status.length);
    const below = [...offered, ...typedLines, ...status];
    const room = Math.max(1, height - 1 - below.length);
    const [gap, queued] =
      asked && room >= AIRY_ROWS
        ? [
            [""],
            queuedLines(
              waiting.map(({ text }) => text),
              width - 1,
              theme,
            ),
          ]
        : [[], []];
    const left = Math.max(1, room - gap.length - queued.length);
    const upper = asked
      ? [...gap, ...questionWindow(asked, questions.waiting(), { columns: width - 1, rows: left }, theme), ...queued]
      : [...parts.live(width - 1), ...(isPanel ? parts.panel(width - 1) : [])];
    const above = upper.slice(Math.max(0, upper.length - room));
    const [row, column] = input.cursor!;
    return {
      lines: [...above, ...below],
      cursor: asked?.state === "armed" && !reading ? null : [above.length + offered.length + row - (isRuled ? 0 : 1), column],
    };
  };

  const takeBack = () => {
    const all = [...waiting.splice(0).map(({ text }) => text), ...(draft.text() === "" ? [] : [draft.whole()])];
    draft.set(all.map((text) => draft.shown(text)).join("\n"));
  };
  const goBack = () => {
    const isTwice = performance.now() - escapedAt < TWICE_MS;
    escapedAt = performance.now();
    if (reading) reading.end(null);
    else if (waiting.length > 0) takeBack();
    else if (parts.isBusy()) parts.stop();
    else if (isPanel) isPanel = false;
    else if (isTwice && draft.text() === "") parts.rewind();
    else if (draft.text() === "") note = "Esc again goes back to an earlier message";
  };
  const interrupt = () => {
    menu.hide();
    if (draft.text() !== "") return draft.set("");
    if (reading) return reading.end(null);
    if (parts.isStopping()) return parts.leaveAtOnce();
    if (parts.isBusy()) return parts.stop();
    if (performance.now() < leavingUntil) return parts.leave();
    leavingUntil = performance.now() + LEAVING_MS;
    setTimeout(() => writer.refresh(), LEAVING_MS + 10).unref();
  };
  const enter = () => {
    if (reading) return reading.end(draft.whole());
    const before = waiting.length;
    finishMessage(screen);
    if (waiting.length > before) parts.submitted();
  };
  const page = (asked: AskedQuestion, by: 1 | -1) => {
    asked.top = Math.max(0, asked.top + by * Math.max(1, asked.shown - 1));
  };
  /** `t`: a no, and the model reads why. */
  const giveReason = async (asked: AskedQuestion) => {
    const reason = await readLine("why not: ", new AbortController().signal);
    if (reason !== null) questions.refuse(asked, reason);
  };
  const ofQuestion = (key: Key): boolean => {
    const asked = questions.current();
    if (!asked || reading || key.name === "ctrl-c") return false;
    const meant = questions.key(key);
    if (meant === "typed") return false;
    if (meant === "stop") parts.stop();
    else if (meant === "explain") parts.explain(asked);
    else if (meant === "page-down") page(asked, 1);
    else if (meant === "page-up") page(asked, -1);
    else if (meant === "not-seen") note = "PgDn first: there is more of it";
    else if (meant === "reason") void giveReason(asked);
    return true;
  };
  const readLine: OpenScreenApp["readLine"] = (label, signal, when = "expected") =>
    new Promise((resolve) => {
      if (signal.aborted || reading) return resolve(null);
      const end = (text: string | null) => {
        if (reading?.end !== end) return;
        signal.removeEventListener("abort", aborted);
        draft.set(reading.before);
        reading = null;
        resolve(text);
        writer.refresh();
      };
      const aborted = () => end(null);
      signal.addEventListener("abort", aborted);
      reading = { label, before: draft.text(), from: performance.now() + (when === "unexpected" ? RESTING_MS : 0), end };
      draft.set("");
      writer.refresh();
    });
  const typed = (key: Key) => {
    if (recall.label() !== null && recall.key(key)) return;
    if (key.name === "paste-too-long") {
      note = "That is more than can be pasted here. Put it into a file and name the file.";
      return;
    }
    if (reading && performance.now() < reading.from && ["text", "paste", "enter"].includes(key.name)) {
      reading.before += key.text ?? "";
      return;
    }
    if (parts.command(key.name)) return;
    // Before a question: Tab completes what is being typed, and the next letter belongs to it.
    const offered = menu.key(key);
    if (offered === "taken") return;
    if (offered === "send") return enter();
    if (ofQuestion(key)) return;
    if (key.name === "escape") goBack();
    else if (key.name === "ctrl-c") interrupt();
    else if (key.name === "ctrl-d" && draft.text() === "") parts.leave();
    else if (recall.key(key)) menu.hide();
    else if (key.name === "enter") enter();
    else draft.key(key);
    // Not while something is walked through or asked for.
    if (!reading && key.name !== "up" && key.name !== "down" && key.name !== "escape") menu.look();
  };
  return {
    draw,
    resized: views.paint,
    ended: parts.leave,
    readLine,
    note(text) {
      note = text;
      writer.refresh();
    },
    togglePanel() {
      isPanel = !isPanel;
      writer.refresh();
    },
    key(key) {
      parts.heard(key);
      if (key.name === "focus-in" || key.name === "focus-out") return;
      if (views.key(key)) return;
      note = "";
      if (key.name !== "ctrl-c") leavingUntil = 0;
      typed(key);
      writer.refresh("now");
    },
  };
}
