import type { GitList, GitPlace, GitQuestion } from "../../core/ports/git-question.ts";
import { wordSet } from "../../text/words.ts";
import { has, type Options, optionValues, readOptions, type ShellWord } from "../options.ts";
import { joinFolder } from "../relative-path.ts";
import { splitGit } from "./git.ts";

export interface GitChange {
  readonly verb: string;
  /** Null when the folder it works in is only known at run time. */
  readonly place: GitPlace | null;
  /** Null when the verb is none of git's own: an alias, perhaps. */
  readonly question: GitQuestion | null;
}

/** What the arguments of git say about the files of the work tree; null when they change none. */
export function workTreeChange(args: readonly ShellWord[], cwd: string | null): GitChange | null {
  const { globals, verb, rest, folder } = splitGit(args);
  if (verb === undefined) return null;
  const place = placeOf(globals, folder, cwd);
  if (verb === null) return { verb: "…", place, question: unknownChange("what git does is only known at run time") };
  const verbs = VERBS[verb];
  if (optionValues(globals, "-c").some((pair) => pair === null || /^alias\./i.test(pair)))
    return { verb, place, question: unknownChange("a setting on the command line says what it does") };
  if (verbs === undefined) return HARMLESS.has(verb) ? null : { verb, place, question: null };
  const question = rest.includes(null) ? unknownChange("a word of it is only known at run time") : verbs(rest as readonly string[]);
  return question.lists.length === 0 && question.unknown === null ? null : { verb, place, question };
}

function placeOf(globals: Options, folder: ShellWord | undefined, cwd: string | null): GitPlace | null {
  const options = ["--git-dir", "--work-tree"].flatMap((name) => optionValues(globals, name).map((value) => [name, value] as const));
  const at = folder === undefined ? cwd : folder === null ? null : joinFolder(cwd, folder);
  if (at === null || options.some(([, value]) => value === null)) return null;
  return { cwd: at, options: options.map(([name, value]) => `${name}=${value}`) };
}

const known = (...lists: readonly GitList[]): GitQuestion => ({ lists, unknown: null });
const unknownChange = (unknown: string, ...lists: readonly GitList[]): GitQuestion => ({ lists, unknown });
const NOTHING = known();
const diff = (args: readonly string[], paths?: readonly string[]): GitList => ({ how: "diff", args, ...(paths && { paths }) });
const log = (...args: readonly string[]): GitList => ({ how: "log", args });
const INTERRUPTED = "it goes on with, or takes back, what an earlier command began";
const ENDS = ["--continue", "--skip", "--abort", "--quit", "--edit-todo", "--show-current-patch"];
const previous = (ref: string) => (ref === "-" ? "@{-1}" : ref);

const PULL_OPTIONS = "sXSoj --strategy --strategy-option --upload-pack --depth --deepen --refmap --server-option --jobs";

