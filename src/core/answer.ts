import { CATEGORIES, errorBlock } from "./error.ts";
import type { Outcome } from "./layer.ts";
import { mediaJson } from "./media/media.ts";
import { missingWalls } from "./ports/walls.ts";
import type { Filtering, ToolOutput } from "./tool.ts";

/** What the model reads: the output; or the error block, and after a blank line what was produced all the same. */
export function answerText(outcome: Outcome, badArguments: "as it is" | "reformats" = "as it is"): string {
  if (outcome.ok) return outcome.output.text;
  const block = errorBlock(outcome.error, { reformats: badArguments === "reformats" });
  return outcome.output ? `${block}\n\n${outcome.output.text}` : block;
}

/** The answer as one JSON object: the public contract of `zeph call --json` and `--batch`. */
export function answerJson(outcome: Outcome, durationMs: number, badArguments: "as it is" | "reformats" = "as it is") {
  const { output, decision, callId } = outcome;
  return {
    ok: outcome.ok,
    text: answerText(outcome, badArguments),
    ...(!outcome.ok && { error: errorJson(outcome.error, badArguments) }),
    decision,
    ...(output?.exitCode !== undefined && { exit_code: output.exitCode }),
    ...(output?.truncated && { truncated: true }),
    ...streamsJson(output),
    ...(output?.diff !== undefined && { diff: output.diff }),
    ...(output?.rollback && { rollback: output.rollback }),
    ...(output?.walls && { sandbox: output.walls }),
    ...(missingWalls(output?.walls) !== undefined && { without_walls: true }),
    ...(output?.hint && { hint: output.hint }),
    ...(output?.filter && { filter: filterJson(output.filter) }),
    ...(output?.overflow && { overflow: output.overflow }),
    ...(output?.media && { media: output.media.map((one) => ({ ...mediaJson(one), data: one.data })) }),
    cached: outcome.ok && outcome.cached,
    duration_ms: Math.round(durationMs * 10) / 10,
    call_id: callId,
  };
}

/** What a command printed, stream by stream. */
export const streamsJson = (output: ToolOutput | undefined) =>
  output?.streams && { stdout: output.streams.stdout, stderr: output.streams.stderr };

const filterJson = ({ rule, confidence, rawLines, lines, rawChars, chars, secrets }: Filtering) => ({
  rule,
  confidence,
  raw_lines: rawLines,
  lines,
  raw_chars: rawChars,
  chars,
  ...(secrets.length > 0 && { secrets }),
});

function errorJson({ category, message, advice: own }: Extract<Outcome, { ok: false }>["error"], badArguments: "as it is" | "reformats") {
  const { advice, retry } = CATEGORIES[category];
  const isTriedAgain = retry === "system" || (retry === "reformat" && badArguments === "reformats");
  return { category, message, suggestion: own ?? advice, retryable: own === undefined && isTriedAgain };
}
