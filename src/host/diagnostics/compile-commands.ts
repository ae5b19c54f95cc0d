import { isAbsolute, resolve } from "node:path";
import { at, givenItems, givenText } from "../../diagnostics/finding.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf } from "../../text/path.ts";
import { plural } from "../../text/words.ts";
import type { CheckerPlan, CheckerRun } from "./checkers.ts";
import type { Folder, ProjectPlace } from "./project.ts";

const WHERE = [
  "compile_commands.json",
  "build/compile_commands.json",
  "out/compile_commands.json",
  "cmake-build-debug/compile_commands.json",
];
/** One compiler run for each file; more take longer than a call may. */
const MOST_FILES = 200;

export const isCompileFolder = (folder: Folder): boolean => WHERE.some((name) => folder.has(name));

/** The compiler runs of the project's own build, each changed into one that only looks. */
export function compileCommands(folder: Folder, { target }: ProjectPlace): CheckerPlan {
  const name = WHERE.find((file) => folder.has(file))!;
  const entries = entriesIn(folder.text(name));
  if (entries === null) return { steps: [], warnings: [`${name} is missing, too large or no list of compile commands; it was not used`] };
  const all = entries.map((entry) => stepOf(entry, folder));
  const known = all.filter((step) => step !== null);
  const strange = all.length - known.length;
  // A header is not compiled on its own: then every file may be the one that includes it.
  const below = known.filter(({ file }) => isWithin(target, file));
  const chosen = below.length > 0 ? below : known;
  return {
    steps: chosen.slice(0, MOST_FILES).map(({ argv, cwd }) => ({ argv, cwd })),
    warnings: [
      ...(strange > 0
        ? [`${plural(strange, "entry", "entries")} of ${name} without a compiler that is known here (gcc, clang) left out`]
        : []),
      ...(chosen.length > MOST_FILES
        ? [`${name} has ${chosen.length} files; the first ${MOST_FILES} were checked. A narrower path checks others`]
        : []),
    ],
  };
}

function entriesIn(text: string | null): readonly unknown[] | null {
  const list: unknown = attempt(() => JSON.parse(text ?? ""), null);
  return Array.isArray(list) ? list : null;
}

/** cc, gcc, g++, c++, clang, clang++, with a target before and a version behind. */
const COMPILER = /^(?:[\w.]+-)*(?:g?cc|[gc]\+\+|clang(?:\+\+)?)(?:-[\d.]+)?$/;
const WRAPPER = /^(?:ccache|sccache|distcc)$/;

function stepOf(entry: unknown, folder: Folder): (CheckerRun & { file: string }) | null {
  const given = at(entry, "arguments");
  const words = Array.isArray(given)
    ? givenItems(given).filter((word) => typeof word === "string")
    : wordsIn(givenText(at(entry, "command")) ?? "");
  const argv = words[0] !== undefined && WRAPPER.test(nameOf(words[0])) ? words.slice(1) : words;
  const compiler = nameOf(argv[0] ?? "");
  const name = givenText(at(entry, "file"));
  if (!COMPILER.test(compiler) || name === null) return null;
  const cwd = resolve(folder.path, givenText(at(entry, "directory")) ?? ".");
  const file = isAbsolute(name) ? name : resolve(cwd, name);
  return { argv: [compiler, ...withoutOutput(argv.slice(1)), ...quiet(compiler)], cwd, file };
}

/** Nothing is written: no object file, no list of dependencies. */
function withoutOutput(args: readonly string[]): string[] {
  const kept: string[] = [];
  for (let n = 0; n < args.length; n++) {
    const word = args[n]!;
    if (/^(?:-o|-MF|-MT|-MQ|-MJ|--serialize-diagnostics)$/.test(word)) n++;
    else if (!/^(?:-o.|-M[DMGP]?D?$|-MF.|-MT.|-MQ.|-c$|-S$|-E$|-save-temps|-fdiagnostics-|-f(?:no-)?color-diagnostics)/.test(word))
      kept.push(word);
  }
  return kept;
}

const quiet = (compiler: string): string[] => [
  "-fsyntax-only",
  ...(isClang(compiler)
    ? ["-fno-color-diagnostics", "-fno-caret-diagnostics"]
    : ["-fdiagnostics-color=never", "-fno-diagnostics-show-caret"]),
];
const isClang = (compiler: string): boolean =>
  compiler.includes("clang") || (process.platform === "darwin" && /^(?:g?cc|[gc]\+\+)$/.test(compiler));

/** The words of a command as cmake writes them: blanks part them, quotes and backslashes keep them together. */
function wordsIn(command: string): string[] {
  const words = command.slice(0, 100_000).match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /\\([\s\S])|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'/g,
      (_, escaped, double, single) => escaped ?? (double !== undefined ? double.replace(/\\(["\\$`])/g, "$1") : single),
    ),
  );
}
