import type { ApprovedCall } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Layer, Outcome } from "../core/layer.ts";
import { marker } from "../core/marker.ts";
import { LONG_TEXT } from "../core/ports/texts.ts";
import { NEVER, type ToolOutput } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import type { OutputFilter } from "../filters/output.ts";
import { redactText, type Secrets } from "../filters/secrets/secrets.ts";
import type { FilterStats } from "../filters/stats.ts";
import { grouped } from "../text/words.ts";
import { type Cleaned, type CleanOptions, cleanStrings, type Printing } from "./clean.ts";
import type { CleanLong } from "./clean-long.ts";
import { repeats } from "./repeats.ts";
import { type Gathered, isLong, type Spoken, stringsOf, withStrings } from "./strings.ts";

export interface FilterParts {
  /** Rules take a moment to read, so they are asked for when the first command has printed something. */
  readonly filter: () => Promise<OutputFilter>;
  /** null shows secrets in what tools return. */
  readonly secrets: Secrets | null;
  /** For what is too long to be worked on where others wait. */
  readonly long: CleanLong;
  readonly nonce: string;
  readonly stats: FilterStats;
  /** Where the `raw#n` of this turn are counted: a conversation goes on counting when it is resumed. */
  readonly handlesOf: (turn: TurnContext) => Promise<{ last: number }>;
}

export interface Cleaning {
  readonly layer: Layer<ApprovedCall>;
  /** The same for what a command printed that ended by itself, outside any call. */
  clean(output: ToolOutput, turn: TurnContext): Promise<ToolOutput>;
}

/** Cleans and shortens what commands print, and takes the secrets out of whatever any tool returns. */
export function filtering({ filter, secrets, long, nonce, stats, handlesOf }: FilterParts): Cleaning {
  const before = repeats();

  const cleaned = async (spoken: Spoken, turn: TurnContext, how: "shorten" | "as printed", signal: AbortSignal): Promise<Spoken> => {
    const printed = how === "shorten" && spoken.output?.printed ? printingOf(spoken.output) : null;
    const handles = printed ? await handlesOf(turn) : null;
    // Taken at once: others may be at work meanwhile.
    const handle = handles ? ++handles.last : 0;
    const options: CleanOptions = { printed, handle, nonce };
    const strings = await stringsOf(spoken);
    let made: Cleaned;
    try {
      made = isLong(spoken)
        ? await long(strings, options, signal)
        : cleanStrings(strings, options, { filter: printed ? await filter() : null, secrets });
    } catch (error) {
      return withheld(spoken, error, { nonce, secrets });
    }
    if (handles && made.raw === null && handles.last === handle) handles.last--;
    if (made.filter) stats.add(made.filter);
    return rebuilt(spoken, strings, made, handle);
  };

  return {
    layer: async ({ call }, { turn, signal }, next) => {
      const again = before.seen(call, turn.turnId);
      const outcome = await next();
      const spoken: Spoken = outcome.ok ? { output: outcome.output } : { output: outcome.output, error: outcome.error };
      return { ...outcome, ...(await cleaned(spoken, turn, again ? "as printed" : "shorten", signal)) } as Outcome;
    },
    clean: async (output, turn) => (await cleaned({ output }, turn, "shorten", NEVER)).output!,
  };
}

const printingOf = ({ printed, exitCode }: ToolOutput): Printing => ({
  command: printed!.command,
  length: printed!.text.length,
  exitCode: exitCode ?? 0,
});

async function rebuilt(before: Spoken, strings: Gathered, made: Cleaned, handle: number): Promise<Spoken> {
  const isAsItWas = made.text === strings.text && made.message === strings.message && made.others === strings.others && !strings.deep;
  // An error that carries its output is made anew in any case: the output as it was may hold a secret.
  const { output: all, error } = isAsItWas && !before.error?.output ? before : await withStrings(before, made);
  if (!all) return { ...(error && { error }) };
  const { printed: _printed, ...output } = all;
  return {
    output: {
      ...output,
      ...(made.filter && { filter: made.filter }),
      ...(made.raw !== null && { shortened: { raw: made.raw, handle } }),
    },
    ...(error && { error }),
  };
}

/** What could not be searched for secrets is shown to nobody, and not stored. How it ended is told. */
function withheld(
  { output, error }: Spoken,
  cause: unknown,
  { nonce, secrets }: { readonly nonce: string; readonly secrets: Secrets | null },
): Spoken {
  const why = cause instanceof Error ? cause.message : String(cause);
  const note = (what: string, { length }: string) =>
    marker(nonce, `${what} of ${grouped(length)} characters is withheld, because it could not be searched for secrets: ${why}`);
  const words = (message: string) =>
    message.length > LONG_TEXT ? note("an error message", message) : secrets ? redactText(message, secrets) : message;
  return {
    ...(output && {
      output: {
        text: note("an output", output.text),
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
