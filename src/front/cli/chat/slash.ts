import { CommandError, type Quote, type SlashCommand } from "../../../core/command.ts";
import type { Desk, Zeph } from "../../../runtime/create.ts";
import { hiddenText } from "../../../runtime/governance/tools.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { beside, wrap } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { isForPeople } from "../for-people.ts";
import { UsageError } from "../io.ts";
import { judgementText } from "../run/judgement.ts";
import type { GlobalSettings } from "../runtime.ts";
import { prose, type Terminal, widthOf } from "../terminal/terminal.ts";
import { toolNamed, toolsText } from "../tools.ts";
import type { CallOutputs } from "./call-outputs.ts";
import { argumentsFrom, splitLine } from "./line.ts";
import { show } from "./show.ts";
import { rowsText, status } from "./status.ts";

/** The context of slash commands: the tool console, or a chat. */
export interface SlashContext {
  readonly zeph: Zeph;
  readonly settings: GlobalSettings;
  readonly terminal: Terminal;
  /** The text of /help before its list of commands. */
  readonly forms: string;
  /** The outputs for /show; null where everything is shown anyway. */
  readonly outputs: CallOutputs | null;
  /** Commands that are known and cannot be had here, because they need a model. */
  readonly withModel?: readonly string[];
  /** Commands of the agent's parts. A name that is taken here is not theirs. */
  commands(): readonly SlashCommand[];
  /** Calls so far. */
  calls(): number;
  /** More rows for /status. */
  state(desk: Desk): Promise<Readonly<Record<string, string>>>;
  /** Rows of the agent's parts for /status. */
  parts(): Promise<Readonly<Record<string, string>>>;
  /** Begins anew and says what was forgotten. */
  clear(): string;
  /** Something that takes time, and that the person can cancel. */
  waiting<T>(label: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Says something to the model in the person's name. */
  send(text: string, quotes?: readonly Quote[]): Promise<number>;
}

interface Command {
  readonly usage: string;
  readonly help: string;
  run(self: SlashContext, rest: string): Promise<number | "leave">;
}

const HELP: Command = { usage: "/help", help: "show this", run: help };
const EXIT_COMMAND: Command = { usage: "/exit", help: "leave", run: async () => "leave" };

/** Commands of the chat itself: no tool, model or part does them. */
const BUILT_IN: Readonly<Record<string, Command>> = {
  "/help": HELP,
  "/tools": { usage: "/tools [name]", help: "list the tools, or show one", run: tools },
  "/judge": { usage: "/judge <tool> …", help: "show what the rules decide about a call, without running it", run: judge },
  "/status": {
    usage: "/status [--json]",
    help: "version, workspace, session, configuration, every gate and the state of every part",
    run: status,
  },
  "/cache-stats": { usage: "/cache-stats", help: "show what the cache and the filters saved", run: cacheStats },
  "/clear": { usage: "/clear", help: "start again: forget session grants and counts", run: clear },
  "/exit": EXIT_COMMAND,
};
const SHOW: Command = { usage: "/show [n]", help: "the whole output of the last call or of call n; /show thinking", run: show };

/** Everything that can be typed with a slash here. */
function commandsOf(bench: Pick<SlashContext, "outputs" | "commands">): Map<string, Command> {
  const known = new Map(Object.entries({ ...BUILT_IN, ...(bench.outputs && { "/show": SHOW }) }));
  for (const command of bench.commands())
    if (!known.has(command.name))
      known.set(command.name, { usage: command.usage, help: command.help, run: (self, rest) => ofPart(command, self, rest) });
  return known;
}

/** The same for a list: the name, and what it takes and does. */
export const commandSpecs = (
  bench: Pick<SlashContext, "outputs" | "commands">,
): { readonly name: string; readonly usage: string; readonly help: string }[] =>
  [...commandsOf(bench)].map(([name, { usage, help }]) => ({ name, usage, help }));

/** The command that a line begins with; null where it is a message. A path may begin a message; a command is one word. */
export function commandWord(name: string, bench: Pick<SlashContext, "outputs" | "commands" | "zeph">): string | null {
  if (/^\/[\w-]+$/.test(name)) return name;
  const [, server] = /^\/([\w-]+):[\w.-]+$/.exec(name) ?? [];
  if (server === undefined) return null;
  return commandsOf(bench).has(name) || bench.zeph.mcp.states().some((one) => one.name === server) ? name : null;
}

export const commandNames = (bench: Pick<SlashContext, "outputs" | "commands">): string[] => [...commandsOf(bench).keys()];

const GET_MODEL =
  "`zeph` at a terminal opens a chat once there is one: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start Ollama.";

/** A line that begins with a slash. */
export async function slashCommand(bench: SlashContext, name: string, rest: string): Promise<number | "leave"> {
  const known = commandsOf(bench);
  const command = known.get(name);
  if (!command && bench.withModel?.includes(name))
    throw new UsageError(`${name} needs a model, and this is the tool console. ${GET_MODEL}`);
  if (!command) throw new UsageError(`${name} is not a command.${didYouMean(name, known.keys()) || " /help lists them."}`);
  return command.run(bench, rest);
}

/** Runs a part's command. Its answer is for the person to read, never for the terminal to obey. */
async function ofPart(command: SlashCommand, { terminal, waiting, send }: SlashContext, rest: string): Promise<number> {
  const { stdout, stderr, err } = terminal;
  let stopped: AbortSignal | null = null;
  try {
    const {
      text,
      send: next,
      quotes,
    } = await waiting(command.name, (signal) => {
      stopped = signal;
      return command.run(rest, signal);
    });
    if (text !== "") stdout.write(`${prose(visible(text).replace(/\n$/, ""), stdout)}\n`);
    return next === undefined ? EXIT.ok : await send(next, quotes);
  } catch (error) {
    if ((stopped as AbortSignal | null)?.aborted) {
      stderr.write(`${err.yellow(`${command.name} was cancelled.`)}\n`);
      return EXIT.cancelled;
    }
    if (error instanceof CommandError) throw new UsageError(error.message);
    // A part that is broken is no reason to end the conversation.
    throw isForPeople(error) ? error : new UsageError(`${command.name} failed: ${(error as Error)?.message ?? error}`);
  }
}

const USAGE_COLUMNS = 20;

/** Help first, leaving last, the others by name. */
async function help(bench: SlashContext): Promise<number> {
  const { stdout, out } = bench.terminal;
  const others = [...commandsOf(bench).values()].filter((one) => one !== HELP && one !== EXIT_COMMAND);
  const all = [HELP, ...others.sort((a, b) => a.usage.localeCompare(b.usage)), EXIT_COMMAND];
  const columns = Math.min(USAGE_COLUMNS, Math.max(...all.map(({ usage }) => usage.length + 4)));
  const width = widthOf(stdout);
  const rows = all.map(({ usage, help }) => {
    const lines = wrap(visible(usage), width - 4).split("\n");
    const name = lines.map((line, n) => `${n === 0 ? "  " : "    "}${out.cyan(line)}`).join("\n");
    return beside(name, visible(help), columns, width);
  });
  stdout.write(`${prose(bench.forms, stdout)}\n${rows.join("\n")}\n`);
  return EXIT.ok;
}

async function tools(bench: SlashContext, rest: string): Promise<number> {
  const { zeph, terminal } = bench;
  if (rest === "") {
    terminal.stdout.write(toolsText(zeph.tools(), terminal));
    return EXIT.ok;
  }
  terminal.stdout.write(toolsText(toolNamed(rest, zeph.governance.tools()), terminal));
  sayHidden(rest, bench);
  return EXIT.ok;
}

async function judge(bench: SlashContext, rest: string): Promise<number> {
  const { zeph, terminal } = bench;
  const typed = splitLine(rest);
  if (!typed) throw new UsageError("Say which call to judge, for example: /judge write path=a.txt content=hello");
  const found = await zeph.judge(typed.name, argumentsFrom(typed.rest, typed.name, zeph.governance.tools()));
  terminal.stdout.write(judgementText(found, terminal.out));
  sayHidden(typed.name, bench);
  return EXIT.ok;
}

/** Nobody is shown a tool of which every call is denied; whoever asks about it is told. */
function sayHidden(tool: string, { zeph, terminal: { stdout, out } }: SlashContext): void {
  const text = hiddenText(tool, zeph.governance.tools());
  if (text !== null) stdout.write(`${out.yellow(prose(visible(text), stdout))}\n`);
}

async function cacheStats({ zeph, terminal }: SlashContext): Promise<number> {
  const { cache, filter } = zeph.stats();
  const { Full, Partial, Fallback } = filter.confidence;
  const saved = filter.rawChars === 0 ? 0 : 100 * (1 - filter.chars / filter.rawChars);
  const rows: Record<string, string> = {
    cache: `${plural(cache.hits, "hit")}, ${plural(cache.misses, "miss", "misses")} (${cache.stale} stale), ${plural(cache.entries, "entry", "entries")}, ${plural(cache.bytes, "byte")}`,
    filter: `${filter.filtered} of ${filter.commands} outputs shortened, ${saved.toFixed(1)}% of ${filter.rawChars} characters saved`,
    confidence: `F/P/B ${Full}/${Partial}/${Fallback}`,
  };
  terminal.stdout.write(rowsText(rows, terminal));
  return EXIT.ok;
}

async function clear({ clear, terminal: { stdout } }: SlashContext): Promise<number> {
  stdout.write(`${prose(clear(), stdout)}\n`);
  return EXIT.ok;
}
