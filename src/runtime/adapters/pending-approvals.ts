import { hash } from "node:crypto";
import { canonicalJson } from "../../text/json.ts";
import { keepRecent } from "../../text/keep-recent.ts";

/** A call as the loop of another library tells of it. */
export interface AdaptedCall {
  readonly tool: string;
  readonly args: unknown;
  /** The loop's own id of the call; absent where it tells none. */
  readonly callId?: string | undefined;
}

/** What is known of the question about a call: `yes` can be had once, and for the arguments that were shown. */
export type ApprovalState = "open" | "changed" | "used" | "unknown";

/** Questions that the loop of another library puts. Its yes is about one call with these arguments, and counts once. */
export interface PendingApprovals {
  /** The loop is about to ask, or looks at its question again before it runs the call. */
  put(call: AdaptedCall): void;
  /** Whether the question was answered, as far as a loop without ids shows it: what comes now is another call. */
  isAnswered(call: AdaptedCall): boolean;
  /** Uses up the yes, where there is one to be used. */
  take(call: AdaptedCall): ApprovalState;
}

interface PendingQuestion {
  readonly about: string;
  readonly state: Exclude<ApprovalState, "unknown">;
  /** A loop without ids looks twice at each call: before it asks, and when the answer is there. */
  readonly looks: number;
}

/** More are forgotten, the oldest first: their calls are then asked about again. */
const MOST_PENDING = 1000;

export function createPendingApprovals(): PendingApprovals {
  const pending = new Map<string, PendingQuestion>();
  const keep = (call: AdaptedCall, question: PendingQuestion) => void keepRecent(pending, keyOf(call), question, MOST_PENDING);
  const isAnswered = (call: AdaptedCall) => call.callId === undefined && (pending.get(keyOf(call))?.looks ?? 0) >= 2;
  return {
    put(call) {
      const known = pending.get(keyOf(call));
      if (!known || isAnswered(call)) return keep(call, { about: callDigest(call), state: "open", looks: 1 });
      // What was shown first is what the yes is about, and a yes that was used stays so.
      keep(call, { ...known, looks: known.looks + 1 });
    },
    isAnswered,
    take(call) {
      const known = pending.get(keyOf(call));
      if (!known) return "unknown";
      if (call.callId === undefined) {
        if (!isAnswered(call)) return "unknown";
        pending.delete(keyOf(call));
        return "open";
      }
      const state = known.about === callDigest(call) ? known.state : "changed";
      keep(call, { ...known, state: state === "open" ? "used" : state });
      return state;
    },
  };
}

/** The same tool and arguments give the same text, whatever the order of their names. */
export const callDigest = ({ tool, args }: AdaptedCall): string => hash("sha256", canonicalJson([tool, args]));

const keyOf = (call: AdaptedCall): string => JSON.stringify([call.tool, call.callId ?? callDigest(call)]);
