import type { ToolCall } from "../core/call.ts";
import { claimSource } from "../core/claim.ts";
import type { Facts } from "../core/facts.ts";
import { compileGlob, type Matcher } from "../core/glob.ts";
import type { Outcome } from "../core/layer.ts";
import { display, isWithin, nameOf } from "../core/path.ts";
import type { Touch } from "../core/touch.ts";

/** Tells what private things a call reads, for a person: a path, or what it was; null when it reads none. */
export interface PrivateThings {
  /** What it would read, as far as the call tells. */
  inCall(call: Pick<ToolCall, "tool" | "touches">): string | null;
  /** What it has read, once it was let in. */
  inOutcome(call: ToolCall, outcome: Outcome): string | null;
  /** What stands in a result of long ago. */
  inText(text: string): string | null;
}

export function privateThings(globs: readonly string[], facts: Facts): PrivateThings {
  const own = globs.map((glob) => compileGlob(glob.replace(/^~(?=\/)/, facts.home), { flavour: "path", letters: "any case" }));
  const isPrivate = (path: string) => isPrivatePath(real(path, facts), own, facts);
  const first = (paths: Iterable<string>): string | null => {
    for (const path of paths) if (isPrivate(path)) return display(real(path, facts), facts.cwd);
    return null;
  };
  /** A program may read a file in ways we do not know of: `curl -d @.env`. */
  const named = (touches: readonly Touch[]): string | null =>
    argumentsOf(touches).find((word) => isKey(word) || own.some((matches) => matches(word) || matches(nameOf(word)))) ?? null;
  const inCall: PrivateThings["inCall"] = ({ tool, touches }) =>
    NAMES_ONLY.has(tool.name) ? null : (first(readPaths(touches)) ?? named(touches));
  const inText = (text: string) => (MASKED.test(text) ? "a secret" : null);
  return {
    inCall,
    inText,
    inOutcome(call, outcome) {
      const { output } = outcome;
      if (!outcome.ok && !output) return null;
      if (claimSource(call) === "memory" || call.tool.name === "memory_search") return "memories and earlier conversations";
      const found = inCall(call) ?? (call.tool.effect === "reads" && !NAMES_ONLY.has(call.tool.name) ? first(foundPaths(output)) : null);
      if (found !== null) return found;
      return (output?.filter?.secrets.length ?? 0) > 0 ? "a secret" : inText(output?.text ?? "");
    },
  };
}

/** These show names and no contents. */
const NAMES_ONLY: ReadonlySet<string> = new Set(["list_directory", "find_path"]);
/** The line under a result from which secrets were taken out. A file that holds such a line is counted too: that asks once too often. */
const MASKED = /^\[security\] \d+\+? secrets? redacted/m;
const MOST_PATHS = 1_000;

/** A file that is moved can be read under its new name. */
function readPaths(touches: readonly Touch[]): string[] {
  const paths = touches.filter((touch) => touch.kind === "path").slice(0, MOST_PATHS);
  const moves = paths.some(({ access }) => access === "write");
  return paths.flatMap(({ access, path }) => (access === "read" || (access === "delete" && moves) ? [path] : []));
}

/** The words after a program's name, without what stands before a file's: `@x`, `--data=@x`, `of=x`. */
const argumentsOf = (touches: readonly Touch[]): string[] =>
  touches
    .flatMap((touch) => (touch.kind === "command" ? touch.argv.slice(1) : []))
    .slice(0, MOST_PATHS)
    .flatMap((word) => (word === null || /\s/.test(word) ? [] : [word.replace(/^[^=@/]*[=@]+/, "")]));

/** Where a search found something. */
function foundPaths(output: Outcome["output"]): ReadonlySet<string> {
  const found = new Set((output?.locations ?? []).map(({ path }) => path));
  if (Array.isArray(output?.raw))
    for (const item of output.raw.slice(0, MOST_PATHS)) if (typeof item?.path === "string") found.add(item.path);
  return found;
}

function real(path: string, facts: Facts): string {
  try {
    return facts.canonical(path.replace(/^~(?=\/|$)/, facts.home));
  } catch {
    return path;
  }
}

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
