import type { ZephEvent } from "../../../core/event.ts";
import type { ScheduledTask } from "../../../core/ports/store.ts";
import type { SendOptions } from "../../../runtime/agent/agent-types.ts";
import type { TaskEnd } from "../../../runtime/agent/scheduled.ts";
import type { RuntimeOptions } from "../../../runtime/create.ts";
import { completeMention } from "../../../runtime/person/complete-mention.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { cutTo } from "../../../text/width/columns.ts";
import { grouped } from "../../../text/words.ts";
import { type OpenAgent, withAgent } from "../agent.ts";
import { elicitAtKeyboard, type QuestionHandlers } from "../ask/person.ts";
import { EXIT } from "../exit.ts";
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
import { createChatTotals, totalsText } from "./chat-totals.ts";
import { brief, isTold, isWithoutModel, keepable, lastWords, modelText } from "./chat-words.ts";
import { completeMessage } from "./complete.ts";
import { openConsole } from "./console.ts";
import { splitLine } from "./line.ts";
import { createChatNotes } from "./notes.ts";
import { createScreen, type Screen } from "./screen.ts";
import { commandNames, commandWord, type SlashContext, slashCommand } from "./slash.ts";
import { createChatContext } from "./slash-context.ts";

const FORMS = `Type what you want; the model answers and calls the tools it needs.
Tab completes commands and paths (./x, ~/x, src/x, @x). Up and down walk through what you typed, Ctrl-R searches it.
What is pasted is one message. A backslash at the end of a line, or Alt-Enter, goes on in the next.
Ctrl-C stops the model, twice leaves. Ctrl-D leaves.
`;

/** The chat on the screen, where there is one: it goes on there once a model was chosen. */
type OnScreen = () => Promise<number>;

/** The conversation itself, once everything it needs is read. The person may have typed already. */
export async function converse(given: Invocation, keyboard: Keyboard, options: KeyboardOptions, onScreen?: OnScreen): Promise<number> {
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
    const send: SlashContext["send"] = (text, quotes) => turn(text, open, quotes ? { quotes } : {});
    const bench = createChatContext(agent, {
      settings,
      terminal,
      forms: FORMS,
      sum,
      context: () => context,
      outputs,
      send,
      waiting: (label, work) =>
        keyboard.cancellable((signal) => withSpinner(visible(label), terminal, () => work(signal), { typed: keyboard.typedAhead })),
    });
    options.history.keep(keepable(agent), (message) => warn(terminal, message));
    const completer = (line: string) =>
      completeMessage(line, commandNames(bench), bench.commands(), agent.zeph.tools(), (word) => completeMention(agent.zeph.mcp, word));
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
      for await (const line of keyboard.lines) if ((await notes.during(() => oneLine(line, bench, open))) === "leave") break;
    });
    keyboard.close();
    const left = await runs.left(agent, screen.event);
    screen.rest();
    if (left.length > 0) stderr.write(`${err.yellow(visible(killedText(left, "chat")))}\n`);
    return EXIT.ok;
  };

  const turn = async (text: string, { agent, tell }: OpenAgent, said: Pick<SendOptions, "quotes" | "mentions">): Promise<number> => {
    await keyboard.cancellable((signal) => {
      put = (question, asked) => screen.during(() => keyboard.ask(question, AbortSignal.any([signal, asked.signal])), question.call_id);
      elicit = elicitAtKeyboard(terminal, keyboard, signal, screen.during);
      return tell(agent.send(text, { signal, ...said }));
    });
    return EXIT.ok;
  };

  /** A mistake in a line is told and ends nothing. */
  const oneLine = async (line: InputLine, bench: SlashContext, open: OpenAgent): Promise<number | "leave"> => {
    try {
      const text = "text" in line ? line.text : "";
      const typed = splitLine(text);
      if (!typed) return EXIT.ok;
      if (commandWord(typed.name, bench) !== null) return await slashCommand(bench, typed.name, typed.rest);
      const shown = ("typed" in line && line.typed) || text;
      // Several lines may be a paste that the terminal did not mark: nobody can say what of them was typed.
      return await turn(text, open, shown.includes("\n") ? {} : { mentions: shown });
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
    return await withAgent(settings, { ...wish, live: { kind: "chat", where: "the terminal" } }, asked, tell, talk);
  } catch (error) {
    if (isOpen || Object.keys(wish).length > 0 || !isWithoutModel(error)) throw error;
    return withoutModel(given, keyboard, options, error.message, onScreen);
  }
}

/** Whoever can choose is asked where a model is. What cannot move its cursor gets the tool console, as a pipe does. */
async function withoutModel(
  given: Invocation,
  keyboard: Keyboard,
  options: KeyboardOptions,
  why: string,
  onScreen: OnScreen | undefined,
): Promise<number> {
  const { settings, terminal } = given;
  if (!canErase(terminal.stdout)) return openConsole(settings, terminal, { why, keyboard });
  keyboard.withdraw();
  const { chooseModel } = await import("../first-run/first-run.ts");
  const next = await keyboard.cancellable((signal) =>
    keyboard.askingPrivately((readers) => chooseModel(settings, terminal, readers, signal), signal),
  );
  if (next === "chat" && !onScreen) return converse(given, keyboard, options);
  if (next === "chat") {
    keyboard.withdraw();
    keyboard.close();
    return onScreen!();
  }
  if (next === "console") return openConsole(settings, terminal, { why, keyboard });
  keyboard.close();
  return next === "demo" ? (await import("../demo/demo.ts")).demo(terminal) : EXIT.ok;
}

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
