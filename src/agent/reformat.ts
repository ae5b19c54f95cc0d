import type { Outcome } from "../core/layer.ts";
import type { Model, ToolSpec, Usage } from "../core/ports/model.ts";
import type { Tracing } from "../core/ports/span.ts";
import { ToolRequest } from "../core/request.ts";
import { abortAfter } from "../text/abort.ts";
import { isRecord, parseJson, record } from "../text/json.ts";
import { bounded } from "../text/visible.ts";
import { askSideQuestion } from "./aside/side-question.ts";

export interface ReformatterParts {
  readonly model: Model;
  readonly tools: () => readonly ToolSpec[];
  readonly call: (request: ToolRequest, signal: AbortSignal, requestId: string) => Promise<Outcome>;
  /** How long the model may take. */
  readonly patienceMs: number;
  readonly warn: (message: string) => void;
  /** What it used. */
  readonly used: (usage: Usage | null) => void;
  readonly tracing: Tracing;
}

const MOST_CHARACTERS = 20_000;

/** One attempt to put bad arguments right by asking a model. What comes back is a new request through the door; whatever goes wrong, the first failure stands. */
export const createReformatter =
  ({ model, tools, call, patienceMs, warn, used, tracing }: ReformatterParts) =>
  async (request: ToolRequest, failed: Outcome, signal: AbortSignal, requestId: string): Promise<Outcome> => {
    const spec = tools().find(({ name }) => name === request.name);
    // Arguments that are no JSON are not kept as text, so there is nothing to repair: only the model itself knows what it meant.
    if (!spec || failed.ok || request.problem !== undefined || signal.aborted) return failed;
    const text = question(spec, request, failed.error.message);
    // Half of what was meant would be run as if it were all.
    if (text.length > MOST_CHARACTERS) return failed;
    const limit = AbortSignal.any([signal, abortAfter(patienceMs)]);
    try {
      const args = argumentsIn(await askSideQuestion({ model, used, tracing }, { system: SYSTEM, text }, limit));
      const again = args === null ? null : ToolRequest.from({ id: request.id, name: request.name, args });
      if (!again || signal.aborted) return failed;
      const outcome = await call(again, signal, requestId);
      return outcome.ok ? withNote(outcome, again.args) : outcome;
    } catch (error) {
      if (!signal.aborted) warn(`The arguments of ${request.name} could not be repaired by ${model.id}: ${(error as Error).message}`);
      return failed;
    }
  };

const SYSTEM =
  'You repair the arguments of a tool call. Answer with one JSON object and nothing else: {"arguments": {…}}. Keep what was meant; change only what the error names. Invent no values.';

const question = ({ name, parameters }: ToolSpec, { args }: ToolRequest, error: string): string =>
  [`Tool: ${name}`, `Schema: ${JSON.stringify(parameters)}`, `Arguments: ${JSON.stringify(args)}`, `Error: ${error}`].join("\n");

/** The object named `arguments` in what a model said, fenced or not; null when there is none. */
export function argumentsIn(answer: string): object | null {
  const { arguments: args } = record(parseJson(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)));
  return isRecord(args) ? args : null;
}

/** The model sees what was really run. */
const withNote = (outcome: Extract<Outcome, { ok: true }>, args: unknown): Outcome => ({
  ...outcome,
  output: { ...outcome.output, text: `[arguments repaired: ${bounded(JSON.stringify(args), MOST_SHOWN)}]\n${outcome.output.text}` },
});

const MOST_SHOWN = 500;
