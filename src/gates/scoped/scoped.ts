import * as z from "zod";
import { callKey, type ToolCall } from "../../core/call.ts";
import { SHORTEST_CALL_ID } from "../../core/call-id.ts";
import type { Gate } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { setting } from "../../core/setting.ts";
import type { TurnContext } from "../../core/turn.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { makeOnce } from "../../text/make-once.ts";
import { plural } from "../../text/words.ts";
import { callerOf } from "../permissions/identity.ts";
import { constraint, limits, toolGlob } from "./limits.ts";

export const scopedConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(false), "Limit tools to the lists and constraints below.", "on"),
      denied_tools: setting(
        z.array(z.string().min(1)).default([]),
        "Tools that are not used. Ignored when `allowed_tools` is set.",
        "adds",
      ),
      allowed_tools: setting(z.array(z.string().min(1)).default([]), "The only tools that are used. Empty: all but the denied ones."),
      constraints: setting(
        z.array(constraint()).max(256).default([]),
        "Limits for one tool each, written as `[[tools.scoped.constraints]]`: `tool`, and any of `deny_patterns` (globs that may fit nothing in its arguments: they are looked for anywhere, in any case), `allowed_paths`, `allowed_domains` and `min_trust` (below it: ask).",
        "adds",
      ),
    })
    .prefault({}),
);
export type ScopedConfig = z.output<ReturnType<typeof scopedConfig>>;

export interface ScopedGate extends Gate {
  /** Lifts the refusal of exactly that call's tool and arguments, once. By the call's id or the beginning of it; null when nothing of that id was refused. */
  approve(callId: string): { readonly callId: string; readonly tool: string } | null;
  /** Refusals that nobody has lifted, newest first: of the same call refused several times the newest. */
  pending(): readonly PendingRefusal[];
}

export interface PendingRefusal {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface ScopedMemory {
  /** Refused calls by their id, and what they were. */
  readonly refused: Map<string, { readonly tool: string; readonly key: string; readonly args: unknown }>;
  /** What a person approved and nobody has used yet. */
  readonly approved: Set<string>;
}
export const scopedMemory = (): ScopedMemory => ({ refused: new Map(), approved: new Set() });

const MOST_REFUSED = 1000;

/** Which tools are used at all, and how far each may go. */
export function createScopedGate(config: ScopedConfig, facts: Facts, { refused, approved }: ScopedMemory): ScopedGate {
  const { enabled, allowed_tools, denied_tools, constraints } = config;
  const objection = limits(constraints, facts);
  const allowed = allowed_tools.map(toolGlob);
  const denied = denied_tools.map(toolGlob);
  const listed = (name: string): Verdict | null => {
    if (allowed.length > 0)
      return allowed.some((fits) => fits(name))
        ? null
        : refusal("tools.scoped.allowed_tools", `${name} is not among the tools that are used here`);
    return denied.some((fits) => fits(name)) ? refusal("tools.scoped.denied_tools", `${name} is not used here`) : null;
  };
  return {
    name: "scoped",
    // The lists name tools. A constraint says what a tool may do, whoever has it do that.
    alsoJudges: { redirects: "as a call", innerCommands: (call, turn) => (enabled && objection(call, turn)) || PASS },
    judge(call, turn) {
      if (!enabled) return PASS;
      const said = listed(call.tool.name) ?? objection(call, turn);
      if (!said) return PASS;
      return approved.has(keyOf(call, turn, facts)) ? { kind: "pass", rule: "approved once" } : said;
    },
    /** An approval is for one call. */
    admitted: (call, turn) => void (approved.size > 0 && approved.delete(keyOf(call, turn, facts))),
    settled(call, { decision }, turn) {
      if (!enabled || decision.gate !== "scoped" || decision.verdict === "allow") return;
      keepRecent(refused, call.id, { tool: call.tool.name, key: keyOf(call, turn, facts), args: call.input }, MOST_REFUSED);
    },
    approve(wanted) {
      const ids = refused.has(wanted)
        ? [wanted]
        : [...refused.keys()].filter((id) => wanted.length >= SHORTEST_CALL_ID && id.startsWith(wanted));
      const one = ids.length === 1 ? refused.get(ids[0]!) : undefined;
      if (!one) return null;
      approved.add(one.key);
      refused.delete(ids[0]!);
      return { callId: ids[0]!, tool: one.tool };
    },
    pending() {
      const byKey = new Map([...refused].map(([callId, { tool, key, args }]) => [key, { callId, tool, args }]));
      for (const key of approved) byKey.delete(key);
      return [...byKey.values()].reverse();
    },
    hides: ({ name }) => enabled && listed(name) !== null,
    state: () => (enabled ? described(config) : isEmpty(config) ? "off" : `off, ${described(config)} written`),
    reset() {
      refused.clear();
      approved.clear();
    },
  };
}

/** A call means what it does where it is made, and by whom. */
const keyOf = (call: ToolCall, turn: TurnContext, facts: Facts): string => callKey(call, callerOf(turn) ?? null, call.cwd ?? facts.cwd);

const refusal = (rule: string, what: string): Verdict => ({ kind: "deny", rule, why: `${what} (${rule}).` });

/** Nobody wrote anything. */
const isEmpty = ({ allowed_tools, denied_tools, constraints }: ScopedConfig): boolean =>
  allowed_tools.length + denied_tools.length + constraints.length === 0;

function described({ allowed_tools, denied_tools, constraints }: ScopedConfig): string {
  const tools =
    allowed_tools.length > 0 ? `${plural(allowed_tools.length, "tool")} allowed` : `${plural(denied_tools.length, "tool")} denied`;
  return `${tools}, ${plural(constraints.length, "constraint")}`;
}
