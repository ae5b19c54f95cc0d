import { wordSet } from "../../text/words.ts";
/** What was searched for, and in which form the places are shown. Long lines are cut around `wanted`. */
export interface SearchForm {
  readonly wanted: string;
  readonly form: "numbered" | "unnumbered" | "files only";
}

/** What a command of grep's family asks for. */
export function searchOf(words: readonly string[]): SearchForm {
  const [program = "", ...args] = words;
  const has = (short: string, long: RegExp) => args.some((arg) => (/^-[a-zA-Z]+\d*$/.test(arg) ? arg.includes(short) : long.test(arg)));
  const showsFiles = has("l", /^--files/) || has("c", /^--count/) || (has("L", /^--files-without/) && program !== "rg");
  const isNumbered = has("n", /^--(?:line-number|column|vimgrep)/) || program === "ag" || program === "ack";
  return { wanted: wantedIn(args), form: showsFiles ? "files only" : isNumbered ? "numbered" : "unnumbered" };
}

/** The longest piece of plain text in the pattern: that of `-e`, or the first word that is no option. */
function wantedIn(args: readonly string[]): string {
  const given = args.findIndex((arg) => arg === "-e" || arg === "--regexp");
  const pattern = given === -1 ? args.find((arg, n) => !arg.startsWith("-") && !VALUED.has(args[n - 1] ?? "")) : args[given + 1];
  const pieces = (pattern ?? "").split(/\\.|[.*+?()[\]{}|^$]+/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "");
}

/** What a command searches for, as plain text; nothing for one that does not search. */
export function searchedFor(words: readonly string[]): readonly string[] {
  const own = words[0] === "git" ? words.slice(words.indexOf("grep")) : words;
  if (!SEARCHERS.has(own[0] ?? "")) return [];
  const { wanted } = searchOf(own);
  return wanted.length < 2 ? [] : [wanted];
}

const SEARCHERS = wordSet("rg grep egrep fgrep zgrep ag ack");
const VALUED = wordSet("-A -B -C -m -g -t -T -f --glob --type --include --exclude --exclude-dir --max-count --context");

const LONGEST = 300;
const BEFORE = 100;

/** A long text around the place where something stands in it. */
export function excerpt(text: string, wanted: string): string {
  if (text.length <= LONGEST) return text;
  const found = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  const from = Math.max(0, Math.min(found - BEFORE, text.length - LONGEST));
  return `${from > 0 ? "… " : ""}${text.slice(from, from + LONGEST)}${from + LONGEST < text.length ? " …" : ""}`;
}
