import { answerJson } from "../../../core/answer.ts";
import { ToolError } from "../../../core/error.ts";
import type { Outcome } from "../../../core/layer.ts";
import { type AnswerFlags, confirmWith } from "../../../question/flags.ts";
import { openDesk, type Zeph } from "../../../runtime/create.ts";
import { isRecord } from "../../../text/json.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { parseJsonLine } from "../arguments.ts";
import { EXIT, exitCode, worstExit } from "../exit.ts";
import { type GlobalSettings, withRuntime } from "../runtime.ts";
import { type InputLine, readInputLines } from "../stdin.ts";
import { listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonLine } from "./print.ts";

const MOST_AT_ONCE = 8;

/** `zeph call --batch`: a call on each line of stdin, an answer on each line of stdout, in the same order. All of it is one turn. */
export async function batch(answers: AnswerFlags, settings: GlobalSettings, terminal: Terminal): Promise<number> {
  const { signal } = listenForStop();
  const isBound = await boundTools(settings);
  return withRuntime(settings, confirmWith(answers), terminal, async (zeph) => {
    const codes = new Set<number>();
    const inTurn = readsTogether(zeph, isBound);
    let printed = Promise.resolve();
    const open: Promise<void>[] = [];
    const print = async (answer: Promise<Answer>) => {
      const { id, outcome, ms } = await answer;
      codes.add(exitCode(outcome));
      terminal.stdout.write(jsonLine({ id, ...answerJson(outcome, ms) }));
    };
    await zeph.turn(async () => {
      for await (const line of readInputLines(terminal.stdin, signal)) {
        if ("text" in line && line.text.trim() === "") continue;
        // The next line is not even read while eight answers are still to be printed.
        if (open.length === MOST_AT_ONCE) await open.shift();
        const answer = answerTo(line, inTurn, signal);
        printed = printed.then(() => print(answer));
        open.push(printed);
      }
      await printed;
    });
    return signal.aborted ? EXIT.cancelled : worstExit(codes);
  });
}

interface Answer {
  readonly id: unknown;
  readonly outcome: Outcome;
  readonly ms: number;
}
type Run = (tool: string, args: unknown, signal: AbortSignal) => Promise<{ outcome: Outcome; ms: number }>;

/** One bad line is answered like a bad call, and the rest go on. It goes through the runtime too, so that it is refused and recorded there. */
async function answerTo(line: InputLine, run: Run, signal: AbortSignal): Promise<Answer> {
  const parsed = parseLine(line);
  if (!("problem" in parsed)) return { id: parsed.id, ...(await run(parsed.tool, parsed.args, signal)) };
  // As text, which no tool takes for its arguments.
  const { outcome, ms } = await run(parsed.tool ?? "(none)", "text" in line ? line.text : line.problem, signal);
  return { id: parsed.id, outcome: explained(outcome, parsed.problem), ms };
}

/** The runtime can only say that there is no such tool, or that it got a text. What could not be recorded has a cause, and says so itself. */
function explained(outcome: Outcome, problem: string): Outcome {
  if (outcome.ok || outcome.error.cause !== undefined) return outcome;
  return { ...outcome, error: new ToolError("invalid_parameters", problem) };
}

/** Tools that may be called only after others: they wait for all before them, because one of those may be what they require. */
async function boundTools(settings: GlobalSettings): Promise<(tool: string) => boolean> {
  const desk = openDesk(process.cwd(), settings);
  await desk.close();
  const { enabled, rules } = desk.loaded.config.tools.dependencies;
  return (tool) => enabled && Object.hasOwn(rules, tool) && rules[tool]!.requires.length > 0;
}

/**
 * Reads may overlap with reads. Whatever may change something waits for all before it and is waited for by all after it.
 * A read that requires other tools waits as well, but nobody waits for it.
 */
function readsTogether(zeph: Zeph, isBound: (tool: string) => boolean): Run {
  const reads = new Set(
    zeph
      .tools()
      .filter(({ effect }) => effect === "reads")
      .map(({ name }) => name),
  );
  const running = new Set<Promise<unknown>>();
  let change: Promise<unknown> = Promise.resolve();
  return (tool, args, signal) => {
    const before = reads.has(tool) && !isBound(tool) ? change : Promise.all([change, ...running]);
    const mine = before.then(async () => {
      const started = performance.now();
      const outcome = await zeph.callAny(tool, args, { signal });
      return { outcome, ms: performance.now() - started };
    });
    if (reads.has(tool)) {
      running.add(mine);
      void mine.then(() => running.delete(mine));
    } else change = mine;
    return mine;
  };
}

const FIELDS = ["id", "tool", "args"];
const FORM = 'A line is {"id": …, "tool": "read", "args": {…}}.';

type Parsed =
  | { readonly id: unknown; readonly tool: string; readonly args: unknown }
  | { readonly id: unknown; readonly problem: string; readonly tool?: string };

function parseLine(line: InputLine): Parsed {
  if ("problem" in line) return { id: null, problem: line.problem };
  const parsed = parseJsonLine(line.text);
  if ("problem" in parsed) return { id: null, problem: `${parsed.problem} ${FORM}` };
  const { value } = parsed;
  if (!isRecord(value)) return { id: null, problem: `The line is not an object. ${FORM}` };
  const { id = null, tool, args = {} } = value;
  if (typeof tool !== "string") return { id, problem: `"tool" is missing or is not a text. ${FORM}` };
  // Something that was meant to hold a call back must not be dropped in silence.
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return { id, tool, problem: `"${unknown}" is not a field of a line.${didYouMean(unknown, FIELDS)} ${FORM}` };
  return { id, tool, args };
}
