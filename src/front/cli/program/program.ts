import { Command } from "commander";
import { workingFolder } from "../../../files/working-folder.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { UsageError } from "../io.ts";
import { createTerminal } from "../terminal/terminal.ts";
import type { OptionSpec } from "./command-spec.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./commands.ts";
import { EXAMPLES } from "./help.ts";
import type { Begun } from "./invocation.ts";

/** What is done around a command, whatever it is. */
export type AroundCommand = (command: string, work: () => Promise<number>) => Promise<number>;

/** Which words there are. What they do is imported when they are used, so that a small command reads few files. */
export function program(
  argv: readonly string[],
  version: string,
  exit: (code: number) => void,
  begun: Begun = {},
  around: AroundCommand = (_command, work) => work(),
): Command {
  const zeph = new Command("zeph")
    .description("A tool runtime for LLM agents. Without a command it opens a chat, or the tool console where there is no model.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", EXAMPLES.zeph!)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(visible(text)) })
    .showHelpAfterError("Run `zeph --help` to see what there is.")
    .allowExcessArguments()
    .exitOverride();

  for (const option of GLOBAL_OPTIONS) addOption(zeph, option);

  const run = async (name: string, command: Command): Promise<void> => {
    const flags = command.optsWithGlobals();
    if (flags.migrateConfig && command !== zeph) command.error("error: --migrate-config takes no command");
    if (flags.dryRun && !flags.migrateConfig && !["call", "hook", "import"].includes(command.name()))
      command.error("error: --dry-run is for --migrate-config, call, hook and import");
    const talks = command === zeph || command.name() === "run";
    if (flags.continue !== undefined && !talks) command.error("error: --continue is for run and the chat");
    if (flags.plain && command !== zeph && command.name() !== "watch") command.error("error: --plain is for the chat and watch");
    if (flags.model !== undefined && !talks && !["acp", "submit"].includes(command.name()))
      command.error("error: --model is for run, submit, acp and the chat");
    enter(flags.cwd);
    const settings = { set: flags.set ?? [], ...(flags.config !== undefined && { config: flags.config }) };
    const { answered } = begun;
    const given = { words: command.args, argv, flags, settings, terminal: createTerminal(flags.color ? "colour" : "plain"), answered };
    // A person at a terminal gets a chat, if there is a model to chat with. Its prompt does not wait for the modules of other commands.
    if (name === "zeph" && given.terminal.attended && given.terminal.stdout.isTTY)
      return exit(await around(name, async () => (await import("../chat/chat.ts")).chat(given, begun.prompt ?? null)));
    exit(await around(name, async () => (await import("./actions.ts")).ACTIONS[name]!(given)));
  };
  zeph.action((_flags, command: Command) => {
    const [word] = command.args;
    if (word !== undefined) command.error(`error: there is no command "${word}".${didYouMean(word, Object.keys(COMMANDS))}`);
    return run(zeph.opts().migrateConfig ? "--migrate-config" : "zeph", command);
  });
  for (const [name, { usage, summary, options, words }] of Object.entries(COMMANDS)) {
    const command = zeph
      .command(name)
      .usage(usage)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
    for (const option of options) addOption(command, option);
    for (const word of words === "its own" ? [] : words) command.argument(word);
    // Some read their words themselves, and say themselves what is wrong with them.
    command.allowUnknownOption(words === "its own").allowExcessArguments(words === "its own");
    command.addHelpText("after", EXAMPLES[name]!).action((...given) => run(name, given.at(-1)));
  }
  return zeph;
}

/** What may be repeated, as its help says, becomes a list. */
function addOption(command: Command, [flags, help]: OptionSpec): void {
  if (help.endsWith("may be repeated")) command.option(flags, help, (one: string, all: string[] = []) => [...all, one]);
  else command.option(flags, help);
}

/** As `git -C` does: everything is looked for from there, relative paths in other options too. */
function enter(folder: string | undefined): void {
  try {
    if (folder === undefined) return void workingFolder(undefined, "--cwd");
    process.chdir(folder);
  } catch (error) {
    if (folder === undefined) throw new UsageError((error as Error).message);
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--cwd ${folder}: ${code === "ENOENT" ? "there is no such folder" : `it cannot be entered (${code})`}.`);
  }
}
