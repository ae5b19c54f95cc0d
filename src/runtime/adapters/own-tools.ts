import { answerText } from "../../core/answer.ts";
import type { Confirm, ConfirmAnswer, Question } from "../../core/event.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { Outcome } from "../../core/layer.ts";
import { ADAPTER_OPTIONS } from "../library/option-names.ts";
import type { ToolInfo, Zeph } from "../runtime.ts";
import { type AdaptedCall, type ApprovalState, createPendingApprovals } from "./pending-approvals.ts";

/** What an adapter needs of a runtime, or of the view of one of its callers. */
export type OwnToolsOf = Pick<Zeph, "tools" | "callAny" | "judge">;

/** A question that the loop of another library puts to somebody. */
export interface AdapterQuestion {
  readonly tool: string;
  readonly args: unknown;
  /** The loop's own id of the call, where it tells one. */
  readonly callId?: string;
  /** Why a yes is needed, in words for the person. */
  readonly why: string;
}

/** Which of Zeph's tools another library's agent is given, and who approves its calls. */
export interface ToolsOptions {
  /** Only these tools. Default: all that a model would be shown. */
  readonly only?: readonly string[];
  /** `library` (the default): the library's own approval asks about a call that needs a yes. `confirm`: the runtime's `confirm` does. */
  readonly approval?: "library" | "confirm";
  /** Who approves in the library's flow, as the audit log names them. Default: the library's name. */
  readonly approvedBy?: string;
  /** Told of each question before the library puts it, with the reason: most libraries show the arguments alone. */
  readonly onAsk?: (question: AdapterQuestion) => void;
}

/** What only an adapter decides. */
export interface OwnToolsParts extends ToolsOptions {
  /** Whether a yes counts that this process did not ask for, because the library vouches for it. */
  readonly elsewhere?: "counts" | "is refused";
}

/** How one call of a library's loop is made. */
export interface OwnCall extends AdaptedCall {
  readonly signal?: AbortSignal | undefined;
  /** Whether the library says that somebody approved this call. Asked only about a call that needs a yes. */
  readonly isApproved: () => boolean;
}

/** Zeph's tools, for the adapters of libraries. */
export interface OwnTools {
  readonly list: readonly ToolInfo[];
  /** Whether the library has to ask; remembers what it asks about. Never rejects: what cannot be judged is refused when it is called. */
  needsYes(call: AdaptedCall): Promise<string | null>;
  /** Through the door. Never rejects: whatever goes wrong is an answer the model reads. */
  call(call: OwnCall): Promise<{ readonly outcome: Outcome; readonly text: string }>;
}

export function createOwnTools(zeph: OwnToolsOf, library: string, options: OwnToolsParts = {}): OwnTools {
  assertKnownOptions("The adapter", options, ADAPTER_OPTIONS);
  const { only, approval = "library", approvedBy = library, onAsk, elsewhere = "is refused" } = options;
  const pending = createPendingApprovals();
  const known = zeph.tools();
  const missing = only?.find((name) => !known.some((tool) => tool.name === name));
  if (missing !== undefined) throw new TypeError(`There is no tool "${missing}" here. zeph.tools() lists them.`);
  const confirmFor = (call: OwnCall): { readonly confirm?: Confirm } =>
    approval === "confirm" ? {} : { confirm: (question) => answerFor(question, call) };
  const answerFor = (question: Question, call: OwnCall): ConfirmAnswer => {
    if (isAboutMore(question)) return { unasked: ABOUT_MORE };
    if (!call.isApproved()) return { unasked: NOT_APPROVED };
    const state = pending.take(call);
    const counts = state === "open" || (state === "unknown" && elsewhere === "counts");
    return counts ? { answer: "once", by: approvedBy } : { unasked: WHY_NOT[state as keyof typeof WHY_NOT] };
  };
  return {
    list: known.filter(({ name }) => only === undefined || only.includes(name)),
    async needsYes(call) {
      if (approval === "confirm") return null;
      const judged = await zeph.judge(call.tool, call.args, { phase: "executor" }).catch(() => null);
      if (judged?.verdict !== "ask") return null;
      pending.put(call);
      const why = judged.why ?? "A rule wants a yes.";
      tellOf(onAsk, call, why);
      return why;
    },
    async call(call) {
      const { tool, args, callId, signal } = call;
      const outcome = await zeph.callAny(tool, args, {
        phase: "executor",
        ...(signal && { signal }),
        ...(callId !== undefined && { requestId: callId }),
        ...confirmFor(call),
      });
      return { outcome, text: answerText(outcome) };
    },
  };
}

/** A listener that throws does not decide about the call. */
export function tellOf(onAsk: ((question: AdapterQuestion) => void) | undefined, call: AdaptedCall, why: string): void {
  const { tool, args, callId } = call;
  try {
    onAsk?.({ tool, args, ...(callId !== undefined && { callId }), why });
  } catch {
    // The library asks all the same.
  }
}

/** The library's yes was given before the call ran, so it does not answer what a running command wants besides. */
const isAboutMore = ({ wants, whole_repository }: Question): boolean => wants !== undefined || whole_repository !== undefined;

const ABOUT_MORE = "The approval was for the call itself, and nobody was asked about this.";
export const NOT_APPROVED = "Nobody approved this call.";
/** Why a yes of the library does not count. */
export const WHY_NOT: Readonly<Record<Exclude<ApprovalState, "open">, string>> = {
  changed: "The arguments are not those that were approved. Make the call again, and it is asked about again.",
  used: "The approval of this call was used already. Make the call again, and it is asked about again.",
  unknown: "Nobody was asked about this call. Make it again, and it is asked about.",
};
