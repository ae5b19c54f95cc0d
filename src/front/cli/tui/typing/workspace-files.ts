import { readdir } from "node:fs/promises";
import { runProgram } from "../../../../files/programs.ts";
import { attempt } from "../../../../text/attempt.ts";
import { visible } from "../../../../text/visible.ts";

/** The files of a workspace, for the menu behind `@`. */
export interface WorkspaceFiles {
  /** What is known now; a list that is old is read again meanwhile. */
  names(): readonly string[];
}

const FRESH_MS = 5000;
const MOST_FILES = 50_000;
const MOST_BYTES = 8 * 1024 * 1024;
const GIT_MS = 5000;
const MOST_WALKED = 5000;
const DEEPEST = 8;
const NOT_ENTERED = new Set([".git", "node_modules", ".venv", "target", "dist"]);
/** Nothing of the repository's own settings is run. */
const LIST = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "ls-files", "-z", "-co", "--exclude-standard"];

export function createWorkspaceFiles(cwd: string, changed: () => void): WorkspaceFiles {
  let names: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async () => {
    names = ((await ofGit(cwd)) ?? (await walked(cwd))).filter((name) => name !== "" && visible(name) === name && !/\s/.test(name));
    changed();
  };
  return {
    names() {
      if (performance.now() - readAt > FRESH_MS) {
        readAt = performance.now();
        void read();
      }
      return names;
    },
  };
}

/** Null where this is no repository, or git is not there. */
const ofGit = (cwd: string): Promise<string[] | null> =>
  new Promise((resolve) => {
    const options = { cwd, env: process.env, timeout: GIT_MS, maxBuffer: MOST_BYTES, killSignal: "SIGKILL" } as const;
    const told = (error: unknown, stdout: string) => resolve(error ? null : stdout.split("\0").slice(0, MOST_FILES));
    if (attempt(() => runProgram("git", LIST, options, told), null) === null) resolve(null);
  });

async function walked(cwd: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [{ path: "", depth: 0 }];
  for (let next = folders.shift(); next && found.length < MOST_WALKED; next = folders.shift()) {
    const { path, depth } = next;
    const entries = await readdir(`${cwd}/${path}`, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${path}${entry.name}`;
      if (entry.isFile()) found.push(name);
      else if (entry.isDirectory() && depth < DEEPEST && !NOT_ENTERED.has(entry.name)) folders.push({ path: `${name}/`, depth: depth + 1 });
    }
  }
  return found.slice(0, MOST_WALKED);
}
