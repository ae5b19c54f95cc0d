import type { ProtectedPart } from "../protected.ts";
import type { PathTouch } from "../touch.ts";
import type { FileRemote } from "./file-remote.ts";
import type { GitFacts } from "./git-question.ts";

/** What gates may know of the world without a permit. It only looks; `access` is the host's own check, so that judging and acting agree. */
export interface Facts {
  readonly cwd: string;
  readonly home: string;
  /** Every link followed as far as the path exists; the rest re-attached. */
  canonical(path: string): string;
  /** The entry itself: links are followed in its parents only. */
  entry(path: string): string;
  /** Whether there is an entry of that name, a link that leads nowhere included. It says nothing about whether one may open it. */
  exists(path: string): boolean;
  /** What lies at a resolved path; null when nothing does. */
  entryState?(path: string): EntryState | null;
  /** The text of a file that may be read; null where there is no file, undefined where its text is not told: it may not be read, is long, or is no text. */
  peek?(path: string): Promise<string | null | undefined>;
  /** A file that was read or written here and was changed by somebody else since. */
  isStale?(path: string): boolean;
  /** As `canonical`, but only links count that no tool and no command can have put there; null when another one is in the way. */
  settled?(path: string): string | null;
  /** When the file at a path was changed last, in milliseconds, by the system's own clock that nobody sets back; null when there is none, or it is not known. */
  changedAt?(path: string): number | null;
  /** Whether what a touch would change is kept before a command runs, so that it can be put back; also where nothing lies there yet. */
  wouldKeep?(touch: PathTouch): boolean;
  /** Another number for each judgement: what was worked out under one may be used again under the same. */
  moment?(): number;
  /** Patterns of files that nobody may read: searches leave them out. */
  readonly unreadable?: readonly string[];
  /** What is known about files that run later and files nobody may read. */
  readonly protection?: ProtectionFacts;
  /** Why the host would refuse this touch; null when it would not. */
  access(touch: PathTouch, looks?: PathLooks): Refusal | null | Promise<Refusal | null>;
  /** The same for an address on the web, as far as it can be told without asking anybody. */
  address(url: string): Refusal | null | Promise<Refusal | null>;
}

/** Where paths were found to lead in the judgement that is under way. Whoever acts looks for himself. */
export type PathLooks = Pick<Facts, "canonical" | "entry">;

export interface ProtectionFacts {
  /** The files of `core/protected.ts` that a file tool would make, change or remove, by any of their names. */
  changedBy(touches: readonly PathTouch[], looks?: PathLooks): Promise<readonly ProtectedFile[]>;
  /** Why a command may not name this path: it is kept from being read. Null when it is not. */
  hidden(path: string): Refusal | null;
  /** What of all this the walls cannot hold around the next command, in words; null when they hold it all. */
  exposed(): Promise<string | null>;
  /** The repository outside of the workspace that a git command names in a folder, where it is one to ask about. */
  fileRemote?(cwd: string, name: string | undefined, access: FileRemote["access"]): Promise<FileRemote | null>;
  /** What git commands would change. */
  readonly git?: GitFacts;
}

export interface ProtectedFile {
  /** Canonical. */
  readonly path: string;
  readonly part: ProtectedPart;
}

/** A thing on the disk, so that it is known again. */
export interface EntryState {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Another one when it is another thing; of a file, also when it was changed. */
  readonly stamp: string;
}

export interface Refusal {
  readonly rule: string;
  readonly why: string;
}
