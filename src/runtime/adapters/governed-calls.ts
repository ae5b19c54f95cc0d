import { randomUUID } from "node:crypto";
import { errorBlock, ToolError } from "../../core/error.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { ClientSide } from "../../core/turn.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import type { CallerView } from "../callers/caller-view.ts";
import { findOpened } from "../callers/opened-runtimes.ts";
import { filterOutputAsync } from "../filter/filters.ts";
import type { DecideOptions } from "../hook/client-decisions.ts";
import { type Ruling, strictestOf, unreadable } from "../hook/rulings.ts";
import { GOVERN_OPTIONS } from "../library/option-names.ts";
import type { Zeph } from "../runtime.ts";
import { changeTexts } from "./clean-output.ts";
import { type AdapterQuestion, NOT_APPROVED, tellOf, WHY_NOT } from "./own-tools.ts";
import { type AdaptedCall, type ApprovalState, callDigest, createPendingApprovals } from "./pending-approvals.ts";

/** A call of one of Zeph's own tools that says what a program's tool would do. */
export interface JudgedAs {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How a program's own tools are judged. */
export interface GovernOptions {
  /**
   * What a tool comes to in Zeph's own tools, so that their rules hold for it: `{ shell: ({ cmd }) => ({ tool: "bash", args: { command: cmd } }) }`.
   * A tool without an entry is judged by its own name: rules may name it, and one that no rule names needs a yes.
   */
  readonly as?: Readonly<Record<string, (args: any) => JudgedAs | readonly JudgedAs[]>>;
  /** The session as the audit log names it, and for what gates remember. Default: one of its own for each `govern`. */
  readonly session?: string;
  /** Told of each question before the library puts it, with the reason. */
  readonly onAsk?: (question: AdapterQuestion) => void;
}

/** A governed call that is about to run. */
export interface GovernedCall extends AdaptedCall {
  readonly signal?: AbortSignal | undefined;
  /** Whether the library says that somebody approved this call. */
  readonly isApproved: () => boolean | Promise<boolean>;
}

/** What becomes of a governed call: what the tool handed back, without secrets; or what the model reads in its place. */
export type GovernedEnd = { readonly kind: "ran"; readonly output: unknown } | { readonly kind: "refused"; readonly text: string };

/** A program's own tools behind Zeph's door, for the adapters of libraries. */
export interface Governor {
  /** Judges the call and writes it down, once for each id. The reason where a yes is needed, null where none is. Rejects never: what cannot be judged is denied. */
  needsYes(call: AdaptedCall): Promise<string | null>;
  /** The same, with the whole ruling. */
  rule(call: AdaptedCall): Promise<Ruling>;
  /** Runs what was let in, cleans what it hands back and settles it. Rejects only with what the tool itself threw. */
  run(call: GovernedCall, execute: () => unknown): Promise<GovernedEnd>;
}

/** Rulings whose calls have not run yet. More are forgotten, and judged again. */
const MOST_RULINGS = 1000;

/** Whose rules hold: those of a runtime, or of one of its callers. */
export type Governing = Zeph | CallerView;

export function createGovernor(zeph: Governing, library: string, options: GovernOptions = {}): Governor {
  assertKnownOptions("govern", options, GOVERN_OPTIONS);
  const { as = {}, session = randomUUID(), onAsk } = options;
  const opened = findOpened(zeph);
  const pending = createPendingApprovals();
  const rulings = new Map<string, { readonly about: string; readonly ruling: Promise<Ruling> }>();
  const client: ClientSide = { name: library, session, walls: "none", unruled: "asked about" };
  const optionsOf = ({ tool }: AdaptedCall, callId: string): DecideOptions => ({ callId, clientTool: tool, client, ...opened.caller });
  const standIns = ({ tool, args }: AdaptedCall): readonly JudgedAs[] => {
    const given: unknown = Object.hasOwn(as, tool) ? as[tool]!(args) : { tool, args };
    const calls = (Array.isArray(given) ? given : [given]) as readonly JudgedAs[];
    if (calls.length === 0) throw new TypeError(`\`as\` says nothing about this call of ${tool}.`);
    return calls;
  };
  const judge = async (call: AdaptedCall, options: DecideOptions): Promise<Ruling> => {
    const { zeph: runtime } = await opened.open();
    const found: Ruling[] = [];
    for (const one of standIns(call)) found.push(await runtime.decide(one.tool, one.args, options).catch(unreadable));
    return strictestOf(found);
  };
  /** Judged and written down. Asked again about the same call, it says the same. */
  const rule = (call: AdaptedCall): Promise<Ruling> => {
    const about = callDigest(call);
    const known = rulings.get(keyOf(call));
    if (known?.about === about) return known.ruling;
    const ruling = (async () => {
      const ruled = await judge(call, { ...optionsOf(call, idOf(call)), record: true }).catch(unreadable);
      if (ruled.verdict === "ask") tellOf(onAsk, call, ruled.why ?? NO_REASON);
      return ruled;
    })();
    keepRecent(rulings, keyOf(call), { about, ruling }, MOST_RULINGS);
    return ruling;
  };
  /** Why the call may not run; null when it may. */
  const refusal = async (call: GovernedCall): Promise<string | null> => {
    const ruled = await rule(call);
    rulings.delete(keyOf(call));
    if (ruled.verdict === "deny") return refusalText("policy_blocked", ruled);
    if (ruled.verdict === "allow") return null;
    const state: ApprovalState | "no" = (await call.isApproved()) ? pending.take(call) : "no";
    if (state !== "open") return refusalText("confirmation_required", ruled, state === "no" ? NOT_APPROVED : WHY_NOT[state]);
    // The yes may have come hours later: what is denied by now is not run.
    const now = await judge(call, optionsOf(call, idOf(call)));
    return now.verdict === "deny" ? refusalText("policy_blocked", now) : null;
  };
  /** The call happened, so what it printed is told all the same where this fails. */
  const settle = async (
    call: AdaptedCall,
    ended: { readonly outcome: "ok" | "failed"; readonly text?: string; readonly durationMs: number },
  ) => {
    try {
      const { zeph: runtime } = await opened.open();
      for (const one of standIns(call)) await runtime.settle(one.tool, one.args, ended, optionsOf(call, idOf(call)));
    } catch {
      // The log has the call and not its end.
    }
  };
  const clean = async (call: AdaptedCall, output: unknown): Promise<unknown> => {
    const [first] = standIns(call);
    const command = first?.args?.command;
    const { redact, config } = await opened.open();
    const shown = changeTexts(output, redact);
    if (typeof shown !== "string" || typeof command !== "string" || typeof output !== "string") return shown;
    const { filters } = config.tools;
    return filterOutputAsync({ command, raw: shown, exitCode: 0, filters }).then(
      ({ text }) => text,
      () => shown,
    );
  };
  return {
    rule,
    async needsYes(call) {
      if (pending.isAnswered(call)) rulings.delete(keyOf(call));
      const { verdict, why } = await rule(call);
      if (verdict !== "ask") return null;
      pending.put(call);
      return why ?? NO_REASON;
    },
    async run(call, execute) {
      const why = await refusal(call).catch((error) => refusalText("policy_blocked", unreadable(error)));
      if (why !== null) return { kind: "refused", text: why };
      if (call.signal?.aborted)
        return { kind: "refused", text: errorBlock(new ToolError("cancelled", "The call was cancelled before it ran.")) };
      const begun = performance.now();
      try {
        const output = await clean(call, await lastOf(await execute()));
        const text = typeof output === "string" ? output : (JSON.stringify(output, withoutBigInts) ?? "");
        await settle(call, { outcome: "ok", text, durationMs: performance.now() - begun });
        return { kind: "ran", output };
      } catch (error) {
        await settle(call, { outcome: "failed", durationMs: performance.now() - begun });
        // A library shows the model what a tool threw.
        if (error instanceof Error) error.message = (await opened.open()).redact(error.message);
        throw error;
      }
    },
  };
}

/** A loop that has no ids tells calls apart by what they are about. */
const idOf = (call: AdaptedCall): string => call.callId ?? callDigest(call).slice(0, 32);
const keyOf = (call: AdaptedCall): string => JSON.stringify([call.tool, idOf(call)]);

const NO_REASON = "A rule wants a yes.";

const withoutBigInts = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** A tool may hand back what it has so far, again and again: the last is its answer. */
async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const one of output as AsyncIterable<unknown>) last = one;
  return last;
}

function refusalText(category: "policy_blocked" | "confirmation_required", { gate, told, why }: Ruling, besides?: string): string {
  const said = `${gate ?? "zeph"}: ${told ?? why ?? "no reason is known"}`;
  return errorBlock(new ToolError(category, besides === undefined ? said : `${said} ${besides}`));
}
