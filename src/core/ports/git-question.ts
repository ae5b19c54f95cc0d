/** Where a git command works: a folder, and the options that name another repository or work tree. */
export interface GitPlace {
  /** From the folder the whole line starts in. */
  readonly cwd: string;
  readonly options: readonly string[];
}

/**
 * A list of files of the work tree that a git command may change, as git itself can make it.
 * `diff`: between the work tree and one commit, or between two. `log`: of each of these commits. `checkout`: a commit, or else files.
 * `pull`: merge or rebase, then the name or path of another repository, then what is wanted of it.
 */
export interface GitList {
  readonly how: "diff" | "log" | "checkout" | "tracked" | "untracked" | "patch" | "stashed" | "pull";
  readonly args: readonly string[];
  readonly paths?: readonly string[];
  /** A folder of git's objects besides its own. */
  readonly objects?: string;
}

/** What a git command would do to the work tree. */
export interface GitQuestion {
  readonly lists: readonly GitList[];
  /** Why the lists are not all of it, in words; null when they are. */
  readonly unknown: string | null;
}

export interface GitAnswer {
  /** Frozen files that it would change, with what would change in them. Canonical paths. */
  readonly files: readonly { readonly path: string; readonly diff: string }[];
  /** Why that may not be all. */
  readonly unknown: string | null;
  /** Every frozen file that git keeps, or that lies in its work tree: what it could change when that is not known. */
  readonly frozen: readonly string[];
}

export interface GitFacts {
  /** What a word is short for in the settings of a repository; null when it is no alias. */
  alias(place: GitPlace, name: string): Promise<string | null>;
  changes(place: GitPlace, question: GitQuestion): Promise<GitAnswer>;
}
