import type { Message } from "../core/ports/model.ts";
import { beginsTurn, RECENT, tokensOf, withoutResult } from "./messages.ts";

export interface Forgotten {
  /** The messages with less in them; those that are dropped are still among them. */
  readonly messages: readonly Message[];
  readonly elided: number;
  /** Results up to here are no longer sent. */
  readonly elidedUntil: number;
  /** So many of the first are no longer sent at all. */
  readonly dropped: number;
  readonly left: number;
}

/** What is left out of messages that weigh `used` to come down to `tokens`: results of old calls, then whole turns, oldest first; never of the last `keep`. */
export function forgetMessages(given: readonly Message[], used: number, tokens: number, keep: number): Forgotten {
  const messages = [...given];
  let left = used;
  let elided = 0;
  let elidedUntil = 0;
  let dropped = 0;
  const elide = (end: number) => {
    for (let at = dropped; at < end && left > tokens; at++) {
      const message = messages[at]!;
      const short = withoutResult(message);
      elidedUntil = Math.max(elidedUntil, at + 1);
      if (short === message) continue;
      left -= tokensOf(message) - tokensOf(short);
      messages[at] = short;
      elided++;
    }
  };
  // A turn begins where somebody spoke; only there may a window begin of which nobody made a summary.
  const drop = (end: number) => {
    for (let at = dropped + 1; at <= end && left > tokens; at++) {
      if (!beginsTurn(messages[at]!)) continue;
      left -= messages.slice(dropped, at).reduce((sum, message) => sum + tokensOf(message), 0);
      dropped = at;
    }
  };
  const past = messages.length - keep;
  elide(Math.min(past, messages.length - RECENT));
  drop(messages.slice(0, past).findLastIndex(beginsTurn));
  elide(past);
  drop(past);
  return { messages, elided, elidedUntil, dropped, left };
}
