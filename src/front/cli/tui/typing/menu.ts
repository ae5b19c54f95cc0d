import type { Theme } from "../theme.ts";
import { searchFuzzily } from "../view/fuzzy.ts";
import { type MenuItem, menuLines } from "../view/menu.ts";
import type { DraftEditor } from "./draft-editor.ts";
import type { Key } from "./keys.ts";

/** Something that can be typed at the cursor. */
export interface MenuChoice extends MenuItem {
  /** Nothing has to be typed behind it. */
  readonly isWhole: boolean;
}

/** The list below which one types: commands behind `/`, files behind `@`. */
export interface Menu {
  /** Looks at what is typed now. */
  look(): void;
  /** `taken`: the key was the menu's. `send`: what was chosen is complete, and Enter sends it. */
  key(key: Key): "taken" | "send" | null;
  hide(): void;
  /** At most so many rows. */
  lines(width: number, theme: Theme, rows: number): string[];
}

export interface MenuSources {
  commands(): readonly MenuChoice[];
  files(): readonly string[];
  /** How a command or an address of a server goes on, for the tab key: the choices, and what they replace. */
  more(before: string): Promise<readonly [choices: readonly string[], replaced: string]>;
  /** What was asked for has come. */
  arrived(): void;
}

/** A command with something behind it, or a resource of a server. */
const GOES_ON = /^\/\S+\s|(?:^|\s)@[\w-]+:\S*$/;

/** An address of a server that is typed already up to its scheme: only what begins like this is meant. */
const WITH_SCHEME = /^[\w-]+:[a-z][a-z0-9+.-]*:/i;

const MOST = 200;

export function createMenu(draft: DraftEditor, { commands, files, more, arrived }: MenuSources): Menu {
  let items: readonly MenuChoice[] = [];
  let from = 0;
  let at = 0;
  /** What was typed when Escape closed it: it stays closed until something else is typed. */
  let closedAt: string | null = null;
  const offer = (before: string): readonly MenuChoice[] => {
    const command = /^\/([\w.:-]*)$/.exec(before);
    if (command) {
      from = 0;
      return searchFuzzily(command[1]!, commands(), ({ name }) => name.slice(1), MOST);
    }
    const file = /(?:^|\s)@(\S*)$/.exec(before);
    if (!file) return [];
    from = before.length - file[1]!.length - 1;
    const typed = file[1]!;
    const fitting = WITH_SCHEME.test(typed) ? files().filter((name) => name.startsWith(typed)) : files();
    return searchFuzzily(typed, fitting, (name) => name, MOST).map((name) => ({ name: `@${name}`, isWhole: true }));
  };
  const hide = () => {
    items = [];
    at = 0;
  };
  const take = (): boolean => {
    const { name, isWhole } = items[at]!;
    draft.replaceFrom(from, /[=:/]$/.test(name) ? name : `${name} `);
    hide();
    return isWhole && name.startsWith("/");
  };
  /** Nobody waits for it: what is typed meanwhile comes first. */
  const ask = async (before: string): Promise<void> => {
    const [choices, replaced] = await more(before);
    if (draft.before() !== before || choices.length === 0) return;
    from = before.length - replaced.length;
    items = choices.slice(0, MOST).map((name) => ({ name, isWhole: false }));
    at = 0;
    if (items.length === 1) take();
    arrived();
  };
  return {
    hide,
    look() {
      const before = draft.before();
      if (before === closedAt) return;
      closedAt = null;
      items = offer(before);
      at = Math.min(at, Math.max(0, items.length - 1));
      // What is typed is all there is to offer.
      if (items.length === 1 && items[0]!.name === before.slice(from)) items = [];
    },
    key({ name }) {
      if (items.length === 0 && name === "tab" && GOES_ON.test(draft.before())) {
        void ask(draft.before()).catch(() => {});
        return "taken";
      }
      if (items.length === 0) return null;
      if (name === "up" || name === "down") at = (at + (name === "up" ? -1 : 1) + items.length) % items.length;
      else if (name === "tab") take();
      else if (name === "enter") return take() ? "send" : "taken";
      else if (name === "escape") {
        closedAt = draft.before();
        hide();
      } else return null;
      return "taken";
    },
    lines: (width, theme, rows) => (items.length === 0 || rows < 1 ? [] : menuLines(items, at, width, theme, rows)),
  };
}
