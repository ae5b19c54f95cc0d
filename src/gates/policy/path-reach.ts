import { readOptions, type ShellWord } from "../../shell/options.ts";
import { underNames } from "../../shell/programs/under-names.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { wordSet } from "../../text/words.ts";

/** What a word that names a folder stands for: the entry alone, the folder where all in it is forbidden, or everything below it. */
export type PathReach = "entry" | "inside" | "tree";

/** What they are given is opened: words that nobody knows may be any file. */
export const READERS =
  wordSet(`cat tac less more bat nl wc head tail od hexdump xxd strings base64 base32 md5sum sha1sum sha256sum sha512sum cksum b2sum diff cmp comm paste rev column
  cut fold pr fmt sort uniq tee cp mv ln install rsync scp tar zip gzip gunzip zcat bzip2 xz zstd 7z dd sed awk gawk mawk grep egrep fgrep zgrep rg ag ack jq yq
  join split csplit iconv shred vim vi nano ed ex view python python2 python3 node deno bun perl ruby php lua sh bash dash zsh ksh source . eval`);

/** A wildcard may be the folder that nobody may look into. */
export const MOVERS = new Set(["cd", "pushd", "popd"]);
/** Only the entry itself is meant, or what is in a folder is only named. */
const ENTRIES = wordSet("ls mkdir rmdir touch stat test [ readlink realpath du tree file chmod chown find");
/** What lies below a folder goes with it. */
const TREES = wordSet("cp mv ln install rsync scp tar zip 7z rg ag ack");

export function pathReach(program: string, args: readonly ShellWord[]): PathReach {
  if (program === "find" && args.some((arg) => /^-(exec|execdir|ok|okdir|delete|f(print|ls).*)$/.test(arg ?? ""))) return "tree";
  if (MOVERS.has(program)) return "tree";
  if (ENTRIES.has(program)) return "entry";
  if (program === "git") return args.includes("grep") || args.includes("--no-index") ? "tree" : "inside";
  return TREES.has(program) || (RECURSIVE.test(program) && isRecursive(args)) ? "tree" : "inside";
}

const RECURSIVE = /^([efz]?grep|diff|gzip)$/;
const isRecursive = (args: readonly ShellWord[]) =>
  args.some((arg) => /^(-[A-Za-z]*[rR]|--(dereference-)?recurs|--dir[a-z]*=rec|-[A-Za-z]*drec|rec(urse)?$)/.test(arg ?? ""));

/** Searches that begin where they stand when no folder is given. */
export function looksHere(program: string, args: readonly ShellWord[]): boolean {
  if (program === "find") return pathReach(program, args) === "tree" && (args[0]?.startsWith("-") ?? true);
  if (program === "git") return args.includes("grep") && readOptions(args).operands.length <= 2;
  if (!/^([efz]?grep|rg|ag|ack)$/.test(program) || (program.endsWith("grep") && !isRecursive(args))) return false;
  const { operands, options } = readOptions(args, "ABCefmgt");
  return (
    operands.length <= (options.some(({ name }) => /^(-[ef]|--(regexp|file|files))$/.test(name)) ? 0 : 1) &&
    !options.some(({ name }) => /^(--version|--help|--type-list)$/.test(name))
  );
}

/** `x | rg y` searches what it is handed. */
export function pipedTo(commands: readonly SimpleCommand[], line: string): (program: string) => boolean {
  return (program) => {
    const fed = line.match(new RegExp(`(\\|&?\\s*|<<?<?\\s*\\S+\\s+)${program}\\b`, "g"))?.length ?? 0;
    return fed > 0 && !program.endsWith("grep") && commands.filter(({ argv }) => argv[0] === program).length <= fed;
  };
}

/** Programs whose first operand is a pattern or a program, and their options that take a value. */
const SCRIPTS: Record<string, RegExp> = {
  ...underNames("grep egrep fgrep zgrep", /^-[A-Za-z]*[ABCmdD]$/),
  ...underNames("rg ag ack", /^-[A-Za-z]*[ABCmgGtTjr]$/),
  ...underNames("sed gsed", /^-[A-Za-z]*l$/),
  ...underNames("awk gawk mawk", /^-[A-Za-z]*[Fvi]$/),
  ...underNames("jq yq", /^-[A-Za-z]*L$/),
};

/** Which words are no files: a pattern where its place is certain, what comes behind `-e`, a message. */
export function scriptsOf(program: string, args: readonly ShellWord[]): (at: number) => boolean {
  if (program === "git") return (at) => /^(-[a-z]*m|--message)$/.test(args[at - 1] ?? "");
  if (program === "find") return (at) => /^-i?(name|path|wholename|regex)$/.test(args[at - 1] ?? "");
  const takes = SCRIPTS[program];
  if (!takes) return () => false;
  const isGiven = args.some((arg) => /^(-[A-Za-z]*[ef]|--(reg|expr|fil|from))/.test(arg ?? ""));
  const first = args.findIndex((arg) => arg === null || !arg.startsWith("-"));
  const before = args[first - 1] ?? "";
  const script = isGiven || takes.test(before) || /^--[^=]*$/.test(before) ? -1 : first;
  return (at) =>
    at === script || (program !== "jq" && program !== "yq" && /^(-[A-Za-z]*e|--regexp|--expression)$/.test(args[at - 1] ?? ""));
}
