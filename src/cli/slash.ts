import { openDesk, type Zeph } from "../app.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import { judgementText } from "./judgement.ts";
import { argumentsFrom, splitLine } from "./line.ts";
import { harmless } from "./print.ts";
import type { Settings } from "./runtime.ts";
import type { Terminal } from "./terminal.ts";
import { toolNamed, toolsText } from "./tools.ts";

/** An open console. */
export interface Console {
  readonly zeph: Zeph;
  readonly settings: Settings;
  readonly terminal: Terminal;
  calls: number;
  /** How long the person thought about the questions of the last call. */
  thoughtMs: number;
}

interface Command {
  readonly usage: string;
  readonly help: string;
  run(self: Console, rest: string): Promise<number | "leave">;
}

/** What the console does itself. Everything else is the name of a tool. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  "/help": { usage: "/help", help: "show this", run: help },
  "/tools": { usage: "/tools [name]", help: "list the tools, or show one", run: tools },
  "/judge": { usage: "/judge <tool> …", help: "what would be decided, without running it", run: judge },
  "/status": { usage: "/status", help: "workspace, session and configuration", run: status },
  "/cache-stats": { usage: "/cache-stats", help: "answers given from memory, and what filters saved", run: cacheStats },
  "/clear": { usage: "/clear", help: "forget session grants and counts", run: clear },
  "/exit": { usage: "/exit", help: "leave", run: async () => "leave" },
};

const FORMS = `Type a tool and its arguments, in one of these forms:
  read README.md                 bare words fill what is required
  read path=README.md limit=5    names; tab completes them
  read {"path":"README.md"}      JSON
Quotes keep spaces together. In "double quotes" \\n is a new line.
Ctrl-C cancels a running call. Up and down walk through history.
`;

async function help({ terminal: { stdout, out } }: Console): Promise<number> {
  const rows = Object.values(COMMANDS).map(({ usage, help }) => `  ${out.cyan(usage.padEnd(18))} ${help}\n`);
  stdout.write(`${FORMS}\n${rows.join("")}`);
  return EXIT.ok;
}

async function tools({ zeph, terminal }: Console, rest: string): Promise<number> {
  terminal.stdout.write(toolsText(rest === "" ? zeph.tools() : toolNamed(rest, zeph.tools()), terminal));
  return EXIT.ok;
}

async function judge({ zeph, terminal }: Console, rest: string): Promise<number> {
  const typed = splitLine(rest);
  if (!typed) throw new UsageError("Say which call to judge, for example: /judge write path=a.txt content=hello");
  const found = await zeph.judge(typed.name, argumentsFrom(typed.rest, typed.name, zeph.tools()));
  terminal.stdout.write(judgementText(found, terminal.out));
  return EXIT.ok;
}

async function cacheStats({ zeph, terminal: { stdout, out } }: Console): Promise<number> {
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

async function clear({ zeph, terminal }: Console): Promise<number> {
  zeph.clear();
  terminal.stdout.write("Session grants and counts are forgotten. Audit and trust stay.\n");
  return EXIT.ok;
}

async function status(self: Console): Promise<number> {
  const { zeph, settings, terminal } = self;
  const desk = openDesk(process.cwd(), settings);
  try {
    const { config, userFile, project } = desk.loaded;
    const rows: Record<string, string> = {
      workspace: process.cwd(),
      session: `${zeph.session.id}, ${self.calls} ${self.calls === 1 ? "call" : "calls"}`,
      tools: String(zeph.tools().length),
      autonomy: config.autonomy,
      config: userFile,
      project: project === null ? "none" : `${project.file} (${project.trusted ? "trusted" : "not trusted: it may only tighten"})`,
      store: desk.at.store,
      audit: desk.at.audit,
    };
    const lines = Object.entries(rows).map(([name, value]) => `${terminal.out.cyan(name.padEnd(10))} ${harmless(value)}\n`);
    terminal.stdout.write(lines.join(""));
  } finally {
    await desk.close();
  }
  return EXIT.ok;
}
