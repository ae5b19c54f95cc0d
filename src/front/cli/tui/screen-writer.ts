import { columnsOfLine, cutLine, endsPlain } from "./width.ts";

/** The lines at the bottom of the main screen, and where the cursor stands in them; null hides it. */
export interface LiveFrame {
  readonly lines: readonly string[];
  readonly cursor: readonly [row: number, column: number] | null;
}

/**
 * The main screen. What is finished is written once and belongs to the terminal's scrollback; the few lines below it are live, and only those of
 * them that changed are written. Nothing above them is touched, and the screen is never cleared.
 */
export interface ScreenWriter {
  size(): { readonly columns: number; readonly rows: number };
  /** Finished lines, above everything that is live. A line may be wider than the window: then it can be copied as one. */
  commit(lines: readonly string[]): void;
  /** Draws the live lines. `now`: a key was typed, and nobody waits for the next frame. */
  refresh(when?: "now"): void;
  /** A view that fills the window, on the terminal's other screen. Null goes back: the chat is as it was. */
  paint(lines: readonly string[] | null): void;
  /** Sends what draws nothing: the bell, a notification. */
  ring(text: string): void;
  /** The terminal was somebody else's: everything live is drawn anew below what is there. */
  redraw(): void;
  /** Takes the live lines away; what was finished stays. `redraw` brings them back. */
  withdraw(): void;
  close(): void;
}

/** A terminal as far as this writes to it. */
export interface ScreenOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
  /** Node asks the system for the size only when a signal comes; this asks at once, and emits `resize` where it is another one. */
  _refreshSize?(): void;
}

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";
const ERASE_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const OTHER_SCREEN = "\u001b[?1049h";
const MAIN_SCREEN = "\u001b[?1049l";
const FRAME_MS = 34;
/** tmux lays lines out anew up to 250 ms before it tells. Whoever counts rows earlier may count those of another width, and erase what is finished. */
const RESIZED_MS = 260;

const up = (n: number): string => (n > 0 ? `\u001b[${n}A` : "");
const down = (n: number): string => (n > 0 ? `\u001b[${n}B` : "");
const right = (n: number): string => (n > 0 ? `\u001b[${n}C` : "");
const moved = (from: number, to: number): string => (from > to ? up(from - to) : down(to - from));

