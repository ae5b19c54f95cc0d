/** Ctrl-R: looks backwards through what was typed. */
export interface HistorySearch {
  /** Takes the keys of a search out of what was typed; what is left goes on to the line editor. */
  keys(text: string): string | null;
}

export interface SearchedHistory {
  /** Newest first. */
  entries(): readonly string[];
  line(): string;
  /** Null for the usual prompt. */
  show(prompt: string | null, line: string): void;
}

interface State {
  readonly before: string;
  readonly query: string;
  /** The entry it stands at; -1 before the first. */
  readonly at: number;
}

const CTRL_R = "\u0012";
const CANCEL = ["\u0003", "\u0007", "\u001b"];
const DELETE = ["\u007f", "\b"];
const LONGEST = 40;

export function createHistorySearch({ entries, line, show }: SearchedHistory): HistorySearch {
  let state: State | null = null;
  const draw = ({ before, query, at }: State) => {
    const found = entries()[at];
    show(`(${found === undefined && query !== "" ? "not found" : "search"}: ${query}) `, found ?? before);
  };
  /** The next entry from there on that has it. */
  const look = (next: State, from: number) => {
    const at = next.query === "" ? -1 : entries().findIndex((entry, n) => n >= from && entry.includes(next.query));
    state = { ...next, at };
    draw(state);
  };
  const end = (text: string) => {
    state = null;
    show(null, text);
  };
  const one = (char: string): boolean => {
    const { before, query, at } = state!;
    if (char === CTRL_R) look(state!, at + 1);
    else if (CANCEL.includes(char)) end(before);
    else if (DELETE.includes(char)) look({ before, query: query.slice(0, -1), at }, 0);
    else if (!/\p{Cc}/u.test(char)) look({ before, query: (query + char).slice(0, LONGEST), at }, Math.max(0, at));
    else {
      end(line());
      return false;
    }
    return true;
  };
  return {
    keys(text) {
      if (!state && !text.startsWith(CTRL_R)) return text;
      // The sequence of a key such as an arrow ends the search; it is no Escape.
      if (state && text.length > 1 && text.startsWith("\u001b")) {
        end(line());
        return text;
      }
      const chars = [...text];
      if (!state) {
        state = { before: line(), query: "", at: -1 };
        draw(state);
        chars.shift();
      }
      for (const [n, char] of chars.entries()) {
        if (!state) return chars.slice(n).join("");
        if (!one(char)) return chars.slice(n).join("");
      }
      return null;
    },
  };
}
