import type { Config } from "../../../config/schema.ts";
import { FIRST_NOTICE_STATE, keepTitle, type NoticeEvent, noticeAfter, restoreTitle, showTitle } from "./notify.ts";
import type { ScreenWriter } from "./screen-writer.ts";
import type { Key } from "./typing/keys.ts";

/** Calls for the person when the chat waits behind another window, and says in the window's title what it does. */
export interface ScreenNotices {
  key(key: Key): void;
  tell(event: NoticeEvent): void;
  title(text: string): void;
  close(): void;
}

export function openScreenNotices({ ring }: Pick<ScreenWriter, "ring">, ui: Pick<Config["ui"], "notify" | "title">): ScreenNotices {
  const wish = { notify: ui.notify, title: ui.title, env: process.env };
  let state = FIRST_NOTICE_STATE;
  let shown = "";
  const send = (bytes: string) => {
    if (bytes !== "") ring(bytes);
  };
  const tell = (event: NoticeEvent) => {
    const next = noticeAfter(state, event, wish);
    state = next.state;
    send(next.bytes);
  };
  send(keepTitle(wish));
  return {
    tell,
    key: ({ name }) => tell({ type: name === "focus-in" || name === "focus-out" ? name : "key" }),
    title(text) {
      if (text === shown) return;
      shown = text;
      send(showTitle(text, wish));
    },
    close: () => send(restoreTitle(wish)),
  };
}
