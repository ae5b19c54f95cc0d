import { wordSet } from "../text/words.ts";
/** The person asked for this very text: a file (`text`), chosen lines and formats for machines (`lines`), or rows of an answer (`rows`), which stay but for what repeats. */
export type Verbatim = "text" | "lines" | "rows";

/** Programs whose output is what the caller chose to see: it is not shortened. */
const READERS = wordSet(
  "cat head tail sed awk gawk mawk jq yq xq json.tool json_pp gron fx dasel cut sort uniq tr nl tac rev paste join comm column fold fmt less more bat batcat zcat bzcat xzcat strings xxd od hexdump base64 base32 diff cmp patch echo printf date seq expr bc dc which whereis type command readlink realpath basename dirname id whoami hostname uname pwd redis-cli xmllint xsltproc pandoc",
);

/** Programs that tell one thing of each file. */
const ROWS = wordSet("wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum");

/** Programs that answer a question row by row. */
const ANSWERS = wordSet("stat file env printenv sqlite3 psql mysql mariadb duckdb");
/** These arrange the rows they are handed. */
const ARRANGES = /^(?:sort|uniq|column)$/;
/** These pick from an answer that a program gave as data. Of a file they show what is in it. */
const PICKS = /^(?:jq|json\.tool|json_pp)$/;
/** What grep finds in a text are chosen lines; in what these list, they are fewer rows. */
const LISTS =
  /^(?:ps|ls|find|fd|du|df|mount|lsof|ss|netstat|ip|lsblk|lsmod|dpkg|rpm|apt|apt-cache|pip|gem|env|printenv|set|sysctl|getent|systemctl list-\S+|docker (?:ps|images|volume|network|container)|kubectl get|gh \w+ list|npm ls|git (?:ls-files|ls-tree|branch|tag|for-each-ref|show-ref|blame)|nm|ldd|readelf|objdump)\b/;

/** `git show HEAD:file` and the plumbing print contents. */
const GIT_CONTENTS = /^(?:cat-file|rev-parse|rev-list|config|describe|grep|archive|var)$/;
const GIT_ANSWERS = /^(?:blame|annotate|show-ref|for-each-ref|ls-remote)$/;

/** Flags that choose a form for machines, or one line for each thing. */
const FORMATS =
  /^(?:--(?:json|porcelain|oneline|short|stat|numstat|shortstat|dirstat|name-only|name-status|raw|summary|jsonpath|yaml|no-patch)(?:=.*)?|-z|-json)$/;
/** Options whose value says which form. */
const CHOOSING = /^(?:--(?:format|output|reporter|message-format|output-format|log-format|test-reporter)|-[of])(?:=|$)/;
/** A form for machines, or a template of one's own. `verbose`, `stylish`, `spec` and their like are for people. */
const MACHINE =
  /^(?:json\S*|jsonl|ndjson|yaml|yml|xml|csv|tsv|sarif|checkstyle|name|jsonpath.*|custom-columns.*|go-template.*|toml|unix|oneline|compact|.*\{\{.*|.*%.*)$/;

/** Whether a command's output is a text that was asked for as it is. */
export function verbatimKind(words: readonly string[]): Verbatim | null {
  const [program = "", ...args] = words;
  if (READERS.has(program)) return "text";
  if (program === "git" && (GIT_CONTENTS.test(args[0] ?? "") || (args[0] === "show" && args.some((arg) => /^[^-].*:./.test(arg)))))
    return "text";
  if (listsFiles(words)) return "lines";
  if (args.some((arg, n) => FORMATS.test(arg) || isMachine(arg, args[n + 1]) || (program === "git" && isGitForm(arg, args))))
    return "lines";
  return ANSWERS.has(program) || (program === "git" && GIT_ANSWERS.test(args[0] ?? "")) ? "rows" : null;
}

const GIT_ROWS = /^--(?:stat|numstat|name-only|name-status)(?:=|$)/;

/** Whether each row that was asked for is about one file. */
export function listsFiles([program = "", first = "", ...more]: readonly string[]): boolean {
  if (program !== "git") return ROWS.has(program);
  return /^ls-(?:files|tree)$/.test(first) || more.some((word) => GIT_ROWS.test(word));
}

/** Whether each row is a path and nothing else. */
export function listsPaths(words: readonly string[]): boolean {
  const [program = "", first = ""] = words;
  if (/^(?:find|fd|locate|plocate)$/.test(program)) return !printsOwnRows(words);
  if (/^(?:rg|[ef]?grep|ag)$/.test(program)) return words.some((word) => /^(?:-[a-zA-Z]*l[a-zA-Z]*|--files(?:-with.*)?)$/.test(word));
  if (program !== "git") return false;
  return (first === "ls-files" && !words.some((word) => /^-[a-z]*[stvfu]/.test(word))) || words.includes("--name-only");
}

/** Whether find or fd was told what to print for each file. `rg -l` and `grep -l` print paths. */
export const printsOwnRows = ([program = "", ...args]: readonly string[]): boolean =>
  /^(?:find|fd)$/.test(program) && args.some((arg) => OWN_ROWS.has(arg));

const OWN_ROWS = wordSet("-printf -fprintf -ls -exec -execdir -ok -x --exec -l --list-details -print0 -0");

/** The same for what stands at the end of a pipe: other programs than those that arrange rows choose what is shown, and a text stays one. */
export function pipedKind(words: readonly string[], before: readonly (readonly string[])[]): Verbatim {
  const [program = ""] = words;
  if ((ARRANGES.test(program) || PICKS.test(program)) && !before.some(showsContents)) return "rows";
  if (/^[ef]?grep$/.test(program) && LISTS.test(before[0]?.join(" ") ?? "")) return "rows";
  return verbatimKind(words) ?? "lines";
}

/** Commands that show written text, in a form of their own. */
const CONTENTS =
  /^(?:git (?:log|show|diff|reflog|stash|range-diff|format-patch|shortlog|whatchanged)|gh pr|hg diff|svn diff|[efz]?grep|rg|ag|ack)\b/;
export const showsContents = (words: readonly string[]): boolean =>
  verbatimKind(words) === "text" || CONTENTS.test(words.slice(0, 2).join(" "));

/** What nothing may be done to, unlike rows of which repetition may go. */
export const isExact = ({ verbatim }: { readonly verbatim: Verbatim | null }): boolean => verbatim === "text" || verbatim === "lines";

/** `--format=json` and `--format json`. */
function isMachine(arg: string, next = ""): boolean {
  if (!CHOOSING.test(arg)) return false;
  const at = arg.indexOf("=");
  return MACHINE.test(at === -1 ? next : arg.slice(at + 1));
}

const isGitForm = (arg: string, args: readonly string[]): boolean =>
  /^--(?:format|pretty)(?:=|$)/.test(arg) || (args[0] === "status" && /^-[a-z]*s[a-z]*$/.test(arg));
