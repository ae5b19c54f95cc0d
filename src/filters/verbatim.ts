/** Programs whose output is what someone chose to see: it is nobody's to shorten. */
const READERS = new Set(
  "cat head tail sed awk gawk mawk jq yq xq cut sort uniq tr wc nl tac rev paste join comm column fold fmt less more bat batcat zcat bzcat xzcat strings xxd od hexdump base64 base32 md5sum sha1sum sha256sum diff cmp patch env printenv echo printf date seq expr bc dc which whereis type command file stat readlink realpath basename dirname id whoami hostname uname pwd sqlite3 psql mysql redis-cli xmllint xsltproc pandoc".split(
    " ",
  ),
);

/** `git show HEAD:file`, blame and the plumbing print contents. */
const GIT_CONTENTS =
  /^(?:blame|annotate|cat-file|ls-files|ls-tree|rev-parse|rev-list|config|describe|grep|show-ref|for-each-ref|archive|var)$/;

/** Flags that choose a form for machines, or one line for each thing. */
const FORMATS =
  /^(?:--(?:json|porcelain|oneline|short|stat|numstat|shortstat|dirstat|name-only|name-status|raw|count|summary|jsonpath|yaml|format-json|no-patch)(?:=.*)?|--(?:format|pretty|output|reporter|message-format|output-format|log-format)=.*|-z|-json|-o=?(?:json|yaml|name|jsonpath.*|custom-columns.*|go-template.*))$/;
const FORMAT_OPTIONS = new Set(["--format", "--pretty", "--output-format", "--message-format", "-o", "--output", "-f", "--reporter"]);
const MACHINE =
  /^(?:json|json-pretty|jsonl|ndjson|yaml|yml|xml|csv|tsv|sarif|junit|checkstyle|name|jsonpath.*|custom-columns.*|go-template.*|toml|unix|oneline|compact)$/;

/** Whether a command's output is a text that was asked for as it is. */
export function verbatim(words: readonly string[]): "text" | "lines" | null {
  const [program = "", ...args] = words;
  if (READERS.has(program)) return "text";
  if (program === "git" && (GIT_CONTENTS.test(args[0] ?? "") || (args[0] === "show" && args.some((arg) => /^[^-].*:./.test(arg)))))
    return "text";
  const chosen = args.some(
    (arg, n) =>
      (FORMATS.test(arg) && !isPlainReporter(arg)) ||
      (FORMAT_OPTIONS.has(args[n - 1] ?? "") && MACHINE.test(arg)) ||
      (program === "git" && /^-[a-z]*s[a-z]*$/.test(arg) && args[0] === "status"),
  );
  return chosen ? "lines" : null;
}

/** `--reporter=verbose` and `--format=stylish` are for people. */
const isPlainReporter = (arg: string): boolean =>
  /^--(?:reporter|format|output-format|output)=(?:verbose|default|dot|spec|tap|basic|list|stylish|pretty|full|concise|text|human|grouped|\.?\/?[\w/-]+\.\w+)$/.test(
    arg,
  );