const VERBS: Record<string, (rest: readonly string[]) => GitQuestion> = {
  switch: (rest) => {
    const read = readOptions(rest, "cC --create --force-create --orphan --conflict");
    if (optionValues(read, "--orphan").length > 0) return known({ how: "tracked", args: [] });
    const target = previous(read.operands[0] ?? "HEAD");
    const isForced = has(read, "-f", "--force", "--discard-changes");
    return known({ how: "checkout", args: [target] }, ...(isForced ? [diff([]), diff(["--cached"])] : []));
  },
  checkout: (rest) => {
    const read = readOptions(rest, "bB --orphan --conflict --pathspec-from-file");
    if (has(read, "--pathspec-from-file")) return unknownChange("the files are named in another file");
    const at = rest.indexOf("--");
    const operands = read.operands as readonly string[];
    const forced = has(read, "-f", "--force") ? [diff([]), diff(["--cached"])] : [];
    if (at !== -1) {
      const paths = rest.slice(at + 1);
      const [tree] = operands.slice(0, operands.length - paths.length);
      if (paths.length > 0) return known(diff(tree === undefined ? [] : [previous(tree)], paths));
    }
    if (optionValues(read, "-b", "-B", "--orphan").length > 0 && operands.length === 0) return known(...forced);
    if (operands.length === 0) return known(...forced);
    const [first, ...paths] = operands;
    return known({ how: "checkout", args: [previous(first!)], ...(paths.length > 0 && { paths }) }, ...forced);
  },
  restore: (rest) => {
    const read = readOptions(rest, "s --source --conflict --pathspec-from-file");
    if (has(read, "--pathspec-from-file")) return unknownChange("the files are named in another file");
    if (has(read, "-S", "--staged") && !has(read, "-W", "--worktree")) return NOTHING;
    return known(diff(optionValues(read, "-s", "--source") as string[], read.operands as string[]));
  },
  reset: (rest) => {
    const read = readOptions(rest);
    if (!has(read, "--hard", "--merge", "--keep")) return NOTHING;
    return known(diff([(read.operands[0] as string | undefined) ?? "HEAD"]));
  },
  merge: (rest) => {
    const read = readOptions(rest, "mFsX --strategy --strategy-option --file --into-name --message");
    if (has(read, "--continue", "--quit")) return NOTHING;
    if (has(read, "--abort")) return known(diff(["HEAD"]));
    const refs = read.operands.length > 0 ? (read.operands as string[]) : ["@{upstream}"];
    return known(...refs.map((ref) => diff([`HEAD...${previous(ref)}`])));
  },
  rebase: (rest) => {
    const read = readOptions(rest, "xsXCS --onto --exec --strategy --strategy-option");
    if (has(read, ...ENDS)) return unknownChange(INTERRUPTED);
    const [upstream = "@{upstream}", branch = "HEAD"] = (has(read, "--root") ? ["", ...read.operands] : read.operands) as string[];
    const onto = (optionValues(read, "--onto").at(-1) as string | undefined) ?? upstream;
    return known(
      ...(onto === "" ? [] : [diff(["HEAD", previous(onto)])]),
      ...(branch === "HEAD" ? [] : [diff(["HEAD", branch])]),
      log(upstream === "" ? branch : `${previous(upstream)}..${branch}`),
    );
  },
  pull: (rest) => {
    const read = readOptions(rest, PULL_OPTIONS);
    return known({ how: "pull", args: [has(read, "-r", "--rebase") ? "rebase" : "merge", ...(read.operands as string[])] });
  },
  "cherry-pick": picks,
  revert: picks,
  stash: (rest) => {
    const [word, ...more] = rest;
    const sub = word === undefined || word.startsWith("-") ? "push" : word;
    const read = readOptions(sub === "push" && word !== "push" ? rest : more, "m --message --pathspec-from-file");
    const operands = read.operands as string[];
    const which = (n: number) =>
      operands[n] === undefined ? "stash@{0}" : /^\d+$/.test(operands[n]) ? `stash@{${operands[n]}}` : operands[n];
    if (sub === "pop" || sub === "apply") return known({ how: "stashed", args: [which(0)] });
    if (sub === "branch") return known({ how: "stashed", args: [which(1)] }, diff(["HEAD", `${which(1)}^1`]));
    if (sub !== "push" && sub !== "save") return NOTHING;
    const all = has(read, "-a", "--all");
    return known(diff(["HEAD"]), ...(all || has(read, "-u", "--include-untracked") ? [untracked(all)] : []));
  },
  apply: (rest) => {
    const read = readOptions(rest, "pC --directory --exclude --include --whitespace --build-fake-ancestor");
    if (has(read, "--check", "--stat", "--numstat", "--summary", "--cached") && !has(read, "--apply", "--index")) return NOTHING;
    if (read.operands.length === 0 || read.operands.includes("-"))
      return unknownChange("what the patch changes is only known when it is there");
    return known({ how: "patch", args: rest.filter((word) => !/^(--index|--3way|-3|--reject|-v|--verbose|-q|--quiet)$/.test(word)) });
  },
  am: (rest) => {
    const read = readOptions(rest, "pC --directory --exclude --include --whitespace --patch-format");
    if (has(read, ...ENDS, "--resolved", "-r", "--retry") || read.operands.length === 0) return unknownChange(INTERRUPTED);
    return known({ how: "patch", args: read.operands as string[] });
  },
  rm: (rest) => {
    const read = readOptions(rest, "--pathspec-from-file");
    return has(read, "--cached", "-n", "--dry-run") ? NOTHING : known({ how: "tracked", args: [], paths: read.operands as string[] });
  },
  mv: (rest) => {
    const { operands } = readOptions(rest);
    return known({ how: "tracked", args: [], paths: operands.slice(0, -1) as string[] });
  },
  clean: (rest) => {
    const read = readOptions(rest, "e --exclude");
    if (has(read, "-n", "--dry-run")) return NOTHING;
    return known({ ...untracked(has(read, "-x", "-X")), paths: read.operands as string[] });
  },
  "read-tree": (rest) => (has(readOptions(rest), "-u") ? unknownChange("git read-tree -u changes any file") : NOTHING),
  "checkout-index": () => known(diff([])),
  "sparse-checkout": (rest) => (["list", "check-rules"].includes(rest[0] ?? "") ? NOTHING : known({ how: "tracked", args: [] })),
  bisect: (rest) =>
    ["log", "view", "visualize", "terms", "help"].includes(rest[0] ?? "") ? NOTHING : unknownChange("bisecting walks through the history"),
  "filter-branch": () => unknownChange("it rewrites the history"),
  submodule: (rest) =>
    ["update", "deinit", "sync"].includes(rest.find((word) => !word.startsWith("-")) ?? "")
      ? unknownChange("submodules come with files of their own")
      : NOTHING,
};

const untracked = (all: boolean): GitList => ({ how: "untracked", args: all ? [] : ["--exclude-standard"] });

function picks(rest: readonly string[]): GitQuestion {
  const read = readOptions(rest, "mSX --mainline --strategy --strategy-option --cleanup");
  if (has(read, ...ENDS)) return unknownChange(INTERRUPTED);
  return known(log("--no-walk", ...(read.operands as string[])));
}

/** Git's own verbs that leave the files of the work tree alone, or only make a new tree of them elsewhere. */
const HARMLESS =
  wordSet(`add annotate archive blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format clone column commit commit-graph
  commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fmt-merge-msg
  for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree mailinfo merge-base merge-file
  merge-tree mktag mktree multi-pack-index name-rev notes pack-objects pack-refs patch-id prune push range-diff reflog remote repack replace
  request-pull rerere rev-list rev-parse send-email shortlog show show-branch show-index show-ref status stripspace symbolic-ref tag unpack-objects
  update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree maintenance lfs`);
