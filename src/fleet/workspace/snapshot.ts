import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { visible } from "../../text/visible.ts";
import { askGit, runGit } from "./git.ts";

/** A folder as git sees it from outside: its files, and an index that nobody in it can write. */
export interface WatchedTree {
  /** The git folder that keeps the objects. */
  readonly dir: string;
  readonly tree: string;
  readonly index: string;
  /** Where the folder's own HEAD is written; null where it has none. */
  readonly head: string | null;
}

export interface MadeSnapshot {
  readonly commit: string;
  /** What is not in it, and why, for people. */
  readonly left: readonly string[];
}

/** A larger file is a build's or a download. */
const LARGEST_FILE = 100 << 20;
const MOST_NAMED = 5;
const LISTING_BYTES = 64 << 20;

/** A commit of all files that are tracked or not ignored, on top of what the folder has checked out. Null where it would be the same as the last one. */
export async function makeSnapshot(watched: WatchedTree, last: string | null, signal?: AbortSignal): Promise<MadeSnapshot | null> {
  const { dir, tree, index } = watched;
  const within = { dir, tree, index, signal };
  const head = await readTreeHead(watched);
  if (attempt(() => lstatSync(index), null) === null) await askGit(["read-tree", head?.commit ?? EMPTY_TREE], within);
  const names = await askGit(["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"], {
    ...within,
    binary: true,
    mostBytes: LISTING_BYTES,
  });
  const { kept, left } = sorted(tree, [...new Set(names.split("\0").filter((name) => name !== ""))]);
  if (kept.length > 0)
    await askGit(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      ...within,
      binary: true,
      input: kept.map((name) => `${name}\0`).join(""),
    });
  const made = await askGit(["write-tree"], within);
  if (last !== null) {
    const before = await runGit(["rev-parse", "--verify", "--quiet", `${last}^{tree}`], within);
    if (before.ok && before.stdout.trim() === made && (await parentOf(watched, last)) === (head?.commit ?? null)) return null;
  }
  if (last === null && (await isWhereItBegan(watched, made, head?.commit ?? null))) return null;
  const on = head === null ? [] : ["-p", head.commit];
  const text = `Snapshot of a session${head?.branch ? `\n\nZeph-Branch: ${head.branch}` : ""}\n`;
  return { commit: await askGit(["commit-tree", made, ...on, "-F", "-"], { ...within, input: text }), left };
}

/** Files as they are in the commit, in a folder that has those of `from`, or none. */
export async function restoreSnapshot(watched: WatchedTree, commit: string, from: string | null, signal?: AbortSignal): Promise<void> {
  const { dir, tree, index } = watched;
  await askGit(["read-tree", from ?? EMPTY_TREE], { dir, tree, index, signal });
  await askGit(["read-tree", "--reset", "-u", commit], { dir, tree, index, signal });
}

/** What was checked out when the snapshot was made. */
export async function snapshotHead(
  dir: string,
  commit: string,
): Promise<{ readonly commit: string | null; readonly branch: string | null }> {
  const said = await askGit(["show", "--no-patch", "--format=%P%n%B", commit, "--"], { dir });
  const [parents = ""] = said.split("\n", 1);
  return { commit: parents.split(" ")[0] || null, branch: /^Zeph-Branch: (.+)$/m.exec(said)?.[1] ?? null };
}

/** Nothing was changed that the repository does not have: a thousand sessions that only read leave nothing in it. */
async function isWhereItBegan({ dir }: WatchedTree, tree: string, head: string | null): Promise<boolean> {
  if (head === null) return tree === EMPTY_TREE;
  const began = await runGit(["rev-parse", "--verify", "--quiet", `${head}^{tree}`], { dir });
  if (!began.ok || began.stdout.trim() !== tree) return false;
  return (await askGit(["for-each-ref", "--count=1", "--format=x", "--contains", head, "refs/remotes/origin"], { dir })) !== "";
}

const parentOf = async ({ dir }: WatchedTree, commit: string): Promise<string | null> => (await snapshotHead(dir, commit)).commit;

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const BRANCH = /^ref: refs\/heads\/([A-Za-z0-9_][\w./+@-]{0,199})$/;

/** Read as text: what lies in the folder's own git folder is whoever's works there, and git would obey it. */
export async function readTreeHead({
  dir,
  head,
}: WatchedTree): Promise<{ readonly commit: string; readonly branch: string | null } | null> {
  const said = head === null ? null : readOwnText(head, { maxBytes: 4096, links: "refuse" })?.trim();
  if (!said) return null;
  const branch = BRANCH.exec(said)?.[1] ?? null;
  const name = branch === null ? (/^[0-9a-f]{40}$/.test(said) ? said : null) : `refs/heads/${branch}`;
  if (name === null) return null;
  const found = await runGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], { dir });
  return found.ok ? { commit: found.stdout.trim(), branch } : null;
}

/** Names are bytes here: nobody says that they are UTF-8. */
function sorted(tree: string, names: readonly string[]): { readonly kept: readonly string[]; readonly left: readonly string[] } {
  const nested: string[] = [];
  const large: string[] = [];
  const kept = names.filter((name) => {
    // A repository inside of the folder: its own git folder would be obeyed if one looked into it.
    if (name.endsWith("/")) return void nested.push(name);
    const stats = attempt(() => lstatSync(Buffer.concat([Buffer.from(join(tree, "/")), Buffer.from(name, "latin1")])), null);
    if (stats === null) return true;
    if (stats.isFile() && stats.size > LARGEST_FILE) return void large.push(name);
    // A folder in place of a file that was tracked: the file goes.
    return stats.isFile() || stats.isSymbolicLink() || stats.isDirectory();
  });
  const said = (those: readonly string[], why: string) =>
    those.length === 0
      ? []
      : [`${those.slice(0, MOST_NAMED).map(shown).join(", ")}${those.length > MOST_NAMED ? " and more" : ""} (${why})`];
  return { kept, left: [...said(nested, "a repository of its own"), ...said(large, "larger than 100 MB")] };
}

const shown = (name: string): string => visible(Buffer.from(name, "latin1").toString("utf8")).slice(0, 200);
