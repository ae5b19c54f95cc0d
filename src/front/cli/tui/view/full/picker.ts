import { bounded } from "../../../../../text/visible.ts";
import type { Theme } from "../../theme.ts";
import { columnsOfLine } from "../../width.ts";
import { searchFuzzily } from "../fuzzy.ts";
import { menuEntry } from "../menu.ts";
import { shownLine } from "../shown-text.ts";
import { bodyHeight, type FullView, framed, type KeyEffect, type ViewKey } from "./full-view.ts";

/** Something that can be chosen. */
export interface PickerItem<T> {
  readonly name: string;
  /** Beside the name. What is typed is looked for in both. */
  readonly help?: string;
  readonly value: T;
}

/** A list to choose from. */
export interface PickedList<T> {
  readonly title: string;
  /** Asked for again whenever it is drawn: the list may change while it is open. */
  items(): readonly PickerItem<T>[];
  /** What stands there when there are none. */
  readonly empty: string;
  /** What Enter does, in a word. */
  readonly enter: string;
  choose(value: T): KeyEffect;
  /** Other keys and what they do to the chosen one. Letters search, so these are no letters. */
  readonly actions?: readonly { readonly key: string; readonly label: string; act(value: T): KeyEffect }[];
  /** A line drawn by the caller, in place of name and help. */
  draw?(value: T, width: number): string;
  /** Begins at the last one. */
  readonly from?: "first" | "last";
}

const LONGEST_QUERY = 100;
const WIDEST_NAME = 40;

/** Letters search fuzzily, arrows move, Enter chooses, Esc takes the search back and then closes. */
export function createPicker<T>(list: PickedList<T>, theme: Theme): FullView {
  let query = "";
  let at = list.from === "last" ? Number.POSITIVE_INFINITY : 0;
  let page = 1;
  let top = 0;
  const found = (): readonly PickerItem<T>[] => searchFuzzily(query, list.items(), ({ name, help = "" }) => `${name} ${help}`);
  const place = (items: readonly PickerItem<T>[]) => Math.max(0, Math.min(at, items.length - 1));
  const move = (by: number): KeyEffect => {
    const items = found();
    at = Math.max(0, Math.min(place(items) + by, items.length - 1));
    return "redraw";
  };
  const search = (next: string): KeyEffect => {
    query = bounded(next, LONGEST_QUERY);
    at = 0;
    return "redraw";
  };
  const keys: Readonly<Record<string, () => KeyEffect>> = {
    up: () => move(-1),
    "ctrl-p": () => move(-1),
    down: () => move(1),
    "ctrl-n": () => move(1),
    pageup: () => move(-page),
    pagedown: () => move(page),
    home: () => move(Number.NEGATIVE_INFINITY),
    end: () => move(Number.POSITIVE_INFINITY),
    backspace: () => search([...query].slice(0, -1).join("")),
    "ctrl-u": () => search(""),
    "ctrl-c": () => "close",
    escape: () => (query === "" ? "close" : search("")),
  };
  return {
    title: list.title,
    lines(width, height) {
      const items = found();
      page = Math.max(1, bodyHeight(height) - 1);
      const chosen = place(items);
      top = Math.max(0, Math.min(Math.max(top, chosen - page + 1), chosen, Math.max(0, items.length - page)));
      const body = items.slice(top, top + page).map((item, n) => itemLine(item, n + top === chosen, items, width));
      const nothing = theme.dim(`   ${query === "" ? list.empty : "nothing fits"}`);
      const searched = query === "" ? theme.dim(" type to search") : ` ${theme.accent("search")} ${shownLine(query, theme.signs)}`;
      const frame = { title: list.title, place: items.length === 0 ? "" : `${chosen + 1} of ${items.length}`, keys: keysText() };
      return framed([searched, ...(items.length === 0 ? [nothing] : body)], frame, width, height, theme);
    },
    key({ name, text = "" }: ViewKey): KeyEffect {
      if (name === "text") return query === "" && text === "q" && list.items().length === 0 ? "close" : search(query + text);
      const items = found();
      const item = items[place(items)];
      const action = list.actions?.find((one) => one.key === name);
      if (action) return item ? action.act(item.value) : "nothing";
      if (name === "enter") return item ? list.choose(item.value) : "nothing";
      return keys[name]?.() ?? "nothing";
    },
  };

  function itemLine({ name, help = "", value }: PickerItem<T>, isChosen: boolean, items: readonly PickerItem<T>[], width: number): string {
    const { accent, signs } = theme;
    if (list.draw) return ` ${isChosen ? accent(signs.chosen) : " "} ${list.draw(value, Math.max(1, width - 3))}`;
    const shown = items.slice(top, top + page).map((item) => columnsOfLine(shownLine(item.name, signs)));
    const columns = Math.min(WIDEST_NAME, Math.max(1, ...shown), Math.max(8, Math.floor(width / 2)));
    return menuEntry(shownLine(name, signs), shownLine(help, signs), isChosen, columns, width, theme);
  }
  function keysText(): string {
    const own = (list.actions ?? []).map(({ key, label }) => `${key} ${label}`);
    return ["Up Down", `Enter ${list.enter}`, ...own, "Esc back"].join("  ");
  }
}
