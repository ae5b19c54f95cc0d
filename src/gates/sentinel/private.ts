import type { ToolCall } from "../../core/call.ts";
import { claimSource } from "../../core/claim.ts";
import { facetsOf } from "../../core/facets.ts";
import type { Outcome } from "../../core/layer.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { Touch } from "../../core/touch.ts";
import { programName } from "../../shell/options.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob, type Matcher } from "../../text/glob.ts";
import { display, isWithin, nameOf } from "../../text/path.ts";
import { filesShown, gitPaths, gitReads } from "./git.ts";
import { createTreeFinder, type Trees } from "./trees.ts";
import { createUnnamedFinder, isWild } from "./unnamed-private.ts";

/** Tells what private things a call reads, for a person: a path, or what it was; null when it reads none. */
export interface PrivateThings {
  /** What it would read, as far as the call tells. */
  inCall(call: Pick<ToolCall, "tool" | "touches">): string | null;
  /** What it has read, once it was let in. */
  inOutcome(call: ToolCall, outcome: Outcome): string | null;
  /** What stands in a result of long ago. */
  inText(text: string): string | null;
}

export function createPrivateFinder(globs: readonly string[], facts: Facts): PrivateThings {
  const own = globs.map((glob) => compileGlob(glob.replace(/^~(?=\/)/, facts.home), { flavour: "path", letters: "any case" }));
  const isPrivate = (path: string) => isPrivatePath(real(path, facts), own, facts);
  const first = (paths: Iterable<string>): string | null => {
    for (const path of paths) if (isPrivate(path)) return display(real(path, facts), facts.cwd);
    return null;
  };
  /** A program may read a file in ways we do not know of: `curl -d @.env`. */
  const named = (touches: readonly Touch[]): string | null =>
    argumentsOf(touches).find((word) => isKey(word) || own.some((matches) => matches(word) || matches(nameOf(word)))) ?? null;
  /** A name in a program that is written on the command line: `python3 -c 'print(open(".env").read()[::-1])'`. */
  const inCode = (touches: readonly Touch[]): string | null =>
    codeWords(touches).find((word) => isKey(word) || own.some((matches) => matches(word) || matches(nameOf(word)))) ?? null;
  const unnamed = createUnnamedFinder(globs, facts);
  const wild = (touches: readonly Touch[]): string | null => {
    const words = wildWords(touches);
    return words.length > MOST_UNNAMED ? TOO_MANY : (words.find((word) => unnamed.among(real(word, facts))) ?? null);
  };
  const below = ({ roots, reads }: Trees): string | null => {
    if (roots.length > MOST_UNNAMED) return TOO_MANY;
    for (const root of roots) {
      const found = unnamed.below(real(root, facts), reads);
      if (found !== null) return display(found, facts.cwd);
    }
    return null;
  };
  const inCall: PrivateThings["inCall"] = ({ tool, touches }) => {
    if (showsNames(tool)) return null;
    if (sizeOf(touches) > MOST_PATHS) return TOO_MANY;
    const found = first(readPaths(touches)) ?? named(touches) ?? first(gitPaths(touches)) ?? inCode(touches) ?? wild(touches);
    if (found !== null) return found;
    if (gitReads(touches) === "anything") return OF_GIT;
    const trees = createTreeFinder(touches);
    return trees && below(trees);
  };
  const inText = (text: string) => (MASKED.test(text) ? "a secret" : null);
  return {
    inCall,
    inText,
    inOutcome(call, outcome) {
      const { output } = outcome;
      if (!outcome.ok && !output) return null;
      if (claimSource(call) === "memory" || facetsOf(call.tool).about === "memory") return "memories and earlier conversations";
      const found = inCall(call) ?? (call.tool.effect === "reads" && !showsNames(call.tool) ? first(foundPaths(output)) : null);
      if (found !== null) return found;
      const git = gitReads(call.touches);
      const shownByGit = git === "named" ? filesShown(output) : [];
      if (shownByGit === null) return OF_GIT;
      const diffed = first(shownByGit);
      if (diffed !== null) return diffed;
      const searched = createTreeFinder(call.touches) || git === "found" ? first(shownPaths(output?.text ?? "")) : null;
      if (searched !== null) return searched;
      return (output?.filter?.secrets.length ?? 0) > 0 ? "a secret" : inText(output?.text ?? "");
    },
  };
}

/** These show names and no contents. */
const showsNames = (tool: AnyTool): boolean => ["names", "entries"].includes(facetsOf(tool).answers);
/** The line under a result from which secrets were taken out. A file that holds such a line is counted too: that asks once too often. */
const MASKED = /^\[security\] \d+\+? secrets? redacted/m;
const MOST_PATHS = 1_000;
const MOST_UNNAMED = 100;
/** Behind a thousand names one more could be anything. */
const TOO_MANY = "more files than are looked at";

const sizeOf = (touches: readonly Touch[]): number =>
  touches.reduce((sum, touch) => sum + (touch.kind === "command" ? touch.argv.length : 1), 0);

/** A file that is moved can be read under its new name. */
function readPaths(touches: readonly Touch[]): string[] {
  const paths = touches.filter((touch) => touch.kind === "path");
  const moves = paths.some(({ access }) => access === "write");
  return paths.flatMap(({ access, path }) => (access === "read" || (access === "delete" && moves) ? [path] : []));
}

