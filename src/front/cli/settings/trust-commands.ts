import type { TrustRecords } from "../../../core/ports/store.ts";
import { type CustomCommand, commandPathOf, findCommands } from "../../../runtime/custom-commands/find-commands.ts";
import { isWithin } from "../../../text/path.ts";
import type { Io } from "../io.ts";

/** The project's slash commands, as they are now. */
export const findVouchableCommands = (cwd: string, { home, env }: Pick<Io, "home" | "env">): readonly CustomCommand[] =>
  findCommands({ workspace: cwd, home, env, own: false }).commands;

export const describeCommands = (commands: readonly CustomCommand[]): string =>
  commands
    .map(({ name, path, description, tools }) => {
      const asks = tools.length === 0 ? "" : `; it names the tools ${tools.join(", ")} (your rules decide, not the command)`;
      return `Trusted: /${name} in ${path}: ${description}${asks}\n`;
    })
    .join("");

/** A file may be gone by now, so what is recorded counts. */
export async function revokeCommands(cwd: string, trust: TrustRecords): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const { subject } of await trust.list()) {
    const path = commandPathOf(subject);
    if (path !== null && isWithin(cwd, path) && (await trust.remove(subject))) gone.push(path);
  }
  return gone;
}
