import { userInfo } from "node:os";
import { readOwnText } from "../../files/own-file.ts";
import { statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { parentOf } from "../../text/path.ts";

/** Files beside others that say which of them a search leaves out. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".ignore", ".rgignore"];

/** What besides the tree itself decides what a search in a folder shows, whether it exists or not. */
export function ignoresAbove(root: string, home: string): { readonly files: string[]; readonly repositories: string[] } {
  const files = personal(home);
  const repositories: string[] = [];
  for (let folder = root; folder !== "/"; ) {
    folder = parentOf(folder);
    const base = folder === "/" ? "" : folder;
    files.push(...IGNORE_FILES.map((name) => `${base}/${name}`), ...excludesOf(`${base}/.git`));
    if (statExact(`${base}/.git`) !== null) repositories.push(folder);
  }
  return { files, repositories };
}

/** A repository's own list. In a worktree `.git` is a file that says where the repository is, two folders above or right there. */
export function excludesOf(git: string): string[] {
  if (!statExact(git)?.isFile()) return [`${git}/info/exclude`];
  const [, target] = /^gitdir: (.+)$/m.exec(textOf(git)) ?? [];
  if (target === undefined) return [git];
  const folder = target.startsWith("/") ? target : `${parentOf(git)}/${target}`;
  return [git, `${folder}/commondir`, `${folder}/info/exclude`, `${folder}/../../info/exclude`];
}

/** Whether the person has an ignore list for all repositories, or may have one: settings that cannot be read here may name one. */
export function mayIgnoreEverywhere(home: string): boolean {
  if (statExact(`${home}/.config/git/ignore`) !== null) return true;
  const settings = settingsOf(home).filter((file) => statExact(file) !== null);
  return settings.map(textOf).some((text) => text === "" || /excludesfile/i.test(text));
}

const settingsOf = (home: string): string[] => [`${home}/.gitconfig`, `${home}/.config/git/config`];

/** Git's settings of the person, and the list they name. */
function personal(home: string): string[] {
  const settings = settingsOf(home);
  const named = settings.flatMap((file) => {
    const [, path] = /^\s*excludesfile\s*=\s*"?([^"\n]+)/im.exec(textOf(file)) ?? [];
    return path === undefined ? [] : [path.trim().replace(/^~(?=\/)/, home)];
  });
  return [...settings, `${home}/.config/git/ignore`, ...named];
}

/** The search engine is given no variables, so it looks in the home the system knows. A user may be a number and nothing more. */
export const systemHome = (): string => attempt(() => userInfo().homedir, "");

/** Small files only: anything else is none of these. */
const textOf = (file: string): string => readOwnText(file, { maxBytes: MOST }) ?? "";

const MOST = 65_536;
