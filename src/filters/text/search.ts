import { wordSet } from "../../text/words.ts";
/** What was searched for, and in which form the places are shown. Long lines are cut around `wanted`. */
export interface SearchForm {
  readonly wanted: readonly string[];
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

/** The longest piece of plain text of each alternative in the pattern: that of `-e`, or the first word that is no option. */
function wantedIn(args: readonly string[]): readonly string[] {
  const given = args.findIndex((arg) => arg === "-e" || arg === "--regexp");
  const pattern = given === -1 ? args.find((arg, n) => !arg.startsWith("-") && !VALUED.has(args[n - 1] ?? "")) : args[given + 1];
  const alternatives = (pattern ?? "").split(/\\?\|/).map((one) => {
    const pieces = one.split(/\\.|[.*+?()[\]{}^$]+/);
    return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "");
  });
  return alternatives.filter((piece) => piece.length > 1);
}

/** What a command searches for, as plain text; nothing for one that does not search. */
export function searchedFor(words: readonly string[]): readonly string[] {
  const own = words[0] === "git" ? words.slice(words.indexOf("grep")) : words;
  if (!SEARCHERS.has(own[0] ?? "")) return [];
  return searchOf(own).wanted;
}

const SEARCHERS = wordSet("rg grep egrep fgrep zgrep ag ack");
const VALUED = wordSet("-A -B -C -m -g -t -T -f --glob --type --include --exclude --exclude-dir --max-count --context");

const LONGEST = 300;
const BEFORE = 100;

/** A long text around the place where something stands in it. */
export function excerpt(text: string, wanted: readonly string[]): string {
  if (text.length <= LONGEST) return text;
  const folded = text.toLowerCase();
  const places = wanted.map((piece) => folded.indexOf(piece.toLowerCase())).filter((at) => at !== -1);
  const found = places.length === 0 ? -1 : Math.min(...places);
  const from = Math.max(0, Math.min(found - BEFORE, text.length - LONGEST));
  return `${from > 0 ? "… " : ""}${text.slice(from, from + LONGEST)}${from + LONGEST < text.length ? " …" : ""}`;
}
