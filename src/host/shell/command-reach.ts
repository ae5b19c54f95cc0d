import type { ApprovedCall } from "../../core/door.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import type { Setting } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type FileRemotes, remotesOpenTo, withFileRemotes } from "../workday/file-remotes.ts";
import type { WholeRepository } from "../workday/opened-repository.ts";

/** What the person opened to one command besides the workspace. */
export interface CommandReach {
  /** The top of the repository around the workspace, where commands may change all of it. */
  readonly whole: string | null;
  /** What to say about a command that was refused at the rest of that repository. Git goes on without a word when it could not write a file. */
  explain(printed: string): Promise<string | undefined>;
}

export interface ReachSources {
  readonly sandbox: SandboxConfig;
  readonly whole?: WholeRepository | undefined;
  readonly found: Sandbox;
  readonly cwd: string;
}

interface Reaching {
  readonly permit: ApprovedCall;
  readonly command: string;
  readonly turn?: TurnContext | undefined;
  readonly signal: AbortSignal;
}

const NOTHING: CommandReach = { whole: null, explain: async () => undefined };

/**
 * Only these walls hold what is protected in a folder that is opened; a program that a tool starts by itself is no command. The yes is one for
 * the whole runtime, so a caller with rights of its own is not asked, and gets none of it.
 */
export async function commandReach(
  { sandbox, whole, found, cwd }: ReachSources,
  { permit, command, turn, signal }: Reaching,
): Promise<CommandReach> {
  if (!whole || !turn || turn.rights || !sandbox.enabled || found.backend !== "bubblewrap") return NOTHING;
  const wish = { command, permit, ctx: { turn, signal }, cwd };
  const closed = await whole.decide(wish);
  return {
    whole: whole.agreed(),
    explain: (printed) => whole.explain(wish, printed, closed),
  };
}

/** The same setting, with repositories elsewhere that were opened to this command. */
export function withRemotes<S extends Setting>(setting: S, remotes: FileRemotes | undefined, permit: ApprovedCall): Setting {
  const opened = remotesOpenTo(remotes, permit);
  return opened.length > 0 && setting.day ? { ...setting, day: withFileRemotes(setting.day, opened) } : setting;
}
