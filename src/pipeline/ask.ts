import type { ToolCall } from "../core/call.ts";
import { ANSWERS, type Answered, type Confirm, isAnswer, type Question, type Unasked, type ZephEvent } from "../core/event.ts";
import type { Pending } from "../core/gate/verdict.ts";
import { ESCALATION, NO_WALLS, type Objection } from "../core/gate/verdict.ts";
import type { TurnContext } from "../core/turn.ts";
import type { Parts } from "./run.ts";

interface Rule {
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
  readonly exact?: boolean | undefined;
  readonly caller?: string | undefined;
}

export interface Asking {
  readonly confirm: Confirm | undefined;
  readonly by: string;
  /** Where a yes that is meant for longer than one call is kept. */
  readonly grants: {
    grant(call: ToolCall, turn: TurnContext, until: "session" | "edits" | "always"): void;
    /** Whether the call only edits files of the workspace. */
    isEdit(call: ToolCall): boolean;
    narrowest(call: ToolCall, turn: TurnContext): readonly Rule[];
  };
  /** Writes a rule into the person's own file; null where there is none. */
  readonly saveRule: ((tool: string, rule: Rule) => Promise<void>) | null;
  readonly emit: (event: ZephEvent) => void;
  /** The runtime ends: open questions count as not answered. */
  readonly closing: AbortSignal;
}

/** Puts the question and keeps the answer for as long as it was meant: this call, this session, or always. */
export function createAsker({ confirm, by: usual, grants, saveRule, emit, closing }: Asking): Parts["ask"] {
  const keep = async ({ tool }: ToolCall, rules: readonly Rule[]) => {
    try {
      for (const rule of rules) await saveRule?.(tool.name, rule);
    } catch (error) {
      emit({
        type: "warning",
        message: `"always" holds for this session only, because the rule could not be saved: ${(error as Error).message}`,
      });
    }
  };

  return async (pending, { signal, turn }) => {
    const { call } = pending;
    // Who asks because nobody vouched for somebody asks again tomorrow, whatever rule there is.
    const isForGood = !pending.asked.some(({ gate, rule }) => gate === "trust" || rule === ESCALATION);
    const rules = saveRule && isForGood ? grants.narrowest(call, turn) : [];
    const isEdit = pending.asked.every(isAboutRules) && grants.isEdit(call);
    const question = questionOf(pending, { always: isForGood ? alwaysOf(call, rules) : undefined, isEdit });
    emit({ type: "question", ...question });
    if (!confirm) return null;
    const said = await putQuestion(confirm, question, AbortSignal.any([signal, closing]), emit);
    if (said === null || "unasked" in said) return said;
    const { by } = { by: usual, ...said };
    const answer = said.answer === "edits" && !isEdit ? "once" : said.answer;
    if (answer === "no") return { refusedBy: by };
    return {
      by,
      callId: call.id,
      async keep() {
        if (answer !== "once") grants.grant(call, turn, isForGood || answer !== "always" ? answer : "session");
        if (answer === "always") await keep(call, rules);
      },
    };
  };
}

interface Offered {
  readonly always: string | undefined;
  readonly isEdit: boolean;
}

function questionOf({ call, asked }: Pending, { always, isEdit }: Offered): Question {
  return {
    call_id: call.id,
    tool: call.tool.name,
    args: call.input,
    why: asked.map(({ why }) => why),
    touches: call.touches,
    ...(always !== undefined && { always_rule: always }),
    ...(isEdit && { all_edits: true }),
    ...(asked.some(({ gate }) => gate === "walls") && { without_walls: asked.every(isAboutWalls) ? "only" : "too" }),
  };
}

/** Asked only because no rule speaks of it. */
const isAboutRules = ({ gate, rule }: Objection): boolean => gate === "permissions" && rule === null;

/** What no rule speaks of is asked about because there are no walls: that is the same question once more. */
const isAboutWalls = ({ gate, rule }: Objection): boolean => gate === "walls" || (gate === "permissions" && rule === NO_WALLS);

/** What "always" would allow; undefined where there is no rule for it. */
function alwaysOf({ tool, input }: ToolCall, rules: readonly Rule[]): string | undefined {
  if (rules.length > 0)
    return rules
      .map(({ pattern, caller }) => `allow ${tool.name} on ${pattern}${caller === undefined ? "" : ` for the caller ${caller}`}`)
      .join("; ");
  if (tool.effect !== "runs") return undefined;
  return `allow exactly this command, in this folder${input.background === true ? ", in the background" : ""}`;
}

/** Null when there is no answer: the question failed, was cancelled, or got something that is no answer. */
export async function putQuestion(
  confirm: NonNullable<Asking["confirm"]>,
  question: Question,
  signal: AbortSignal,
  emit: Asking["emit"],
): Promise<(Partial<Answered> & Pick<Answered, "answer">) | Unasked | null> {
  let stop = () => {};
  const cancelled = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const answer = await Promise.race([Promise.resolve(question).then(confirm), cancelled]);
    if (answer === null) return null;
    if (isAnswer(answer)) return { answer };
    if (typeof answer === "object" && "unasked" in answer && typeof answer.unasked === "string") return answer;
    if (typeof answer === "object" && "by" in answer && isAnswer(answer.answer) && typeof answer.by === "string") return answer;
    emit({
      type: "warning",
      message: `confirm answered ${JSON.stringify(answer) ?? "nothing"}; that counts as no answer. It must be ${ANSWERS.slice(0, -1).join(", ")} or ${ANSWERS.at(-1)}.`,
    });
    return null;
  } catch (error) {
    emit({ type: "warning", message: `The question could not be put: ${error instanceof Error ? error.message : String(error)}` });
    return null;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
