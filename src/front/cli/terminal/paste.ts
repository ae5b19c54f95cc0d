/** Long pastes, and the short words that stand for them in the line editor. */
export interface Pastes {
  /** The words for the line: the text itself when it is short. */
  shown(text: string): string;
  /** The line with everything that was pasted into it. */
  whole(line: string): string;
}

/** So many lines, and so many characters, are shown as they are. */
const SHORT_LINES = 6;
const SHORT_CHARS = 600;
const KEPT = 200;
const KEPT_CHARS = 16 * 1024 * 1024;

export function createPastes(): Pastes {
  /** From the word to the text; what was wanted last stands last. */
  const kept = new Map<string, string>();
  const words = new Map<string, string>();
  let last = 0;
  let size = 0;
  const drop = (word: string) => {
    const text = kept.get(word)!;
    kept.delete(word);
    words.delete(text);
    size -= text.length;
  };
  const put = (word: string, text: string) => {
    kept.set(word, text);
    words.set(text, word);
    size += text.length;
    for (const [old] of kept) {
      if (old === word || (kept.size <= KEPT && size <= KEPT_CHARS)) break;
      drop(old);
    }
  };
  return {
    shown(text) {
      if (isShort(text)) return text;
      const word = words.get(text) ?? `[pasted ${amountOf(text)} #${++last}]`;
      if (kept.has(word)) drop(word);
      put(word, text);
      return word;
    },
    whole: (line) => line.replace(/\[pasted \d+ (?:lines|characters) #\d+\]/g, (word) => kept.get(word) ?? word),
  };
}

/** Shown as it is. */
const isShort = (text: string): boolean => text.length <= SHORT_CHARS && linesOf(text) <= SHORT_LINES;

const amountOf = (text: string): string => (linesOf(text) === 1 ? `${text.length} characters` : `${linesOf(text)} lines`);
const linesOf = (text: string): number => text.split("\n").length;

/** As text that can stand in a line editor: no carriage returns, nothing a terminal would obey, no empty lines at the end. */
export const pastedText = (raw: string): string =>
  raw
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(/\n+$/, "");

/** So many messages of many lines can be called back. */
const LONG_ENTRIES = 30;

/** The entries of the up key: a long message is one word. */
export function recalled(entries: readonly string[], pastes: Pastes): string[] {
  let long = 0;
  return entries.flatMap((text) => {
    const isLong = !isShort(text);
    long += isLong ? 1 : 0;
    return !isLong ? [text] : long <= LONG_ENTRIES ? [pastes.shown(text)] : [];
  });
}
