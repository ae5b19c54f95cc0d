import type { ApprovedCall } from "../core/door.ts";
import type { Layer, Outcome } from "../core/layer.ts";
import { escapeMarkers, omission } from "../core/marker.ts";
import type { ToolOutput } from "../core/tool.ts";
import type { OutputFilter, Shortening } from "../filters/output.ts";
import type { Secret, Secrets } from "../filters/secrets/secrets.ts";
import type { FilterStats } from "../filters/stats.ts";
import { redacted } from "./redact.ts";
import { repeats } from "./repeats.ts";

export interface FilterParts {
  /** Rules take a moment to read, so they are asked for when the first command has printed something. */
  readonly filter: () => Promise<OutputFilter>;
  /** null shows secrets in what tools return. */
  readonly secrets: Secrets | null;
  readonly nonce: string;
  readonly stats: FilterStats;
}

/** Cleans and shortens what commands print, and takes the secrets out of whatever any tool returns. */
export function filtering({ filter, secrets, nonce, stats }: FilterParts): Layer<ApprovedCall> {
  const before = repeats();
  let handles = 0;

  const shortened = async ({ printed, ...output }: ToolOutput): Promise<Changed> => {
    if (!printed) return { output: { ...output, text: escapeMarkers(output.text) }, secrets: [] };
    const after = output.text.slice(printed.text.length);
    const { shorten, secrets: known } = await filter();
    const handle = handles + 1;
    const made = shorten({ command: printed.command, raw: printed.text, exitCode: output.exitCode ?? 0 }, (left) =>
      omission({ ...left, handle, nonce }),
    );
    stats.add(made);
    const shown = { ...output, text: `${made.text}${after}`, filter: reportOf(made) };
    if (made.left === null) return { output: shown, secrets: made.secrets };
    handles = handle;
    const raw = made.secrets.length > 0 ? known.redact(printed.text, made.secrets) : printed.text;
    return { output: { ...shown, shortened: { raw, handle } }, secrets: made.secrets };
  };

  return async ({ call }, { turn }, next) => {
    const again = before.seen(call, turn.turnId);
    const outcome = await next();
    const changed = outcome.output && (again ? asPrinted(outcome.output) : await shortened(outcome.output));
    const result: Outcome = changed ? { ...outcome, output: changed.output } : outcome;
    return secrets ? redacted(result, secrets, changed?.secrets ?? []) : result;
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
