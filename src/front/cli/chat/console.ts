import { ToolError } from "../../../core/error.ts";
import type { ConfirmContext, Question } from "../../../core/event.ts";
import type { Outcome } from "../../../core/layer.ts";
import { NEVER } from "../../../core/tool.ts";
import { failureReason } from "../../../question/failure-reason.ts";
import type { RuntimeOptions, Zeph } from "../../../runtime/create.ts";
import { mcpPart } from "../../../runtime/features/mcp.ts";
import { hiddenText } from "../../../runtime/governance/tools.ts";
import { createQueue } from "../../../text/queue.ts";
import { visible } from "../../../text/visible.ts";
import { duration } from "../../../text/words.ts";
import { elicitAtKeyboard, type QuestionHandlers } from "../ask/person.ts";
import { EXIT, exitCode, worstExit } from "../exit.ts";
import { isForPeople } from "../for-people.ts";
import { UsageError } from "../io.ts";
import { governanceFor } from "../policy/slash.ts";
import { approveHint, endingOf } from "../run/ending.ts";
import { printError, printOutcome, warn } from "../run/print.ts";
import { printReload, type ReloadEvent } from "../run/reload-text.ts";
import { type GlobalSettings, withRuntime } from "../runtime.ts";
import { type InputLine, readInputLines } from "../stdin.ts";
import { listenForStop } from "../stop.ts";
import { createInputHistory, historyFile } from "../terminal/history.ts";
import { type Keyboard, openKeyboard } from "../terminal/keyboard.ts";
import { withSpinner } from "../terminal/spinner.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { complete, completeMessage } from "./complete.ts";
import { argumentsFrom, splitLine } from "./line.ts";
import { type ChatNotes, createChatNotes } from "./notes.ts";
import { commandNames, type SlashContext, slashCommand } from "./slash.ts";

/** An open console. */
interface Console extends SlashContext {
  called: number;
  /** The last call that /approve could let through. */
  refused: string | undefined;
  /** How long the person thought about the questions of the last call. */
  thoughtMs: number;
  /** Notes between two lines. */
  readonly notes: ChatNotes;
  /** Said once, to whoever sends lines that are meant for a model. */
  hint: string | null;
}

const PIPED = 'The tool console reads one tool and its arguments from each line. To ask a model: zeph run "…"';

const FORMS = `Type a tool and its arguments, in one of these forms:
  read README.md                 words fill the required arguments
  read path=README.md limit=5    names; tab completes them
  read {"path":"README.md"}      JSON
Quotes keep spaces together. In "double quotes" \\n is a new line.
Ctrl-C cancels a running call. Up and down walk through history, Ctrl-R searches it.
`;

/** Where a chat could not be opened: `why`, and the keyboard somebody sits at. */
export interface Instead {
  readonly why: string;
  readonly keyboard: Keyboard;
}

/** `zeph` without a model: tools called by hand, one line each. Without a terminal it reads its lines from stdin and asks nobody. */
export async function openConsole(settings: GlobalSettings, terminal: Terminal, instead?: Instead): Promise<number> {
  const isTyped = terminal.attended && terminal.stdout.isTTY;
  let put: RuntimeOptions["confirm"];
  let elicit: RuntimeOptions["elicit"];
  const asked: QuestionHandlers = isTyped
    ? {
        confirm: (question: Question, context: ConfirmContext) => put?.(question, context) ?? "no",
        elicit: async (asked, signal) => elicit?.(asked, signal) ?? { action: "cancel" },
      }
    : {};
  const notes = createChatNotes();
  /** Writes above the prompt, where the person may be typing. */
  let above: Keyboard["above"] = (work) => work();
  const reloaded = (event: ReloadEvent) => notes.add(() => above(async () => printReload(event, terminal)));
  const work = async (zeph: Zeph): Promise<number> => {
    const governance = governanceFor(zeph, { numbered: () => undefined, refused: () => self.refused });
    const servers = mcpPart({ mcp: zeph.mcp, warn: (message) => warn(terminal, message) });
    const commands = [...governance, ...servers.commands];
    let waiting: Console["waiting"] = (_label, work) => work(NEVER);
    const self: Console = {
      zeph,
      settings,
      terminal,
      forms: FORMS,
      outputs: null,
      withModel: ["/plan", "/compact", "/skill", "/background", "/undo", "/rewind"],
      called: 0,
      refused: undefined,
      thoughtMs: 0,
      notes,
      hint: isTyped ? null : PIPED,
      calls: () => self.called,
      commands: () => commands,
      state: async () => ({}),
      parts: servers.status,
      waiting: (label, work) => waiting(label, work),
      send: async () => {
        throw new UsageError("There is no model that could answer.");
      },
      clear() {
        zeph.clear();
        return "Session grants and counts are forgotten. Audit and trust stay.";
      },
    };
    if (!isTyped) return piped(self);

    const history = createInputHistory(historyFile("history.console"));
    const completer = async (line: string) =>
      line.startsWith("/")
        ? completeMessage(line, commandNames(self), commands, zeph.tools())
        : complete(line, commandNames(self), zeph.tools());
    const options = { prompt: "zeph> ", completer, pasted: "one by one", history } as const;
    const keyboard = instead?.keyboard ?? (await openKeyboard(terminal, options));
    history.keep(
      (text) => zeph.redact(text) === text,
      (message) => warn(terminal, message),
    );
    keyboard.withdraw();
    keyboard.serve(options);
    above = keyboard.above;
    terminal.stdout.write(`Zeph tool console, without a model. ${terminal.out.dim("/help  /exit")}\n`);
    if (instead) terminal.stdout.write(`${terminal.out.dim(prose(visible(instead.why), terminal.stdout))}\n`);
    waiting = (label, work) =>
      keyboard.cancellable((signal) => withSpinner(visible(label), terminal, () => work(signal), { typed: keyboard.typedAhead }));
    // It was typed for a model.
    if (keyboard.forget() > 0) terminal.stderr.write("What you typed before the console was ready is not run.\n");
    const run: Run = (name, args) =>
      keyboard.cancellable((signal) =>
        withSpinner(
          visible(name),
          terminal,
          async (spinner) => {
            const inTurn = createQueue();
            const during = async <T>(question: () => Promise<T>): Promise<T> => {
              const asked = performance.now();
              spinner.hide();
              const answer = await question();
              spinner.show();
              self.thoughtMs += performance.now() - asked;
              return answer;
            };
            put = (question) => during(() => keyboard.ask(question, signal));
            elicit = elicitAtKeyboard(terminal, keyboard, signal, (question) => inTurn(() => during(question)));
            return zeph.callAny(name, args, { signal });
          },
          { typed: keyboard.typedAhead },
        ),
      );
    void zeph.mcp.meet();
    await eachLine(self, keyboard.lines, run);
    keyboard.close();
    return EXIT.ok;
  };
  return withRuntime(settings, asked, terminal, work, reloaded);
}

