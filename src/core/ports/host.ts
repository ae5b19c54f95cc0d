import type { ApprovedCall } from "../door.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { Shell } from "./shell.ts";
import type { Web } from "./web.ts";

/** The machine as tools see it: the local one, an editor's, or one in memory for tests. Every act needs a permit. */
export interface Host {
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  readonly web: Web;
  readonly diagnostics: Diagnostics;
}

/** Paths are as the caller wrote them; the host resolves, judges and enforces on every act. */
export interface Files {
  /** A window of lines, read without loading the file. */
  lines(permit: ApprovedCall, path: string, window: Window, signal: AbortSignal): Promise<Lines>;
  /** The whole text, byte order mark and line ends as they are on disk. */
  text(permit: ApprovedCall, path: string): Promise<string>;
  /** Atomic, keeps the mode, makes parents. Returns what was there before; null for a new file. */
  write(permit: ApprovedCall, path: string, text: string): Promise<Written>;
  /** As write, but refuses when the file is no longer the text the change was made from. */
  replace(permit: ApprovedCall, path: string, before: string, after: string): Promise<Written>;
  list(permit: ApprovedCall, path: string): Promise<readonly DirectoryEntry[]>;
  makeDirectory(permit: ApprovedCall, path: string): Promise<{ readonly path: string; readonly created: boolean }>;
  remove(permit: ApprovedCall, path: string, signal: AbortSignal): Promise<{ readonly path: string; readonly entries: number }>;
  move(permit: ApprovedCall, source: string, destination: string, signal: AbortSignal): Promise<{ readonly path: string }>;
  copy(permit: ApprovedCall, source: string, destination: string, signal: AbortSignal): Promise<Copied>;
}

/** Which lines of a file are wanted. */
export interface Window {
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number;
}
/** Some lines of a file. */
export interface Lines {
  readonly path: string;
  readonly lines: readonly string[];
  /** The last line shown goes on beyond what is shown. */
  readonly cutLine: boolean;
  /** Lines remain after the last one shown. */
  readonly more: boolean;
  /** Lines in the file, when the end was reached. */
  readonly total: number | null;
}
/** What was written, and what was there before. */
export interface Written {
  readonly path: string;
  /** null for a new file; undefined when the old content is no text that could be shown. */
  readonly before: string | null | undefined;
  readonly bytes: number;
}
/** One entry of a folder. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "dir" | "file" | "symlink" | "other";
  readonly size?: number;
}
/** What was copied, and what was left out. */
export interface Copied {
  readonly path: string;
  readonly entries: number;
  readonly skipped: readonly string[];
}

/** Searching files by name and by content. */
export interface Search {
  grep(permit: ApprovedCall, query: GrepQuery, signal: AbortSignal): Promise<Grepped>;
  find(permit: ApprovedCall, query: FindQuery, signal: AbortSignal): Promise<SearchResult<string>>;
}
/** What is searched for in files. */
export interface GrepQuery {
  readonly pattern: string;
  readonly path: string;
  readonly caseSensitive: boolean;
  readonly glob?: string;
  readonly context: number;
  readonly limit: number;
}
/** Which paths are looked for. */
export interface FindQuery {
  readonly path: string;
  readonly pattern: string;
  readonly limit: number;
}
/** `more`: the limit cut the search off. */
export interface SearchResult<T> {
  readonly items: readonly T[];
  readonly more: boolean;
  /** How many files were looked at, where nothing was found, and how many were not because of the glob and of ignore files. */
  readonly files?: { readonly searched: number; readonly leftByGlob: number; readonly leftByIgnore: number };
  /** Ignore files above leave out the folder, which was searched because it was named. */
  readonly isIgnoredFolder?: true;
  /** Files that match and hold no text. Of a folder they are looked for where no text matches. */
  readonly binary?: BinaryFiles;
}
/** What a search found. */
export interface Grepped extends SearchResult<SearchMatch> {
  /** There are rules on what may be read. It says nothing about what any file holds. */
  readonly limited: boolean;
}
/** Some of the files that are no text. */
export interface BinaryFiles {
  readonly paths: readonly string[];
  /** There may be others. */
  readonly more: boolean;
}
/** One line that a search found. */
export interface SearchMatch {
  /** Relative to the working directory where it lies inside it. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly kind: "match" | "context";
}
