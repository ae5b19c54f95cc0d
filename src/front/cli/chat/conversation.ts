import { ToolError } from "../../../core/error.ts";
import type { Question, ZephEvent } from "../../../core/event.ts";
import { ModelError } from "../../../core/model-error.ts";
import type { Message } from "../../../core/ports/model.ts";
import type { ScheduledTask } from "../../../core/ports/store.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import type { TaskEnd } from "../../../runtime/agent/scheduled.ts";
import type { RuntimeOptions } from "../../../runtime/create.ts";
import { cutTo } from "../../../text/columns.ts";
import { bounded, visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { grouped } from "../../../text/words.ts";
import { type OpenAgent, withAgent } from "../agent.ts";
import { elicitAtKeyboard, type QuestionHandlers } from "../ask/person.ts";
import { EXIT } from "../exit.ts";
import { isForPeople } from "../for-people.ts";
import { createChatCalls, governanceFor } from "../policy/slash.ts";
import type { Invocation } from "../program/invocation.ts";
import { printError, warn } from "../run/print.ts";
import { wishOf } from "../run/run-options.ts";
import { killedText } from "../run/run-text.ts";
import type { InputLine } from "../stdin.ts";
import type { Keyboard, KeyboardOptions } from "../terminal/keyboard.ts";
import { withSpinner } from "../terminal/spinner.ts";
import { canErase, widthOf } from "../terminal/terminal.ts";
import { createBackgroundRuns } from "./background-runs.ts";
import { beginning, type CallOutputs, createCallOutputs } from "./call-outputs.ts";
import { type ChatTotals, createChatTotals, dollars, totalsText } from "./chat-totals.ts";
import { completeMessage } from "./complete.ts";
import { openConsole } from "./console.ts";
import { splitLine } from "./line.ts";
import { createChatNotes } from "./notes.ts";
import { createScreen, type Screen } from "./screen.ts";
import { commandNames, type SlashContext, slashCommand } from "./slash.ts";

const FORMS = `Type what you want; the model answers and calls the tools it needs.
Tab completes commands and paths (./x, ~/x, src/x, @x). Up and down walk through what you typed, Ctrl-R searches it.
What is pasted is one message. A backslash at the end of a line, or Alt-Enter, goes on in the next.
Ctrl-C stops the model, twice leaves. Ctrl-D leaves.
`;

/** The conversation itself, once everything it needs is read. The person may have typed already. */
export async function converse(given: Invocation, keyboard: Keyboard, options: KeyboardOptions): Promise<number> {
  const { flags, settings, terminal } = given;
  const { stdout, stderr, out, err } = terminal;
  const wish = wishOf(flags);
  const outputs = createCallOutputs();
  const screen = await createScreen(terminal, { outputs, typed: keyboard.typedAhead });
  const sum = createChatTotals();
  const runs = createBackgroundRuns();
  const notes = createChatNotes();
  let context = "";
  let put: RuntimeOptions["confirm"];
  let elicit: RuntimeOptions["elicit"];
  let isOpen = false;

  const tell = async (event: ZephEvent) => {
    sum.add(event);
    runs.add(event);
    if (event.type === "usage") context = `${grouped(event.context.used)} of ${grouped(event.context.budget)} tokens`;
    // Between turns somebody may be typing.
    await keyboard.above(() => screen.event(event));
    if (event.type === "done") stderr.write(`${err.dim(totalsText(event.totals))}\n`);
  };

  const talk = async (open: OpenAgent): Promise<number> => {
    const { agent } = open;
    const send = (text: string) => turn(text, open);
    const bench = benchOf(agent, { settings, terminal, sum, context: () => context, keyboard, outputs, send });
    options.history.keep(keepable(agent), (message) => warn(terminal, message));
    const completer = (line: string) => completeMessage(line, commandNames(bench), bench.commands(), agent.zeph.tools());
    keyboard.withdraw();
    isOpen = true;
    keyboard.serve({ ...options, completer });
    stdout.write(`Zeph, with ${visible(modelText(agent.model))}. ${out.dim("/help  /exit")}\n`);
    if (agent.conversation !== null) stdout.write(`${out.dim(cutTo(lastWords(await agent.history()), widthOf(stdout)))}\n`);

    const watch = agent.watchSchedule({
      began: ({ task }) => notes.add(() => keyboard.above(() => screen.note(`Scheduled task started: ${brief(task)}`))),
      ended: (task, end) => end.ok && notes.add(() => keyboard.above(() => scheduled(task, end, screen, outputs))),
      warn: (message) => notes.add(() => tell({ type: "warning", message })),
    });

    await whileOpen(watch, async () => {
      for await (const line of keyboard.lines) if ((await notes.during(() => oneLine(line, bench))) === "leave") break;
    });
    keyboard.close();
    const left = await runs.left(agent, screen.event);
    screen.rest();
    if (left.length > 0) stderr.write(`${err.yellow(visible(killedText(left, "chat")))}\n`);
    return EXIT.ok;
  };

  const turn = async (text: string, { agent, tell }: OpenAgent): Promise<number> => {
    await keyboard.cancellable((signal) => {
      put = (question: Question) => screen.during(() => keyboard.ask(question, signal), question.call_id);
      elicit = elicitAtKeyboard(terminal, keyboard, signal, screen.during);
      return tell(agent.send(text, { signal }));
    });
    return EXIT.ok;
  };

  /** A mistake in a line is told and ends nothing. */
  const oneLine = async (line: InputLine, bench: SlashContext): Promise<number | "leave"> => {
    try {
      const text = "text" in line ? line.text : "";
      const typed = splitLine(text);
      if (!typed) return EXIT.ok;
      // A path may begin a message; a command is one word.
      if (/^\/[\w-]+$/.test(typed.name)) return await slashCommand(bench, typed.name, typed.rest);
      return await bench.send(text);
    } catch (error) {
      screen.rest();
      if (!isTold(error)) throw error;
      printError(terminal, error.message);
      return EXIT.failed;
    }
  };

  try {
    const asked: QuestionHandlers = {
      confirm: (question, context) => put?.(question, context) ?? null,
      elicit: async (asked, signal) => elicit?.(asked, signal) ?? { action: "cancel" },
    };
    return await withAgent(settings, wish, asked, tell, talk);
  } catch (error) {
    if (isOpen || Object.keys(wish).length > 0 || !isWithoutModel(error)) throw error;
    return withoutModel(given, keyboard, options, error.message);
  }
}

/** Whoever can choose is asked where a model is. What cannot move its cursor gets the tool console, as a pipe does. */
async function withoutModel(given: Invocation, keyboard: Keyboard, options: KeyboardOptions, why: string): Promise<number> {
  const { settings, terminal } = given;
  if (!canErase(terminal.stdout)) return openConsole(settings, terminal, { why, keyboard });
  keyboard.withdraw();
  const { chooseModel } = await import("../first-run/first-run.ts");
  const next = await keyboard.cancellable((signal) =>
    keyboard.askingPrivately((readers) => chooseModel(settings, terminal, readers, signal), signal),
  );
  if (next === "chat") return converse(given, keyboard, options);
  if (next === "console") return openConsole(settings, terminal, { why, keyboard });
  keyboard.close();
  return next === "demo" ? (await import("../demo/demo.ts")).demo(terminal) : EXIT.ok;
}

interface Seen extends Pick<SlashContext, "settings" | "terminal" | "send"> {
  readonly sum: ChatTotals;
  /** How full it is, as the model was asked last. */
  readonly context: () => string;
  readonly keyboard: Keyboard;
  readonly outputs: CallOutputs;
}

/** The context of a chat's slash commands. */
const benchOf = (agent: Agent, { settings, terminal, sum, context, keyboard, outputs, send }: Seen): SlashContext => ({
  zeph: agent.zeph,
  settings,
  terminal,
  forms: FORMS,
  outputs,
  send,
  // The first command of a name counts: here calls may be written as in the tool console.
  commands: () => [...governanceFor(agent.zeph, createChatCalls(outputs)), ...agent.commands()],
  parts: () => agent.status(),
  calls: () => sum.totals().calls,
  waiting: (label, work) =>
    keyboard.cancellable((signal) => withSpinner(visible(label), terminal, () => work(signal), { typed: keyboard.typedAhead })),
  async state({ reputation }) {
    const { good, bad } = await reputation.get(agent.model.id);
    const { usage, cost } = sum.totals();
    const { date } = agent.model.price ?? {};
    return {
      model: agent.model.id + (good + bad === 0 ? "" : `, ${good} of ${good + bad} calls had valid arguments, in all conversations`),
      conversation: agent.conversation ?? "none yet",
      context: (agent.conversation !== null && context()) || "nothing was sent yet",
      tokens: `${grouped(usage.input)} in, ${grouped(usage.output)} out${cost === undefined ? "" : `, ${dollars(cost)}${date === undefined ? "" : ` by the prices of ${date}`}`}`,
    };
  },
  clear() {
    agent.restart();
    return "A new conversation begins. Session grants and counts are forgotten; audit, trust and the old conversation stay.";
  },
});

/** Shows the answer of a scheduled task, which nobody waited for. */
async function scheduled(
  { task }: Pick<ScheduledTask, "task">,
  { text, conversation }: TaskEnd,
  screen: Screen,
  outputs: CallOutputs,
): Promise<void> {
  const n = outputs.keep(`scheduled: ${brief(task)}`, text);
  const shown = beginning(text, n);
  await screen.note(`Scheduled task done: ${brief(task)} [${n}]`);
  await screen.answer(shown.text);
  const after = [...(shown.more === null ? [] : [shown.more]), ...(conversation === undefined ? [] : [`conversation ${conversation}`])];
  if (after.length > 0) await screen.note(after.join("\n"));
}

const LONGEST_NOTE = 300;

/** In one line. */
const brief = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return bounded(line, LONGEST_NOTE);
};

/** Where a conversation was left. */
function lastWords(history: readonly Message[]): string {
  const last = history.findLast((message) => message.role === "user" && message.from === undefined) as { text: string } | undefined;
  return `Continuing after: ${visible(last?.text.slice(0, 1000) ?? "").replace(/\s+/g, " ")}`;
}

/** Whether a line may be kept: one that holds a secret is called back in this run only. */
const keepable =
  ({ zeph }: Agent) =>
  (text: string): boolean =>
    zeph.redact(text) === text;

const isTold = (error: unknown): error is Error => isForPeople(error) || error instanceof ToolError;

/** No key, no provider, no server: the tools work all the same. */
const isWithoutModel = (error: unknown): error is ModelError => error instanceof ModelError && error.fault === "no_key";

/** The model and its address: a person should know where their words go. */
const modelText = ({ id, address }: Agent["model"]): string => (address === undefined ? id : `${id} at ${address}`);
