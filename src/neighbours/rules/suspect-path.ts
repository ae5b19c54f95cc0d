import { posix } from "node:path";
import { understand } from "../../shell/understand.ts";
import { matchesPath, type PathPattern, type PathRoots } from "./path-pattern.ts";

/** A rule about files that asks or denies, and the folders that its pattern begins at. Null is every file. */
export interface PathRule {
  readonly written: string;
  readonly pattern: PathPattern | null;
  readonly roots: PathRoots;
}

/** Where a path leads once its links are followed; null where that cannot be told. */
export type RealPlace = (path: string) => string | null;

/** A rule about files that might be heard about a command, because a word of it names such a file or could; null where there is none. */
export function mayNamePath(rules: readonly PathRule[], command: string, cwd: string, real: RealPlace): string | null {
  const [first] = rules;
  if (!first) return null;
  const { commands, unknown, isUnread } = understand(command);
  if (isUnread || unknown.some(({ confined }) => confined !== true)) return first.written;
  const everyFile = rules.find(({ pattern }) => pattern === null);
  for (const { argv, redirections, assignments, cwd: at } of commands) {
    const named = [
      ...argv.slice(1),
      ...redirections.map(({ path }) => path),
      ...assignments.map(({ value }) => value),
      // `--file=x` and `if=x` name a file, too.
      ...argv.slice(1).map((word) => (word === null ? null : word.slice(word.indexOf("=") + 1))),
    ];
    if (at === null || named.some((word) => word === null || /[*?[{]/.test(word))) return first.written;
    if (everyFile && named.length > 0) return everyFile.written;
    // An agent may take every path from where the line began.
    const paths = (named as string[]).flatMap((word) => {
      const written = word.replace(/^~(?=\/|$)/, first.roots.home);
      return [posix.resolve(cwd, at, written), posix.resolve(cwd, written)];
    });
    // A rule holds for the name and for what it leads to.
    const places = paths.map(real);
    if (places.includes(null)) return first.written;
    const found = rules.find(
      ({ pattern, roots }) =>
        pattern !== null &&
        (paths.some((path) => concerns(pattern, path, roots)) ||
          (places as string[]).some((path) => concerns(pattern, path, roots) || concerns(pattern, path, realRoots(roots, real)))),
    );
    if (found) return found.written;
  }
  return null;
}

const realRoots = ({ workspace, settings, home }: PathRoots, real: RealPlace): PathRoots => ({
  workspace: real(workspace) ?? workspace,
  settings: real(settings) ?? settings,
  home: real(home) ?? home,
});

/** The file itself, or a folder that holds what the pattern begins with. */
function concerns(pattern: PathPattern, path: string, roots: PathRoots): boolean {
  if (matchesPath(pattern, path, roots)) return true;
  const root = pattern.root === "absolute" ? "/" : roots[pattern.root];
  const fixed = pattern.glob.split(/[*?[]/)[0]!;
  const begins = posix.resolve(root, `./${fixed}`);
  return fixed.includes("/") && (begins === path || begins.startsWith(`${path}/`));
}

/** Whether a word of a command may lead out of a folder. What is not a path below it, or cannot be told, does. */
export function leavesFolder(command: string, folder: string, real: RealPlace): boolean {
  const { commands, unknown, isUnread } = understand(command);
  if (isUnread || unknown.some(({ confined }) => confined !== true)) return true;
  return commands.some(({ argv, redirections, cwd: at }) => {
    const words = [...argv.slice(1), ...redirections.map(({ path }) => path)];
    if (at === null) return true;
    const base = posix.resolve(folder, at);
    return words.some(
      (word) => word === null || word.split("=").some((part) => isOutside(part, base, folder) || leadsOutside(part, base, folder, real)),
    );
  });
}

/** A name inside of the folder may be a link that leads out of it. */
function leadsOutside(word: string, base: string, folder: string, real: RealPlace): boolean {
  if (word === "" || word === "/dev/null") return false;
  const [place, around] = [real(posix.resolve(base, word)), real(folder) ?? folder];
  return place === null || !(place === around || place.startsWith(`${around}/`));
}

function isOutside(word: string, base: string, folder: string): boolean {
  if (word === "/dev/null" || !/^[~/]|(^|\/)\.\.(\/|$)/.test(word)) return false;
  const path = word.startsWith("~") ? "/" : posix.resolve(base, word);
  return path !== folder && !path.startsWith(`${folder}/`);
}