/** The words after a program's name, without what stands before a file's: `@x`, `--data=@x`, `of=x`. */
const argumentsOf = (touches: readonly Touch[]): string[] =>
  touches
    .flatMap((touch) => (touch.kind === "command" ? touch.argv.slice(1) : []))
    .flatMap((word) => (word === null || /\s/.test(word) ? [] : [word.replace(/^[^=@/]*[=@]+/, "")]));

/** What git shows of a repository may be any file that is or was in it. */
const OF_GIT = "what git shows of the repository";

const INTERPRETER =
  /^(python[\d.]*|pypy\d*|node|deno|bun|perl|ruby|php|lua\w*|r|rscript|osascript|pwsh|powershell|g?awk|mawk|sed|jq|sqlite3|tclsh|julia)$/;

/** What may be names in the code of interpreters. */
const codeWords = (touches: readonly Touch[]): string[] =>
  touches
    .flatMap((touch) => (touch.kind === "command" && INTERPRETER.test(programName(touch.argv[0] ?? "")) ? touch.argv.slice(1) : []))
    .flatMap((word) => (word === null ? [] : word.slice(0, MOST_CODE).split(/[\s'"`()[\]{}=,;:<>|&!?+*]+/)))
    .filter((word) => word.length > 2)
    .slice(0, MOST_PATHS);
const MOST_CODE = 20_000;

/** These show no contents, or take wildcards of their own. */
const NO_READER = /^(ls|find|fd|fdfind|tree|stat|du|rm|mkdir|rmdir|touch|chmod|chown|git|echo|printf|test|\[|cd)$/;
/** Of these it is not known which words are files. */
const ANY_WORD = /^(tar|bsdtar|zip|7za?|rsync|scp|curl|wget|openssl|gpg)$/;

/** Words that a shell makes into names, as far as files are read by them. */
function wildWords(touches: readonly Touch[]): string[] {
  const programs = touches.flatMap((touch) => (touch.kind === "command" ? [programName(touch.argv[0] ?? "")] : []));
  if (programs.length === 0 || programs.every((name) => NO_READER.test(name))) return [];
  const words = touches.flatMap((touch) => {
    if (touch.kind === "path") return touch.access === "read" ? [touch.path] : [];
    if (touch.kind !== "command" || !ANY_WORD.test(programName(touch.argv[0] ?? ""))) return [];
    return argumentsOf([touch]);
  });
  return words.filter((word) => isWild(word) && !word.includes("://"));
}

/** What a search in folders prints before what it found: `./deploy/.env:3:…`. */
function* shownPaths(text: string): Generator<string> {
  let left = MOST_PATHS;
  for (const [, path] of text.matchAll(/^((?:\.|[^\s:]{0,500}\/)[^\s:/]{1,200}):/gm)) {
    if (left-- <= 0) return;
    yield path!;
  }
}

/** Where a search found something. */
function foundPaths(output: Outcome["output"]): ReadonlySet<string> {
  const found = new Set((output?.locations ?? []).map(({ path }) => path));
  if (Array.isArray(output?.raw))
    for (const item of output.raw.slice(0, MOST_PATHS)) if (typeof item?.path === "string") found.add(item.path);
  return found;
}

const real = (path: string, facts: Facts): string => attempt(() => facts.canonical(path.replace(/^~(?=\/|$)/, facts.home)), path);

const FOLDERS = /\/\.(ssh|aws|gnupg|azure|kube|docker|password-store|config\/(gcloud|gh|hub|op)|mozilla|thunderbird)(\/|$)/i;
const NAMES =
  /^(\.env(\..+)?|.+\.env|\.?netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)[^.]*|.+\.(pem|key|p12|pfx|jks|keystore|kdbx?|gpg|asc|ovpn|ppk)|shadow|environ)$/i;
/** An example holds nothing yet. */
const EXAMPLE = /\.(example|sample|template|dist|pub)$/i;
const WORDS = /(^|[^a-z])(credentials?|secrets?|passwords?|passwd|tokens?|private)([^a-z]|$)/i;
/** Programs about passwords are no passwords, nor is what is written about them. */
const SOURCE =
  /\.(ts|tsx|js|jsx|mjs|cjs|mts|cts|py|go|rs|java|kt|kts|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|ex|exs|erl|hs|ml|clj|lua|pl|r|jl|dart|zig|sh|bash|zsh|fish|sql|html?|css|scss|less|vue|svelte|md|mdx|rst|adoc|svg|png|jpe?g|gif|d)$/i;

function isPrivatePath(path: string, own: readonly Matcher[], { cwd, home }: Facts): boolean {
  const name = nameOf(path);
  const inside = isWithin(cwd, path) ? display(path, cwd) : null;
  if (own.some((matches) => matches(path) || matches(name) || (inside !== null && matches(inside)))) return true;
  if (EXAMPLE.test(name)) return false;
  if (isKey(path)) return true;
  if (WORDS.test(name) && !SOURCE.test(name)) return true;
  return inside === null && path !== home && isWithin(home, path) && !isToolchain(path, home);
}

/** Its very name says what it is. */
const isKey = (path: string): boolean => !EXAMPLE.test(path) && (NAMES.test(nameOf(path)) || FOLDERS.test(path));

/** Programs live there, and a command that starts one reads it. */
const isToolchain = (path: string, home: string): boolean =>
  /^\/(\.(cargo|rustup|nvm|npm|pyenv|rbenv|asdf|volta|bun|deno|gradle|m2|cache|local\/(bin|lib|share\/(pnpm|uv|mise)))|go\/(bin|pkg))(\/|$)/.test(
    path.slice(home.length),
  );
