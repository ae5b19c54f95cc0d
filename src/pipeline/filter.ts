import type { ApprovedCall } from "../core/door.ts";
import type { Layer, Outcome } from "../core/layer.ts";
import { escapeMarkers, omission } from "../core/marker.ts";
import type { ToolOutput } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import type { OutputFilter, Shortening } from "../filters/output.ts";
import type { Secret, Secrets } from "../filters/secrets/secrets.ts";
import type { FilterStats } from "../filters/stats.ts";
import { redacted, redactedOutput } from "./redact.ts";
import { repeats } from "./repeats.ts";

export interface FilterParts {
  /** Rules take a moment to read, so they are asked for when the first command has printed something. */
  readonly filter: () => Promise<OutputFilter>;
  /** null shows secrets in what tools return. */
  readonly secrets: Secrets | null;
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
export function filtering({ filter, secrets, nonce, stats, handlesOf }: FilterParts): Cleaning {
  const before = repeats();

  const shortened = async ({ printed, ...output }: ToolOutput, turn: TurnContext): Promise<Changed> => {
    if (!printed) return { output: { ...output, text: escapeMarkers(output.text) }, secrets: [] };
    const after = output.text.slice(printed.text.length);
    const { shorten, secrets: known } = await filter();
    const handles = await handlesOf(turn);
    const handle = handles.last + 1;
    const made = shorten({ command: printed.command, raw: printed.text, exitCode: output.exitCode ?? 0 }, (left) =>
      omission({ ...left, handle, nonce }),
    );
    stats.add(made);
    const shown = { ...output, text: `${made.text}${after}`, filter: reportOf(made) };
    if (made.left === null) return { output: shown, secrets: made.secrets };
    handles.last = handle;
    const raw = made.secrets.length > 0 ? known.redact(printed.text, made.secrets) : printed.text;
    return { output: { ...shown, shortened: { raw, handle } }, secrets: made.secrets };
  };

  return {
    layer: async ({ call }, { turn }, next) => {
      const again = before.seen(call, turn.turnId);
      const outcome = await next();
      const changed = outcome.output && (again ? asPrinted(outcome.output) : await shortened(outcome.output, turn));
      const result: Outcome = changed ? { ...outcome, output: changed.output } : outcome;
      return secrets ? redacted(result, secrets, changed?.secrets ?? []) : result;
    },
    async clean(output, turn) {
      const changed = await shortened(output, turn);
      return secrets ? redactedOutput(changed.output, secrets, changed.secrets) : changed.output;
    },
  };
}

interface Changed {
  readonly output: ToolOutput;
  readonly secrets: readonly Secret[];
}

/** The same command again, with nothing written between: all of it. */
const asPrinted = ({ printed: _printed, ...output }: ToolOutput): Changed => ({
  output: { ...output, text: escapeMarkers(output.text) },
  secrets: [],
});

const reportOf = ({ rule, confidence, rawLines, lines, rawChars, chars, secrets }: Shortening) => ({
  rule,
  confidence,
  rawLines,
  lines,
  rawChars,
  chars,
  secrets: [...new Set(secrets.map(({ family }) => family))],
});
