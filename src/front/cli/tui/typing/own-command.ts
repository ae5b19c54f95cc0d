import type { ConfirmAnswer, Question } from "../../../../core/event.ts";
import type { Outcome } from "../../../../core/layer.ts";
import type { Zeph } from "../../../../runtime/create.ts";

/** A line that begins with `!`: the person's own command. With `!!` the model is shown it, too. */
export interface OwnCommand {
  readonly command: string;
  readonly isShared: boolean;
}

export function readOwnCommand(text: string): OwnCommand | null {
  const found = /^\s*(!!?)\s*([^!\s][\s\S]*)$/.exec(text);
  return found && { command: found[2]!.trim(), isShared: found[1] === "!!" };
}

/**
 * Runs it through the door, behind the walls. Whoever types a command has said yes to it, once; what it wants besides, such as to run without walls, is
 * asked, and what is never run is refused.
 */
export const runOwnCommand = (
  { callAny }: Pick<Zeph, "callAny">,
  { command }: OwnCommand,
  ask: (question: Question, signal: AbortSignal) => Promise<ConfirmAnswer>,
  signal: AbortSignal,
): Promise<Outcome> =>
  callAny(
    "bash",
    { command },
    { signal, typed: true, confirm: (question, context) => (isPlainYes(question) ? "once" : ask(question, context.signal)) },
  );

const isPlainYes = ({ without_walls, whole_repository, wants }: Question): boolean =>
  without_walls === undefined && whole_repository === undefined && wants === undefined;

const LONGEST_SHARED = 16 * 1024;

/** The words with which the model is shown a command of the person. */
export function sharedCommand({ command }: OwnCommand, outcome: Outcome): string {
  const text = outcome.output?.text ?? (outcome.ok ? "" : outcome.error.message);
  const shown = text.length > LONGEST_SHARED ? `${text.slice(0, LONGEST_SHARED)}\n…` : text;
  return `I ran this command:\n$ ${command}\n${shown}`;
}
