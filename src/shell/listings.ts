import { has, readOptions } from "./options.ts";

/**
 * Programs that print the names of files they find, one on a line. What they print is told as `folder/*`: some file below that folder.
 * Null where that cannot be told.
 */
const LISTERS: Readonly<Record<string, (args: readonly string[]) => string | null>> = {
  find: (args) => {
    const start = args.findIndex((arg) => /^[-(!]/.test(arg));
    const tests = start === -1 ? [] : args.slice(start);
    return tests.some((arg) => arg.startsWith("-") && !FIND_TESTS.test(arg)) ? null : below(start === -1 ? args : args.slice(0, start));
  },
  git: ([verb, ...args]) =>
    verb === "ls-files" && args.every((arg) => /^(-[zmocd]|--|--(modified|others|cached|deleted|exclude-standard)|\*[\w.*-]*)$/.test(arg))
      ? below([])
      : null,
  grep: (args) => searched(args, "-r", "-R", "--recursive"),
  rg: (args) => searched(args),
};

const FIND_TESTS =
  /^-(i?name|i?path|i?wholename|type|not|o|or|a|and|maxdepth|mindepth|newer|size|[acm]time|[acm]min|empty|print0?|prune|perm|user)$/;

/** What a pipeline of these commands prints. */
export function listedBy(commands: readonly (readonly string[])[]): string | null {
  const [[name = "", ...args] = [], ...filters] = commands;
  if (!filters.every(([filter = "", ...words]) => isFilter(filter, words))) return null;
  return Object.hasOwn(LISTERS, name) ? LISTERS[name]!(args) : null;
}

/** Hands on some of the lines it reads, as they are. */
function isFilter(name: string, args: readonly string[]): boolean {
  if (args.some((arg) => arg.startsWith("--"))) return false;
  if (/^[ef]?grep$/.test(name)) return readOptions(args).operands.length <= 1 && !args.some((arg) => /^-[a-zA-Z]*[ocnHCABf]/.test(arg));
  return (
    /^(sort|uniq|head|tail)$/.test(name) && readOptions(args, "nk").operands.length === 0 && !args.some((arg) => /^-[a-z]*[coT]/.test(arg))
  );
}

/** `grep -rl x src`: files below the folder that is named. `recursive`: without one of these it reads the files that it is given. */
function searched(args: readonly string[], ...recursive: readonly string[]): string | null {
  const read = readOptions(args, "egtm --glob --type --include --exclude --exclude-dir --regexp");
  const isList = has(read, "-l", "--files-with-matches") && !has(read, "-o", "-f", "-H", "-n", "-c", "--file", "--pre", "--hostname-bin");
  if (!isList || (recursive.length > 0 && !has(read, ...recursive))) return null;
  const folders = has(read, "-e", "--regexp") ? read.operands : read.operands.slice(1);
  return below(folders.filter((word) => word !== null));
}

function below(folders: readonly string[]): string | null {
  const [first = ".", ...more] = folders;
  return more.length > 0 || /[*?[\\]/.test(first) ? null : `${first.replace(/\/+$/, "")}/*`;
}
