import type { GitAnswer, GitFacts, GitList, GitPlace, GitQuestion } from "../../core/ports/git-question.ts";
import { isWithin } from "../../text/path.ts";
import type { PathRules } from "../files/paths.ts";
import { assertUnchanged, type JudgedStart, startJudged } from "../sandbox/judged-start.ts";
import { launch } from "../sandbox/launch.ts";
import type { Policy } from "../sandbox/policy.ts";
import { findProgram } from "../sandbox/programs.ts";
import { runLaunch } from "../sandbox/run.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { partByName } from "./changed-files.ts";

export interface GitParts {
  readonly rules: PathRules;
  readonly sandbox: () => Promise<Sandbox>;
  /** The walls around a command that starts there. */
  readonly policy: (start: string) => Promise<Policy>;
  readonly user: OtherUser | undefined;
}

/** Git itself is asked what it would change: behind walls in which nothing can be written, with nothing of the repository's settings run. */
export const createGitFacts = (parts: GitParts): GitFacts => ({
  async alias(place, name) {
    if (!/^[\w-]+$/.test(name)) return null;
    const git = await asking(parts, place).catch(() => null);
    return typeof git === "function" ? (await git(["config", "--get", `alias.${name}`]))?.trim() || null : null;
  },
  async changes(place, question) {
    const git = await asking(parts, place).catch(() => null);
    if (git === "elsewhere") return NOTHING;
    const swept = (await parts.policy(parts.rules.cwd).catch(() => null))?.swept?.spots ?? [];
    const spots = swept.filter(({ part }) => part === "frozen").map(({ path }) => path);
    if (git === null) return { files: [], unknown: "git cannot be asked beforehand without walls", frozen: spots };
    const top = (await git(["rev-parse", "--show-toplevel"]))?.replace(/\n$/, "");
    // Git will say itself that this is no repository.
    if (!top) return NOTHING;
    return answer(
      parts,
      git,
      top,
      question,
      spots.filter((path) => isWithin(top, path)),
    );
  },
});

const NOTHING: GitAnswer = { files: [], unknown: null, frozen: [] };

/** What git prints; null when it fails, or prints too much. */
type Git = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string | null>;

const QUIET = [
  ...["--no-pager", "--no-optional-locks", "--literal-pathspecs"],
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "diff.ignoreSubmodules=all",
    "log.showSignature=false",
  ].flatMap((pair) => ["-c", pair]),
];
const ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1", GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat" };
const TIMEOUT_MS = 5000;
const MOST_BYTES = 4 * 1024 * 1024;

async function asking({ rules, sandbox, policy, user }: GitParts, { cwd, options }: GitPlace): Promise<Git | "elsewhere" | null> {
  const found = await sandbox();
  if (found.backend === "none") return null;
  const start = rules.canonical(cwd);
  // A folder that is not there yet holds nothing that is frozen.
  if (!rules.exists(`${start}/.`)) return "elsewhere";
  const made = await policy(start);
  // A program of the workspace could answer anything.
  const path = (made.env.PATH ?? "").split(":").filter((folder) => !made.write.some((root) => isWithin(root, folder)));
  const program = findProgram("git", path.join(":"), start);
  if (program === null) return "elsewhere";
  let known: Policy | null = made;
  const ask = async (args: readonly string[], { hold, onReady }: JudgedStart, env?: Readonly<Record<string, string>>) => {
    known ??= await policy(start);
    const closed = closedPolicy(known, env);
    const places = hold(closed);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onOutput = (chunk: Buffer, stream: "stdout" | "stderr") => {
      bytes += stream === "stdout" ? chunk.length : 0;
      if (stream === "stdout" && bytes <= MOST_BYTES) chunks.push(chunk);
    };
    const line = launch(found, closed, [program, ...QUIET, ...options, ...args], { user, places, onReady });
    const end = await runLaunch(line, { timeoutMs: TIMEOUT_MS, onOutput });
    assertUnchanged(end);
    return end.exitCode === 0 && bytes <= MOST_BYTES ? Buffer.concat(chunks).toString("utf8") : null;
  };
  return (args, env) =>
    startJudged(found, (begin) =>
      ask(args, begin, env).catch((error) => {
        // What has changed is looked at again.
        known = null;
        throw error;
      }),
    );
}

