import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Input of a terminal that is no single key, taken out before readline sees it. */
export interface Heard {
  /** All of it at once, as it was copied. */
  paste(text: string): void;
  /** More was pasted than is kept; nothing of it was. */
  tooMuch(): void;
  /** Alt-Enter. */
  lineBreak(): void;
  /** Every other piece, before it goes on. Null when it was used up here. */
  keys?(text: string): string | null;
}

export type Keys = Readable & { setRawMode(mode: boolean): unknown; type(text: string): void };

const START = "\u001b[200~";
const END = "\u001b[201~";
/** So long the rest of a mark is waited for: an Escape key alone must come through. */
const MARK_MS = 20;
/** A paste that does not end: the terminal has lost its mark. */
const PASTE_MS = 5000;
const LONGEST = 4 * 1024 * 1024;

/** Stands between the terminal and readline. */
export function createKeys(stdin: NodeJS.ReadStream, heard: Heard): Keys {
  const decoder = new StringDecoder("utf8");
  let held = "";
  let pasted: string[] | null = null;
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const pass = (text: string) => {
    const left = text === "" || !heard.keys ? text : heard.keys(text);
    if (left) keys.push(left);
  };
  const add = (text: string) => {
    size += text.length;
    if (size <= LONGEST) pasted!.push(text);
    else pasted = [];
  };
  const endPaste = () => {
    const text = pasted!.join("");
    pasted = null;
    if (size > LONGEST) heard.tooMuch();
    else heard.paste(text);
  };
  /** Up to the next mark; what is left of the text. */
  const step = (text: string): string => {
    if (pasted) {
      const end = text.indexOf(END);
      if (end === -1) {
        held = beginningOf(END, text);
        add(text.slice(0, text.length - held.length));
        return "";
      }
      add(text.slice(0, end));
      endPaste();
      return text.slice(end + END.length);
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal sends
    const mark = /\u001b(?:\[200~|\r|\n)/.exec(text);
    if (!mark) {
      held = beginningOf(START, text);
      pass(text.slice(0, text.length - held.length));
      return "";
    }
    pass(text.slice(0, mark.index));
    if (mark[0] === START) {
      pasted = [];
      size = 0;
    } else heard.lineBreak();
    return text.slice(mark.index + mark[0].length);
  };
  const feed = (chunk: Buffer | string) => {
    clearTimeout(timer);
    let text = held + decoder.write(chunk as Buffer);
    held = "";
    while (text !== "") text = step(text);
    if (held !== "" || pasted) timer = setTimeout(release, pasted ? PASTE_MS : MARK_MS);
  };
  const release = () => {
    const text = held;
    held = "";
    if (!pasted) return pass(text);
    add(text);
    endPaste();
  };
  const keys = Object.assign(new Readable({ read: () => {} }), {
    setRawMode: (mode: boolean) => stdin.setRawMode?.(mode),
    type: (text: string) => void keys.push(text),
  }) as Keys;
  stdin.on("data", feed);
  // A screen that was here before has paused it, and a listener alone does not wake it.
  stdin.resume();
  stdin.once("end", () => {
    release();
    keys.push(null);
  });
  stdin.once("error", (error) => keys.destroy(error));
  return keys;
}

/** The end of the text that may be the beginning of the mark. */
function beginningOf(mark: string, text: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return text.slice(text.length - length);
  return "";
}
