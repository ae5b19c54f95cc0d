import { posix } from "node:path";
import { holdsSteering, steeringIn } from "../../core/protected.ts";
import { has, optionValues, programName, readOptions, type ShellWord } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import { TAR_TAKES, tarWords } from "../../shell/programs/launchers.ts";
import { joinFolder } from "../../shell/relative-path.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";
import { wordSet } from "../../text/words.ts";
import type { SelfParts } from "./self.ts";

/** What a command would bring: a file of the kind, or files that nobody has seen, right into a folder where such files count. */
export type Brought = "steering" | "unseen" | null;

const COPIERS = wordSet("cp gcp mv gmv rsync install ln");
const UNPACKERS = wordSet("tar gtar bsdtar unzip bsdunzip cpio pax 7z 7za 7zz unrar ar patch jar star dpkg-deb rpm2archive");
/** Their verbs that change no file of the work tree but by what git itself keeps. */
const GIT_READS = wordSet(
  "add commit diff log show status blame ls-files ls-tree grep check-ignore check-attr cat-file rev-parse rev-list describe branch tag fetch push remote config shortlog reflog notes archive bundle hash-object update-index difftool range-diff whatchanged",
);

/** Files that come in a copy, an archive, a patch or a repository, and are named by none of the words that are paths. */
export function broughtBy(command: SimpleCommand, parts: SelfParts, isSteering: (path: string) => boolean): Brought {
  const [program, ...args] = command.argv;
  if (typeof program !== "string") return null;
  const name = programName(program);
  const named = (words: readonly ShellWord[]) =>
    words.some((word) => word !== null && piecesOf(word).some((one) => isNamed(one, command, isSteering)));
  if (COPIERS.has(name)) return copied(name, args, command, parts, isSteering) ? "steering" : null;
  if (name === "git") {
    const { verb, rest } = splitGit(args);
    if (typeof verb !== "string" || GIT_READS.has(verb)) return null;
    const isPatch = verb === "apply" || verb === "am";
    return named(rest) || (isPatch && named(patchedFiles(command.stdin))) ? "steering" : null;
  }
  if (!UNPACKERS.has(name) || !unpacks(name, args)) return null;
  if (named(args) || named(patchedFiles(command.stdin))) return "steering";
  return isUnseen(name, args, command, parts) ? "unseen" : null;
}

/** A copy is put below a folder by its own name, and what lies in it comes along. A hard link is the file itself. */
function copied(
  name: string,
  args: readonly ShellWord[],
  command: SimpleCommand,
  parts: SelfParts,
  isSteering: (path: string) => boolean,
): boolean {
  const read = readOptions(
    args,
    name === "rsync" ? "ef --rsh --exclude --include --filter --files-from" : "tSgmo --target-directory --suffix",
  );
  const folders = optionValues(read, "-t", "--target-directory");
  const target = folders[0] ?? read.operands.at(-1) ?? null;
  const sources = folders.length > 0 ? read.operands : read.operands.slice(0, -1);
  const isLink = name === "ln" || (name !== "rsync" && has(read, "-l", "--link")) || has(read, "--link-dest");
  const links = optionValues(read, "--link-dest");
  const at = (path: string) => joinFolder(command.cwd, path) ?? path;
  if (isLink && [...sources, ...links].some((word) => word !== null && (isSteering(at(word)) || holdsOne(at(word), parts)))) return true;
  if (target === null) return false;
  return sources.some((word) => {
    if (word === null) return false;
    const landed = posix.join(at(target), posix.basename(word));
    // `a/` and `a/.` are what lies in it.
    const isInside = /\/\.?$/.test(word) || posix.basename(word) === ".";
    if (!isInside && (isSteering(landed) || (holdsSteering(landed) && parts.facts.exists(at(word))))) return true;
    return holdsOne(at(word), parts, isInside ? at(target) : landed, isSteering);
  });
}

