import type { GitList, GitQuestion } from "../../core/ports/git-question.ts";
import { has, readOptions, type ShellWord } from "../options.ts";
import { splitGit } from "./git.ts";
import { type GitChange, workTreeChange } from "./git-changes.ts";

export interface GitCommand {
  readonly args: readonly ShellWord[];
  readonly cwd: string | null;
}

/**
 * What the git commands of one line change, one after the other. A name that an earlier one makes or moves means something else to a later
 * one than it does now: a branch or tag made from what is here stands for that, what `git stash` puts away comes back with
 * `git stash pop`, and of the rest nobody knows.
 */
export function changesInLine(commands: readonly GitCommand[]): (GitChange & GitCommand)[] {
  const names = new Map<string, string>();
  const found: (GitChange & GitCommand)[] = [];
  let stashed: readonly GitList[] = [];
  let isMoved = false;
  for (const command of commands) {
    const { verb, rest } = splitGit(command.args);
    const words = rest.filter((word) => word !== null);
    const change = workTreeChange(command.args, command.cwd);
    if (change !== null) {
      const question = change.question && renamed(change.question, names, stashed);
      found.push({ ...command, ...change, question: question && isMoved ? { ...question, unknown: question.unknown ?? MOVED } : question });
    }
    if (verb === "stash" && /^(push|save|-.*|)$/.test(words[0] ?? "")) stashed = change?.question?.lists ?? [];
    const made = verb === "branch" || verb === "tag" ? madeName(verb, words) : null;
    if (made !== null) names.set(made[0], made[1]);
    else if (movesNames(verb, words)) isMoved = true;
  }
  return found;
}

const MOVED = "an earlier command of this line changes what its words stand for";

function renamed({ lists, unknown }: GitQuestion, names: ReadonlyMap<string, string>, stashed: readonly GitList[]): GitQuestion {
  const meant = lists.flatMap((list) => (list.how === "stashed" && list.args[0] === "stash@{0}" && stashed.length > 0 ? stashed : [list]));
  return { unknown, lists: meant.map((list) => ({ ...list, args: list.args.map((word) => names.get(word) ?? word) })) };
}

/** The name and what it stands for, of a command that only makes one. */
function madeName(verb: string, words: readonly string[]): readonly [string, string] | null {
  const read = readOptions(words, verb === "tag" ? "muF --message --file --local-user" : "");
  const [name, start = "HEAD"] = read.operands;
  const isPlain = read.options.every(({ name: option }) => /^(-f|--force|-q|--no-track|-a|-m|--message|--annotate)$/.test(option));
  return typeof name === "string" && typeof start === "string" && isPlain ? [name, start] : null;
}

const LISTS = /^(-l|--list|-a|-r|-v+|--all|--remotes|--show-current|--contains|--no-contains|--merged|--no-merged|--sort.*|--format.*)$/;
const COMMIT = /^(@|HEAD[~^@]|refs\/|origin\/|[0-9a-f]{7,40}$)/;

function movesNames(verb: ShellWord | undefined, words: readonly string[]): boolean {
  if (verb === "branch" || verb === "tag") return words.length > 0 && !words.some((word) => LISTS.test(word));
  if (verb === "reset") {
    const read = readOptions(words);
    return !has(read, "--hard", "--merge", "--keep") && (has(read, "--soft", "--mixed") || COMMIT.test(read.operands[0] ?? ""));
  }
  return verb === "fetch" || verb === "update-ref" || verb === "symbolic-ref" || verb === "replace" || verb === "fast-import";
}
