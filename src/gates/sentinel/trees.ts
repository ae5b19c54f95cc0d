import type { Touch } from "../../core/touch.ts";
import { programName, readOptions, type ShellWord } from "../../shell/options.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob } from "../../text/glob.ts";

/** Folders that are read with all that lies below. */
export interface Trees {
  /** As the call names them; `.` is where its commands are run. */
  readonly roots: readonly string[];
  /** Whether a file of this name is read: `--include=*.ts` leaves most out, and some leave out what is hidden. */
  reads(name: string): boolean;
}

/** Null where nothing is read this way. */
export function createTreeFinder(touches: readonly Touch[]): Trees | null {
  const whole = touches.flatMap((touch) => (touch.kind === "path" && touch.access === "read" && touch.tree ? [touch.path] : []));
  if (whole.length > 0) return { roots: whole, reads: () => true };
  const commands = touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv] : []));
  const passesOn = commands.some(takesList);
  const reading = commands.filter((argv) => readsTree(argv, passesOn));
  if (reading.length === 0) return null;
  const paths = touches.flatMap((touch) => (touch.kind === "path" && touch.access === "read" ? [touch.path] : []));
  const stands = commands.flatMap((argv) => (nameOf(argv) === "cd" ? placesOf(argv) : []));
  // Where `find` begins is among the paths, and its other words are no folders.
  const named = reading.filter((argv) => nameOf(argv) !== "find").map(placesOf);
  const here = named.some((places) => places.length === 0) ? ["."] : [];
  const what = reading.map((argv) => ({ only: onlyNames(argv), hidden: showsHidden(argv) }));
  return {
    roots: [...new Set([...paths, ...named.flat(), ...stands, ...here])],
    reads: (name) =>
      what.some(({ only, hidden }) => (hidden || !name.startsWith(".")) && (only?.some((pattern) => fits(pattern, name)) ?? true)),
  };
}

type Argv = readonly ShellWord[];

const SEARCHES = /^([efz]?grep|rg|ag|ack|ugrep)$/;
const ALWAYS = /^(rg|ag|ack|ugrep|tar|bsdtar|zip|7za?|rsync|cpio|pax)$/;
const WHEN_TOLD = /^([efz]?grep|cp|scp)$/;
const LISTS = /^(find|fd|fdfind|ls)$/;
/** These leave out what begins with a dot, unless they are told not to. */
const SHY = /^(rg|ag|ack|fd|fdfind|ls)$/;

function readsTree(argv: Argv, passesOn: boolean): boolean {
  const name = nameOf(argv);
  if (ALWAYS.test(name)) return true;
  if (WHEN_TOLD.test(name))
    return has(argv, name.endsWith("grep") ? /^-[a-zA-Z]*[rR]|^--.*recurs/ : /^-[a-zA-Z]*[rRa]|^--(recurs|archive)/);
  return LISTS.test(name) && (passesOn || has(argv, /^-(exec|execdir|ok|okdir)$/));
}

/** What is only known at run time may be all that another command of the line lists: `find . | xargs cat`. */
const takesList = (argv: Argv): boolean => argv.includes(null) && !LISTS.test(nameOf(argv)) && nameOf(argv) !== "cd";

const showsHidden = (argv: Argv): boolean =>
  !SHY.test(nameOf(argv)) || has(argv, /^-[a-zA-Z]*[.uHaA]|^--(hidden|unrestricted|all|almost-all)$/);

const nameOf = ([program]: Argv): string => (typeof program === "string" ? programName(program) : "");
const has = (argv: Argv, option: RegExp): boolean => argv.some((word) => word !== null && option.test(word));

const SEARCH_OPTIONS = "ABCDefmdgtTjM --regexp --file --include --exclude --exclude-dir --glob --type";

/** The words that may be folders. What a search looks for is none. */
function placesOf(argv: Argv): string[] {
  const isSearch = SEARCHES.test(nameOf(argv));
  const { options, operands } = readOptions(argv.slice(1), isSearch ? SEARCH_OPTIONS : "");
  const isGiven = options.some(({ name }) => /^(-e|-f|--regexp|--file)$/.test(name));
  return operands.slice(isSearch && !isGiven ? 1 : 0).filter((word): word is string => word !== null && word !== "");
}

/** The names a command keeps to; null where it keeps to none, or says so in a way that may be turned round. */
function onlyNames(argv: Argv): readonly string[] | null {
  if (argv.some((word) => word === null || /^(!|-not|-o|-or|,)$/.test(word))) return null;
  const patterns = argv.flatMap((word, n) => {
    const joined = /^--(?:include|glob)=(.+)$/.exec(word!)?.[1];
    if (joined !== undefined) return [joined];
    return /^(-name|-iname|-g|--include|--glob)$/.test(word!) ? [argv[n + 1] ?? "*"] : [];
  });
  return patterns.length === 0 || patterns.some((pattern) => pattern.startsWith("!")) ? null : patterns;
}

const fits = (pattern: string, name: string): boolean =>
  attempt(() => compileGlob(pattern, { flavour: "path", letters: "any case" })(name), true);
