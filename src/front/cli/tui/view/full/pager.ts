import { bounded } from "../../../../../text/visible.ts";
import { withoutStyles } from "../../../../../text/width/columns.ts";
import type { Theme } from "../../theme.ts";
import { wrapLine } from "../../width.ts";
import { shownLine } from "../shown-text.ts";
import { bodyHeight, type FullView, framed, type KeyEffect, keyWord, type ViewKey } from "./full-view.ts";

/** A text to page through. Its lines may hold our own colours, and nothing else that a terminal obeys. */
export interface PagedText {
  readonly title: string;
  /** The lines for a width; asked for again when the width changes. A line that is too wide is broken. */
  lines(width: number): readonly string[];
  /** Further keys and what they do, for the line below. */
  readonly keys?: string;
  /** Keys of its own, before the pager's. Null: the pager takes it. */
  key?(word: string): KeyEffect | null;
}

const LONGEST_QUERY = 200;

/** Arrows, PgUp, PgDn, g, G move; / searches, n and N go on; q and Esc close. */
export function createPager(text: PagedText, theme: Theme): FullView {
  let drawn: { readonly width: number; readonly lines: readonly string[] } | null = null;
  let top = 0;
  let page = 1;
  /** What is typed after the slash; null when nothing is. */
  let typed: string | null = null;
  let query = "";
  let isMissing = false;
  const linesFor = (width: number): readonly string[] => {
    if (drawn?.width !== width) drawn = { width, lines: text.lines(width).flatMap((line) => wrapLine(line, width, { hard: true })) };
    return drawn.lines;
  };
  const last = () => Math.max(0, (drawn?.lines.length ?? 0) - page);
  const move = (to: number): KeyEffect => {
    top = Math.max(0, Math.min(to, last()));
    return "redraw";
  };
  const has = (line: string) => query !== "" && withoutStyles(line).toLowerCase().includes(query.toLowerCase());
  const find = (from: number, step: 1 | -1): KeyEffect => {
    const all = drawn?.lines ?? [];
    isMissing = query !== "";
    for (let n = 0; n < all.length && isMissing; n++) {
      const at = (((from + n * step) % all.length) + all.length) % all.length;
      if (!has(all[at]!)) continue;
      isMissing = false;
      found = at;
      move(at - Math.floor(page / 3));
    }
    return "redraw";
  };
  let found = 0;
  const type = ({ name, text: letters = "" }: ViewKey): KeyEffect => {
    if (name === "text" || name === "paste") typed = bounded(typed! + letters.replace(/\s+/g, " "), LONGEST_QUERY);
    else if (name === "backspace") typed = typed === "" ? null : [...typed!].slice(0, -1).join("");
    else if (name === "enter") {
      query = typed!;
      typed = null;
      return find(top, 1);
    } else if (name === "escape" || name === "ctrl-c") typed = null;
    else return "nothing";
    return "redraw";
  };
  const moves: Readonly<Record<string, () => KeyEffect>> = {
    up: () => move(top - 1),
    down: () => move(top + 1),
    k: () => move(top - 1),
    j: () => move(top + 1),
    pageup: () => move(top - page),
    pagedown: () => move(top + page),
    " ": () => move(top + page),
    b: () => move(top - page),
    home: () => move(0),
    g: () => move(0),
    end: () => move(last()),
    G: () => move(last()),
    n: () => find(found + 1, 1),
    N: () => find(found - 1, -1),
    q: () => "close",
    escape: () => "close",
    "ctrl-c": () => "close",
    "/": () => {
      typed = "";
      isMissing = false;
      return "redraw";
    },
  };
  return {
    get title() {
      return text.title;
    },
    lines(width, height) {
      const all = linesFor(width);
      page = bodyHeight(height);
      top = Math.min(top, last());
      const shown = all.slice(top, top + page).map((line) => (has(line) ? markFound(line, query, theme) : line));
      const place = all.length <= page ? "" : `${Math.min(all.length, top + page)} of ${all.length}`;
      const keys =
        typed !== null
          ? `/${shownLine(typed, theme.signs)}`
          : isMissing
            ? `"${shownLine(query, theme.signs)}" is not there`
            : keysText(text);
      return framed(shown, { title: shownLine(text.title, theme.signs), place, keys }, width, height, theme);
    },
    key(key) {
      if (typed !== null) return type(key);
      // Who types fast, or over a slow line, sends the slash and the word together.
      if (key.name === "text" && key.text!.length > 1 && key.text!.startsWith("/")) {
        moves["/"]!();
        return type({ name: "text", text: key.text!.slice(1) });
      }
      const word = keyWord(key);
      const own = text.key?.(word);
      if (own) return own;
      return key.name === "paste" ? "nothing" : (moves[word]?.() ?? "nothing");
    },
  };
}

const keysText = ({ keys }: PagedText): string => `q back  / search  ${keys === undefined ? "" : `${keys}  `}n N  PgUp PgDn  Home End`;

/** A line that has it, without its colours, so that the word can be marked. */
function markFound(line: string, query: string, { addMark }: Theme): string {
  const bare = withoutStyles(line);
  const lower = bare.toLowerCase();
  // Where letters grow when they are made small the places are not those of the line.
  if (lower.length !== bare.length) return addMark(bare);
  let out = "";
  let at = 0;
  for (let next = lower.indexOf(query.toLowerCase()); next !== -1; next = lower.indexOf(query.toLowerCase(), at)) {
    out += bare.slice(at, next) + addMark(bare.slice(next, next + query.length));
    at = next + query.length;
  }
  return out + bare.slice(at);
}
