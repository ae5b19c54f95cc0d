import { basename } from "node:path";
import { ToolError } from "../../../core/error.ts";
import type { SendOptions } from "../../../runtime/agent/agent-types.ts";
import type { TaskEnd } from "../../../runtime/agent/scheduled.ts";
import { completeMention, resourceNames } from "../../../runtime/person/complete-mention.ts";
import { gateViews } from "../../../runtime/rules/gate-views.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { grouped } from "../../../text/words.ts";
import type { OpenAgent } from "../agent.ts";
import type { ReadLine } from "../ask/question.ts";
import { beginning, type CallOutputs } from "../chat/call-outputs.ts";
import type { ChatTotals } from "../chat/chat-totals.ts";
import { isTold } from "../chat/chat-words.ts";
import { completeMessage } from "../chat/complete.ts";
import { splitLine } from "../chat/line.ts";
import { commandNames, commandSpecs, commandWord, type SlashContext, slashCommand } from "../chat/slash.ts";
import { createChatContext } from "../chat/slash-context.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ChatScreen, FinishedMessage } from "./chat-screen.ts";
import { createScreenApp, type OpenScreenApp } from "./screen-app.ts";
import { createScreenCommands } from "./screen-commands.ts";
import type { ScreenNotices } from "./screen-notices.ts";
import type { ScreenQuestions } from "./screen-questions.ts";
import { createScreenTerminal } from "./screen-terminal.ts";
import { createScreenViews } from "./screen-views.ts";
import type { SessionCounts } from "./session-counts.ts";
import { resourceFacts, statusFacts } from "./shown-facts.ts";
import { type TurnLines, WIDEST_PROSE } from "./turn-lines.ts";
import { createMenu } from "./typing/menu.ts";
import { imagesIn } from "./typing/message-images.ts";
import { type OwnCommand, readOwnCommand, runOwnCommand, sharedCommand } from "./typing/own-command.ts";
import { createWorkspaceFiles } from "./typing/workspace-files.ts";
import { createMarkdownStream } from "./view/markdown/stream.ts";
import { messageLines, noteLines, warningLines } from "./view/notices.ts";
import { resourceLines } from "./view/resources.ts";
import { statusLine } from "./view/status-line.ts";
import { workLines } from "./view/work.ts";
import { createViewStack } from "./view-stack.ts";

