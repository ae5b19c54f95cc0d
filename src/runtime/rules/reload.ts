import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Loaded, PlaceOf } from "../../config/load.ts";
import { ConfigError } from "../../config/problem.ts";
import { readConfigText } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import { lookAt, watchFiles } from "../../config/watch.ts";
import type { Door } from "../../core/door.ts";
import type { ZephEvent } from "../../core/event.ts";
import type { AuditLog } from "../../core/ports/audit.ts";
import { bounded } from "../../text/visible.ts";
import type { Gates } from "./gates.ts";
import { changedKeys, isLive, type LiveConfig, mergeLive, type StartConfig } from "./live-config.ts";
import type { Rulebook } from "./rulebook.ts";

/** What reading the rules again came to. */
export interface Reloaded {
  /** Settings, and files that are named in one, that count from now on. */
  readonly changed: readonly string[];
  /** Settings that are other than at the start and wait for the next one. */
  readonly later: readonly string[];
  /** Why the rules before stay. */
  readonly problem?: string;
}

/** Why the rules were read again. */
export type Why = "a file changed" | "a signal" | "asked for" | `policy ${number}`;

export interface ReloadParts {
  /** The whole configuration as it is now, or this one. Throws a ConfigError. */
  readonly again: (config?: object) => Pick<Loaded, "config" | "warnings" | "placeOf">;
  /** Everything that is checked at the start is checked here. Throws a ConfigError. */
  readonly read: (config: LiveConfig, placeOf: PlaceOf, warn: (message: string) => void) => Rulebook;
  readonly gates: Pick<Gates, "book" | "adopt">;
  readonly door: Pick<Door, "replace">;
  readonly log: AuditLog;
  readonly redact: (text: string) => string;
  readonly emit: (event: ZephEvent) => void;
  /** What was read at the start. */
  readonly first: StartConfig;
  /** Warnings that were given then. */
  readonly said: readonly string[];
  /** Where the configuration is read from, whether there is a file or not. */
  readonly files: () => readonly string[];
  /** Other settings count from now on. */
  readonly took: (before: LiveConfig, now: LiveConfig) => void;
}

export interface Reloader {
  /** Never throws. Nothing else happens while it reads, so two are never mixed. */
  reload(why: Why, config?: object): Promise<Reloaded>;
  /**
   * Reads again what looks different since the last time it was asked; rules of a file that is gone are gone. Says whether settings wait for the
   * next start. Where nothing changed it costs a look at each file.
   */
  refresh(): "in force" | "after the next start";
  /** Reads again whenever one of the files changes. */
  watch(): { close(): void };
}

