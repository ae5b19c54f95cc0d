import type { OutputStream } from "./capture.ts";

/** What a background command printed since somebody looked last. */
export interface Unread {
  add(stream: OutputStream, bytes: Buffer): void;
  /** Whole lines; with `rest`, also one that has no end yet. */
  take(rest?: "rest"): string;
  /** Whether a part of the output was handed over. */
  isLookedAt(): boolean;
}

/** So many characters wait to be looked at. */
const MOST = 256 * 1024;

export function createUnread(): Unread {
  const decoders = { stdout: new TextDecoder("utf-8"), stderr: new TextDecoder("utf-8") };
  let text = "";
  let dropped = 0;
  let isLookedAt = false;
  return {
    add(stream, bytes) {
      text += decoders[stream].decode(bytes, { stream: true });
      // Not at each chunk: to cut costs a copy.
      if (text.length < 2 * MOST) return;
      dropped += text.length - MOST;
      text = text.slice(-MOST);
    },
    take(rest) {
      const end = rest ? text.length : text.lastIndexOf("\n") + 1;
      if (end === 0) return "";
      isLookedAt = true;
      const taken = `${dropped > 0 ? `[${dropped} characters left out here]\n` : ""}${text.slice(0, end)}`;
      text = text.slice(end);
      dropped = 0;
      return taken;
    },
    isLookedAt: () => isLookedAt,
  };
}