export function openScreenWriter(out: ScreenOutput, draw: (columns: number, rows: number) => LiveFrame): ScreenWriter {
  /** The live lines as they are on the screen, and where the cursor is. */
  let live: readonly string[] = [];
  let row = 0;
  let column = 0;
  let isHidden = false;
  let finished: string[] = [];
  let painted: readonly string[] | null = null;
  let isAway = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let resizing: NodeJS.Timeout | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const size = () => ({ columns: out.columns || 80, rows: out.rows || 24 });

  /** Finished lines, and below them all that is live. Its old lines are overwritten one by one, so that nothing flashes. */
  const writeFinished = (lines: readonly string[], columns: number): string => {
    // A line that goes on in the next row leaves what stood there at its end: then everything is erased first.
    const isWide = finished.some((line) => columnsOfLine(line) > columns);
    // Erased before the text and not after it: tmux takes erased cells behind a text for a part of it, and wraps them when the window shrinks.
    const erase = isWide ? "" : ERASE_LINE;
    const text = `${up(row)}\r${isWide ? ERASE_BELOW : ""}${finished.map((line) => `${erase}${line}\r\n`).join("")}`;
    finished = [];
    row = Math.max(0, lines.length - 1);
    const rest = lines.length > 0 ? `\r\n${ERASE_BELOW}${up(1)}` : ERASE_BELOW;
    return `${text}${lines.map((line) => ERASE_LINE + line).join("\r\n")}${!isWide && live.length > lines.length ? rest : ""}`;
  };
  const writeChanged = (lines: readonly string[]): string => {
    let text = "";
    for (const [n, line] of lines.entries()) {
      const before = live[n];
      if (line === before) continue;
      // A new row is made below the last one; going down alone would stop at the window's edge.
      text += before === undefined && n > 0 ? `${moved(row, n - 1)}\r\n` : moved(row, n);
      row = n;
      const isLonger = before !== undefined && before !== "" && line.startsWith(before) && endsPlain(before);
      text += isLonger ? `\r${right(columnsOfLine(before))}${line.slice(before.length)}` : `\r${ERASE_LINE}${line}`;
    }
    if (lines.length < live.length) {
      const end = Math.max(0, lines.length - 1);
      text += moved(row, end) + (lines.length > 0 ? `\r\n${ERASE_BELOW}${up(1)}` : `\r${ERASE_BELOW}`);
      row = end;
    }
    return text;
  };
  const frame = () => {
    clearTimeout(timer);
    timer = undefined;
    if (isAway || painted || isClosed) return;
    out._refreshSize?.();
    if (resizing) return;
    last = performance.now();
    const { columns, rows } = size();
    const next = draw(columns, rows);
    // Never as high as the window: then a line above would have to be drawn again, and cannot be.
    const lines = next.lines.slice(0, rows - 1).map((line) => cutLine(line, columns - 1, ""));
    const [wasRow, wasColumn, wasHidden] = [row, column, isHidden];
    let text = finished.length > 0 ? writeFinished(lines, columns) : writeChanged(lines);
    live = lines;
    const isChanged = text !== "";
    isHidden = next.cursor === null;
    if (next.cursor) {
      const to = Math.min(next.cursor[0], Math.max(0, lines.length - 1));
      column = Math.min(next.cursor[1], columns - 1);
      if (isChanged || to !== wasRow || column !== wasColumn) text += `${moved(row, to)}\r${right(column)}`;
      row = to;
    }
    if (!isChanged && text === "" && isHidden === wasHidden) return;
    out.write(`${BEGIN}${HIDE}${text}${isHidden ? "" : SHOW}${END}`);
  };
  const refresh = (when?: "now") => {
    if (when === "now") frame();
    else timer ??= setTimeout(frame, Math.max(0, FRAME_MS - (performance.now() - last)));
  };
  /** The terminal has laid the old lines out anew: they may take more rows now. */
  const erased = (): string => {
    const { columns } = size();
    const rowsOf = (line: string) => Math.max(1, Math.ceil(columnsOfLine(line) / columns));
    const above = live.slice(0, row).reduce((sum, line) => sum + rowsOf(line), 0) + Math.floor(column / columns);
    live = [];
    row = 0;
    column = 0;
    return `${up(above)}\r${ERASE_BELOW}`;
  };
  const paintRows = (lines: readonly string[]) => {
    const { columns, rows } = size();
    const next = Array.from({ length: rows }, (_, n) => cutLine(lines[n] ?? "", columns - 1));
    const changed = next.flatMap((line, n) => (line === painted?.[n] ? [] : [`\u001b[${n + 1};1H${ERASE_LINE}${line}`]));
    painted = next;
    if (changed.length > 0) out.write(`${BEGIN}${changed.join("")}${END}`);
  };
  const onResize = () => {
    if (isAway || isClosed) return;
    if (painted) {
      painted = [];
      return;
    }
    clearTimeout(resizing);
    resizing = setTimeout(settle, RESIZED_MS);
  };
  /** The window keeps its size. */
  const settle = () => {
    resizing = undefined;
    out._refreshSize?.();
    if (isAway || painted || isClosed || resizing) return;
    out.write(`${BEGIN}${erased()}${END}`);
    frame();
  };
  out.on("resize", onResize);
  return {
    size,
    commit(lines) {
      if (isClosed) return;
      finished.push(...lines);
      refresh();
    },
    refresh,
    paint(lines) {
      if (lines) {
        if (!painted) out.write(`${OTHER_SCREEN}${HIDE}`);
        return paintRows(lines);
      }
      if (!painted) return;
      painted = null;
      out.write(`${MAIN_SCREEN}${isHidden ? "" : SHOW}`);
      // The window may have another size now.
      settle();
    },
    ring(text) {
      if (!isClosed && !isAway) out.write(text);
    },
    redraw() {
      isAway = false;
      clearTimeout(resizing);
      resizing = undefined;
      live = [];
      row = 0;
      column = 0;
      frame();
    },
    withdraw() {
      if (isAway || isClosed) return;
      if (painted) out.write(MAIN_SCREEN);
      painted = null;
      frame();
      isAway = true;
      out.write(`${erased()}${SHOW}`);
    },
    close() {
      if (isClosed) return;
      clearTimeout(timer);
      clearTimeout(resizing);
      resizing = undefined;
      if (painted) out.write(MAIN_SCREEN);
      painted = null;
      if (!isAway) {
        frame();
        out.write(`${erased()}${SHOW}`);
      }
      isClosed = true;
      out.off("resize", onResize);
    },
  };
}
