import type { ToolCall } from "../../core/call.ts";
import type { Answered, Confirm, Question, Unasked, ZephEvent } from "../../core/event.ts";
import type { Pending } from "../../core/gate/verdict.ts";
import { ESCALATION, NO_WALLS, type Objection } from "../../core/gate/verdict.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { CallContext } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { RunParts } from "../run.ts";
import { ANOTHER_PERSON, lacksSecondPerson } from "./four-eyes.ts";
import { putQuestion } from "./put-question.ts";

interface Rule {
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
  readonly exact?: boolean | undefined;
  readonly caller?: string | undefined;
}

export interface Asking {
  readonly confirm: Confirm | undefined;
  /** The same question, put to others at once; the first answer counts. */
  readonly beside?: (confirm: Confirm | undefined) => Confirm | undefined;
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
  /** What the call would change, for the eyes of the person. */
  readonly preview: (call: ToolCall) => Promise<Pick<Question, "preview" | "preview_whole">>;
  /** The walls around the commands of a call, as they stand now. */
  readonly walls: () => Promise<Walls>;
  /** Whether a yes has to come from another person than the caller. */
  readonly fourEyes: () => boolean;
}

/** Puts the question and keeps the answer for as long as it was meant: this call, this session, or always. */
export function createAsker({
  confirm,
  beside = (put) => put,
  by: usual,
  grants,
  saveRule,
  emit,
  closing,
  preview,
  walls,
  fourEyes,
}: Asking): RunParts["ask"] {
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

  return async (pending, ctx, opened) => {
    const { signal, turn } = ctx;
    const { call } = pending;
    // A gate that asks because nobody vouched for a tool or a skill asks again tomorrow, whatever rule there is.
    const isForOnce = pending.asked.every(({ once }) => once);
    const isForGood = !isForOnce && !pending.asked.some(({ gate, rule }) => gate === "trust" || rule === ESCALATION);
    const rules = saveRule && isForGood ? grants.narrowest(call, turn) : [];
    const isEdit = pending.asked.every(isAboutRules) && grants.isEdit(call);
    const put = beside(ctx.confirm ?? confirm);
    // Nobody looks at what would change where nobody is asked.
    const shown = put && !ctx.kept ? await preview(call) : {};
    const around = call.tool.effect === "runs" && !ctx.kept ? await walls().catch(() => null) : null;
    const question: Question = {
      ...questionOf(pending, ctx, { always: isForGood ? alwaysOf(call, rules) : undefined, isEdit }),
      ...(around && { walls: pending.asked.some(isEscalation) ? NO_WALLS_AT_ALL : around }),
      ...shown,
    };
    const ask = async (): Promise<Answered | Unasked | "later" | null> => {
      emit({ type: "question", ...question });
      if (!put) return null;
      await opened?.(question);
      return putQuestion(put, question, AbortSignal.any([signal, closing]), emit);
    };
    const said = ctx.kept?.answer ?? (await ask());
    if (said === "later") return turn.skillName === undefined ? { later: question } : { unasked: NOT_IN_A_SKILL };
    if (said === null || "unasked" in said) return said;
    const by = said.by ?? usual;
    if (fourEyes() && lacksSecondPerson(said, turn.callerId)) return { unasked: ANOTHER_PERSON };
    const answer = said.answer === "edits" && !isEdit ? "once" : said.answer;
    const why = said.reason === undefined ? {} : { reason: said.reason };
    if (answer === "no") return { refusedBy: by, ...why };
    return {
      by,
      ...why,
      callId: call.id,
      async keep() {
        if (isForOnce) return;
        if (answer !== "once") grants.grant(call, turn, isForGood || answer !== "always" ? answer : "session");
        if (answer === "always") await keep(call, rules);
      },
    };
  };
}

/** The question is whether a command that walls stopped may run without them. */
const isEscalation = ({ rule }: Objection): boolean => rule === ESCALATION;
const NO_WALLS_AT_ALL: Walls = { backend: "none", layers: [], network: "open", reason: "this command is to run without walls" };

const NOT_IN_A_SKILL = "A skill that is under way cannot wait for an answer that comes later.";

interface Offered {
  readonly always: string | undefined;
  readonly isEdit: boolean;
}

function questionOf({ call, asked }: Pending, { turn, requestId }: CallContext, { always, isEdit }: Offered): Question {
  return {
    call_id: call.id,
    tool: call.tool.name,
    args: call.input,
    why: asked.map(({ why }) => why),
    touches: call.touches,
    ...(always !== undefined && { always_rule: always }),
    ...(isEdit && { all_edits: true }),
    ...(asked.some(({ gate }) => gate === "walls") && { without_walls: asked.every(isAboutWalls) ? "only" : "too" }),
    ...(turn.callerId !== undefined && !turn.front && { caller: turn.callerId }),
    ...(turn.conversationId !== undefined && { conversation: turn.conversationId }),
    ...(requestId !== undefined && { request: requestId }),
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
