import { type Desk, openDesk, type Zeph } from "../app.ts";
import { didYouMean } from "../core/nearest.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import { judgementText } from "./judgement.ts";
import { argumentsFrom, splitLine } from "./line.ts";
import { harmless } from "./print.ts";
import type { Settings } from "./runtime.ts";
import type { Terminal } from "./terminal.ts";
import { toolNamed, toolsText } from "./tools.ts";

/** What the commands below work on: the tool console, or a chat. */
export interface Bench {
  readonly zeph: Zeph;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** What /help says before it lists the commands. */
  readonly forms: string;
  /** Calls so far. */
  calls(): number;
  /** What else there is to say about the state of things. */
  state(desk: Desk): Promise<Readonly<Record<string, string>>>;
  /** Begins anew and says what was forgotten. */
  clear(): string;
}

interface Command {
  readonly usage: string;
  readonly help: string;
  run(self: Bench, rest: string): Promise<number | "leave">;
}

/** What is done here and not by a tool or a model. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  "/help": { usage: "/help", help: "show this", run: help },
  "/tools": { usage: "/tools [name]", help: "list the tools, or show one", run: tools },
  "/judge": { usage: "/judge <tool> …", help: "what would be decided, without running it", run: judge },
  "/status": { usage: "/status", help: "workspace, session and configuration", run: status },
  "/cache-stats": { usage: "/cache-stats", help: "answers given from memory, and what filters saved", run: cacheStats },
  "/clear": { usage: "/clear", help: "begin anew: forget session grants and counts", run: clear },
  "/exit": { usage: "/exit", help: "leave", run: async () => "leave" },
};

async function help({ forms, terminal: { stdout, out } }: Bench): Promise<number> {
  const rows = Object.values(COMMANDS).map(({ usage, help }) => `  ${out.cyan(usage.padEnd(18))} ${help}\n`);
  stdout.write(`${forms}\n${rows.join("")}`);
  return EXIT.ok;
}

async function tools({ zeph, terminal }: Bench, rest: string): Promise<number> {
  terminal.stdout.write(toolsText(rest === "" ? zeph.tools() : toolNamed(rest, zeph.tools()), terminal));
  return EXIT.ok;
}

async function judge({ zeph, terminal }: Bench, rest: string): Promise<number> {
  const typed = splitLine(rest);
  if (!typed) throw new UsageError("Say which call to judge, for example: /judge write path=a.txt content=hello");
  const found = await zeph.judge(typed.name, argumentsFrom(typed.rest, typed.name, zeph.tools()));
  terminal.stdout.write(judgementText(found, terminal.out));
  return EXIT.ok;
}

async function cacheStats({ zeph, terminal: { stdout, out } }: Bench): Promise<number> {
  const { cache, filter } = zeph.stats();
  const { Full, Partial, Fallback } = filter.confidence;
  const saved = filter.rawChars === 0 ? 0 : 100 * (1 - filter.chars / filter.rawChars);
  const rows: Record<string, string> = {
    cache: `${cache.hits} hits, ${cache.misses} misses (${cache.stale} stale), ${cache.entries} entries, ${cache.bytes} bytes`,
    filter: `${filter.filtered} of ${filter.commands} outputs shortened, ${saved.toFixed(1)}% of ${filter.rawChars} characters saved`,
    confidence: `F/P/B ${Full}/${Partial}/${Fallback}`,
  };
  stdout.write(
    Object.entries(rows)
      .map(([name, value]) => `${out.cyan(name.padEnd(10))} ${value}\n`)
      .join(""),
  );
  return EXIT.ok;
}

async function clear({ clear, terminal }: Bench): Promise<number> {
  terminal.stdout.write(`${clear()}\n`);
  return EXIT.ok;
}

async function status(self: Bench): Promise<number> {
  const { zeph, settings, terminal } = self;
  const desk = openDesk(process.cwd(), settings);
  try {
    const { config, userFile, project } = desk.loaded;
    const calls = self.calls();
    const rows: Record<string, string> = {
      ...(await self.state(desk)),
      workspace: process.cwd(),
      session: `${zeph.session.id}, ${calls} ${calls === 1 ? "call" : "calls"}`,
      tools: String(zeph.tools().length),
      autonomy: config.autonomy,
      config: userFile,
      project: project === null ? "none" : `${project.file} (${project.trusted ? "trusted" : "not trusted: it may only tighten"})`,
      store: desk.at.store,
      audit: desk.at.audit,
    };
    const lines = Object.entries(rows).map(([name, value]) => `${terminal.out.cyan(name.padEnd(12))} ${harmless(value)}\n`);
    terminal.stdout.write(lines.join(""));
  } finally {
    await desk.close();
  }
  return EXIT.ok;
}

/** A line that begins with a slash. */
export async function slashCommand(bench: Bench, name: string, rest: string): Promise<number | "leave"> {
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!known) throw new UsageError(`${name} is not a command.${didYouMean(name, Object.keys(COMMANDS)) || " /help lists them."}`);
  return known.run(bench, rest);
}
