import { isDeepStrictEqual } from "node:util";
import type { CentralConfig } from "../../config/central.ts";
import { type Loaded, loadConfig, type PlaceOf, parseConfig } from "../../config/load.ts";
import { projectPlaces, trustedBy } from "../../config/paths.ts";
import { ConfigError } from "../../config/problem.ts";
import type { ConfigFile } from "../../config/read.ts";
import type { AuditReader } from "../../core/ports/audit.ts";
import type { OpenQuestions } from "../../core/ports/open-questions.ts";
import type { Overflow } from "../../core/ports/printed/overflow.ts";
import type { Conversations, Goals, Memories, Reputation, Schedule, Store, TrustRecords } from "../../core/ports/store.ts";
import { type AuditFile, openAuditFile } from "../../store/audit/audit-file.ts";
import { createAuditReader } from "../../store/audit/audit-reader.ts";
import { openStore } from "../../store/open.ts";
import { openLentStore } from "../../store/own-store.ts";
import { openSharedStore } from "../../store/pg/open-shared.ts";
import { isStoreUrl, readStoreUrl } from "../../store/pg/place.ts";
import { type StatePaths, statePaths } from "../../store/state-paths.ts";
import type { StartConfig } from "../rules/live-config.ts";
import { sharedUrlOf } from "./shared-url.ts";

export interface Opened {
  readonly config: StartConfig;
  readonly warnings: readonly string[];
  readonly userFile: string | null;
  readonly placeOf: PlaceOf;
  /** Where the configuration is read from, whether there is such a file or not. */
  readonly files: readonly string[];
  /** Reads the configuration again, as it is now; where it was given as an object, another object. Throws a ConfigError. */
  again(config?: object): Pick<Loaded, "config" | "warnings" | "placeOf">;
  readonly store: Store;
  readonly at: StatePaths;
}

/** Reads the configuration and opens the store it names. A project file counts in full only when the store says it is trusted. */
export function openStores(options: Settings, cwd: string): Opened {
  const central = options.central ?? (() => null);
  if (typeof options.config === "object") {
    const given = options.config;
    const read = (object: object) => ({
      config: parseConfig(object, central(), { cwd, home: statePaths({ store: "", audit: "" }).home }),
      warnings: [],
      placeOf: () => ({}),
    });
    const first = read(given);
    const { config } = first;
    const at = statePaths({ store: fileOf(options.store) ?? config.store.path, audit: config.audit.path, kept: keptIn(options.store) });
    const again = (next: object = given) => read(next);
    return { ...first, userFile: null, files: [], again, at, store: storeAt(options, at, config) };
  }
  const { config, ...rest } = options;
  const { loaded, again, store, at } = openWith(cwd, { ...rest, ...(config !== undefined && { config }) });
  return {
    ...loaded,
    files: openOrClose(store, () => [loaded.userFile, ...projectPlaces({ cwd, home: at.home })]),
    again(next) {
      if (next !== undefined) throw new ConfigError([{ message: "The configuration is read from files here; change those." }]);
      return again();
    },
    store,
    at,
  };
}

export interface Settings {
  readonly config?: object | string;
  readonly set?: readonly string[];
  readonly store?: string | Store;
  /** In place of what the store says a person vouched for. */
  readonly trust?: TrustRecords;
  /** Open already, and closed by whoever opened it. */
  readonly shared?: Store;
  /** Settings that are only tried, over those of all files. */
  readonly tried?: ConfigFile;
  /** The policy of a fleet, as it is when the configuration is read. */
  readonly central?: () => CentralPolicy | null;
}

/** The policy of a fleet, and whether it vouches for the repository of the workspace. */
export interface CentralPolicy extends CentralConfig {
  readonly vouches: boolean;
}
export type FileSettings = Omit<Settings, "config"> & { readonly config?: string };

