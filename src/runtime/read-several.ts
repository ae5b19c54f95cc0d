import { randomUUID } from "node:crypto";
import { fitInput } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome, Step } from "../core/layer.ts";
import { ToolRequest } from "../core/request.ts";
import type { CallContext } from "../core/tool.ts";
import { record } from "../text/json.ts";
import { quoteName } from "../text/path.ts";
import { oneLine } from "../text/visible.ts";
import { plural } from "../text/words.ts";
import { linesBeyond, read } from "../tools/read.ts";

/** One file of several, and what came of it. */
interface FileRead {
  readonly path: string;
  readonly outcome: Outcome;
}

/**
 * A read of several files is a call for each of them: each is judged, cached, counted and logged like any other. What is refused or missing is a line of the
 * answer. `most` is how many characters all of them may have together.
 */
export const withSeveralFiles =
  (step: Step<ToolRequest>, most: number): Step<ToolRequest> =>
  async (request, ctx) => {
    const paths = pathsOf(request);
    if (paths === null) return step(request, ctx);
    const files: FileRead[] = [];
    for (const path of paths) {
      if (ctx.signal.aborted) break;
      files.push({ path, outcome: await step(requestFor(path), ctxFor(ctx)) });
    }
    return joined(request.id, files, most);
  };

/** Null for every other request, and for one that its schema refuses. */
function pathsOf({ name, args, problem }: ToolRequest): readonly string[] | null {
  if (name !== read.name || problem !== undefined || !Array.isArray(record(args).paths)) return null;
  const { fit } = fitInput(read, args, "ignore");
  return fit.ok ? [...new Set((fit.value as { paths: readonly string[] }).paths)] : null;
}

const requestFor = (path: string): ToolRequest => ToolRequest.from({ id: randomUUID(), name: read.name, args: { path } })!;

/** Its question cannot be answered later in the place of the whole: the answer is given when the same file is asked for again. */
const ctxFor = ({ requestId: _, ...ctx }: CallContext): CallContext => ({ ...ctx, repeats: true });

function joined(callId: string, files: readonly FileRead[], most: number): Outcome {
  const good = files.flatMap(({ outcome }) => (outcome.ok ? [outcome] : []));
  const [first] = good;
  if (!first) return allFailed(callId, files);
  const texts = files.map(({ outcome }) => (outcome.ok ? outcome.output.text : `(not read: ${whyNot(outcome)})`));
  const room = shares(
    texts.map((text) => text.length),
    most,
  );
  const shown = files.map(({ path }, n) => `== ${quoteName(path)}\n${cutTo(texts[n]!, room[n]!)}`);
  return {
    ...first,
    callId,
    cached: good.length === files.length && good.every(({ cached }) => cached),
    output: {
      text: shown.join("\n"),
      truncated: texts.some((text, n) => text.length > room[n]!) || good.some(({ output }) => output.truncated),
      locations: good.flatMap(({ output }) => output.locations ?? []),
    },
  };
}

function allFailed(callId: string, files: readonly FileRead[]): Outcome {
  const lines = files.map(({ path, outcome }) => `${quoteName(path)}: ${whyNot(outcome)}`);
  const [first] = files;
  if (!first || first.outcome.ok) {
    return { ok: false, callId, error: new ToolError("cancelled", "The call was cancelled before it ran."), decision: { verdict: "none" } };
  }
  const { error, decision } = first.outcome;
  return { ok: false, callId, error: new ToolError(error.category, lines.join("\n")), decision };
}

const whyNot = (outcome: Outcome): string => (outcome.ok ? "" : oneLine(outcome.error.message, LONGEST_REASON));
const LONGEST_REASON = 300;

/** What each may show: what the short ones do not need goes to the others. */
function shares(lengths: readonly number[], most: number): readonly number[] {
  const room = new Array<number>(lengths.length).fill(0);
  let left = most;
  const byLength = lengths.map((length, n) => ({ length, n })).sort((a, b) => a.length - b.length);
  for (const [done, { length, n }] of byLength.entries()) {
    room[n] = Math.min(length, Math.floor(left / (lengths.length - done)));
    left -= room[n]!;
  }
  return room;
}

/** At the end of a line. What is left out is counted by the numbers of the lines: the text may have gaps, and notes that are no lines. */
function cutTo(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = Math.max(0, text.lastIndexOf("\n", room));
  const [left, right] = [numbers(text.slice(0, end)), numbers(text.slice(end))];
  const last = right.at(-1) ?? left.at(-1);
  if (last === undefined) return `${text.slice(0, end)}\n(more follows; read this file alone)`.trimStart();
  const shown = left.at(-1) ?? right[0]! - 1;
  const beyond = linesBeyond(text);
  const more = `${beyond === null ? "more than " : ""}${plural(last - shown + (beyond ?? 0), "more line")}`;
  const note = `(${more}; go on with path and offset ${shown + 1})`;
  return end === 0 ? note : `${text.slice(0, end)}\n${note}`;
}

const numbers = (text: string): readonly number[] => Array.from(text.matchAll(/^(\d+)\t/gm), ([, number]) => Number(number));