/** Whether a folder, or what a glob in a path stands for, holds files that would steer where they come to lie. */
function holdsOne(source: string, { facts }: SelfParts, to?: string, isSteering?: (path: string) => boolean): boolean {
  const glob = /[*?[]/.test(posix.basename(source)) ? posix.basename(source) : null;
  const folder = glob === null ? source : posix.dirname(source);
  const base = attempt(() => facts.canonical(folder), folder);
  const inner = holdsSteering(base)
    ? ["settings.json", "settings.local.json", "hooks.json", "plugins", "extensions", "policies", "hooks"]
    : [];
  const held = [...steeringIn(base), ...inner.map((one) => `${base}/${one}`)].filter((file) => facts.exists(file));
  return held.some((file) => {
    const rest = posix.relative(base, file);
    if (glob !== null && !isShown(glob, rest.split("/")[0]!)) return false;
    return to === undefined || isSteering === undefined || isSteering(posix.join(glob === null ? to : posix.dirname(to), rest));
  });
}

const isShown = (glob: string, name: string): boolean =>
  !(name.startsWith(".") && /^[*?[]/.test(glob)) && attempt(() => compileGlob(glob, { flavour: "path", letters: "exact" })(name), true);

/** Whether it writes the files of an archive, and does not only list or make one. */
function unpacks(name: string, args: readonly ShellWord[]): boolean {
  if (/tar$/.test(name)) return has(readOptions(tarWords(args), TAR_TAKES), "-x", "--extract", "--get");
  if (/^(bsd)?unzip$/.test(name)) return !has(readOptions(args, "d"), "-l", "-t", "-p", "-Z", "-v");
  if (name === "cpio") return has(readOptions(args, "DFEHICMOR"), "-i", "--extract", "-p", "--pass-through");
  if (name === "pax") return has(readOptions(args), "-r");
  if (/^7z/.test(name) || name === "unrar") return args.some((word) => word === "x" || word === "e");
  if (name === "ar" || name === "jar") return /^-?[a-z]*x/.test(args[0] ?? "");
  return true;
}

/** Nobody has seen what comes, and it comes right into the workspace, the home or above them. */
function isUnseen(name: string, args: readonly ShellWord[], { cwd, stdin }: SimpleCommand, { facts }: SelfParts): boolean {
  const read = /tar$/.test(name)
    ? readOptions(tarWords(args), `${TAR_TAKES} --file --directory --exclude --transform --xform`)
    : readOptions(args, "dDCopi");
  // A patch may say which files it changes, where none is named.
  if (name === "patch") return stdin === undefined && read.operands.length === 0 && isRoot(cwd ?? ".", facts);
  if (/tar$/.test(name) && read.operands.length > 0 && !has(read, "--transform", "--xform")) return false;
  const folder = optionValues(read, "-C", "--directory", "-d", "-D")[0];
  if (folder === null) return true;
  return isRoot(folder === undefined ? (cwd ?? ".") : (joinFolder(cwd, folder) ?? folder), facts);
}

function isRoot(path: string, { canonical, cwd, home }: SelfParts["facts"]): boolean {
  const real = attempt(() => canonical(path), cwd);
  return isWithin(real, cwd) || isWithin(real, home);
}

/** The files that a patch, or a list on standard input, names. */
function patchedFiles(stdin: string | undefined): readonly string[] {
  if (stdin === undefined) return [];
  return stdin
    .split("\n")
    .slice(0, 10_000)
    .flatMap((line) => {
      const [, marked] = /^(?:\+\+\+|---|rename to|copy to|\*\*\* (?:Add|Update|Delete) File:) (?:[ab]\/)?(\S+)/.exec(line) ?? [];
      return marked === undefined ? (/^[./~]?[\w./~-]+$/.test(line.trim()) ? [line.trim()] : []) : [marked];
    });
}

function isNamed(word: string, { cwd }: SimpleCommand, isSteering: (path: string) => boolean): boolean {
  const path = joinFolder(cwd, word) ?? word;
  return isSteering(path) || holdsSteering(path);
}

/** The word, and what stands in it behind a sign: `--transform=s/^dot/.claude/`, `HEAD:x`. */
const piecesOf = (word: string): readonly string[] =>
  [word, ...word.split(/[\s=:,'"]+/), ...word.split(/[\s=:,'"^|]+|(?<=\w)\/(?=\.)/)].filter((one) => one !== "" && one.length <= 4096);
