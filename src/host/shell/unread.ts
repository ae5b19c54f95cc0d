import type { Look } from "../../core/ports/shell.ts";
import type { OutputStream } from "./capture.ts";

/** What a background command printed since somebody looked last. */
export interface Unread {
  add(stream: OutputStream, bytes: Buffer): void;
  /** Whole lines, and behind them one that has no end yet, where nobody is writing it. That one stays, so that no line is told in two halves. */
  take(): Required<Pick<Look, "output" | "isUnfinished">>;
  /** Everything. */
  takeRest(): string;
  /** How many lines `take` would hand over. */
  lines(): number;
  /** Whether a part of the output was handed over. */
  isLookedAt(): boolean;
}

/** So many characters wait to be looked at. */
const MOST = 256 * 1024;
/** A line that nothing was added to for so long waits for something, as a question does. */
const QUIET_MS = 200;

export function createUnread(): Unread {
  const decoders = { stdout: new TextDecoder("utf-8"), stderr: new TextDecoder("utf-8") };
  let text = "";
  let dropped = 0;
  let isLookedAt = false;
  let heardAt = 0;
  const wholeLines = () => text.lastIndexOf("\n") + 1;
  const isUnfinished = () => Date.now() - heardAt >= QUIET_MS && text.slice(wholeLines()).trim() !== "";
  /** Hands over so much, of which the end may stay here. */
  const handOver = (shown: number, taken = shown): string => {
    if (shown === 0) return "";
    const output = `${dropped > 0 ? `[${dropped} characters left out here]\n` : ""}${text.slice(0, shown)}`;
    if (taken > 0) {
      isLookedAt = true;
      text = text.slice(taken);
      dropped = 0;
    }
    return output;
  };
  return {
    add(stream, bytes) {
      heardAt = Date.now();
      text += decoders[stream].decode(bytes, { stream: true });
      // Not at each chunk: to cut costs a copy.
      if (text.length < 2 * MOST) return;
      dropped += text.length - MOST;
      text = text.slice(-MOST);
    },
    take() {
      const [end, unfinished] = [wholeLines(), isUnfinished()];
      return { output: handOver(unfinished ? text.length : end, end), isUnfinished: unfinished };
    },
    takeRest: () => handOver(text.length),
    lines: () => text.split("\n").length - 1 + (isUnfinished() ? 1 : 0),
    isLookedAt: () => isLookedAt,
  };
}
