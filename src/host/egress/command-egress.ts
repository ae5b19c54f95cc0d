import type { EgressCommand } from "./approvals.ts";
import type { EgressParts, EgressProxy, EgressRun } from "./egress.ts";
import { createRegistries } from "./registries.ts";

export interface CommandEgressParts extends Omit<EgressParts, "registries"> {
  readonly home: string;
  /** Folders that commands can write. */
  readonly workspaces: () => readonly string[];
  /** In place of asking the tools of this machine. */
  readonly registries?: EgressParts["registries"];
}

/** The way out for the commands of a session. Nothing of it is loaded before the first command that could use it. */
export interface CommandEgress {
  /** Where the session's network leads to; null where no proxy can be opened. */
  socket(): Promise<string | null>;
  /** A command begins; null where there is no way out. */
  begin(command: EgressCommand): EgressRun | null;
  /** Whether a command could reach anything without a question. */
  isAnyOpen(): boolean;
  close(): Promise<void>;
}

export function openCommandEgress(parts: CommandEgressParts): CommandEgress {
  let opening: Promise<EgressProxy | null> | undefined;
  let proxy: EgressProxy | null = null;
  const registries = parts.registries ?? createRegistries({ home: parts.home, env: process.env, workspaces: parts.workspaces });
  const open = async () => {
    const { openEgress } = await import("./egress.ts");
    proxy = await openEgress({ ...parts, registries });
    return proxy;
  };
  return {
    async socket() {
      opening ??= open().catch(() => null);
      return (await opening)?.socket ?? null;
    },
    begin: (command) => proxy?.begin(command) ?? null,
    isAnyOpen: () => proxy?.isAnyOpen() ?? (parts.rules().allow.length > 0 || (parts.session?.size ?? 0) > 0),
    close: async () => (await opening)?.close(),
  };
}