/** An open agent on the screen: its turns, commands and keys. */
export interface ScreenSession {
  readonly app: OpenScreenApp;
  /** Takes one message after the other, until the person leaves. */
  run(): Promise<void>;
  /** The conversation the person wants to go on with instead; null where they left. */
  next(): string | null;
  /** Puts questions that are answered by lines of text. */
  elicit<T>(put: (read: ReadLine, terminal: Terminal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The answer of a scheduled task, which nobody waited for. */
  showTask(task: string, end: TaskEnd): void;
}

export interface ScreenSessionParts {
  readonly given: Invocation;
  readonly screen: ChatScreen;
  readonly opened: OpenAgent;
  readonly questions: ScreenQuestions;
  readonly lines: TurnLines;
  readonly facts: SessionCounts;
  readonly sum: ChatTotals;
  readonly outputs: CallOutputs;
  readonly notices: ScreenNotices;
}

const FORMS = `Type what you want; the model answers and calls the tools it needs.
Enter sends, Alt-Enter or a backslash at the end goes on in the next line. @ names files, ! runs a command of yours, !! shows it to the model, too.
Ctrl-T resources, Ctrl-O calls, Ctrl-G your editor, Ctrl-R searches what you typed, Shift-Tab changes how much is asked, Esc stops the model, Esc twice goes back.
\`zeph --plain\` is the same chat line by line.
`;
const TICK_MS = 100;
const HERE = `zeph in ${basename(process.cwd())}`;

export function createScreenSession(parts: ScreenSessionParts): ScreenSession {
  const { given, screen, opened, questions, lines, facts, sum, outputs, notices } = parts;
  const { writer, theme, waiting, draft } = screen;
  const { agent } = opened;
  const terminal = createScreenTerminal(writer, given.terminal, theme);
  const views = createViewStack(writer);
  const files = createWorkspaceFiles(process.cwd(), () => {
    // They came after the menu was asked for.
    menu.look();
    writer.refresh();
  });
  /** A turn, and commands that only look, which may run beside it. */
  const running = new Set<AbortController>();
  let isLeaving = false;
  let next: string | null = null;
  let wake = () => {};
  /** What goes with the next message: commands of the person that the model is to see. */
  const shared: string[] = [];
  const width = () => Math.min(WIDEST_PROSE, writer.size().columns - 1);
  const warn = (text: string) => writer.commit(warningLines(text, width(), theme()));

  const cancellable = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const mine = new AbortController();
    running.add(mine);
    const ticking = setInterval(() => writer.refresh(), TICK_MS);
    try {
      return await work(mine.signal);
    } finally {
      clearInterval(ticking);
      running.delete(mine);
      writer.refresh();
    }
  };
  const stop = () => {
    questions.dismiss();
    for (const one of running) one.abort();
  };
  const leave = () => {
    isLeaving = true;
    views.closeAll();
    stop();
    wake();
  };
  const leaveAtOnce = () => {
    screen.close();
    process.exit(EXIT.cancelled);
  };
  const turn = async (text: string, said: Pick<SendOptions, "quotes" | "mentions">): Promise<number> => {
    const before = shared.splice(0);
    const message = [...before, text].join("\n\n");
    // As with resources: what a paste or a command brought along names none.
    const images = agent.model.images ? imagesIn(said.mentions ?? "") : [];
    const began = performance.now();
    notices.title(`${oneLine(visible(text))} - zeph`);
    try {
      await cancellable((signal) => opened.tell(agent.send(message, { signal, ...said, ...(images.length > 0 && { images }) })));
    } catch (error) {
      // An image that cannot be sent: nothing of the message was.
      if (images.length === 0 || !(error instanceof TypeError || error instanceof ToolError)) throw error;
      shared.push(...before);
      warn(error.message);
      if (draft.text() === "") draft.set(draft.shown(text));
    }
    lines.rest();
    notices.tell({ type: "turn-ended", tookMs: performance.now() - began, text: `done: ${oneLine(text)}` });
    notices.title(HERE);
    return EXIT.ok;
  };
  const bench: SlashContext = createChatContext(agent, {
    settings: given.settings,
    terminal,
    forms: FORMS,
    sum,
    context: () => {
      const context = facts.context();
      return context === null ? "" : `${grouped(context.used)} of ${grouped(context.budget)} tokens`;
    },
    outputs,
    // The text of a command is not what the person typed, and names no resources.
    send: (text, quotes) => turn(text, quotes ? { quotes } : {}),
    waiting: (_label, work) => cancellable(work),
  });
  const screenViews = createScreenViews({ agent, settings: given.settings, screen, kept: lines.kept, outputs, views });
  const commands = createScreenCommands({
    agent,
    screen,
    views: screenViews,
    app: () => app,
    warn,
    note: (text) => writer.commit(noteLines(text, width(), theme())),
    goOnWith(conversation) {
      next = conversation;
      leave();
    },
  });
  const commanded: SlashContext = { ...bench, commands: () => [...commands.slash, ...bench.commands()] };
  const menu = createMenu(draft, {
    commands: () => commandSpecs(commanded).map(({ name, usage, help }) => ({ name, help, isWhole: usage === name })),
    files: () => [...files.names(), ...resourceNames(agent.zeph.mcp)],
    more: (before) =>
      completeMessage(before, commandNames(commanded), commanded.commands(), agent.zeph.tools(), (word) =>
        completeMention(agent.zeph.mcp, word),
      ),
    arrived: () => writer.refresh(),
  });
  const app: OpenScreenApp = createScreenApp({
    screen,
    questions,
    menu,
    views,
    live: (columns) => [
      ...lines.tail(),
      ...workLines(
        {
          frame: Math.floor(performance.now() / TICK_MS),
          thinkingMs: lines.thinkingMs(),
          calls: lines.calls(),
          queued: waiting.map(({ text }) => text),
        },
        columns,
        theme(),
      ),
    ],
    panel: (columns) => resourceLines(resourceFacts(agent, facts), columns, theme()),
    status: (columns) => statusLine(statusFacts(agent, facts, columns), columns, theme()),
    heard: notices.key,
    isBusy: () => running.size > 0,
    isStopping: () => running.size > 0 && [...running].every(({ signal }) => signal.aborted),
    submitted: () => {
      const last = waiting.at(-1)!;
      // What only looks does not wait for the end of a turn.
      if (running.size === 0 || !commands.isAtOnce(last.text)) return wake();
      waiting.pop();
      void oneMessage(last);
    },
    stop,
    leave,
    leaveAtOnce,
    command: commands.key,
    rewind: commands.rewind,
    explain(asked) {
      if (asked.gates) {
        asked.gates = null;
        return;
      }
      const { tool, args } = asked.question;
      void agent.zeph.judge(tool, args).then(
        (found) => {
          asked.gates = gateViews(found, agent.zeph.governance.gates());
          writer.refresh();
        },
        (error: Error) => app.note(error.message),
      );
    },
  });
  const own = async (command: OwnCommand): Promise<number> => {
    const began = performance.now();
    const outcome = await cancellable((signal) => runOwnCommand(agent.zeph, command, questions.ask, signal));
    lines.ownEnded({ name: "bash", args: { command: command.command } }, outcome, performance.now() - began);
    if (command.isShared) {
      shared.push(sharedCommand(command, outcome));
      writer.commit(noteLines("the model reads it with your next message", width(), theme()));
    }
    return EXIT.ok;
  };
  /** A mistake in a line is told and ends nothing. */
  const oneMessage = async ({ text, typed: mentions }: FinishedMessage): Promise<number | "leave"> => {
    writer.commit(["", ...messageLines(text, width(), theme()), ""]);
    try {
      const typed = splitLine(text);
      if (typed && commandWord(typed.name, commanded) !== null) return await slashCommand(commanded, typed.name, typed.rest);
      const command = readOwnCommand(text);
      return command ? await own(command) : await turn(text, { mentions });
    } catch (error) {
      lines.rest();
      if (!isTold(error)) throw error;
      warn(error.message);
      return EXIT.failed;
    } finally {
      terminal.flush();
    }
  };
  notices.title(HERE);
  return {
    app,
    next: () => next,
    elicit(put, signal) {
      let isFirst = true;
      const read: ReadLine = (prompt) => {
        const wasFirst = isFirst;
        isFirst = false;
        return app.readLine(prompt, signal, wasFirst ? "unexpected" : "expected");
      };
      return put(read, terminal);
    },
    showTask(task, { text, conversation }) {
      const n = outputs.keep(`scheduled: ${task}`, text);
      const shown = beginning(text, n);
      const stream = createMarkdownStream(width() - 1, theme());
      writer.commit([
        ...noteLines(`scheduled task done: ${task} [${n}]`, width(), theme()),
        ...[...stream.push(shown.text), ...stream.end()].map((line) => ` ${line}`),
        ...(shown.more === null ? [] : noteLines(shown.more, width(), theme())),
        ...(conversation === undefined ? [] : noteLines(`conversation ${conversation}`, width(), theme())),
      ]);
    },
    async run() {
      while (!isLeaving) {
        const message = waiting.shift();
        if (message === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if ((await oneMessage(message)) === "leave") return;
      }
    },
  };
}