/** First without trust, which tells where the store is; then, if there is a project that is trusted, with it. */
function openWith(
  cwd: string,
  { config, set = [], store: kept, trust, shared, tried, central: policy = () => null }: FileSettings,
): { loaded: Loaded; again: () => Loaded; store: Store; at: StatePaths } {
  const load = (trusted: (folder: string, hash: string) => boolean) =>
    loadConfig({
      cwd,
      home: statePaths({ store: "", audit: "" }).home,
      env: process.env,
      flags: set,
      trusted,
      central: policy(),
      tried,
      ...(config !== undefined && { userFile: config }),
    });
  const first = load(() => false);
  const at = statePaths({
    store: fileOf(kept) ?? first.config.store.path,
    audit: first.config.audit.path,
    kept: keptIn(kept),
  });
  const opened = storeAt({ store: kept, shared }, at, first.config);
  const store = trust ? { ...opened, trust } : opened;
  // Of a fleet's machine nobody says what they trust: its policy does.
  const trusted = (folder: string, hash: string) => policy()?.vouches ?? trustedBy(store.trust)(folder, hash);
  const trusts = first.project !== null && trusted(first.project.folder, first.project.hash);
  const again = () => withoutStore(load(trusted), first);
  if (!trusts) return { loaded: first, again, store, at };
  const loaded = openOrClose(store, () => load(trusted));
  // The store is open by now, and trust in the project is kept in it. The log goes where the project wants it.
  const { audit, notes } = statePaths({ store: "", audit: loaded.config.audit.path });
  return { loaded: withoutStore(loaded, first), again, store, at: { ...at, audit, notes } };
}

/** Whoever shares a store, or is given a program's own, does not close it for the others. */
function storeAt(
  { store, shared }: { store?: string | Store | undefined; shared?: Store | undefined },
  at: StatePaths,
  config: Pick<StartConfig, "store" | "fleet">,
): Store {
  const open = shared ?? (typeof store === "object" ? store : null);
  if (open) return openLentStore(open);
  if (store === "memory") return openStore("memory");
  const url = sharedUrlOf(store, config.store.url);
  return url === "" ? openStore(at.store) : openSharedStore({ url, tenant: config.fleet.tenant, local: at.store });
}

const fileOf = (store: string | Store | undefined): string | undefined =>
  typeof store === "string" && store !== "memory" && !isStoreUrl(store) ? store : undefined;
const keptIn = (store: string | Store | undefined) => (typeof store === "object" ? "program" : store === "memory" ? "memory" : "file");

/** A project cannot move the store that says whether it is trusted, nor say whose things it sees. */
function withoutStore(loaded: Loaded, first: Loaded): Loaded {
  const { store } = first.config;
  // Rules of a fleet's policy, which count as soon as they are read.
  const { approval_secs, trusted_repos, quota } = loaded.config.fleet;
  const fleet = { ...first.config.fleet, approval_secs, trusted_repos, quota };
  const moved = [
    ...(loaded.config.store.path === store.path ? [] : ["store.path"]),
    ...(loaded.config.store.url === store.url ? [] : ["store.url"]),
    ...(isDeepStrictEqual(loaded.config.fleet, fleet) ? [] : ["fleet"]),
  ];
  if (moved.length === 0) return loaded;
  const warnings = moved.map(
    (key) => `"${key}" in ${loaded.project?.file} is not used: the store also holds what you trust. Set it in your own file.`,
  );
  return { ...loaded, config: { ...loaded.config, store, fleet }, warnings: [...loaded.warnings, ...warnings] };
}

export function openOrClose<T>(store: Store, then: () => T): T {
  try {
    return then();
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** What the commands that look at Zeph itself need: no gates, no tools. */
export interface Desk {
  readonly loaded: Loaded;
  readonly trust: TrustRecords;
  readonly audit: AuditReader;
  readonly conversations: Conversations;
  readonly reputation: Reputation;
  readonly memories: Memories;
  readonly goals: Goals;
  readonly schedule: Schedule;
  readonly openQuestions: OpenQuestions;
  readonly overflow: Overflow;
  readonly at: StatePaths;
  /** Opens the log to write a note into it; whoever does closes it at once, because others write there. */
  openLog(): AuditFile;
  /** The database that machines share, without its password; null for the file alone. */
  readonly shared: string | null;
  close(): Promise<void>;
}

export function openDesk(cwd: string, options: FileSettings = {}): Desk {
  const { loaded, store, at } = openWith(cwd, options);
  const { anchors, summaries: _summaries, ...kept } = store;
  const url = sharedUrlOf(options.store, loaded.config.store.url);
  return {
    ...kept,
    loaded,
    audit: createAuditReader(at.audit, anchors),
    openLog: () => openAuditFile(at.audit, anchors),
    at,
    shared: url === "" ? null : readStoreUrl(url).shown,
    close: () => store.close(),
  };
}
