import { CommandError, type SlashCommand } from "../../core/command.ts";
import { display } from "../../text/path.ts";
import { oneLine } from "../../text/visible.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { expandCommand } from "../custom-commands/command-file.ts";
import { type CustomCommand, type FoundCommands, findCommands, isCommandTrusted } from "../custom-commands/find-commands.ts";

export interface CustomCommandsOptions {
  /** Whether the person's own commands are read. */
  readonly own: boolean;
  readonly isHidden: (path: string) => boolean;
}

/** Commands are listed at every key that completes one; files are looked at again after this time. */
const FRESH_MS = 1000;

/** Slash commands from text files: the person's own, and the project's. They are messages in the person's name and grant nothing. */
export function createCustomCommandsPart(
  { store, workspace, home }: Pick<Surroundings, "store" | "workspace" | "home">,
  { own, isHidden }: CustomCommandsOptions,
): Part {
  let known: { readonly at: number; readonly found: FoundCommands } | null = null;
  const found = (): FoundCommands => {
    if (known === null || Date.now() - known.at > FRESH_MS || Date.now() < known.at)
      known = { at: Date.now(), found: findCommands({ workspace, home, env: process.env, own, isHidden }) };
    return known.found;
  };
  const nameOf = (path: string) => oneLine(display(path, workspace), 300);
  const slash = ({ name, hint, description, isOwn, path }: CustomCommand): SlashCommand => ({
    name: `/${name}`,
    usage: `/${name}${hint === "" ? "" : ` ${hint}`}`,
    help: `${description} (${isOwn ? "yours" : "of this project"})`,
    async run(rest) {
      // Read again: what is sent is what was vouched for.
      known = null;
      const now = found().commands.find((command) => command.name === name && command.path === path);
      if (!now) throw new CommandError(`${nameOf(path)} is gone, or can no longer be read.`);
      if (!isCommandTrusted(store.trust, now))
        throw new CommandError(
          `/${name} comes with this project (${nameOf(path)}), and nobody has vouched for it as it is now. Read it; then \`zeph trust\` vouches for it.`,
        );
      const asks = now.tools.length === 0 ? "" : ` It names the tools ${now.tools.join(", ")}; your rules decide about them.`;
      return { text: `From ${nameOf(path)}.${asks}`, send: expandCommand(now.body, rest) };
    },
  });
  return {
    get commands() {
      return found().commands.map(slash);
    },
    async status(): Promise<Readonly<Record<string, string>>> {
      const { commands, broken } = found();
      if (commands.length + broken.length === 0) return {};
      const strangers = commands.filter((command) => !isCommandTrusted(store.trust, command)).length;
      const [first] = broken;
      const counts = [
        ...(strangers > 0 ? [`${strangers} not trusted: zeph trust`] : []),
        ...(first ? [`${broken.length} left out: ${nameOf(first.path)}: ${oneLine(first.why)}`] : []),
      ];
      return { commands: `${commands.length}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}` };
    },
  };
}
