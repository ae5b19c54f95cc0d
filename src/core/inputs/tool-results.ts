import type { Diagnosed } from "../ports/diagnostics.ts";
import type { DirectoryEntry, SearchMatch } from "../ports/host.ts";
import type { Ran, Rehearsed, Started } from "../ports/shell.ts";
import type { Recalled } from "../ports/store.ts";
import type { Page, Selected } from "../ports/web.ts";
import type { Trust } from "../turn.ts";

/**
 * What Zeph's own tools hand back as data (`output.raw`), by name; `never` for those that have only a text. Of another tool called by its name `raw` is
 * unknown, unless a program declares this interface again: `declare module "zeph" { interface ToolResults { count_words: { words: number } } }`.
 */
export interface ToolResults {
  readonly bash: RanCommand | StartedCommand;
  /** Of `list` the runs; of `wait` and `kill` what the command left. Nothing while it still runs. */
  readonly background: readonly Started[] | RanCommand;
  readonly read_overflow: never;
  readonly read: never;
  /** A unified diff. */
  readonly write: string;
  /** A unified diff. */
  readonly edit: string;
  readonly grep: readonly SearchMatch[];
  readonly search_code: CodeResult;
  /** Paths. */
  readonly find_path: readonly string[];
  readonly list_directory: readonly DirectoryEntry[];
  readonly create_directory: never;
  readonly move_path: never;
  readonly copy_path: never;
  readonly delete_path: never;
  readonly diagnostics: Pick<Diagnosed, "items" | "total" | "tools" | "warnings">;
  readonly fetch: PageResult;
  readonly web_scrape: Pick<Selected, "url" | "status" | "type" | "title" | "items" | "more" | "elements" | "truncated" | "cached">;
  readonly memory_search: { readonly hits: readonly Recalled[]; readonly damaged: number };
  /** `known`: it had been saved before. */
  readonly memory_save: { readonly id: string; readonly known: boolean };
  readonly load_skill: SkillResult;
  readonly invoke_skill: { readonly skill: string; readonly trust: Trust; readonly result: string };
  readonly scheduler: { readonly id: string };
  readonly update_plan: never;
  readonly compress_context: CompressedContext;
  readonly search_tools: readonly FoundTool[];
}

/** What a command left. */
export interface RanCommand {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly signal?: NonNullable<Ran["signal"]>;
  readonly truncated: boolean;
  readonly run_id?: undefined;
}

/** A command in the background, after its first second: with what it left, where it has ended. */
export interface StartedCommand extends Partial<Omit<RanCommand, "run_id">> {
  readonly run_id: string;
}

/** What a command would leave, and what it would change: the data of `zeph.dryRun`. */
export interface RehearsedResult extends RanCommand {
  readonly changes: readonly Pick<Rehearsed["changes"][number], "path" | "kind">[];
  /** So many changes are not among `changes`. */
  readonly unlisted: number;
  /** False where there was more than could be looked at. */
  readonly complete: boolean;
}

/** Places in code, the best first. */
export interface CodeResult {
  readonly hits: readonly CodeHit[];
  /** The words that were looked for. */
  readonly terms: readonly string[];
  /** Those of them too frequent to be looked up everywhere. */
  readonly frequent: readonly string[];
}

/** One place in code. */
export interface CodeHit {
  readonly path: string;
  readonly line: number;
  /** The definition it lies in; null outside of any. */
  readonly symbol: string | null;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
  readonly score: number;
}

/** A page, without its text. */
export interface PageResult extends Pick<Page, "url" | "status" | "type" | "title" | "truncated" | "cached"> {
  readonly format: "markdown" | "text";
  /** How long its text is. */
  readonly characters: number;
}

/** A skill as it was read. */
export interface SkillResult {
  readonly name: string;
  readonly folder: string;
  readonly trust: Trust;
  /** Files beside its SKILL.md. */
  readonly files: readonly string[];
  /** What its front matter asks for. */
  readonly asks: readonly string[];
  readonly body: string;
}

/** What a summary took the place of. */
export interface CompressedContext {
  readonly messages: number;
  readonly tokens: { readonly before: number; readonly after: number };
}

/** A tool that is not offered to the model yet. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Tools that have to succeed before it can be called. */
  readonly unmet: readonly string[];
}
