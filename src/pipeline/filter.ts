import { type Draft, type DraftPart, textOf, withNote } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import type { Drafted, InnerLayer } from "../core/layer.ts";
import { marker } from "../core/marker.ts";
import { LONG_TEXT } from "../core/ports/texts.ts";
import { NEVER } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import type { OutputFilter } from "../filters/output.ts";
import { redactText, type SecretFinder } from "../filters/secrets/secrets.ts";
import type { FilterStats } from "../filters/stats.ts";
import { grouped } from "../text/words.ts";
import { type CleanedTexts, type CleanOptions, cleanTexts, type PrintedAt } from "./clean.ts";
import type { CleanLong } from "./clean-long.ts";
import { type GatheredTexts, gatherTexts, hasShownText, isLongOutcome, type Produced, replaceTexts } from "./outcome-texts.ts";
import { createRepeatedCalls } from "./repeated-calls.ts";

export interface FilterParts {
  /** Rules take a moment to read, so they are asked for when the first command has printed something. */
  readonly filter: () => Promise<OutputFilter>;
  /** null shows secrets in what tools return. */
  readonly secrets: SecretFinder | null;
  /** For texts so long that a thread has to work on them. */
  readonly long: CleanLong;
  readonly nonce: string;
  readonly stats: FilterStats;
  /** Where the `raw#n` of this turn are counted: a conversation goes on counting when it is resumed. */
  readonly handlesOf: (turn: TurnContext) => Promise<{ last: number }>;
}

export interface FilterLayer {
  readonly layer: InnerLayer;
  /** The same for what a command printed that ended by itself, outside any call. */
  clean(draft: Draft, turn: TurnContext): Promise<Draft>;
}

/** Cleans and shortens what commands print, and takes the secrets out of whatever any tool returns. */
export function createFilterLayer({ filter, secrets, long, nonce, stats, handlesOf }: FilterParts): FilterLayer {
  const before = createRepeatedCalls();

  const cleaned = async (spoken: Produced, turn: TurnContext, how: "shorten" | "as printed", signal: AbortSignal): Promise<Produced> => {
    const printed = printingOf(spoken.output, how);
    const handles = printed ? await handlesOf(turn) : null;
    // Taken at once: other calls may take a handle meanwhile.
    const handle = handles ? ++handles.last : 0;
    const options: CleanOptions = { printed, notes: notesOf(spoken.output), handle, nonce };
    const strings = await gatherTexts(spoken);
    let made: CleanedTexts;
    try {
      made = isLongOutcome(spoken)
        ? await long(strings, options, signal)
        : cleanTexts(strings, options, { filter: printed ? await filter() : null, secrets });
    } catch (error) {
      return withheld(spoken, error, { nonce, secrets });
    }
    if (handles && made.omitted === null && handles.last === handle) handles.last--;
    if (made.filter && printed) stats.add(made.filter, printed.command);
    const { output, error } = await rebuilt(spoken, strings, made);
    return { ...(output && { output: withMarks(output, made, { handle, nonce }) }), ...(error && { error }) };
  };

  return {
    layer: async ({ call }, { turn, signal }, next) => {
      const again = before.seen(call, turn.turnId);
      const outcome = await next();
      const spoken: Produced = outcome.ok ? { output: outcome.output } : { output: outcome.output, error: outcome.error };
      return { ...outcome, ...(await cleaned(spoken, turn, again ? "as printed" : "shorten", signal)) } as Drafted;
    },
    clean: async (draft, turn) => (await cleaned({ output: draft }, turn, "shorten", NEVER)).output!,
  };
}

/** The places of Zeph's own notes among the texts. */
const notesOf = (draft: Draft | undefined): number[] =>
  (draft?.parts ?? []).filter(hasShownText).flatMap(({ kind }, n) => (kind === "note" ? [n] : []));

function printingOf(draft: Draft | undefined, how: "shorten" | "as printed"): PrintedAt | null {
  const shown = draft?.parts.filter(hasShownText) ?? [];
  const at = shown.findIndex(({ kind }) => kind === "printed");
  const part = shown[at];
  return part?.kind === "printed"
    ? { at, command: part.command, exitCode: draft?.exitCode ?? 0, ...(how === "as printed" && { again: true as const }) }
    : null;
}

async function rebuilt(before: Produced, strings: GatheredTexts, made: CleanedTexts): Promise<Produced> {
  const areTextsSame = made.texts.every((text, n) => text === strings.texts[n]);
  const isAsItWas = areTextsSame && made.message === strings.message && made.others === strings.others && !strings.deep;
  // An error that carries its output is made anew in any case: the output as it was may hold a secret.
  return isAsItWas && !before.error?.output ? before : replaceTexts(before, made);
}

/** Behind what is shown of what was printed stands how much is not, and a warning of its secrets; a warning of others comes last. */
function withMarks(draft: Draft, made: CleanedTexts, mark: { readonly handle: number; readonly nonce: string }): Draft {
  const warning: DraftPart[] = made.warning === null ? [] : [{ kind: "note", text: made.warning }];
  const isOfPrinted = made.filter !== null && made.filter.secrets.length > 0;
  const parts = draft.parts.flatMap((part): DraftPart[] => {
    if (part.kind !== "printed") return [part];
    const omitted: DraftPart[] = made.omitted ? [{ kind: "omitted", ...made.omitted, ...mark }] : [];
    return [{ kind: "text", text: part.text }, ...omitted, ...(isOfPrinted ? warning : [])];
  });
  const marked = { ...draft, parts, ...(made.filter && { filter: made.filter }) };
  return made.warning === null || isOfPrinted ? marked : withNote(marked, made.warning);
}

/** A text that could not be searched for secrets is not shown and not stored. How the call ended is shown. */
function withheld(
  { output, error }: Produced,
  cause: unknown,
  { nonce, secrets }: { readonly nonce: string; readonly secrets: SecretFinder | null },
): Produced {
  const why = cause instanceof Error ? cause.message : String(cause);
  const note = (what: string, { length }: string) =>
    marker(nonce, `${what} of ${grouped(length)} characters is withheld, because it could not be searched for secrets: ${why}`);
  const words = (message: string) =>
    message.length > LONG_TEXT ? note("an error message", message) : secrets ? redactText(message, secrets) : message;
  return {
    ...(output && {
      output: {
        parts: [{ kind: "note", text: note("an output", textOf(output.parts)) }],
        truncated: true,
        ...(output.exitCode !== undefined && { exitCode: output.exitCode }),
        ...(output.walls && { walls: output.walls }),
        ...(output.rollback !== undefined && { rollback: output.rollback }),
      },
    }),
    ...(error && {
      error: new ToolError(error.category, words(error.message), error.advice === undefined ? {} : { advice: error.advice }),
    }),
  };
}
