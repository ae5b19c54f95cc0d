import type { Confirm, Question, ZephEvent } from "../../core/event.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { AskEgress, EgressCommand, EgressQuestion } from "../../host/egress/approvals.ts";
import { REGISTRIES } from "../../host/egress/judge.ts";
import { putQuestion } from "../../pipeline/ask/put-question.ts";
import { oneLine, visible } from "../../text/visible.ts";

export interface EgressAsking {
  /** Who puts the questions of a turn's commands. */
  readonly confirmFor: (turn: TurnContext) => Confirm | undefined;
  readonly by: string;
  readonly emit: (event: ZephEvent) => void;
  /** Writes a name into the person's own file; null where there is none. */
  readonly save: ((name: string) => Promise<void>) | null;
  /** What was answered, for the audit log. */
  readonly note: (text: string) => void;
  /** The runtime ends: open questions count as not answered. */
  readonly closing: AbortSignal;
}

/** Asks the person about a name that a running command wants to reach, in whatever front end they sit at. */
export function createEgressAsk({ confirmFor, by, emit, save, note, closing }: EgressAsking): AskEgress {
  const keep = async (name: string) => {
    try {
      await save?.(name);
    } catch (error) {
      emit({
        type: "warning",
        message: `"always" holds for this session only, because ${name} could not be saved: ${(error as Error).message}`,
      });
    }
  };
  return async (asked) => {
    // One of several: the newest is most likely the one, and all are named.
    const command = asked.commands.at(-1)!;
    if (command.ctx.turn.phase === "autonomous") return { why: "nobody is asked on behalf of Zeph itself" };
    // The list is everybody's, so no caller with rights of its own adds to it.
    const maySave = save !== null && command.ctx.turn.rights === undefined;
    const confirm = confirmFor(command.ctx.turn);
    const question = questionOf(asked, command, maySave);
    emit({ type: "question", ...question });
    if (!confirm) return { why: NOBODY_TO_ASK };
    const said = await putQuestion(confirm, question, closing, emit);
    if (said === null || said === "later") return { why: "nobody answered" };
    if ("unasked" in said) return { why: said.unasked };
    const subject = asked.registries.length > 0 ? REGISTRIES : asked.host;
    note(`${said.by ?? by} answered "${said.answer}" about commands reaching ${subject}.`);
    if (said.answer === "always" && maySave) await keep(subject);
    // That answer is about edits, and here it says no more than yes.
    return said.answer === "edits" ? "once" : said.answer;
  };
}

/** Where no person is behind the runtime. */
export const NOBODY_TO_ASK = "there is nobody to ask; --yes says yes for this once, and the setting opens it for good";

const LONGEST_COMMAND = 120;
const MOST_NAMED = 20;

function questionOf({ host, port, registries, commands }: EgressQuestion, { command, permit }: EgressCommand, maySave: boolean): Question {
  const others = commands.length - 1;
  const names = [...registries.slice(0, MOST_NAMED), ...(registries.length > MOST_NAMED ? [`${registries.length - MOST_NAMED} more`] : [])];
  const all = `${REGISTRIES}: ${names.join(", ")}`;
  const what = registries.length > 0 ? all : `${host} (ports 443 and 80)`;
  return {
    call_id: permit.call.id,
    tool: permit.call.tool.name,
    args: { command },
    wants: `\`${oneLine(visible(command), LONGEST_COMMAND)}\` wants to reach ${host}:${port}.`,
    why: [
      registries.length > 0
        ? `A yes opens the names your package managers load from, ${all}.`
        : `A yes opens ${host} to commands, on ports 443 and 80.`,
      "What a command can read it can send there: a registry is a way out, too.",
      ...(others > 0 ? [`It may also be one of ${others} other command${others > 1 ? "s" : ""} that run now.`] : []),
    ],
    touches: [{ kind: "url", url: `${port === 80 ? "http" : "https"}://${host}/` }],
    ...(maySave && { always_rule: `open ${what} to commands (tools.sandbox.allow_domains)` }),
  };
}
