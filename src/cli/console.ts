import type { RuntimeOptions } from "../app.ts";
import { ToolError } from "../core/error.ts";
import type { Question } from "../core/event.ts";
import type { Outcome } from "../core/layer.ts";
import { didYouMean } from "../core/nearest.ts";
import { complete } from "./complete.ts";
import { EXIT, exitCode, worstExit } from "./exit.ts";
import { UsageError } from "./io.ts";
import { openKeyboard } from "./keyboard.ts";
import { argumentsFrom, splitLine } from "./line.ts";
import { duration, harmless, printOutcome, whoDecided } from "./print.ts";
import { type Settings, withRuntime } from "./runtime.ts";
import { COMMANDS, type Console } from "./slash.ts";
import { spinning } from "./spinner.ts";
import { type Line, readLines } from "./stdin.ts";
import { listenForStop } from "./stop.ts";
import { prose, type Terminal } from "./terminal.ts";
import { isForPeople } from "./told.ts";

/** `zeph` without a model: tools called by hand, one line each. Without a terminal it reads its lines from stdin and asks nobody. */
export async function openConsole(settings: Settings, terminal: Terminal): Promise<number> {
  const isTyped = terminal.attended && terminal.stdout.isTTY;
  let put: RuntimeOptions["confirm"];
  const asked = isTyped ? { confirm: (question: Question) => put?.(question) ?? "no" } : {};
  return withRuntime(settings, asked, terminal, async (zeph) => {
    const self: Console = { zeph, settings, terminal, calls: 0, thoughtMs: 0 };
    if (!isTyped) return piped(self);

    const keyboard = await openKeyboard(terminal, (line) => complete(line, Object.keys(COMMANDS), zeph.tools()));
    terminal.stdout.write(`Zeph tool console, without a model. ${terminal.out.dim("/help  /exit")}\n`);
    const run: Run = (name, args) =>
      keyboard.cancellable((signal) =>
        spinning(harmless(name), terminal, async (spinner) => {
          put = async (question) => {
            const asked = performance.now();
            spinner.hide();
            const answer = await keyboard.ask(question, signal);
            spinner.show();
            self.thoughtMs += performance.now() - asked;
            return answer;
          };
          return zeph.call(name, args, { signal });
        }),
      );
    await eachLine(self, keyboard.lines, run);
    keyboard.close();
    return EXIT.ok;
  });
}

async function piped(self: Console): Promise<number> {
  const { signal } = listenForStop();
  const codes = await eachLine(self, readLines(self.terminal.stdin, signal), (name, args) => self.zeph.call(name, args, { signal }));
  return signal.aborted ? EXIT.cancelled : worstExit(codes);
}

type Run = (name: string, args: unknown) => Promise<Outcome>;

async function eachLine(self: Console, lines: AsyncIterable<Line>, run: Run): Promise<ReadonlySet<number>> {
  const codes = new Set<number>();
  for await (const line of lines) {
    const next = await oneLine(self, line, run);
    if (next === "leave") break;
    codes.add(next);
  }
  return codes;
}

/** A mistake in a line is told and ends nothing. */
async function oneLine(self: Console, line: Line, run: Run): Promise<number | "leave"> {
  try {
    if ("problem" in line) throw new UsageError(line.problem);
    const typed = splitLine(line.text);
    if (!typed || typed.name.startsWith("#")) return EXIT.ok;
    if (typed.name.startsWith("/")) return await command(self, typed.name, typed.rest);
    return await callTool(self, typed.name, argumentsFrom(typed.rest, typed.name, self.zeph.tools()), run);
  } catch (error) {
    if (!(isForPeople(error) || error instanceof ToolError)) throw error;
    const { stderr, err } = self.terminal;
    stderr.write(`${err.red(prose(harmless(error.message), stderr))}\n`);
    return EXIT.failed;
  }
}

async function command(self: Console, name: string, rest: string): Promise<number | "leave"> {
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!known) throw new UsageError(`${name} is not a command.${didYouMean(name, Object.keys(COMMANDS)) || " /help lists them."}`);
  return known.run(self, rest);
}

async function callTool(self: Console, name: string, args: unknown, run: Run): Promise<number> {
  const { terminal } = self;
  self.thoughtMs = 0;
  const started = performance.now();
  const outcome = await run(name, args);
  self.calls += 1;
  if (outcome.ok) printOutcome(outcome, terminal);
  else terminal.stderr.write(`${failureText(outcome, terminal)}\n`);
  const took = duration(performance.now() - started - self.thoughtMs);
  terminal.stderr.write(`${terminal.err.dim(`${ending(outcome)}, ${took}`)}\n`);
  return exitCode(outcome);
}

/** The block is for a model. A person has the reason here and the category below it. */
const failureText = ({ error, output }: Extract<Outcome, { ok: false }>, { stderr, err }: Terminal): string =>
  [err.red(prose(harmless(error.message), stderr)), ...(output ? [harmless(output.text)] : [])].join("\n");

function ending(outcome: Outcome): string {
  const code = exitCode(outcome);
  if (code === EXIT.denied && outcome.decision.by !== undefined) return "you said no";
  if (code === EXIT.denied) return `denied by ${whoDecided(outcome.decision)}`;
  if (code === EXIT.unanswered) return `not run: nobody answered ${whoDecided(outcome.decision)}`;
  if (code === EXIT.cancelled) return "cancelled";
  if (!outcome.ok) return `failed: ${outcome.error.category}`;
  const { exitCode: exit } = outcome.output;
  return exit === undefined ? "ok" : `exit ${exit}`;
}
