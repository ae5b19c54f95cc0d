import type { ToolOutput } from "../../core/tool.ts";
import type { Touch } from "../../core/touch.ts";
import { has, programName, readOptions, type ShellWord } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import { wordSet } from "../../text/words.ts";

/**
 * What git shows of files nobody named: `git diff` shows whatever was changed. `named`: a line before the contents says which file it is. `found`:
 * every line begins with its file, as a search prints it. `anything`: it does not say, or another program stands between git and what is shown.
 */
export type GitReads = "nothing" | "named" | "found" | "anything";

export function gitReads(touches: readonly Touch[]): GitReads {
  const commands = touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv] : []));
  const shown = commands.map(([program, ...args]) =>
    typeof program === "string" && programName(program) === "git" ? gitShows(args) : "nothing",
  );
  const kinds = new Set(shown.filter((one) => one !== "nothing"));
  const [only] = kinds;
  if (only === undefined) return "nothing";
  if (kinds.size > 1 || only === "anything") return "anything";
  const isPlain = commands.every(([program]) => typeof program === "string" && KEEPS_NAMES.has(programName(program)));
  const goesElsewhere = touches.some((touch) => touch.kind === "path" && touch.access === "write");
  return isPlain && !goesElsewhere ? only : "anything";
}

/** Beside git these leave the lines that name files where they are: what is shown stands below its name. */
const KEEPS_NAMES: ReadonlySet<string> = new Set(["git", "head", "cat", "less", "more", "cd", "true", "wc", "echo", "pwd"]);

/** Verbs that show no contents of files, unless they are told to. */
const CONTENTLESS =
  wordSet(`status add commit push pull fetch clone checkout switch restore branch tag merge rebase reset rm mv init remote config clean gc
  rev-parse rev-list ls-files ls-tree ls-remote log shortlog describe stash worktree submodule bisect cherry cherry-pick revert reflog
  name-rev for-each-ref show-ref show-branch symbolic-ref count-objects fsck version help notes update-index hash-object write-tree
  read-tree commit-tree merge-base check-ignore check-attr sparse-checkout lfs maintenance prune repack apply am var update-ref pack-refs`);
/** Verbs whose output has a line with the name of each file before its contents. */
const NAMED = /^(diff|show|whatchanged|diff-tree|diff-index|diff-files|grep)$/;
const PATCH =
  "--patch -p -u -U -L --unified --patch-with-stat --patch-with-raw --cc -c -v --verbose -i --interactive --show-current-patch".split(" ");
const SUMMARY = "--stat --shortstat --numstat --dirstat --summary --name-only --name-status --raw --check --no-patch -s --quiet -q".split(
  " ",
);
/** With these the names are not where they are looked for. */
const HIDES_NAMES = ["--output", "--line-prefix", "--no-filename", "-h", "--ext-diff", "--textconv"];

function gitShows(args: readonly ShellWord[]): GitReads {
  const { verb, rest } = splitGit(args);
  if (verb === undefined) return "nothing";
  if (verb === null) return "anything";
  const options = readOptions(rest, "UGSLOnl --output --line-prefix --format --pretty");
  const asksForPatch = has(options, ...PATCH);
  if (CONTENTLESS.has(verb))
    return asksForPatch && SHOWS_WHEN_TOLD.test(verb) ? (verb === "log" || verb === "stash" ? named(options) : "anything") : "nothing";
  if (!NAMED.test(verb)) return namesItsFile(verb, options.operands) ? "nothing" : "anything";
  if (verb === "grep")
    return has(options, ...HIDES_NAMES) ? "anything" : has(options, "-l", "--files-with-matches", "--count") ? "nothing" : "found";
  if (has(options, ...SUMMARY) && !asksForPatch) return "nothing";
  // `git show HEAD:a.txt` shows one file, and says which.
  if (verb === "show" && options.operands.length > 0 && options.operands.every((word) => word?.includes(":"))) return "nothing";
  return named(options);
}

const SHOWS_WHEN_TOLD = /^(log|stash|reflog|commit|status|add|am|rebase|checkout|restore|reset)$/;
const named = (options: ReturnType<typeof readOptions>): GitReads => (has(options, ...HIDES_NAMES) ? "anything" : "named");

/** Whether what such a verb shows is named in its words, where it is looked for anyway. */
const namesItsFile = (verb: string, operands: readonly ShellWord[]): boolean =>
  (/^(blame|annotate)$/.test(verb) && operands.length > 0 && !operands.includes(null)) ||
  (verb === "cat-file" &&
    operands.length > 0 &&
    operands.every((word) => word?.includes(":") || /^(blob|commit|tree|tag)$/.test(word ?? "")));

/** The words of git's that may name a file in a commit: `HEAD:deploy/.env`, `:.env`. */
export const gitPaths = (touches: readonly Touch[]): string[] =>
  touches.flatMap((touch) => {
    if (touch.kind !== "command" || programName(touch.argv[0] ?? "") !== "git") return [];
    return touch.argv
      .slice(1)
      .flatMap((word) => (word !== null && /^[^:\s]*:./.test(word) && !word.includes("://") ? [word.slice(word.indexOf(":") + 1)] : []));
  });

const MOST_FILES = 1000;

/** The files whose contents an output shows, by its own words; null where it does not say, or too much of it is missing. */
export function filesShown(output: ToolOutput | undefined): readonly string[] | null {
  const raw = (output?.raw as { readonly stdout?: unknown } | undefined)?.stdout;
  const text = typeof raw === "string" ? raw : (output?.text ?? "");
  if (text.trim() === "") return [];
  if (output?.truncated) return null;
  // What begins with neither is the contents of something.
  if (!/^(diff --(git|cc|combined)|commit|tag|tree|stash) /.test(text)) return null;
  const headers = [...text.matchAll(/^diff --(?:git|cc|combined) (.+)$/gm)];
  return headers.length > MOST_FILES ? null : headers.flatMap(([, header]) => namesIn(header!));
}

/** `a/x b/x`, with quotes where a name is odd. */
const namesIn = (header: string): string[] =>
  [...header.split(" "), header].map((name) => name.replaceAll('"', "").replace(/^[a-z]\//, ""));