/** The same walls, and nothing in them can be written. */
function closedPolicy({ cache: _cache, temp: _temp, ...made }: Policy, env: Readonly<Record<string, string>> = {}): Policy {
  return {
    ...made,
    read: [...made.write, ...made.read],
    write: [],
    protect: { pinned: [], frozen: [], warnings: [] },
    network: "closed",
    env: { ...made.env, ...ENVIRONMENT, ...env },
  };
}

const DIFF = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];

async function answer(parts: GitParts, git: Git, top: string, question: GitQuestion, spots: readonly string[]): Promise<GitAnswer> {
  const files = new Map<string, string[]>();
  let unknown = question.unknown;
  const isFrozen = (name: string) => partByName(parts.rules, `${top}/${name}`) === "frozen";
  for (const list of (await Promise.all(question.lists.map((one) => resolved(git, one)))).flat()) {
    const names = typeof list === "string" ? null : await namesOf(git, list);
    if (typeof list === "string" || names === null) {
      unknown ??= typeof list === "string" ? list : `git does not say what ${list.args.join(" ") || list.how} would change`;
      continue;
    }
    const frozen = [...new Set(names)].filter(isFrozen);
    if (frozen.length === 0) continue;
    const text = await textOf(git, list, frozen);
    for (const name of frozen) files.set(`${top}/${name}`, [...(files.get(`${top}/${name}`) ?? []), ...(text === "" ? [] : [text])]);
  }
  const tracked = unknown === null ? [] : (await keptNames(git)).filter(isFrozen);
  return {
    files: [...files].map(([path, texts]) => ({ path, diff: texts.join("\n") })),
    unknown,
    frozen: unknown === null ? [] : [...new Set([...tracked.map((name) => `${top}/${name}`), ...spots])],
  };
}

/** Every name that git keeps: here, and in any commit that has a name of its own. Without the second a history too long to be read. */
async function keptNames(git: Git): Promise<string[]> {
  const said = await Promise.all([
    git(["ls-files", "-z", "--full-name"]),
    git(["log", "--all", "--format=", "--name-only", "-z", "-m", "--diff-filter=AM", "--no-renames"]),
  ]);
  return [...new Set(said.flatMap((text) => (text ?? "").split("\0")).map((name) => name.replace(/^\n+/, "")))].filter(
    (name) => name !== "",
  );
}

/** A word of `git checkout` may be a commit, a branch of a remote, or a file. A text says why none is known. */
async function resolved(git: Git, list: GitList): Promise<readonly (GitList | string)[]> {
  if (list.how === "stashed") {
    const [ref] = list.args;
    const more = (await git(["rev-parse", "-q", "--verify", `${ref}^3`])) === null ? [] : [{ how: "stashed" as const, args: [`${ref}^3`] }];
    return [{ how: "diff", args: [`${ref}^1`, ref!] }, ...more];
  }
  if (list.how === "pull") return pulled(git, list.args);
  if (list.how !== "checkout") return [list];
  const [ref] = list.args as [string];
  const { paths } = list;
  if ((await git(["rev-parse", "-q", "--verify", `${ref}^{commit}`])) !== null)
    return [paths ? { how: "diff", args: [ref], paths } : { how: "diff", args: ["HEAD", ref] }];
  const files = [ref, ...(paths ?? [])];
  if (await git(["ls-files", "-z", "--", ...files])) return [{ how: "diff", args: [], paths: files }];
  const remotes = ((await git(["for-each-ref", "--format=%(refname)", "refs/remotes"])) ?? "")
    .split("\n")
    .filter((name) => name.endsWith(`/${ref}`));
  return remotes.length > 0 ? remotes.map((name): GitList => ({ how: "diff", args: ["HEAD", name] })) : [`git knows no "${ref}" yet`];
}

