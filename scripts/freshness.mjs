// Whether dist was built from the files that are here. npm runs `prepare` before each `npx --no-install zeph`, and shows nothing of it.
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Written when a build has succeeded. Its time is that of the build's start: a file that was changed meanwhile is newer. */
const STAMP = "dist/built";
/** What a build reads. Folders count too: theirs is the time of a file that was removed. */
const SOURCES = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
/** What the command and the library begin with. */
const OUTPUTS = ["dist/cli/main.cjs", "dist/lib/index.js"];

export const isFresh = (root = ".") => {
  const built = timeOf(join(root, STAMP));
  return OUTPUTS.every((file) => timeOf(join(root, file)) > 0) && SOURCES.every((source) => newest(join(root, source)) <= built);
};

export function markFresh(started, root = ".") {
  const stamp = join(root, STAMP);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, "");
  utimesSync(stamp, started, started);
}

function newest(path) {
  const own = statSync(path, { throwIfNoEntry: false });
  if (!own?.isDirectory()) return own?.mtimeMs ?? 0;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), own.mtimeMs);
}

const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
