import type { Outcome } from "../../../core/layer.ts";
import { type AnswerFlags, confirmWith, howToAnswer } from "../../../question/flags.ts";
import { colouredDiff } from "../../../question/text.ts";
import { record } from "../../../text/json.ts";
import { visible } from "../../../text/visible.ts";
import { explainArguments, type Given, parseArguments } from "../arguments.ts";
import { askPerson, elicitPerson, type QuestionHandlers } from "../ask/person.ts";
import { EXIT, exitCode, VERDICT_EXIT } from "../exit.ts";
import { type GlobalSettings, withRuntime } from "../runtime.ts";
import { readText } from "../stdin.ts";
import { listenForStop, type Stop } from "../stop.ts";
import { type Spinner, withSpinner } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { judgeCall, printUnjudged } from "./judge-call.ts";
import { judgementText } from "./judgement.ts";
import { answerLine, jsonLine, printOutcome } from "./print.ts";

export interface CallFlags {
  readonly form: "text" | "json";
  readonly answers: AnswerFlags;
}

/** `zeph call <tool> <json|->`. Returns the exit code. */
export async function call(tool: string, json: string, options: CallFlags, settings: GlobalSettings, terminal: Terminal): Promise<number> {
  const given = parseArguments(json === "-" ? await readText(terminal.stdin) : json);
  const stop = listenForStop();
  return withSpinner(visible(tool), terminal, (spinner) =>
    withRuntime(settings, questionHandlers(json, options, terminal, stop, spinner), terminal, async (zeph) => {
      const started = performance.now();
      const outcome = explainArguments(await zeph.callAny(tool, given.args, { signal: stop.signal }), given);
      const took = performance.now() - started;
      spinner.hide();
      if (options.form === "json") terminal.stdout.write(answerLine(outcome, took));
      else {
        printOutcome(outcome, terminal);
        advise(outcome, terminal);
      }
      return exitCode(outcome);
    }),
  );
}

/** `zeph call --dry-run`: what would be decided, and nothing done; for a command, what it would change, and nothing kept. */
export async function dryRun(tool: string, json: string, form: CallFlags["form"], settings: GlobalSettings, terminal: Terminal) {
  const given = parseArguments(json === "-" ? await readText(terminal.stdin) : json);
  return withRuntime(settings, {}, terminal, async (zeph) => {
    const command = tool === "bash" ? commandIn(given) : null;
    if (command !== null) {
      const started = performance.now();
      const outcome = await zeph.dryRun(command, { signal: listenForStop().signal });
      if (form === "json") terminal.stdout.write(answerLine(outcome, performance.now() - started));
      else printRehearsal(outcome, terminal);
      return exitCode(outcome);
    }
    const found = await judgeCall(zeph, tool, given);
    if ("ok" in found) return printUnjudged(found, form, terminal);
    terminal.stdout.write(form === "json" ? jsonLine(found) : judgementText(found, terminal.out));
    return VERDICT_EXIT[found.verdict];
  });
}

/** null when the arguments are not those of a command; judging them says what is wrong. */
function commandIn({ args }: Given): string | null {
  const { command } = record(args);
  return typeof command === "string" && command.trim() !== "" ? command : null;
}

/** The diff is the result here, so it is printed in a pipe too. */
function printRehearsal(outcome: Outcome, terminal: Terminal): void {
  const { diff, ...output } = outcome.output ?? { text: "" };
  printOutcome(outcome.ok ? { ...outcome, output } : outcome, terminal);
  if (outcome.ok && diff) terminal.stdout.write(`${colouredDiff(diff, terminal.out)}\n`);
}

/** The flags answer, or the person at the terminal, or nobody. */
function questionHandlers(json: string, { answers }: CallFlags, terminal: Terminal, stop: Stop, spinner: Spinner): QuestionHandlers {
  // What was read to its end as arguments cannot be asked for an answer.
  const isThere = terminal.attended && json !== "-";
  if (!isThere) return confirmWith(answers);
  const during = async <T>(put: () => Promise<T>): Promise<T> => {
    spinner.hide();
    const answer = await put();
    spinner.show();
    return answer;
  };
  const elicit = elicitPerson(terminal, stop);
  return {
    ...confirmWith(answers, (question, { signal }) => during(() => askPerson(question, terminal, stop, signal))),
    elicit: (asked, signal) => during(() => elicit(asked, signal)),
  };
}

/** The block is written for a model; a person at the shell needs to know what to type. */
function advise(outcome: Outcome, { stderr }: Terminal): void {
  if (startedInBackground(outcome))
    stderr.write(
      "The command was started and is killed now, because this call ends. Background runs live as long as a console or a batch.\n",
    );
  if (exitCode(outcome) !== EXIT.unanswered) return;
  stderr.write(`\n${howToAnswer(unanswered(outcome))}\n`);
}

/** The question that nobody answered. A call that was allowed asked for a name while it ran. */
function unanswered({ decision: { gate, verdict } }: Outcome): Parameters<typeof howToAnswer>[0] {
  if (gate === "walls") return { without_walls: "too" };
  return verdict === "allow" ? { wants: "a name" } : {};
}

const startedInBackground = (outcome: Outcome): boolean =>
  outcome.ok && typeof (outcome.output.raw as { run_id?: unknown } | undefined)?.run_id === "string";