/** Reads all rules again, and has the gates and the blocklist built from them take the place of those before, all in one moment or not at all. */
export function createReloader(parts: ReloadParts): Reloader {
  const { gates, door, log, redact, emit, first } = parts;
  const said = new Set(parts.said);
  /** What was read last, whether or not it counts yet. */
  let read: Config = first;
  let contents = contentsOf(gates.book.files);
  /** An object that was given in place of the first, and counts. */
  let object: object | undefined;
  /** The files as they were when rules from them began to count, and as they were looked at last. */
  const allFiles = () => [...new Set([...parts.files(), ...gates.book.files])];
  let good = contentsOf(allFiles());
  let seen = good;
  let problem: string | null = null;
  /** Files something was wrong with: who mends one wants it to be read again. */
  let broken: readonly string[] = [];
  /** Unknown at first: a file may have been written between being read and now. */
  let looked: string | null = null;
  let waits = false;

  const note = (text: string) => log.append({ kind: "note", ts: new Date().toISOString(), note: redact(text) });
  const warn = (messages: readonly string[]) => {
    for (const message of messages) if (!said.has(message)) emit({ type: "warning", message });
    for (const message of messages) said.add(message);
  };

  /** The rules before stay. The same trouble is told once, unless somebody asks. */
  const refused = (why: Why, text: string): Reloaded => {
    const told = bounded(redact(text), LONGEST_PROBLEM);
    const now = contentsOf([...allFiles(), ...broken]);
    const isKnown = told === problem && why === "a file changed" && isDeepStrictEqual(now, seen);
    seen = now;
    problem = told;
    if (isKnown) return { changed: [], later: [], problem: told };
    try {
      note(`rules not reloaded (${why}): ${told}; the old rules stay`);
    } catch {
      // Nothing has changed, so nothing is done unrecorded. The event says it.
    }
    emit({ type: "reload", changed: [], later: [], problem: told });
    return { changed: [], later: [], problem: told };
  };

  const reload = (why: Why, given?: object): Reloaded => {
    let later: readonly string[] = [];
    broken = [];
    try {
      const lost = why === "a file changed" ? gone(good, contentsOf(allFiles())) : undefined;
      if (lost !== undefined)
        return refused(why, `${lost} is empty or gone, and rules were in it. To go on without them, type /policy reload or start again.`);
      const next = parts.again(given ?? object);
      later = changedKeys(first, next.config).filter((key) => !isLive(key));
      const before = gates.book;
      const warnings = [...next.warnings];
      const say = (message: string) => void warnings.push(message);
      const book = parts.read(mergeLive(first, next.config), next.placeOf, say);
      const now = contentsOf(book.files);
      const changed = [
        ...changedKeys(before.live, book.live),
        ...(sameRules(before, book) ? [] : book.files.filter((file) => now.get(file) !== contents.get(file))),
      ];
      const isNews = changed.length > 0 || !isDeepStrictEqual(read, next.config) || problem !== null || !sameRules(before, book);
      contents = now;
      if (!isNews && why === "a file changed") return { changed, later };

      const rules = gates.adopt(book, say);
      try {
        note(`rules reloaded (${why}): ${inWords(changed, later)}`);
      } catch (error) {
        gates.adopt(before, () => {});
        return refused(why, `What cannot be recorded is not done. ${messageOf(error)}`);
      }
      door.replace(rules);
      parts.took(before.live, book.live);
      read = next.config;
      object = given ?? object;
      good = contentsOf(allFiles());
      seen = good;
      const mended = problem !== null;
      problem = null;
      emit({ type: "reload", changed, later, ...(mended && { mended }) });
      warn(warnings);
      return { changed, later };
    } catch (error) {
      broken = error instanceof ConfigError ? error.problems.flatMap(({ file }) => file ?? []) : [];
      const waiting = later.length === 0 ? "" : `\nThese wait for the next start: ${later.join(", ")}.`;
      return refused(why, `${messageOf(error)}${waiting}`);
    }
  };

  return {
    reload: async (why, config) => reload(why, config),
    refresh() {
      // Looked at before it is read: what changes meanwhile has changed again.
      const look = lookAt([...allFiles(), ...broken]);
      if (look !== looked) {
        looked = look;
        const isLost = gone(good, contentsOf(allFiles())) !== undefined;
        const { later, problem: wrong } = reload(isLost ? "asked for" : "a file changed");
        if (wrong === undefined) waits = later.length > 0;
      }
      return waits ? "after the next start" : "in force";
    },
    watch: () =>
      watchFiles({
        files: () => [...new Set([...parts.files(), ...gates.book.files, ...broken])],
        changed: async () => reload("a file changed"),
      }),
  };
}

const LONGEST_PROBLEM = 4000;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const inWords = (changed: readonly string[], later: readonly string[]): string =>
  [changed.join(", ") || "nothing changed", ...(later.length === 0 ? [] : [`after the next start: ${later.join(", ")}`])].join("; ");

/** Whether two books say the same, wherever it is written. */
const sameRules = (one: Rulebook, other: Rulebook): boolean =>
  isDeepStrictEqual([one.policy, one.authorization, one.adversarial], [other.policy, other.authorization, other.adversarial]);

/** A file that held something and holds nothing now: an editor may be about to write it, and nobody said that rules are to go. */
const gone = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string | undefined =>
  [...before].find(([file, content]) => content !== NOTHING && now.get(file) === NOTHING)?.[0];

const NOTHING = "nothing";

const contentsOf = (files: readonly string[]): Map<string, string> => new Map(files.map((file) => [file, contentOf(file)]));

function contentOf(file: string): string {
  try {
    const text = readConfigText(file) ?? "";
    return text.trim() === "" ? NOTHING : createHash("sha256").update(text).digest("hex");
  } catch {
    return "unreadable";
  }
}
