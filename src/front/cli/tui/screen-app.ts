import { type ChatScreen, finishMessage, LEAVING, type ScreenApp } from "./chat-screen.ts";
import type { DraftEditor } from "./draft-editor.ts";
import { inputLines } from "./input-lines.ts";
import type { Key } from "./keys.ts";
import type { QuestionDesk } from "./question-desk.ts";
import type { LiveFrame } from "./screen-writer.ts";

/** What the screen shows and what its keys do, besides typing. */
export interface ScreenParts {
  readonly screen: ChatScreen;
  readonly desk: QuestionDesk;
  /** What is said and done just now. */
  live(width: number): readonly string[];
  panel(width: number): readonly string[];
  question(width: number, height: number): readonly string[];
  status(width: number): string;
  isBusy(): boolean;
  /** A message was finished. */
  submitted(): void;
  stop(): void;
  leave(): void;
  /** Keys that open something or change a setting; false where it is none of them. */
  command(name: string): boolean;
  /** Every gate's word about the call in question. */
  explain(): Promise<void>;
}

/** The screen of a chat that is open. */
export interface OpenScreenApp extends ScreenApp {
  /** A word on the rule, until the next key. */
  note(text: string): void;
  togglePanel(): void;
  /** Reads one line for something else than a message: the draft is put aside meanwhile. Null where it was left with Escape. */
  readLine(label: string, signal: AbortSignal): Promise<string | null>;
}

const LEAVING_MS = 2000;
const BUSY_HINT = "type ahead: it is sent when this turn ends";
const IDLE_HINT = "what shall be done?  / commands  @ files";

export function createScreenApp(parts: ScreenParts): OpenScreenApp {
  const { screen, desk } = parts;
  const { draft, recall, writer, waiting } = screen;
  let note = "";
  let leavingUntil = 0;
  let isPanel = false;
  let reading: { readonly label: string; readonly before: string; end(text: string | null): void } | null = null;

  const draw = (width: number, height: number): LiveFrame => {
    const theme = screen.theme();
    const asked = desk.current();
    const input = inputLines(
      {
        draft,
        hint: reading ? "" : parts.isBusy() ? BUSY_HINT : IDLE_HINT,
        label: reading?.label ?? recall.label(),
        note: performance.now() < leavingUntil ? LEAVING : note,
      },
      width,
      theme,
    );
    const queue = waiting.map((text) => theme.dim(`  next: ${text.replace(/\s+/g, " ").slice(0, width)}  (Esc takes it back)`));
    const below = [...queue, ...input.lines, parts.status(width - 1)];
    const room = Math.max(3, height - 1 - below.length);
    const upper = asked ? parts.question(width, room) : [...parts.live(width), ...(isPanel ? parts.panel(width - 1) : [])];
    const above = upper.slice(Math.max(0, upper.length - room));
    const cursorRow = above.length + queue.length + input.cursor![0];
    return { lines: [...above, ...below], cursor: asked?.state === "armed" ? null : [cursorRow, input.cursor![1]] };
  };

  const takeBack = () => {
    const all = [...waiting.splice(0), ...(draft.text() === "" ? [] : [draft.text()])];
    draft.set(all.map((text) => draft.shown(text)).join("\n"));
  };
  const goBack = () => {
    if (reading) return reading.end(null);
    if (isPanel && !parts.isBusy()) isPanel = false;
    else if (waiting.length > 0) takeBack();
    else if (parts.isBusy()) parts.stop();
  };
  const interrupt = () => {
    if (draft.text() !== "") return draft.set("");
    if (reading) return reading.end(null);
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
  const ofQuestion = (key: Key): boolean => {
    const asked = desk.current();
    if (!asked || reading || key.name === "ctrl-c") return false;
    switch (desk.key(key)) {
      case "typed":
        return false;
      case "stop":
        parts.stop();
        break;
      case "explain":
        void parts.explain();
        break;
      case "page-down":
        asked.top += Math.max(1, writer.size().rows - 10);
        break;
      case "page-up":
        asked.top = Math.max(0, asked.top - Math.max(1, writer.size().rows - 10));
        break;
      case "not-seen":
        note = "PgDn first: there is more of it";
        break;
      case "reason":
        void giveReason(asked);
        break;
    }
    return true;
  };
  const readLine: OpenScreenApp["readLine"] = (label, signal) =>
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
      reading = { label, before: draft.text(), end };
      draft.set("");
      writer.refresh();
    });
  /** `t`: a no, and the model reads why. */
  const giveReason = async (asked: NonNullable<ReturnType<QuestionDesk["current"]>>) => {
    const reason = await readLine("why not: ", new AbortController().signal);
    if (reason !== null) desk.refuse(asked, reason);
  };
  const typed = (key: Key) => {
    if (recall.label() !== null && recall.key(key)) return;
    if (parts.command(key.name)) return;
    if (ofQuestion(key)) return;
    if (key.name === "escape") goBack();
    else if (key.name === "ctrl-c") interrupt();
    else if (key.name === "ctrl-d" && draft.text() === "") parts.leave();
    else if (recall.key(key)) return;
    else if (key.name === "enter") enter();
    else editorKey(draft, key);
  };
  return {
    draw,
    resized() {},
    ended: parts.leave,
    readLine,
    note(text) {
      note = text;
      writer.refresh();
    },
    togglePanel() {
      isPanel = !isPanel;
    },
    key(key) {
      if (key.name === "focus-in" || key.name === "focus-out") return;
      note = "";
      if (key.name !== "ctrl-c") leavingUntil = 0;
      typed(key);
      writer.refresh("now");
    },
  };
}

const editorKey = (draft: DraftEditor, key: Key): void => void draft.key(key);
