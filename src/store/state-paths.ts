import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** Where this user's things lie. Only the folders come from the environment; what is in them is decided by the configuration. */
export interface StatePaths {
  readonly home: string;
  readonly state: string;
  readonly store: string;
  readonly audit: string;
  /** Unfinished writes are noted here, beside the log of what was done. */
  readonly notes: string;
  /** What files were before calls changed them, a folder for each workspace. */
  readonly preimages: string;
  /** Files that commands of other agents made and may not leave behind. */
  readonly quarantine: string;
  /** What signing in at MCP servers brought. Nothing but Zeph reads it. */
  readonly tokens: string;
  /** Sockets of running processes. */
  readonly live: string;
}

/** What decides what is allowed and what shows what was done: no tool may change any of it. */
export const ownFiles = (at: StatePaths, more: readonly string[]): string[] => [
  at.state,
  at.notes,
  at.preimages,
  at.quarantine,
  ...["", "-wal", "-shm", "-journal"].map((end) => at.store + end),
  ...["", "-wal", "-shm", "-journal"].map((end) => auditIndexPath(at) + end),
  ...["", ".tenant", ".lock", ".lock-journal", ".lock-wal", ".lock-shm"].map((end) => at.audit + end),
  ...more,
];

/** The index of this log, beside the store. Another form of index has another name, so two versions of Zeph do not take turns in making it anew. */
export const auditIndexPath = ({ store, audit }: Pick<StatePaths, "store" | "audit">): string =>
  `${store}.audit-${createHash("sha256").update(`1 ${audit}`).digest("hex").slice(0, 12)}.index`;

export interface ConfiguredPaths {
  /** Empty means the standard place. */
  readonly store: string;
  readonly audit: string;
  /** A store in memory forgets its anchors, and a program's own has its own. Without a place of its own its log would be the one a file store vouches for. */
  readonly kept?: "file" | "memory" | "program";
}

export function statePaths(paths: ConfiguredPaths, env: Record<string, string | undefined> = process.env): StatePaths {
  const home = env.HOME && isAbsolute(env.HOME) ? env.HOME : homedir();
  const given = env.XDG_STATE_HOME;
  const state = join(given && isAbsolute(given) ? given : join(home, ".local", "state"), "zeph");
  const at = (path: string, standard: string) => (path === "" ? join(state, standard) : resolve(path.replace(/^~(?=\/|$)/, home)));
  const audit = at(paths.audit, paths.kept === undefined || paths.kept === "file" ? "audit.jsonl" : `audit.${paths.kept}.jsonl`);
  return {
    home,
    state,
    store: at(paths.store, "zeph.db"),
    audit,
    notes: join(dirname(audit), "unfinished"),
    preimages: join(dirname(audit), "preimages"),
    quarantine: join(dirname(audit), "quarantine"),
    tokens: join(state, "mcp-tokens.json"),
    live: join(state, "live"),
  };
}
