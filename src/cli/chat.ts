import type { Agent } from "../app/agent.ts";
import type { RuntimeOptions } from "../app.ts";
import { ToolError } from "../core/error.ts";
import type { Question, ZephEvent } from "../core/event.ts";
import type { Message } from "../core/model.ts";
import { ModelError } from "../core/model-error.ts";
import { type OpenAgent, withAgent } from "./agent.ts";
import { complete } from "./complete.ts";
import { openConsole } from "./console.ts";
import { EXIT } from "./exit.ts";
import type { Invocation } from "./invocation.ts";
import { type Keyboard, openKeyboard } from "./keyboard.ts";
import { splitLine } from "./line.ts";
import { harmless } from "./print.ts";
import { wishOf } from "./run-options.ts";
import { killedText } from "./run-text.ts";
import { openScreen } from "./screen.ts";
import { type Bench, COMMANDS, slashCommand } from "./slash.ts";
import type { Line } from "./stdin.ts";
import { cutTo, prose, widthOf } from "./terminal.ts";
import { isForPeople } from "./told.ts";
import { dollars, grouped, openSum, type Sum, totalsText } from "./totals.ts";
import { openRuns } from "./unheard.ts";

const FORMS = `Type what you want; the model answers and calls the tools it needs.
Ctrl-C stops it, twice leaves. Ctrl-D leaves. Lines pasted at once are one message.
`;

/** `zeph` at a terminal: a conversation with a model. Without a model it is the tool console. */
export async function chat({ flags, settings, terminal }: Invocation): Promise<number> {
  const { stdout, stderr, out, err } = terminal;
  const wish = wishOf(flags);
  const screen = await openScreen(terminal);
  const sum = openSum();
  const runs = openRuns();
  let context = "";
  let put: RuntimeOptions["confirm"];
  let isOpen = false;

  const tell = async (event: ZephEvent) => {
    sum.add(event);
    runs.add(event);
    if (event.type === "usage") context = `${grouped(event.context.used)} of ${grouped(event.context.budget)} tokens`;
    await screen.event(event);
    if (event.type === "done") stderr.write(`${err.dim(totalsText(event.totals))}\n`);
  };

  const talk = async (open: OpenAgent): Promise<number> => {
    isOpen = true;
    const { agent } = open;
    const bench = benchOf(agent, { settings, terminal, sum, context: () => context });
    const completer = (line: string): [string[], string] =>
      line.startsWith("/") ? complete(line, Object.keys(COMMANDS), agent.zeph.tools()) : [[], line];
    const keyboard = await openKeyboard(terminal, { prompt: "you> ", completer, pasted: "together" });
    stdout.write(`Zeph, with ${harmless(agent.model.id)}. ${out.dim("/help  /exit")}\n`);
    if (agent.conversation !== null) stdout.write(`${out.dim(cutTo(lastWords(await agent.history()), widthOf(stdout)))}\n`);

    for await (const line of keyboard.lines) if ((await oneLine(line, bench, keyboard, open)) === "leave") break;
    keyboard.close();
    const left = await runs.left(agent, screen.event);
    screen.rest();
    if (left.length > 0) stderr.write(`${err.yellow(harmless(killedText(left, "chat")))}\n`);
    return EXIT.ok;
  };

  /** A mistake in a line is told and ends nothing. */
  const oneLine = async (line: Line, bench: Bench, keyboard: Keyboard, { agent, tell }: OpenAgent): Promise<number | "leave"> => {
    try {
      const text = "text" in line ? line.text : "";
      const typed = splitLine(text);
      if (!typed) return EXIT.ok;
      // A path may begin a message; a command is one word.
      if (/^\/[\w-]+$/.test(typed.name)) return await slashCommand(bench, typed.name, typed.rest);
      await keyboard.cancellable((signal) => {
        put = (question: Question) => screen.during(() => keyboard.ask(question, signal));
        return tell(agent.send(text, { signal }));
      });
      return EXIT.ok;
    } catch (error) {
      screen.rest();
      if (!isTold(error)) throw error;
      stderr.write(`${err.red(prose(harmless(error.message), stderr))}\n`);
      return EXIT.failed;
    }
  };

  try {
    return await withAgent(settings, wish, { confirm: (question) => put?.(question) ?? null }, tell, talk);
  } catch (error) {
    if (isOpen || Object.keys(wish).length > 0 || !isWithoutModel(error)) throw error;
    return openConsole(settings, terminal, error.message);
  }
}

interface Seen extends Pick<Bench, "settings" | "terminal"> {
  readonly sum: Sum;
  /** How full it is, as the model was asked last. */
  readonly context: () => string;
}

/** What the slash commands of a chat work on. */
const benchOf = (agent: Agent, { settings, terminal, sum, context }: Seen): Bench => ({
  zeph: agent.zeph,
  settings,
  terminal,
  forms: FORMS,
  calls: () => sum.totals().calls,
  async state({ reputation }) {
    const { good, bad } = await reputation.get(agent.model.id);
    const { usage, cost } = sum.totals();
    return {
      model: agent.model.id + (good + bad === 0 ? "" : `, ${good} of ${good + bad} calls well written`),
      conversation: agent.conversation ?? "none yet",
      context: (agent.conversation !== null && context()) || "nothing was sent yet",
      tokens: `${grouped(usage.input)} in, ${grouped(usage.output)} out${cost === undefined ? "" : `, ${dollars(cost)}`}`,
    };
  },
  clear() {
    agent.restart();
    return "A new conversation begins. Session grants and counts are forgotten; audit, trust and the old conversation stay.";
  },
});

/** Where a conversation was left. */
function lastWords(history: readonly Message[]): string {
  const last = history.findLast((message) => message.role === "user" && message.from === undefined) as { text: string } | undefined;
  return `Going on after: ${harmless(last?.text.slice(0, 1000) ?? "").replace(/\s+/g, " ")}`;
}

const isTold = (error: unknown): error is Error => isForPeople(error) || error instanceof ToolError;

/** No key, no provider, no server: the tools work all the same. */
const isWithoutModel = (error: unknown): error is ModelError => error instanceof ModelError && error.fault === "no_key";