async function piped(self: Console): Promise<number> {
  const { signal } = listenForStop();
  const codes = await eachLine(self, readInputLines(self.terminal.stdin, signal), (name, args) =>
    self.zeph.callAny(name, args, { signal }),
  );
  return signal.aborted ? EXIT.cancelled : worstExit(codes);
}

type Run = (name: string, args: unknown) => Promise<Outcome>;

async function eachLine(self: Console, lines: AsyncIterable<InputLine>, run: Run): Promise<ReadonlySet<number>> {
  const codes = new Set<number>();
  for await (const line of lines) {
    const next = await self.notes.during(() => oneLine(self, line, run));
    if (next === "leave") break;
    codes.add(next);
  }
  return codes;
}

/** A mistake in a line is told and ends nothing. */
async function oneLine(self: Console, line: InputLine, run: Run): Promise<number | "leave"> {
  try {
    if ("problem" in line) throw new UsageError(line.problem);
    const typed = splitLine(line.text);
    if (!typed || typed.name.startsWith("#")) return EXIT.ok;
    if (typed.name.startsWith("/")) return await slashCommand(self, typed.name, typed.rest);
    return await callTool(self, typed.name, argumentsFrom(typed.rest, typed.name, self.zeph.governance.tools()), run);
  } catch (error) {
    if (!(isForPeople(error) || error instanceof ToolError)) throw error;
    printError(self.terminal, error.message);
    return EXIT.failed;
  }
}

async function callTool(self: Console, name: string, args: unknown, run: Run): Promise<number> {
  const { terminal } = self;
  self.thoughtMs = 0;
  const started = performance.now();
  const outcome = await run(name, args);
  self.called += 1;
  if (outcome.ok) printOutcome(outcome, terminal);
  else terminal.stderr.write(`${failureText(outcome, terminal)}\n`);
  // A gate that refused a call has said why; of a call that reached no gate it has still to be said.
  const hidden = outcome.decision.verdict === "none" ? hiddenText(name, self.zeph.governance.tools()) : null;
  if (hidden !== null) terminal.stderr.write(`${prose(visible(hidden), terminal.stderr)}.\n`);
  if (self.hint !== null && !outcome.ok && outcome.error.category === "tool_not_found") {
    terminal.stderr.write(`${prose(self.hint, terminal.stderr)}\n`);
    self.hint = null;
  }
  const took = duration(performance.now() - started - self.thoughtMs);
  terminal.stderr.write(`${terminal.err.dim(`${endingOf(outcome)}, ${took}`)}\n`);
  const lifted = approveHint(outcome);
  if (lifted === null) return exitCode(outcome);
  self.refused = outcome.callId;
  terminal.stderr.write(`${lifted} lets exactly this call through, once.\n`);
  return exitCode(outcome);
}

/** The block is for a model, and so may be its reason. A person has theirs here and the category below it. */
const failureText = (outcome: Extract<Outcome, { ok: false }>, { stderr, err }: Terminal): string =>
  [err.red(prose(visible(failureReason(outcome)), stderr)), ...(outcome.output ? [visible(outcome.output.text)] : [])].join("\n");
