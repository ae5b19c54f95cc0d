import { StringDecoder } from "node:string_decoder";
import { readSequence } from "./key-sequence.ts";

/** A key that was pressed, a run of characters (`text`), or a whole paste (`paste`). */
export interface Key {
  /** `enter`, `ctrl-j`, `alt-enter`, `shift-tab`, `text`, `paste`, `pageup` … */
  readonly name: string;
  /** Of `text` and `paste`. */
  readonly text?: string;
}

/** Makes keys of what a terminal sends. */
export interface KeyDecoder {
  push(bytes: Buffer): void;
  /** What is begun and not finished is forgotten. */
  reset(): void;
}

const ESC = "\u001b";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** So long an Escape may be the beginning of something longer. */
const ESCAPE_MS = 30;
/** So long the rest of a sequence is waited for: over a slow line its letter would otherwise count as one that was typed. */
const SEQUENCE_MS = 500;
/** A paste that does not end: the terminal has lost its mark. */
const PASTE_MS = 5000;
const LONGEST_PASTE = 4 * 1024 * 1024;
const LONGEST_SEQUENCE = 4096;

/** A paste is one key, whatever it holds. A paste that is longer than what is kept comes as `paste-too-long`. */
export function createKeyDecoder(onKey: (key: Key) => void): KeyDecoder {
  let utf8 = new StringDecoder("utf8");
  let left = "";
  let pasted: string[] | null = null;
  let size = 0;
  let escapeAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const addPasted = (text: string) => {
    size += text.length;
    if (size > LONGEST_PASTE) pasted = [];
    else pasted!.push(text);
  };
  const endPaste = () => {
    const text = pasted!.join("");
    pasted = null;
    onKey(size > LONGEST_PASTE ? { name: "paste-too-long" } : { name: "paste", text: text.replace(/\r\n?/g, "\n") });
  };
  /** Up to the end of the paste, or all there is. Its end mark may come in two pieces. */
  const takePasted = () => {
    const end = left.indexOf(PASTE_END);
    if (end === -1) {
      const keep = beginningOf(PASTE_END, left);
      addPasted(left.slice(0, left.length - keep));
      left = left.slice(left.length - keep);
      return false;
    }
    addPasted(left.slice(0, end));
    left = left.slice(end + PASTE_END.length);
    endPaste();
    return true;
  };
  /** One key from the front; false where more has to come. */
  const step = (): boolean => {
    if (pasted) return takePasted();
    if (left.startsWith(PASTE_START)) {
      left = left.slice(PASTE_START.length);
      pasted = [];
      size = 0;
      return true;
    }
    const found = readSequence(left);
    if (found === "more") {
      if (left.length <= LONGEST_SEQUENCE) return false;
      left = "";
      return true;
    }
    left = left.slice(found.length);
    for (const key of found.keys) onKey(key);
    return true;
  };
  const giveUp = () => {
    if (pasted) {
      addPasted(left);
      left = "";
      return endPaste();
    }
    const was = left;
    left = "";
    if (was !== ESC && was !== ESC + ESC) return;
    escapeAt = performance.now();
    for (const _ of was) onKey({ name: "escape" });
  };
  return {
    push(bytes) {
      clearTimeout(timer);
      left += utf8.write(bytes);
      // The rest of a sequence whose Escape came alone: it was no letter that somebody typed.
      if (!pasted && performance.now() - escapeAt < SEQUENCE_MS) left = left.replace(/^(?:\[[\d;:?<>=]*[A-Za-z~]|O[A-Z])/, "");
      escapeAt = Number.NEGATIVE_INFINITY;
      while (left !== "" && step());
      if (pasted) timer = setTimeout(giveUp, PASTE_MS);
      else if (left !== "") timer = setTimeout(giveUp, left.replaceAll(ESC, "") === "" ? ESCAPE_MS : SEQUENCE_MS);
    },
    reset() {
      clearTimeout(timer);
      utf8 = new StringDecoder("utf8");
      left = "";
      pasted = null;
    },
  };
}

/** How many characters at the end of the text may be the beginning of the mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
