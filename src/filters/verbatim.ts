/** Programs whose output is what the caller chose to see: it is not shortened. */
const READERS = new Set(
  "cat head tail sed awk gawk mawk jq yq xq cut sort uniq tr nl tac rev paste join comm column fold fmt less more bat batcat zcat bzcat xzcat strings xxd od hexdump base64 base32 diff cmp patch env printenv echo printf date seq expr bc dc which whereis type command file stat readlink realpath basename dirname id whoami hostname uname pwd sqlite3 psql mysql redis-cli xmllint xsltproc pandoc".split(
    " ",
  ),
);

/** Programs that tell one thing of each file. */
const ROWS = new Set("wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum".split(" "));

/** `git show HEAD:file`, blame and the plumbing print contents. */
const GIT_CONTENTS = /^(?:blame|annotate|cat-file|rev-parse|rev-list|config|describe|grep|show-ref|for-each-ref|archive|var)$/;

/** Flags that choose a form for machines, or one line for each thing. */
const FORMATS =
  /^(?:--(?:json|porcelain|oneline|short|stat|numstat|shortstat|dirstat|name-only|name-status|raw|summary|jsonpath|yaml|no-patch)(?:=.*)?|-z|-json)$/;
/** Options whose value says which form. */
const CHOOSING = /^(?:--(?:format|output|reporter|message-format|output-format|log-format|test-reporter)|-[of])(?:=|$)/;
/** A form for machines, or a template of one's own. `verbose`, `stylish`, `spec` and their like are for people. */
const MACHINE =
  /^(?:json\S*|jsonl|ndjson|yaml|yml|xml|csv|tsv|sarif|junit|checkstyle|name|jsonpath.*|custom-columns.*|go-template.*|toml|unix|oneline|compact|.*\{\{.*|.*%.*)$/;

/** Whether a command's output is a text that was asked for as it is. */
export function verbatimKind(words: readonly string[]): "text" | "lines" | null {
  const [program = "", ...args] = words;
  if (READERS.has(program)) return "text";
  if (program === "git" && (GIT_CONTENTS.test(args[0] ?? "") || (args[0] === "show" && args.some((arg) => /^[^-].*:./.test(arg)))))
    return "text";
  if (listsFiles(words)) return "lines";
  return args.some((arg, n) => FORMATS.test(arg) || isMachine(arg, args[n + 1]) || (program === "git" && isGitForm(arg, args)))
    ? "lines"
    : null;
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

const OWN_ROWS = new Set("-printf -fprintf -ls -exec -execdir -ok -x --exec -l --list-details -print0 -0".split(" "));

/** `--format=json` and `--format json`. */
function isMachine(arg: string, next = ""): boolean {
  if (!CHOOSING.test(arg)) return false;
  const at = arg.indexOf("=");
  return MACHINE.test(at === -1 ? next : arg.slice(at + 1));
}

const isGitForm = (arg: string, args: readonly string[]): boolean =>
  /^--(?:format|pretty)(?:=|$)/.test(arg) || (args[0] === "status" && /^-[a-z]*s[a-z]*$/.test(arg));