const BRINGS = "what it brings is only known when it is there";

/** What a pull brings is known when the other repository lies on this machine: its objects are read where they are. */
async function pulled(git: Git, [how, from, ...refs]: readonly string[]): Promise<readonly (GitList | string)[]> {
  const branch = (await git(["symbolic-ref", "-q", "--short", "HEAD"]))?.trim() ?? "";
  const setting = async (name: string) => (await git(["config", "--get", `branch.${branch}.${name}`]))?.trim() || null;
  const remote = from ?? (await setting("remote")) ?? "origin";
  const address = remote === "." ? "." : ((await git(["ls-remote", "--get-url", remote])) ?? "").trim().replace(/^file:\/\//, "");
  if (address === "" || /^[^/]*:/.test(address)) return [BRINGS];
  const wanted = refs.length > 0 ? refs.map((ref) => ref.replace(/^\+/, "").split(":")[0]!) : [(await setting("merge")) ?? "HEAD"];
  const objects = await git(["-C", address, "rev-parse", "--path-format=absolute", "--git-path", "objects"]);
  if (objects === null) return [BRINGS];
  const tips = await Promise.all(wanted.map((ref) => git(["-C", address, "rev-parse", "-q", "--verify", `${ref}^{commit}`])));
  const isRebase =
    how === "rebase" || /^(?!false$)./.test((await setting("rebase")) ?? (await git(["config", "--get", "pull.rebase"]))?.trim() ?? "");
  return tips.map((tip) => {
    if (tip === null) return BRINGS;
    return { how: "diff", args: isRebase ? ["HEAD", tip.trim()] : [`HEAD...${tip.trim()}`], objects: objects.trim() };
  });
}

const borrowed = (objects: string | undefined) => (objects === undefined ? undefined : { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects });

async function namesOf(git: Git, { how, args, paths = [], objects }: GitList): Promise<string[] | null> {
  const said = await git(
    {
      diff: ["diff", "--name-only", "-z", "--no-relative", ...DIFF, ...args, "--", ...paths],
      log: ["log", "--format=", "--name-only", "-z", "-m", ...DIFF, ...args, "--"],
      tracked: ["ls-files", "-z", "--full-name", "--", ...paths],
      untracked: ["ls-files", "-z", "--full-name", "-o", ...args, "--", ...paths],
      patch: ["apply", "--numstat", "-z", ...args],
      stashed: ["ls-tree", "-r", "-z", "--name-only", "--full-tree", ...args],
      checkout: [],
      pull: [],
    }[how],
    borrowed(objects),
  );
  if (said === null) return null;
  const names = said.split("\0").map((name) => name.replace(/^\n+/, ""));
  return names.map((name) => (how === "patch" ? name.replace(/^(\d+|-)\t(\d+|-)\t/, "") : name)).filter((name) => name !== "");
}

/** What would change in these files, as a person reads it. */
async function textOf(git: Git, { how, args, objects }: GitList, names: readonly string[]): Promise<string> {
  const prefix = (await git(["rev-parse", "--show-cdup"]))?.trim() ?? "";
  const files = names.map((name) => `${prefix}${name}`);
  if (how === "diff") return (await git(["diff", ...DIFF, ...args, "--", ...files], borrowed(objects))) ?? "";
  if (how === "log") return (await git(["log", "-p", "-m", "--format=commit %h %s", ...DIFF, ...args, "--", ...files])) ?? "";
  return {
    tracked: "removed from the work tree",
    untracked: "removed from the work tree",
    patch: "changed by the patch",
    stashed: "brought back",
    checkout: "",
    pull: "",
  }[how];
}
