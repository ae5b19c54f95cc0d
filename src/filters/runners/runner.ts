/** How one test runner prints, as a table. A line that fits no row is not understood, and stays. */
export interface Runner {
  /** The output begins in `run`. */
  readonly parts: Readonly<Record<string, RunnerPart>> & { readonly run: RunnerPart };
  /** Tried in every part, before its own rows. */
  readonly always: readonly Row[];
  /** Progress, a character for each test. It may be a long line, so it is a class of characters and no more. */
  readonly dots?: RegExp;
  /** One spelling for the names of a test. */
  readonly named?: (key: string) => string;
  /** Other names a failing test goes by in a list: the last segment of its title. */
  readonly aliases?: (key: string) => readonly string[];
  /** The title of a failing test, when a list knows more about it. */
  readonly retitled?: (title: string, brief: Readonly<Record<string, string | undefined>>) => string | null;
  /** It reads only what no other has read. */
  readonly alone?: boolean;
  /** Every failing test has a title. So if there is none, all passed; `owners`: what has no title of its own name was printed by one that passed. */
  readonly titles?: "all" | "owners";
}

export interface RunnerPart {
  readonly rows: readonly Row[];
  /** What becomes of lines that fit no row. They stay if nothing is said. */
  readonly rest?: "quiet" | "log" | "echo" | "again";
  /** It is about no single test: here ends what a title began. `run` is such a part. */
  readonly outside?: true;
  /** How far the runner moves its lines to the right. */
  readonly indent?: number;
  /** The part that begins after a blank line. */
  readonly blank?: string;
}

export interface Row {
  /** May name groups: `key` is the test it is about, `owner` the test that prints what begins here, `by` the one that printed this part, `why` the reason to skip it. */
  readonly see: RegExp;
  readonly do: LineRole;
  /** The part that begins here. */
  readonly begins?: string;
  /** The line in fewer words, as for `String.replace`. */
  readonly say?: string;
}

/** What a line is in the output of its runner, which decides whether it stays. */
export type LineRole =
  /** It stays. */
  | "keep"
  /** The runner's own sums: they stay. */
  | "totals"
  /** From here on a failing test is told of at length. */
  | "title"
  /** Says that the title above is about a group, of which others tell: title and place go. */
  | "void"
  /** Names the test that the title before it is about. */
  | "named"
  /** Names a failing test once more: it goes if there is a title for it, or for the tests in it. */
  | "brief"
  /** Here begins a group of tests; it goes. */
  | "opens"
  /** A test that went well: it goes. */
  | "pass"
  /** A test that was left out on purpose: it stays if there are few. Of those that say why (`why`) the first stays for all of the same reason. */
  | "skip"
  /** Names what the sums below it are of: it goes if those are of no test. */
  | "suite"
  /** Sums of no test: they go if there are others. */
  | "none"
  /** A line that says nothing about any test: it goes. */
  | "drop"
  /** Goes if another line that stays, or one below a title, is the same. */
  | "echo"
  /** Goes, with its neighbours of this kind, if the text below its title has every word of them: a diff of what the message says. */
  | "again"
  /** Source code: goes unless the next line is about it. */
  | "source"
  /** The source of a place that is told: goes if it is long, or was shown before. */
  | "excerpt"
  /** Goes, but the source before it stays. */
  | "points"
  /** Stays, and so does the source before it. */
  | "shows"
  /** A place in the person's own code: it stays. */
  | "own"
  /** A place in other people's code: it goes, unless the failure has no better one. */
  | "foreign"
  /** The name of a group of tests, if tests follow: then it goes, unless it looks like an error. */
  | "group"
  /** Goes unless it looks like an error. */
  | "quiet"
  /** Printed by its owner: goes if that one passed, unless it looks like an error. */
  | "log"
  /** Printed by its owner through the runner: goes if that one passed. */
  | "logged";
