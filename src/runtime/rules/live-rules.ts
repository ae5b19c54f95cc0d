import type { Rulebook } from "./rulebook.ts";

/** The rules in force. They are read before the gates are built from them; `replace` is for the gates alone. */
export interface LiveRules {
  readonly book: Rulebook;
  replace(book: Rulebook): void;
}

export function createLiveRules(first: Rulebook): LiveRules {
  let book = first;
  return {
    get book() {
      return book;
    },
    replace(next) {
      book = next;
    },
  };
}
