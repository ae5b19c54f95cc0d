import { programName, type ShellWord } from "../../shell/options.ts";
import { joinFolder } from "../../shell/relative-path.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { wordSet } from "../../text/words.ts";
import { looksHere, MOVERS, type PathReach, pathReach, pipedTo, READERS, scriptsOf } from "./path-reach.ts";

/** A word of a command that may be a path, for rules that forbid. */
export interface Perhaps {
  /** From the folder the whole line starts in; null where it may be any path at all. */
  readonly path: string | null;
  readonly reach: PathReach;
}

const MOST_BASES = 8;
/** To look where each of more than these leads would take too long. */
const MOST_WORDS = 1024;
const LONGEST = 4096;

/** Every word that may be a path, in each folder it may be seen from. `exists` says whether there is an entry of that name. */
export function perhapsPaths(commands: readonly SimpleCommand[], exists: (path: string) => boolean, line: string): readonly Perhaps[] {
  const moves = movesOf(commands);
  const isPiped = pipedTo(commands, line);
  const all = commands.flatMap((command) => {
    const { argv, cwd, text, assignments, redirections } = command;
    const [name, ...args] = argv;
    const opened = redirections.flatMap(({ path }) => (path === null ? [ANYTHING] : seen(path, cwd, moves, "inside")));
    if (name === undefined || (name !== null && SILENT.has(name))) return opened;
    if (name === null) return [ANYTHING];
    const program = programName(name);
    // To go somewhere opens nothing; what is opened there is seen from there.
    if (MOVERS.has(program) && !args.some((arg) => /[*?[]/.test(arg ?? ""))) return opened;
    const isReader = READERS.has(program);
    const reach = pathReach(program, args);
    const found: Perhaps[] = name.includes("/") ? [...opened, ...seen(name, cwd, moves, "entry")] : opened;
    if (isListed(program, args)) found.push(ANYTHING);
    if (args.includes(null) && (isReader || UNKNOWN_PART.test(text))) found.push(ANYTHING);
    const isScript = scriptsOf(program, args);
    for (const [i, arg] of args.entries()) {
      if (arg === null) continue;
      if (isScript(i)) found.push(...scriptWords(program, arg).flatMap((word) => seen(word, cwd, moves, "inside")));
      else
        for (const piece of CODED.has(program) && /[\s"'`(]/.test(arg) ? quotedIn(arg) : pieces(arg)) {
          const isPlain = isReader && piece === arg;
          // The name of what the program is to do.
          if (i === 0 && !isPlain && DOERS.has(program) && WORD.test(piece)) continue;
          if (!isPlain && !LIKELY.test(piece) && !(cwd !== null && exists(joinFolder(cwd, piece) ?? ""))) continue;
          found.push(...(cwd === null && !STANDS.test(piece) ? [ANYTHING] : seen(piece, cwd, moves, reach)));
        }
    }
    for (const { value } of assignments)
      if (value !== null && LIKELY.test(value))
        found.push(
          ...pieces(value)
            .filter((one) => LIKELY.test(one))
            .flatMap((one) => seen(one, cwd, moves, "inside")),
        );
    if (looksHere(program, args) && !isPiped(program)) found.push(...(cwd === null ? [ANYTHING] : seen(".", cwd, [], "tree")));
    return found;
  });
  return all.length > MOST_WORDS ? [...all.slice(0, MOST_WORDS), ANYTHING] : all;
}

const DOERS = wordSet("git npm pnpm yarn npx cargo go make docker kubectl pip apt gh brew");
const WORD = /^[a-z][a-z-]*$/;

const ANYTHING: Perhaps = { path: null, reach: "entry" };
const LIKELY = /^[~.]|[/*?[]/;
/** Means the same wherever it is said. */
const STANDS = /^[/~]/;
/** A part that is only known at run time, beside a slash: `$(x)/k`, `a/$b`. */
const UNKNOWN_PART = /(\$\w+|[)}`])["']?\/|\/["']?[$`]/;

/** The names of what it opens come from a list that nobody sees here. */
const isListed = (program: string, args: readonly ShellWord[]): boolean =>
  program === "cpio" ||
  program === "pax" ||
  args.some((arg) => /^--files0?-from/.test(arg ?? "") || (program === "tar" && /^-?[A-Za-z]*T/.test(arg ?? "")));

/** Programs in these languages name files too: `getline < "x"`, `r x`. */
function scriptWords(program: string, script: string): string[] {
  if (/^[gmn]?awk$/.test(program)) return quotedIn(script);
  return /^g?sed$/.test(program) ? quotedIn(script).map((word) => word.replace(/^[\d,$]*[rRwW](?=.)/, "")) : [];
}

function seen(written: string, cwd: string | null, moves: readonly string[] | null, reach: PathReach): Perhaps[] {
  const path = written.replace(/^\/proc\/(?:self|thread-self|\d+)\/cwd(?=\/|$)/, ".");
  if (STANDS.test(path)) return [{ path, reach }];
  if (moves === null) return [ANYTHING];
  const bases = [...(cwd === null ? [] : [cwd]), ...moves.filter((base) => base !== cwd)];
  return bases.flatMap((base) => joinFolder(base, path) ?? []).map((path) => ({ path, reach }));
}

/**
 * Folders that relative words may be seen from besides the one the command stands in: `-C x`, a `cd` that may fail, where a link is put. Null
 * when they are too many to look from each.
 */
function movesOf(commands: readonly SimpleCommand[]): readonly string[] | null {
  const found = new Set<string>();
  for (const { cwd } of commands) if (cwd !== null) found.add(cwd);
  if (found.size === 1) found.clear();
  for (const { argv, cwd } of commands) {
    for (let i = 1; i < argv.length; i++) {
      const [, value] = MOVES.exec(argv[i] ?? "") ?? [];
      const folder = value === undefined ? null : value || argv[i + 1];
      if (folder) found.add(joinFolder(cwd, folder) ?? folder);
    }
    const link = argv[0] && programName(argv[0]) === "ln" ? argv.at(-1) : null;
    for (const folder of link ? [link, `${link}/..`] : []) found.add(joinFolder(cwd, folder) ?? folder);
  }
  return found.size > MOST_BASES ? null : [...found];
}

const MOVES = /^(?:-C|--(?:chdir|directory|cwd|prefix)(?:=|$))(.*)$/s;

/** The word, and what stands in it behind a sign that separates: `--file=x`, `if=x`, `@x`, `HEAD:x`, `-fx`. */
function pieces(word: string): readonly string[] {
  if (word === "" || word === "-" || word.length > LONGEST) return [];
  const file = filePath(word);
  if (file !== null) return [file];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return [];
  const isOption = word.startsWith("-");
  if (!/[=:,@]/.test(word)) return !isOption ? [word] : /^-C.|^-[A-Za-z].*[/*?[~]/s.test(word) ? [word.slice(2)] : [];
  const parts = word.split(/[=:,@]+/).filter((part) => part !== "" && !part.startsWith("-"));
  return isOption ? parts : [word, ...parts.filter((part) => part !== word)];
}

/** Code is not read. What stands in it like a path is still seen. */
const quotedIn = (code: string): string[] =>
  code.length > LONGEST ? [] : code.split(/[\s"'`()[\]{};,=]+/).filter((part) => LIKELY.test(part));
const CODED = wordSet("python python2 python3 node deno bun perl ruby php lua sh bash dash zsh ksh");

/** The path that a `file:` address means; null for any other. What `$PWD` stood for is `.` by now. */
export function filePath(address: string): string | null {
  const [, path] = /^file:(?:\/\/(?:localhost(?=\/)|(?=[/.~])))?(.+)$/is.exec(address) ?? [];
  return path === undefined ? null : decoded(path).replace(/^\/+(?=\.\/)/, "");
}

const decoded = (text: string): string => attempt(() => decodeURIComponent(text), text);

/** The shell's own words that open nothing, whatever they are given. */
const SILENT = wordSet(
  "echo printf true false : pwd exit return break continue sleep kill wait jobs type which whoami set unset shift let expr seq basename dirname",
);
