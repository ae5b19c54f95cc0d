import { callKey, type ToolCall } from "../../core/call.ts";
import { facetsOf } from "../../core/facets.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Outcome } from "../../core/layer.ts";
import { isPersons, memoryOwner, type TurnContext } from "../../core/turn.ts";
import { attempt } from "../../text/attempt.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import type { PrivateThings } from "./private.ts";
import { bringsStrangersText, isOfServer } from "./stranger.ts";

/** What has come into a conversation: the first of each kind. It is never taken back. */
export interface Taint {
  private: string | null;
  stranger: string | null;
}

export interface TaintMemory {
  readonly taints: Map<string, Taint>;
  /** Ways out a person said yes to, each in its conversation. */
  readonly granted: Set<string>;
  /** What was asked about a call that is still open. */
  readonly asked: WeakMap<ToolCall, string>;
}
export const taintMemory = (): TaintMemory => ({ taints: new Map(), granted: new Set(), asked: new WeakMap() });

export interface TaintMeter {
  /** Null when there is nothing to ask. */
  judge(call: ToolCall, turn: TurnContext): Verdict | null | Promise<Verdict | null>;
  settled(call: ToolCall, outcome: Outcome, turn: TurnContext): void;
  /** What was read in a conversation that is opened again. */
  read(conversation: string, what: string | null): void;
  /** What a stranger wrote has come into a conversation without a call. */
  met(conversation: string, what: string): void;
  grant(call: ToolCall): void;
}

const MOST_TAINTS = 1_000;
const MOST_GRANTS = 10_000;
/** The tool that keeps tasks. */
const LATER = "scheduler";
/** The question about a task for later: it would be done with nobody there to ask, and again and again. */
const AFTER_STRANGER = {
  rule: "a task for later after a stranger's text",
  why: "This conversation has read a stranger's text, and the task may be the stranger's wish. It would be done later, with nobody to ask.",
};

/** A model that has read something private and a stranger's text asks before anything can leave: the stranger may be the one who wants it. */
export function createTaintMeter(
  { inCall, inOutcome }: PrivateThings,
  networkOpen: () => boolean | Promise<boolean>,
  { taints, granted, asked }: TaintMemory,
): TaintMeter {
  const taintOf = (key: string): Taint => taints.get(key) ?? keepRecent(taints, key, { private: null, stranger: null }, MOST_TAINTS);
  const ask = (call: ToolCall, turn: TurnContext, { about, rule, why }: Record<"about" | "rule" | "why", string>): Verdict | null => {
    const key = JSON.stringify([keyOf(turn), about]);
    if (granted.has(key) && !turn.unattended) return null;
    asked.set(call, key);
    return { kind: "ask", rule, why, told: "The user has to approve this call.", about };
  };
  const question = (call: ToolCall, turn: TurnContext, read: string): Verdict | null => {
    const { about, where } = wayOut(call);
    const stranger = taints.get(keyOf(turn))?.stranger;
    const text = stranger ? `a stranger's text (${stranger})` : "a stranger's text";
    const why = `This conversation has read ${read}, and ${text}, and this call could carry it out to ${where}.`;
    return ask(call, turn, { about, rule: "private data, a stranger's text and a way out", why });
  };
  return {
    judge(call, turn) {
      if (isPersons(turn) || !turn.seen.untrusted) return null;
      if (call.tool.name === LATER) return ask(call, turn, { about: callKey(call), ...AFTER_STRANGER });
      if (!isWayOut(call)) return null;
      const read = taints.get(keyOf(turn))?.private ?? inCall(call);
      if (read === null) return null;
      if (call.tool.effect !== "runs" || isOfServer(call)) return question(call, turn, read);
      const open = turn.client?.walls === "none" || networkOpen();
      if (typeof open === "boolean") return open ? question(call, turn, read) : null;
      return open.then((isOpen) => (isOpen ? question(call, turn, read) : null));
    },
    settled(call, outcome, turn) {
      if (isPersons(turn) || outcome.decision.verdict !== "allow") return;
      const taint = taints.get(keyOf(turn));
      if (!taint?.stranger && bringsStrangersText(call)) taintOf(keyOf(turn)).stranger = wayOut(call).where;
      if (taint?.private) return;
      const found = inOutcome(call, outcome);
      if (found !== null) taintOf(keyOf(turn)).private = `${found} (call ${call.id.slice(0, 8)})`;
    },
    read(conversation, what) {
      if (what !== null && !taints.get(conversation)?.private) taintOf(conversation).private = `${what} (earlier)`;
    },
    met(conversation, what) {
      taintOf(conversation).stranger ??= what;
    },
    grant(call) {
      const key = asked.get(call);
      if (key !== undefined && granted.size < MOST_GRANTS) granted.add(key);
    },
  };
}

const isWayOut = (call: ToolCall): boolean =>
  isOfServer(call) || (["fetches", "unknown", "runs"].includes(call.tool.effect) && facetsOf(call.tool).about !== "skill");

/** The key of a taint: a conversation, a caller, or the session of a program that has neither. */
export const keyOf = (turn: TurnContext): string => memoryOwner(turn) ?? turn.sessionId;

/** A yes to a page is good for its hosts, a yes to a command for this command alone: it could do anything. */
function wayOut(call: ToolCall): { readonly about: string; readonly where: string } {
  const { name, effect } = call.tool;
  const hosts = [...new Set(call.touches.flatMap((touch) => (touch.kind === "url" ? [hostOf(touch.url)] : [])))].sort();
  const where = hosts.length > 0 ? hosts.slice(0, 5).join(", ") : effect === "runs" ? "the network" : name;
  if (effect === "runs") return { about: callKey(call, call.cwd), where };
  return { about: hosts.length > 0 ? hosts.join(" ") : name, where };
}

const hostOf = (url: string): string => attempt(() => new URL(url).host, "") || url.slice(0, 200);
