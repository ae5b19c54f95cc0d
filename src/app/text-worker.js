// src/core/marker.ts
function omission({ lines, errors = 0, characters = 0, handle, nonce }) {
  const counts2 = [
    ...lines > 0 ? [`-${lines} ${lines === 1 ? "line" : "lines"}`] : [],
    ...errors > 0 ? [`-${errors} ${errors === 1 ? "error" : "errors"}`] : [],
    ...characters > 0 ? [`-${characters} chars`] : []
  ];
  const kept = handle === void 0 ? [] : [`raw#${handle}`];
  const proof = nonce === void 0 || characters > 0 && counts2.length > 1 ? [] : [digits(nonce)];
  return `[${[...counts2, ...kept, ...proof].join(" ")}]`;
}
var digits = (nonce) => String(Number.parseInt(nonce.slice(0, 8), 16) % 1e3).padStart(3, "0");
var LOOKALIKE = /\[(?=[ \t\u00a0\u00ad\u200b-\u200f\u2060\ufeff]{0,4}(?:z[\u00ad\u200b-\u200f\u2060\ufeff]{0,2}eph[ \t]{0,2}:|-[ \t]?\d[\d,]{0,15}[ \t]{1,2}(?:lines?|errors?|chars?)\b))/gi;
var escapeMarkers = (text) => text.includes("[") ? text.replace(LOOKALIKE, "[\\") : text;

// src/filters/config.ts
import * as z from "zod";

// src/core/setting.ts
var setting = (schema, description, tighter) => schema.meta({ description, ...tighter && { tighter } });

// src/filters/config.ts
var filtersConfig = z.strictObject({
  enabled: setting(z.boolean().default(true), "false shows what commands print as it is. Secrets are taken out all the same."),
  filters_path: setting(
    z.string().default(""),
    "A file of filter rules. Empty means `filters.toml` beside your configuration, if it is there."
  ),
  rules_toml: setting(z.string().default(""), "Filter rules as TOML text, for programs. It is read in place of the file."),
  security: z.strictObject({
    enabled: setting(
      z.boolean().default(true),
      "false shows secrets in the output of tools. The audit log is searched for them all the same.",
      "on"
    ),
    extra_patterns: setting(
      z.array(z.string()).default([]),
      "More patterns of secrets, as RE2 expressions. What a pattern matches is redacted; with a group, what the first group matches.",
      "adds"
    )
  }).prefault({})
}).prefault({});

// src/filters/filter.ts
import { debuglog } from "node:util";

// src/shell/outline.ts
import { parse } from "unbash";

// src/shell/limits.ts
function tooMuch(source) {
  if (source.length > MAX_LENGTH || Buffer.byteLength(source) > MAX_LENGTH) return "it is longer than 64 kB";
  const { separators, deepest, openers, active, quotes, words: words2, hereDocuments } = survey(source);
  if (separators >= MAX_COMMANDS) return "it holds more than 4,096 commands";
  if (deepest > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH}`;
  if (openers * active > MAX_WORK) return "it holds too many nested expansions for its length";
  if (quotes > MAX_QUOTES) return "it holds more than 2,048 quotes, expansions and redirections";
  if (words2 > MAX_WORDS) return "it holds more than 4,096 words";
  return hereDocuments > MAX_HERE_DOCUMENTS ? "it holds more than 256 here-documents" : null;
}
function hidden(source) {
  if (!SUSPECT.test(source)) return null;
  const { strange } = survey(source);
  if (strange === null) return null;
  const code = strange.codePointAt(0);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return `it holds ${code < 160 ? "the control character" : "the invisible character"} ${name} outside quotes`;
}
var MAX_LENGTH = 64 * 1024;
var MAX_COMMANDS = 4096;
var MAX_DEPTH = 64;
var MAX_WORK = 1e6;
var MAX_QUOTES = 2048;
var MAX_WORDS = 4096;
var MAX_HERE_DOCUMENTS = 256;
var SUSPECT = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
function survey(source) {
  const seen = { separators: 0, deepest: 0, openers: 0, active: 0, quotes: 0, words: 0, hereDocuments: 0, strange: null };
  const pending = [];
  let depth2 = 0;
  let certain = true;
  let inBackticks = false;
  const open2 = (cost) => {
    seen.openers += cost;
    seen.deepest = Math.max(seen.deepest, ++depth2);
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    const next = source[i + 1];
    seen.active++;
    if (char === ">" || char === "<") seen.quotes++;
    if (char === "\\") {
      if (next === "`") seen.openers++;
      if (next === void 0 || !SUSPECT.test(next)) i++;
    } else if (char === " " || char === "	") {
      if (!isBlank(source[i - 1])) seen.words++;
    } else if (char === "'" || char === '"') {
      seen.quotes++;
      if (!certain) continue;
      const end = char === "'" ? closing(source, i, source[i - 1] === "$") : closingDouble(source, i);
      if (end === null) certain = false;
      else i = end;
    } else if (char === "`") {
      certain = false;
      inBackticks = !inBackticks;
      if (inBackticks) open2(1);
      else depth2 = Math.max(0, depth2 - 1);
    } else if (char === "$") {
      seen.quotes++;
      if (next === "$") certain = false;
      if (next === "(" || next === "[" || next === "{" && !SIMPLE.test(source.slice(i, i + 66))) {
        certain = false;
        if (next === "[") open2(1);
        else seen.openers++;
      }
    } else if (char === "(" || char === "{") {
      if (char === "(" && next === "(") certain = false;
      open2(char === "{" || source[i - 1] === "<" || source[i - 1] === ">" ? 1 : 0);
    } else if (char === ")" || char === "}") {
      depth2 = Math.max(0, depth2 - 1);
    } else if (char === "#" && certain && isBlank(source[i - 1])) {
      i = lineEnd(source, i) - 1;
    } else if (char === "<" && next === "<" && source[i + 2] !== "<" && source[i - 1] !== "<") {
      seen.hereDocuments++;
      if (certain) i = delimiter(source, i + 2, pending) - 1;
    } else if (char === "\n" || char === ";" || char === "&" || char === "|") {
      if (!isSeparator(source[i - 1])) seen.separators++;
      if (char !== "\n") continue;
      if (certain && pending.length > 0) i = skipBodies(source, i, pending, seen) - 1;
      pending.length = 0;
    } else if ((char < " " || char > "~") && seen.strange === null && SUSPECT.test(whole(source, i))) {
      seen.strange = whole(source, i);
    }
  }
  return seen;
}
var SIMPLE = /^\$\{\w{1,62}\}/;
var isBlank = (char) => char === void 0 || " 	\n;&|()".includes(char);
var isSeparator = (char) => char !== void 0 && "\n;&|".includes(char);
var whole = (source, i) => String.fromCodePoint(source.codePointAt(i));
function lineEnd(source, from) {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}
function closing(source, start, ansi) {
  for (let i = start + 1; i < source.length; i++) {
    if (ansi && source[i] === "\\") i++;
    else if (source[i] === "'") return i;
  }
  return null;
}
function closingDouble(source, start) {
  for (let i = start + 1; i < source.length; i++) {
    const char = source[i];
    if (char === "\\") i++;
    else if (char === '"') return i;
    else if (char === "`") return null;
    else if (char === "$" && "({[".includes(source[i + 1] ?? " ") && !SIMPLE.test(source.slice(i, i + 66))) return null;
  }
  return null;
}
function delimiter(source, from, pending) {
  const tabs = source[from] === "-";
  const match2 = /[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/y;
  match2.lastIndex = tabs ? from + 1 : from;
  const found = match2.exec(source);
  if (!found) return from;
  pending.push({ word: found[1].replace(/['"\\]/g, ""), tabs });
  return match2.lastIndex;
}
function skipBodies(source, newline, pending, seen) {
  let at = newline + 1;
  for (const { word, tabs } of pending.splice(0)) {
    while (at < source.length) {
      const end = lineEnd(source, at);
      const line = source.slice(at, end);
      at = end + 1;
      if ((tabs ? line.replace(/^\t+/, "") : line) === word) break;
      for (const [opener] of line.matchAll(/\$[({[]|`/g)) {
        seen.openers += opener === "`" ? 0.5 : 1;
        seen.active += 16;
      }
    }
  }
  return Math.min(at, source.length + 1);
}

// src/shell/outline.ts
function outline(command) {
  if (tooMuch(command) || hidden(command)) return null;
  try {
    const script = parse(command);
    if (script.errors?.length) return null;
    const segments = [];
    for (const statement of script.commands) collect(statement, [], segments);
    return segments;
  } catch {
    return null;
  }
}
function collect(node3, around2, into) {
  switch (node3.type) {
    case "Statement":
      collect(node3.command, around2, into);
      return;
    case "AndOr":
    case "CompoundList":
      for (const part2 of node3.commands) collect(part2, around2, into);
      return;
    case "Subshell":
    case "BraceGroup":
      collect(node3.body, around2, into);
      return;
    case "Redirected":
      collect(node3.command, [...node3.redirects, ...around2], into);
      return;
    case "Command":
      if (node3.name) into.push({ stages: [stageOf(node3)], quiet: isQuiet([...node3.redirects, ...around2]) });
      return;
    case "Pipeline": {
      const commands2 = node3.commands.map(simple);
      into.push({ stages: commands2.map(stageOf), quiet: isQuiet([...commands2.at(-1).redirects, ...around2]) });
      return;
    }
    case "TestCommand":
    case "ArithmeticCommand":
      return;
    default:
      throw new Error(`${node3.type} is more than a list of commands`);
  }
}
function simple(node3) {
  if (node3.type !== "Command") throw new Error(`${node3.type} in a pipeline`);
  return node3;
}
function stageOf({ name, args }) {
  const words2 = [...name ? [name] : [], ...args];
  return {
    words: words2.map((word) => word.type === "Word" ? word.value : word.text),
    text: words2.map(({ text }) => text).join(" ")
  };
}
var isQuiet = (redirects) => redirects.some((redirect) => {
  if (redirect.type !== "Redirect") return false;
  const { operator, descriptor } = redirect;
  if (operator === "&>" || operator === "&>>") return true;
  const isOutput = descriptor === void 0 || descriptor.type === "FileDescriptor" && descriptor.value === 1;
  return isOutput && (operator === ">" || operator === ">>" || operator === ">|");
});

// src/filters/unwrap.ts
var WRAPPERS = {
  env: { valued: ["-u", "--unset", "-C", "--chdir"] },
  sudo: { valued: ["-u", "-g", "-h", "-p", "-C", "-D"] },
  doas: { valued: ["-u", "-C"] },
  time: { valued: ["-f", "-o", "--format", "--output"] },
  timeout: { valued: ["-k", "-s", "--kill-after", "--signal"], own: 1 },
  nice: { valued: ["-n"] },
  ionice: { valued: ["-c", "-n"] },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  nohup: {},
  command: {},
  exec: {},
  unbuffer: {},
  setsid: {},
  "xvfb-run": { valued: ["-n", "-s", "-e", "-f", "-w"] },
  "cross-env": {},
  dotenv: { valued: ["-e", "-f"] },
  npx: { valued: ["-p", "--package"] },
  bunx: {},
  pnpx: {},
  npm: { sub: ["exec", "x"], valued: ["-w", "--workspace", "--prefix", "-C"] },
  pnpm: { sub: ["exec", "dlx"], valued: ["-C", "--dir", "--filter", "-F"] },
  yarn: { sub: ["exec", "dlx"], valued: ["--cwd"] },
  bun: { sub: ["x"] },
  poetry: { sub: ["run"] },
  uv: { sub: ["run"], valued: ["--with", "--python", "-p", "--project", "--extra", "--group"] },
  uvx: { valued: ["--from", "--with"] },
  pipenv: { sub: ["run"] },
  pdm: { sub: ["run"] },
  rye: { sub: ["run"] },
  hatch: { sub: ["run"] },
  bundle: { sub: ["exec"] },
  conda: { sub: ["run"], valued: ["-n", "-p", "--name", "--prefix"] },
  mise: { sub: ["exec", "x"] }
};
var BEFORE = {
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace"],
  docker: ["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"],
  kubectl: ["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "-s", "--server", "--user"],
  helm: ["-n", "--namespace", "--kube-context"],
  cargo: ["--config", "-Z", "-C", "--color"],
  npm: ["-w", "--workspace", "--prefix", "-C", "--loglevel"],
  pnpm: ["-C", "--dir", "--filter", "-F"],
  yarn: ["--cwd"],
  go: ["-C"],
  terraform: [],
  tofu: [],
  pip: ["--log", "--proxy"],
  make: ["-C", "--directory", "-f", "--file", "-j", "-I"],
  brew: [],
  dotnet: [],
  mvn: ["-f", "--file", "-pl", "-P"],
  gradle: ["-p", "--project-dir"]
};
var ALIASES = {
  pip3: "pip",
  gmake: "make",
  gradlew: "gradle",
  mvnw: "mvn",
  python3: "python",
  nodejs: "node",
  tofu: "terraform",
  "docker-compose": "docker compose",
  podman: "docker",
  fdfind: "fd"
};
function unwrapped(words2) {
  let rest2 = words2;
  for (let depth2 = 0; depth2 < 8; depth2++) {
    const next = inside(rest2);
    if (next === null || next.length === 0) break;
    rest2 = next;
  }
  if (rest2.length === 0) return rest2;
  const program = nameOf(rest2[0]);
  const [first3 = program, ...more2] = (Object.hasOwn(ALIASES, program) ? ALIASES[program] : program).split(" ");
  const known2 = Object.hasOwn(BEFORE, first3) ? BEFORE[first3] : void 0;
  return [first3, ...more2, ...known2 ? subcommandFirst(rest2.slice(1), known2) : rest2.slice(1)];
}
function inside(words2) {
  const program = nameOf(words2[0]);
  const module = /^python[\d.]*$/.test(program) ? words2.indexOf("-m") : -1;
  if (module > 0 && words2.slice(1, module).every((word) => word.startsWith("-"))) return words2.slice(module + 1);
  if (!Object.hasOwn(WRAPPERS, program)) return null;
  const { valued = [], own = 0, sub } = WRAPPERS[program];
  let at = skipOptions(words2, 1, valued);
  if (sub) {
    if (!sub.includes(words2[at] ?? "")) return null;
    at = skipOptions(words2, at + 1, valued);
  }
  at += own;
  while (/^[A-Za-z_]\w*=/.test(words2[at] ?? "")) at++;
  return words2.slice(at);
}
function skipOptions(words2, from, valued) {
  let at = from;
  while (at < words2.length && words2[at].startsWith("-")) {
    if (words2[at] === "--") return at + 1;
    at += valued.includes(words2[at]) ? 2 : 1;
  }
  return at;
}
function subcommandFirst(args, valued) {
  const start = args[0]?.startsWith("+") ? 1 : 0;
  const at = skipOptions(args, start, valued);
  return at >= args.length ? args : [...args.slice(at), ...args.slice(start, at)];
}
var nameOf = (word) => word.replace(/^.*\//, "").replace(/(.)@[\w.^~-]+$/, "$1").replace(/\.(?:exe|cmd|sh)$/, "");

// src/filters/verbatim.ts
var READERS = new Set(
  "cat head tail sed awk gawk mawk jq yq xq cut sort uniq tr wc nl tac rev paste join comm column fold fmt less more bat batcat zcat bzcat xzcat strings xxd od hexdump base64 base32 md5sum sha1sum sha256sum diff cmp patch env printenv echo printf date seq expr bc dc which whereis type command file stat readlink realpath basename dirname id whoami hostname uname pwd sqlite3 psql mysql redis-cli xmllint xsltproc pandoc".split(
    " "
  )
);
var GIT_CONTENTS = /^(?:blame|annotate|cat-file|ls-files|ls-tree|rev-parse|rev-list|config|describe|grep|show-ref|for-each-ref|archive|var)$/;
var FORMATS = /^(?:--(?:json|porcelain|oneline|short|stat|numstat|shortstat|dirstat|name-only|name-status|raw|summary|jsonpath|yaml|no-patch)(?:=.*)?|-z|-json)$/;
var CHOOSING = /^(?:--(?:format|output|reporter|message-format|output-format|log-format|test-reporter)|-[of])(?:=|$)/;
var MACHINE = /^(?:json\S*|jsonl|ndjson|yaml|yml|xml|csv|tsv|sarif|junit|checkstyle|name|jsonpath.*|custom-columns.*|go-template.*|toml|unix|oneline|compact|.*\{\{.*|.*%.*)$/;
function verbatim(words2) {
  const [program = "", ...args] = words2;
  if (READERS.has(program)) return "text";
  if (program === "git" && (GIT_CONTENTS.test(args[0] ?? "") || args[0] === "show" && args.some((arg) => /^[^-].*:./.test(arg))))
    return "text";
  return args.some((arg, n) => FORMATS.test(arg) || isMachine(arg, args[n + 1]) || program === "git" && isGitForm(arg, args)) ? "lines" : null;
}
function isMachine(arg, next = "") {
  if (!CHOOSING.test(arg)) return false;
  const at = arg.indexOf("=");
  return MACHINE.test(at === -1 ? next : arg.slice(at + 1));
}
var isGitForm = (arg, args) => /^--(?:format|pretty)(?:=|$)/.test(arg) || args[0] === "status" && /^-[a-z]*s[a-z]*$/.test(arg);

// src/filters/command.ts
function subjectOf(command) {
  return subjectIn(command, 0);
}
function subjectIn(command, depth2) {
  const segments = outline(command);
  if (!segments || depth2 > 3) return null;
  const heard = segments.filter(({ quiet }) => !quiet);
  const loud = heard.filter(({ stages }) => !isSilent(stages.at(-1)));
  const speaking = loud.length > 0 ? loud : heard;
  const main = speaking.filter(({ stages }) => !TALK.has(programOf(stages[0])));
  const [only, ...others] = main.length > 0 ? main : speaking.slice(0, 1);
  if (!only || others.length > 0 || main.length === 0 && speaking.length > 1) return null;
  const shown = only.stages.findLast((stage) => !isTransparent(stage)) ?? only.stages[0];
  const inner = shellScript(shown);
  if (inner !== null) return subjectIn(inner, depth2 + 1);
  const words2 = unwrapped(shown.words);
  const forms = [command.trim(), shown.text, shown.words.join(" "), words2.join(" ")];
  return { forms: [...new Set(forms)], words: words2, verbatim: verbatim(words2) ?? (shown === only.stages[0] ? null : "lines") };
}
var SILENT = new Set(
  "cd export set unset source . true : false sleep mkdir rmdir touch rm cp mv ln chmod chown test [ wait umask alias shopt ulimit trap kill local declare readonly exit return popd pushd hash type".split(
    " "
  )
);
var TALK = /* @__PURE__ */ new Set(["echo", "printf"]);
var TRANSPARENT = /* @__PURE__ */ new Set(["tail", "head", "tee", "cat", "less", "more", "sponge", "ts", "unbuffer"]);
var programOf = ({ words: words2 }) => (words2[0] ?? "").replace(/^.*\//, "");
var isSilent = (stage) => SILENT.has(programOf(stage)) || programOf(stage) === "git" && stage.words[1] === "add";
function isTransparent(stage) {
  const program = programOf(stage);
  if (!TRANSPARENT.has(program)) return false;
  if (program === "tee") return true;
  const operands = stage.words.slice(1).filter((word, n, all) => !word.startsWith("-") && !/^-[ncs]$/.test(all[n - 1] ?? ""));
  return operands.every((word) => /^\+?\d+$/.test(word));
}
function shellScript({ words: words2 }) {
  const inner = unwrapped(words2);
  if (!/^(?:ba|da|z|k)?sh$/.test(inner[0] ?? "")) return null;
  const at = inner.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? null : inner[at + 1] ?? null;
}

// src/filters/errors.ts
var WORDS = [
  "abort(?:ed|ing)?",
  "alert",
  "assert(?:ion)?",
  "bad (?:request|gateway|credentials|substitution|interpreter)",
  "bail out",
  "broken pipe",
  "buffer overflow",
  "bus error",
  "can(?:not|'t| not)",
  "conflict(?:s|ing)?",
  "core dumped",
  "corrupt(?:ed|ion)?",
  "could ?n[o']t",
  "couldn't",
  "crit(?:ical)?",
  "deadlock",
  "denied",
  "did(?:n't| not) (?:match|complete|exist|work|start)",
  "disk full",
  "does(?:n't| not) exist",
  "emerg(?:ency)?",
  "erreur",
  "err",
  "errno",
  "errore",
  "errors?(?![-./\\\\][a-z])",
  "exceptions?",
  "exit(?:ed)?(?: with)?(?: status| code)?[ :=]+[1-9]\\d*",
  "fail(?:ed|s|ure|ures|ing)?(?![-./\\\\][a-z])",
  "fallo",
  "fatal",
  "fehler",
  "fehlgeschlagen",
  "forbidden",
  'http/[\\d.]+"? 5\\d\\d',
  "illegal",
  "incompatible",
  "invalid",
  "kill(?:ed|ing)",
  "mismatch(?:ed)?",
  "missing (?:required|argument|dependency|module|file)",
  "no space left",
  "no such",
  "non-?zero exit",
  "not (?:found|allowed|permitted|recogni[sz]ed|supported|implemented|running|exist|available|responding|defined|installed|valid|assignable|ok)",
  "oom(?:killed)?",
  "out of (?:memory|range|bounds|space|disk)",
  "overflowed",
  "panic(?:s|ked)?",
  "quota exceeded",
  "refused",
  "rejected",
  "reset by peer",
  "segfault",
  "segmentation fault",
  "severe",
  "sig(?:segv|abrt|kill|bus|ill|fpe|term|quit)",
  "stack (?:overflow|smashing)",
  `status(?:_?code)?["']?[ =:]+5\\d\\d`,
  "timed ?out",
  "timeout (?:exceeded|of|expired|after|waiting)",
  "too many",
  "traceback",
  "unable to",
  "unauthori[sz]ed",
  "uncaught",
  "undefined",
  "unexpected",
  "unhandled",
  "unknown (?:option|command|argument|flag|type|host)",
  "unreachable",
  "unresolved",
  "unsupported",
  "violat(?:ed|ions?)",
  "vulnerabilit(?:y|ies)"
];
var SPOKEN = new RegExp(`\\b(?:${WORDS.join("|")})\\b`, "i");
var SHAPES = /[a-z](?:Error|Exception|Failure)\b|\b(?:E[A-Z]{4,}|FAIL(?:ED|URES?)?)\b|" 5\d\d\b/;
var LINE_START = /^(?:[EF]\d{4} \d\d:\d\d|E {2,}\S|\w{0,20}make(?:\[\d+\])?: \*\*\* |\s*(?:● |[×⨯] |! [A-Z]))/;
var FOREIGN = /[✗✘✖❌]|エラー|失敗|例外|異常|错误|錯誤|失败|异常|오류|실패|에러|[Оо]шибка|ОШИБКА|[Сс]бой|[éÉ]chec|échoué|błąd|falló/;
var FOREIGN_LETTER = /[✗✘✖❌ー敗外常误誤败오패에шбШéÉłó]/;
var PASSES = /^\s*(?:[✓✔√☑]|ok \d+\b|ok\s+\S+\s+[\d.]+s\b|PASS(?:ED)?\b|--- PASS|=== (?:RUN|PAUSE|CONT|NAME)\b|\[PASS|\[ {7}OK \]|\[ RUN {6}\])|\.\.\. ?(?:ok|pass(?:ed)?|skipped)$|\bPASSED(?:\s+\[\s*\d+%\])?$|\.{2,}\s*Passed\s+[\d.]+ sec$/;
var NOTHING = new RegExp(
  [
    String.raw`(?<![\d.,\w-])(?:0|no|zero|without(?: any)?)(?: of \d+)? (?:[a-z]+ )?(?:error\(s\)|(?:errors|failures|vulnerabilities|conflicts|exceptions|violations)\b)`,
    // Behind a comma it is a count; in "worker 0 failed" it is a name.
    String.raw`(?:^|[,;:(|[/]\s*|\band )(?:0|no|none) (?:failed|failing|fail|errored|error|aborted|timed out|killed)\b`,
    String.raw`\b(?:no|without(?: an)?) (?:error|failure|exception|conflict)\b`,
    String.raw`\b(?:err(?:ors?|ored|no)?|fail(?:ed|ures?|s)?|exceptions?|unreachable|timed.?out|killed|vulnerabilities)["']?\s*[:=]\s*["']?(?:0\b(?![.,]\d)|null\b|nil\b|none\b|false\b|<nil>)`,
    String.raw`(?:^|\s)(?:fail|failed|errors?|failures) 0$`,
    String.raw`(?:失敗|失败|エラー|错误|실패|오류)[:：\s]*0(?!\d)`,
    String.raw`\berror[- ]free\b`
  ].join("|"),
  "gi"
);
function isErrorShaped(text) {
  const looked = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  const spoken = SPOKEN.exec(looked);
  if (!spoken && !hasBadShape(looked)) return false;
  if (PASSES.test(looked)) return false;
  if (spoken && !NOTHING_HERE.test(looked.slice(Math.max(0, spoken.index - BESIDE), spoken.index + BESIDE))) return true;
  const rest2 = looked.replace(NOTHING, " ");
  return rest2 === looked || SPOKEN.test(rest2) || hasBadShape(rest2);
}
var LOOKED_AT = 2e3;
var BESIDE = 40;
var NOTHING_HERE = new RegExp(NOTHING.source, "i");
function hasBadShape(text) {
  return SHAPES.test(text) || LINE_START.test(text) || FOREIGN_LETTER.test(text) && FOREIGN.test(text);
}

// src/filters/line.ts
function lineOf(text) {
  if (text.trim() === "") return BLANK;
  return { text, covers: 1, errors: isErrorShaped(text) || GAP.test(text) ? 1 : 0 };
}
var GAP = /^\[\d+ bytes left out here\]$/m;
var BLANK = { text: "", covers: 0, errors: 0 };
function standFor(text, lines) {
  let covers = 0;
  let errors = 0;
  for (const line of lines) {
    covers += line.covers;
    errors += line.errors;
  }
  return { text, covers, errors };
}
var heading = (text) => ({ text, covers: 0, errors: 0 });
var sumOf = (lines) => standFor("", lines);
var isBlank2 = (line) => line.text.trim() === "";

// src/filters/text/kinds.ts
function kindsOf(lines) {
  const kinds2 = /* @__PURE__ */ new Map();
  for (const line of lines) {
    const kind2 = (line.text.length > 300 ? line.text.slice(0, 300) : line.text).replace(NUMBERS, "0");
    const alike2 = kinds2.get(kind2);
    if (alike2) alike2.push(line);
    else kinds2.set(kind2, [line]);
  }
  return [...kinds2.values()];
}
var NUMBERS = /\b[0-9a-f]*\d[0-9a-f]*\b|\d+/gi;
var isOutspoken = ({ text }) => /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);

// src/filters/giant.ts
var GIANT = 2e5;
var SHARE = 2e3;
function withoutBulk(lines) {
  let size = 0;
  for (const { text } of lines) size += text.length + 1;
  if (size <= GIANT) return null;
  const head = fitting(lines, 0, 1);
  const tail = fitting(lines, lines.length - 1, -1);
  return [...lines.slice(0, head), ...chosenFrom(lines.slice(head, lines.length - tail)), ...lines.slice(lines.length - tail)];
}
function chosenFrom(lines) {
  const varied = isVaried(lines);
  const kinds2 = kindsOf(varied ? lines.filter((line) => line.errors > 0) : lines);
  const errors = kinds2.filter(([first3]) => first3.errors > 0);
  const mayBeRare = !varied && kinds2.length <= lines.length * FEW_KINDS;
  const rare = mayBeRare ? kinds2.filter((alike2) => alike2.length <= RARE && alike2[0].errors === 0) : [];
  const ranked = [...errors.filter(([first3]) => isOutspoken(first3)), ...errors.filter(([first3]) => !isOutspoken(first3)), ...rare];
  const said2 = ranked.slice(0, SHARE).map((alike2) => standFor(alike2.length > 1 ? `${alike2[0].text} (\xD7${alike2.length})` : alike2[0].text, alike2));
  const chosen = new Map(said2.slice(0, fitting(said2, 0, 1)).map((line, n) => [ranked[n], line]));
  return kinds2.flatMap((alike2) => chosen.get(alike2) ?? []);
}
var isVaried = (lines) => kindsOf(lines.slice(0, SAMPLE)).length > SAMPLE / 10;
var SAMPLE = 2e3;
var FEW_KINDS = 0.02;
var RARE = 2;
function fitting(lines, from, step) {
  let weight = 0;
  let count2 = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    weight += weightOf(lines[at].text);
    if (weight > SHARE) break;
    count2++;
  }
  return count2;
}
function weightOf(text) {
  let weight = 1;
  let wasLetter = false;
  for (let at = 0; at < text.length && at < LOOKED_AT2; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    const isDigit = code >= 48 && code <= 57;
    weight += code > 767 ? 1 : isLetter ? 0.28 : isDigit && wasLetter ? 0.9 : 0.5;
    wasLetter = isLetter;
  }
  return weight;
}
var LOOKED_AT2 = 1e4;

// src/filters/long-lines.ts
var MAX_LINE = 8e3;
var SHOWN = 400;
var WINDOWS = 4;
var MOST_LOOKED_AT = 2e3;
var ALARMS = [
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|CRITICAL)\b ?[:\]]/g,
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|denied|エラー|错误)/g
];
function withoutLongLines(lines) {
  if (lines.every(({ length: length2 }) => length2 <= MAX_LINE)) return { lines, cut: 0 };
  let cut2 = 0;
  const shorter3 = lines.map((line) => {
    if (line.length <= MAX_LINE) return line;
    const short2 = shortened(line);
    cut2 += line.length - short2.length;
    return short2;
  });
  return { lines: shorter3, cut: cut2 };
}
function shortened(line) {
  const end = line.length - SHOWN;
  const places = ALARMS.map((alarm) => alarmsIn(line, alarm, end)).find(({ length: length2 }) => length2 > 0) ?? [];
  const parts = [line.slice(0, SHOWN)];
  let shown = SHOWN;
  for (const place of places) {
    const to = Math.min(place + SHOWN / 2, end);
    parts.push(line.slice(Math.max(place - SHOWN / 4, shown), to));
    shown = to;
  }
  return `${[...parts, line.slice(end)].join(" \u2026 ")}`;
}
function alarmsIn(line, alarm, end) {
  const places = [];
  const kinds2 = /* @__PURE__ */ new Set();
  alarm.lastIndex = SHOWN;
  for (let looked = 0; looked < MOST_LOOKED_AT && places.length < WINDOWS; looked++) {
    const found = alarm.exec(line);
    if (!found || found.index >= end) break;
    const around2 = line.slice(Math.max(found.index - 40, 0), found.index + 60);
    const kind2 = around2.replace(/\d+/g, "0");
    if (kinds2.has(kind2) || !isErrorShaped(around2)) continue;
    kinds2.add(kind2);
    places.push(found.index);
    alarm.lastIndex = found.index + SHOWN / 2;
  }
  return places;
}

// src/filters/text/redrawn.ts
var SCREEN = 500;
function redrawn(text, up) {
  const rows = [];
  const overwritten = /* @__PURE__ */ new Map();
  let row = 0;
  const put = (part2) => {
    if (part2 === "") return;
    const old = rows[row];
    if (old !== void 0 && old !== part2 && isErrorShaped(old)) overwritten.set(row, [...overwritten.get(row) ?? [], old].slice(-MOST));
    rows[row] = part2;
  };
  for (const line of text.split("\n")) {
    for (const [n, part2] of line.split(up).entries()) {
      if (n % 2 === 0) put(part2);
      else row = Math.max(row - Number(part2), rows.length - SCREEN, 0);
    }
    row++;
    while (rows.length < row) rows.push("");
  }
  return rows.flatMap((line, at) => [...overwritten.get(at) ?? [], line]);
}
var MOST = 20;

// src/filters/sanitise.ts
var ESCAPES = (
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  /\u001b\[[0-9;:?<=>]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b\n]{0,4096}\u001b\\|\u001b[ -/]{0,8}[0-~]|\u001b|\u009b[0-9;?]{0,32}[@-~]/g
);
var REWINDS = /\u001b\[(?:2K|[01]?G)/g;
var UPWARDS = /\u001b\[(\d{0,4})[AF]/g;
var CONTROLS = /[\u0000-\u0007\u000b\u000c\u000e-\u0010\u0012-\u001a\u001c-\u001f\u007f]/g;
function sanitise(raw) {
  const plain = withoutEscapes(raw);
  const lines = [];
  let blank = true;
  const add = (line) => {
    const isBlank3 = line === "" || line.trim() === "";
    if (!(isBlank3 && blank)) lines.push(isBlank3 ? "" : line);
    blank = isBlank3;
  };
  for (const line of plain.includes(UP) ? redrawn(plain, UP) : plain.split("\n")) {
    const back = line.indexOf("\r");
    if (back === -1) add(withoutBackspaces(line));
    else if (back === line.length - 1) add(withoutBackspaces(line.slice(0, -1)));
    else for (const part2 of settled(line)) add(withoutBackspaces(part2));
  }
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
}
var UP = "";
function withoutEscapes(raw) {
  const own = raw.includes(UP) ? raw.replaceAll(UP, "") : raw;
  const plain = own.includes("\x1B") || own.includes("\x9B") ? own.replace(REWINDS, "\r").replace(UPWARDS, (_, lines) => `${UP}${lines || 1}${UP}`).replace(ESCAPES, "") : own;
  return plain.search(CONTROLS) === -1 ? plain : plain.replace(CONTROLS, "");
}
function settled(line) {
  const parts = partsOf(line);
  if (parts.length < 2) return parts.length === 0 ? [""] : parts;
  if (areLines(parts)) return parts;
  const last2 = parts.pop();
  const errors = /* @__PURE__ */ new Map();
  for (const part2 of parts) {
    if (errors.size >= MOST_ERRORS) break;
    if (isErrorShaped(part2)) errors.set(part2.replace(/\d+/g, "0"), part2);
  }
  return [...errors.values()].filter((part2) => part2 !== last2).concat(last2);
}
var MOST_ERRORS = 50;
function partsOf(line) {
  const parts = [];
  for (let from = 0; from < line.length; ) {
    const end = line.indexOf("\r", from);
    const to = end === -1 ? line.length : end;
    if (to > from && line.slice(from, to).trim() !== "") parts.push(line.slice(from, to));
    from = to + 1;
  }
  return parts;
}
function areLines(parts) {
  if (parts.length < 4) return false;
  const some = parts.slice(0, 100);
  const beginnings = new Set(
    some.map(
      (part2) => part2.slice(0, 200).replace(/[^\p{L}]+/gu, "").slice(0, 8)
    )
  );
  return beginnings.size > some.length * 0.7;
}
function withoutBackspaces(line) {
  if (!line.includes("\b")) return line;
  const shown = [];
  for (const char of line) {
    if (char === "\b") shown.pop();
    else shown.push(char);
  }
  return shown.join("");
}
function isBinary(raw) {
  const sample = raw.length <= SAMPLE2 * 2 ? raw : raw.slice(0, SAMPLE2) + raw.slice(raw.length >> 1, (raw.length >> 1) + SAMPLE2);
  const odd = sample.match(/[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  if (odd > 8 && odd > sample.length / 50) return true;
  const lost = sample.match(/\ufffd/g)?.length ?? 0;
  return lost > 8 && lost > sample.length / 5;
}
var SAMPLE2 = 32768;

// src/filters/filter.ts
function filterText({ command, raw, exitCode }, rules, mark = omission) {
  const rawLines = countLines(raw);
  const untouched = { text: raw, rule: null, confidence: "Fallback", rawLines, lines: rawLines, steps: [], left: null };
  const subject = subjectOf(command);
  if (isBinary(raw)) return { ...untouched, ...binary(raw, mark) };
  const applicable = subject ? rules.filter((rule) => mayApply(rule, subject, raw) && rule.matches(subject)) : [];
  if (subject?.verbatim === "text" && applicable.length === 0) return untouched;
  const clean = sanitise(raw).map(escapeMarkers);
  const { lines: readable2, cut: cut2 } = withoutLongLines(clean);
  const before2 = readable2.map(lineOf);
  const { lines, steps, confidence, harmless } = subject ? applyAll(applicable, before2, { exitCode, subject }) : { lines: before2, steps: [], confidence: "Fallback", harmless: 0 };
  const did = steps.filter((step) => step.did === "shortened");
  if (subject?.verbatim === "text" && did.length === 0) return { ...untouched, steps };
  const shown = withoutBulk(lines) ?? lines;
  const changed2 = did.length > 0 || shown !== lines || cut2 > 0;
  const all = sumOf(before2);
  const kept = sumOf(shown);
  const left = { lines: all.covers - kept.covers, errors: Math.max(all.errors - kept.errors - harmless, 0), characters: cut2 };
  const leaves = left.lines > 0 || cut2 > 0;
  const marks2 = leaves ? [mark(left)] : [];
  const text = [...withoutGaps(shown), ...marks2].join("\n");
  const plainLength = clean.reduce((sum, line) => sum + line.length + 1, -1);
  if (changed2 && text.length < plainLength) {
    const rule = did.map(({ rule: rule2 }) => rule2).join(" + ") || "giant";
    return {
      text,
      rule,
      confidence: shown === lines ? confidence : "Partial",
      rawLines,
      lines: shown.length,
      steps,
      left: leaves ? left : null
    };
  }
  const name = applicable.find((rule) => !rule.name.startsWith("any-"))?.name ?? null;
  const plain = clean.join("\n");
  if (subject?.verbatim === "text" || plain === raw.replace(/\n$/, "")) return { ...untouched, rule: name, steps };
  return { ...untouched, text: plain, rule: name, lines: clean.length, steps };
}
function mayApply(rule, subject, raw) {
  if (rule.origin === "user") return true;
  if (subject.verbatim !== null) return rule.files;
  return !isJson(raw);
}
var isJson = (raw) => /^\s*[{[]/.test(raw) && /[}\]]\s*$/.test(raw.slice(-100)) && !/^\s*\[[^\]"{\n]*\] ?\S/.test(raw) && !/^\s*\{.*\}\s*\n\s*\{.*\}\s*(?:\n|$)/.test(raw.slice(0, 2e4));
function applyAll(rules, before2, about) {
  let lines = before2;
  let harmless = 0;
  const steps = [];
  const heard = [];
  for (const { name, strategy, origin, apply } of rules) {
    const result = attempt(apply, { lines, ...about });
    const did = result === null ? "left alone" : result.lines.length < lines.length || shorter(result.lines, lines) ? "shortened" : "nothing";
    const after = did === "shortened" ? result.lines : lines;
    const confidence = result && did === "shortened" ? result.confidence : "Fallback";
    steps.push({ rule: name, strategy, did, before: lines.length, after: after.length, confidence });
    if (did === "shortened" || origin === "user") heard.push(confidence);
    if (did === "shortened") harmless += result.harmless ?? 0;
    lines = after;
  }
  return { lines, steps, confidence: worst(heard), harmless };
}
function attempt(apply, source) {
  try {
    return apply(source);
  } catch (error) {
    log("a filter rule failed: %s", error);
    return null;
  }
}
var log = debuglog("zeph");
var shorter = (after, before2) => length(after) < length(before2);
var length = (lines) => lines.reduce((sum, { text }) => sum + text.length + 1, 0);
var WORST_FIRST = ["Fallback", "Partial", "Full"];
var worst = (heard) => WORST_FIRST.find((level) => heard.includes(level)) ?? "Fallback";
function withoutGaps(lines) {
  const texts = [];
  for (const { text } of lines) if (text !== "" || texts.length > 0 && texts.at(-1) !== "") texts.push(text);
  if (texts.at(-1) === "") texts.pop();
  return texts;
}
function binary(raw, mark) {
  const readable2 = raw.split("\n", 1e4).filter((line) => line.length < 500 && !/[\u0000-\u0008\u000e-\u001a\ufffd]/.test(line));
  const errors = readable2.filter((line) => lineOf(line).errors > 0).slice(0, 20);
  const left = { lines: 0, errors: 0, characters: raw.length };
  const text = [...errors, "[binary output]", ...GAP.exec(raw) ?? [], mark(left)].join("\n");
  return text.length < raw.length ? { text, rule: "binary", confidence: "Partial", lines: errors.length + 1, left } : {};
}
var countLines = (raw) => {
  if (raw === "") return 0;
  let count2 = raw.endsWith("\n") ? 0 : 1;
  for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1)) count2++;
  return count2;
};

// src/core/toml.ts
import { parse as parse2, TomlError } from "smol-toml";
var TomlMistake = class extends Error {
  line;
  column;
  /** The lines around the mistake, cut where they are long; empty when there is nothing to point at. */
  around;
  constructor(message, { line, column, around: around2 }) {
    super(message);
    this.name = "TomlMistake";
    this.line = line;
    this.column = column;
    this.around = around2;
  }
};
var TOML_LIMITS = {
  /** Characters of the text. */
  length: 1024 * 1024,
  /** Brackets and braces inside each other. */
  depth: 32,
  /** Parts of one key: `a.b.c` has three. */
  parts: 32,
  /** Characters of one key with all its parts. */
  key: 2e3
};
var MOST_THINGS = { settings: 5e3, filters: 2e5 };
function parseToml(text, kind2) {
  const excess = excessIn(text, MOST_THINGS[kind2]);
  if (excess) throw new TomlMistake(excess.why, { ...placeIn(text, excess.at), around: "" });
  try {
    return parse2(text, { unsafeKeyBehaviour: "throw", maxDepth: TOML_LIMITS.depth + 1 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
    throw new TomlMistake(reason, { line: error.line, column: error.column, around: linesAround(text, error.line, error.column) });
  }
}
function excessIn(text, things) {
  const { length: length2, depth: depth2, parts, key } = TOML_LIMITS;
  if (text.length > length2) return { why: `the text has more than ${words(length2)} characters`, at: 0 };
  const open2 = [];
  let count2 = 0;
  let dots = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"' || char === "'") at = stringEnd(text, at) - 1;
    else if (char === "#") at = lineEnd2(text, at) - 1;
    else if (char === "." && ++dots >= parts) return { why: `a key has more than ${parts} parts`, at };
    else if (PUNCTUATION.includes(char)) {
      const ends = char === "=" || char === "]";
      if (ends && start !== void 0 && at - start > key) return { why: `a key has more than ${words(key)} characters`, at: start };
      if (OPENING.includes(char) && open2.push(char) > depth2) return { why: `brackets stand more than ${depth2} deep inside each other`, at };
      if (CLOSING.includes(char)) open2.pop();
      else if (char !== "\n" && ++count2 > things) return { why: `the text has more than ${words(things)} tables, keys and entries`, at };
      dots = 0;
      start = startBehind(char, at, open2, start);
    }
  }
  return null;
}
var OPENING = "[{";
var CLOSING = "]}";
var PUNCTUATION = `${OPENING}${CLOSING},=
`;
function startBehind(char, at, open2, before2) {
  if (char === "=") return void 0;
  if (char === "\n") return open2.length === 0 ? at + 1 : before2;
  if (char === "[") return before2 === void 0 ? void 0 : at + 1;
  if (char === "{") return at + 1;
  return char === "," && open2.at(-1) === "{" ? at + 1 : before2;
}
var lineEnd2 = (text, at) => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};
function stringEnd(text, start) {
  const quote = text[start];
  const long = text[start + 1] === quote && text[start + 2] === quote;
  for (let at = start + (long ? 3 : 1); at < text.length; at++) {
    const char = text[at];
    if (char === "\\" && quote === '"') at++;
    else if (char === "\n" && !long) return at;
    else if (char === quote && !long) return at + 1;
    else if (char === quote && text[at + 1] === quote && text[at + 2] === quote) {
      let end = at + 3;
      for (let extra = 0; extra < 2 && text[end] === quote; extra++) end++;
      return end;
    }
  }
  return text.length;
}
var words = (count2) => count2.toLocaleString("en");
function placeIn(text, at) {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: at - start + 1 };
}
var WIDEST_LINE = 160;
function linesAround(text, line, column) {
  const lines = text.split(/\r?\n/);
  const width = String(line + 1).length;
  const from = Math.max(0, column - 1 - WIDEST_LINE / 2);
  const shown = [];
  for (let n = Math.max(1, line - 1); n <= line + 1; n++) {
    const whole3 = lines[n - 1];
    if (!whole3) continue;
    const start = n === line ? from : 0;
    const cut2 = whole3.slice(start, start + WIDEST_LINE);
    const lead = `${String(n).padEnd(width)}:  `;
    shown.push(`${lead}${start > 0 ? "\u2026" : ""}${cut2}${start + cut2.length < whole3.length ? "\u2026" : ""}`);
    if (n === line) shown.push(`${" ".repeat(lead.length + column - 1 - start + (start > 0 ? 1 : 0))}^`);
  }
  return shown.length === 0 ? "" : `${shown.join("\n")}
`;
}

// src/filters/built-in.ts
var BUILT_IN = [
  { file: "build.toml", text: `# What builders say while they work. What they say at the end, and every complaint, stays.

[[rules]]
name = "cargo-build"
match = { regex = '^cargo (?:b|build|c|check|clippy|t|test|nextest|r|run|d|doc|bench|rustc|rustdoc|fix|install|llvm-cov|miri|watch|xtask)(?: |$)' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^ {1,11}(?:Compiling|Checking|Documenting|Fresh|Downloaded|Downloading|Dirty|Locking|Adding|Updating|Unpacking|Blocking|Scraping|Packaging|Verifying|Archiving|Building) \\S',
  '^ {5}Running \`(?:\\S+/)?(?:rustc|clippy-driver|rustdoc|\\S*build-script-build)\\b.*\`$',
  '^ {5}Running \`.*\\b(?:rustc|clippy-driver|rustdoc) --crate-name .*\`$',
  '^ {2,}= note: .{0,200}"?(?:cc|clang|gcc|ld|link\\.exe)"? "-m64"',
  '^ {2,}= note: some arguments are omitted\\. use \`--verbose\`',
], blocks = [['^Caused by:$', '^ {2}process didn.t exit successfully: \`.*rustc --crate-name ']] }

[[rules]]
name = "make"
match = { regex = '^(?:make|ninja|cmake|meson|scons|bazel|just|task|tup|autoreconf|\\./configure|configure)\\b' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^\\[ *\\d{1,2}%\\] (?:Building|Linking|Built target|Generating|Creating|Automatic|Copying|Performing|Completed|No )',
  '^\\[(\\d+)/(?!\\1\\])\\d+\\] (?!.*\\b(?:[Ee]rror|ERROR|[Ff]ail(?:ed|ure)?|FAIL(?:ED)?|[Ww]arning)\\b)\\S',
  '^(?:g|re|k)?make(?:\\[\\d+\\])?: (?:Entering|Leaving) directory ',
  '^ninja: Entering directory ',
  '^(?:g|re|k)?make\\[\\d+\\]: Nothing to be done for ',
  "^(?:g|re|k)?make\\\\[\\\\d+\\\\]: '[^']{1,300}' is up to date\\\\.$",
  '^(?:/\\S+/)?(?:g|re|k)?make +-[A-Za-z-]',
  '^(?=.* -c(?: |$))(?:\\w+=\\S* )*(?:(?:/\\S+/)?(?:ccache|distcc|sccache) )?(?:/\\S+/)?(?:[\\w.-]+-)?(?:gcc|g\\+\\+|cc|c\\+\\+|clang|clang\\+\\+|nvcc|gfortran|tcc|icx|icpx)(?:-[\\d.]+)? ',
  '^(?=.* -o )(?=.*\\.(?:o|lo|a)(?: |$))(?:\\w+=\\S* )*(?:(?:/\\S+/)?(?:ccache|distcc|sccache) )?(?:/\\S+/)?(?:[\\w.-]+-)?(?:gcc|g\\+\\+|cc|c\\+\\+|clang|clang\\+\\+|nvcc|gfortran|tcc|icx|icpx)(?:-[\\d.]+)? ',
  '^(?:/\\S+/)?(?:[\\w.-]+-)?(?:ar|ranlib|strip|objcopy) (?:-?[a-zA-Z]{1,8} )?\\S+\\.(?:a|o|so)\\b',
  '^(?:cd \\S+ && )?(?:/\\S+/)?cmake (?:-E |-S ?\\S+ -B ?\\S+ --check-build-system|-P CMakeFiles/)',
  '^Dependencies file "[^"]{1,400}" is newer than depends file ',
  '^Consolidate compiler generated dependencies of target ',
  '^Scanning dependencies of target ',
  '^ {2}(?:CC|CXX|LD|AR|AS|HOSTCC|HOSTLD|GEN|UPD|CALL|DESCEND|CHK|LEX|YACC|WRAP|SYNC|SHIPPED|COPY|OBJCOPY|STRIP|NM|MKDIR|RM|CCLD|CXXLD|GENERATE|LINK|INSTALL)(?: \\[M\\])? +\\S+$',
  '^libtool: (?:compile|link): ',
  '^-- (?!.*(?:not found|[Ff]ail|[Ee]rror))(?:Detecting|Check for working|Performing Test|Looking for|Checking (?:for|whether|if)|Check (?:if|size of|for)) ?',
  '^(?!.*\\.\\.\\. ?(?:no|not found|failed|unknown)$)checking (?:for|whether|how|if|that|build|host|dependency|the|command|size|minix|target|where|which) .{1,300}\\.\\.\\. ?(?:\\(cached\\) )?(?:yes|none needed|none|done|/\\S+|\\S+)?$',
  '^mkdir (?:-\\w+ )*\\S+(?: \\S+)*$',
] }

[[rules]]
name = "maven"
match = { regex = '^mvnd?\\b' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^\\[INFO\\] *$',
  '^\\[INFO\\] -{5,}',
  '^\\[INFO\\] -{1,80}[<\\[]',
  '^\\[INFO\\] -{3} \\S+:\\S+:\\S+ \\(\\S+\\) @ \\S+ -{3}$',
  '^(?:\\[INFO\\] )?(?:Downloading|Downloaded) (?:from )?\\S+: \\S+',
  '^Progress \\(\\d+\\): ',
  '^\\[INFO\\] (?:Scanning for projects|Nothing to compile|Copying \\d+ resource|skip non existing|Using .UTF-8. encoding|Changes detected|Recompiling the module|Building jar|Installing |Replacing |No tests to run|Some messages have been simplified|\\S+ uses (?:or overrides|unchecked)|\\S+: \\S+ uses |\\S+: Recompile with|Not compiling|argLine set|Deleting |Compiling \\d+ source)',
  '^\\[WARNING\\] (?:Using platform encoding|File encoding has not been set|The artifact \\S+ has been relocated)',
] }

[[rules]]
name = "gradle"
match = { regex = '^gradle\\b' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^> (?:Task|Configure project) :\\S*(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$',
  '^:\\S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$',
  '^> (?:Run with --|Get more help at)',
  '^Run with --stacktrace option to get the stack trace\\.',
  '^\\* (?:Try:|Get more help at )',
  '^(?:Starting a Gradle Daemon|Daemon will be stopped|To honour the JVM settings|Download https?://|Downloading https?://|Welcome to Gradle|Here are the highlights|For more details see|Calculating task graph|Reusing configuration cache|Configuration cache entry)',
  '^\\.{3,}\\d+%',
  '^<[-=]*> \\d+% ',
  '^Deprecated Gradle features were used in this build',
  "^You can use '--warning-mode all' to show the individual deprecation warnings",
  '^For more on this, please refer to https://docs\\.gradle',
  '^See https://docs\\.gradle\\.org',
  '^Note: (?:Recompile with -Xlint|Some messages have been simplified)',
] }

[[rules]]
name = "dotnet-build"
match = { regex = '^(?:dotnet|msbuild)\\b' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^ {2}Determining projects to restore\\.\\.\\.$',
  '^ {2}(?:All projects are up-to-date for restore|Restored \\S+\\.\\w*proj \\(in ).*$',
  '^ {2}\\S+ -> \\S.*\\.(?:dll|exe)$',
  '^(?:Microsoft \\(R\\) Build Engine|MSBuild version|Copyright \\(C\\) Microsoft)',
  '^ {2,}(?:Restoring packages|Generating MSBuild file|Writing assets file|Committing restore|Restore complete)',
] }

[[rules]]
name = "bundler"
match = { regex = '^(?:vite|webpack|rollup|rolldown|esbuild|next|nuxt|tsup|parcel|rspack|rsbuild|astro|remix|turbo|nx|vue-cli-service|react-scripts|ng)\\b' }
strategy = { type = "strip_noise", harmless = true, patterns = [
  '^(?:transforming|rendering chunks|computing gzip size)(?: \\(\\d+\\))?\\.\\.\\.',
  '^ *(?=\\S*/)(?!\\S*(?:index|main|app|entry)\\b)\\S+ +\\d{1,2}\\.\\d+ kB(?: *\u2502|$)',
  '^ {2}(?=\\S*/)(?!\\S*(?:index|main|app|entry)\\b)\\S+ +(?:\\d+b|\\d{1,2}\\.\\dkb) *$',
  '^ *(?:orphan|runtime|cacheable|hidden|asset|javascript|css|optional|concatenated|code generated|fragment) modules (?:by \\S+ )?[\\d.]+ \\w+',
  '^ *(?:orphan|runtime|cacheable|hidden) modules ',
  '^ *modules by path \\S',
  '^ *(?:\\./|\\.\\./|external |node_modules/)\\S+(?: \\+ \\d+ modules)? [\\d.]+ (?:bytes|KiB)(?: \\[(?:built|code generated|cached|not cacheable|orphan|dependent|optional)\\])*$',
  '^ *\\+ \\d+ (?:hidden )?modules?(?: |$)',
  '^ *asset (?!\\S*(?:main|index|app|entry|vendor))\\S+ \\d{1,2}(?:\\.\\d+)? KiB (?:\\[[^\\]]+\\] ?)*(?:\\((?:name|id hint): [^)]+\\))?$',
  '^ *asset (?!\\S*(?:main|index|app|entry|vendor))\\S+ \\d+ bytes (?:\\[[^\\]]+\\] ?)*(?:\\((?:name|id hint): [^)]+\\))?$',
  '^assets by (?:status|path|chunk|info) ',
  '^ {4,}at .*(?:/node_modules/|node:internal|\\(internal/)',
  '^ {2}errors: \\[Getter/Setter\\]',
  '^\\}$',
  '^ {0,4}(?:Collecting page data|Generating static pages|Creating an optimized production build|Collecting build traces|Finalizing page optimization|Linting and checking validity of types)(?: |\\.|$)',
] }
` },
  { file: "diagnostics.toml", text: `# Compilers, type checkers and linters, recognised by what they write.

# Without a severity a line may be anything. These commands write nothing else.
[[rules]]
name = "go-diagnostics"
match = { regex = '^(?:go (?:build|vet|install)|golangci-lint|staticcheck|revive)(?: |$)' }
strategy = { type = "group_by_rule", formats = ["go", "bare", "colon"] }

[[rules]]
name = "diagnostics"
match = { regex = '^(?:cargo|rustc|rustdoc|tsc|vue-tsc|svelte-check|eslint|biome|oxlint|stylelint|prettier|gcc|g\\+\\+|cc|c\\+\\+|clang|clang\\+\\+|clang-tidy|cppcheck|make|ninja|cmake|javac|kotlinc|mvn|gradle|go|ruff|black|mypy|pyright|basedpyright|ty|flake8|pylint|shellcheck|rubocop|dotnet|msbuild|swiftc|swift|xcodebuild|mcs|csc|vite|webpack|rollup|rolldown|esbuild|next|tsup|ld|hadolint|yamllint)(?:-\\d+)?(?: |$)' }
strategy = { type = "group_by_rule" }

# Whatever runs below \`npm run lint\`, \`make\` or a script. A search shows lines of others.
[[rules]]
name = "any-diagnostics"
match = { regex = '^(?!.*\\b(?:[efz]?grep|rg|ag|ack|git (?:diff|log|show|grep))\\b).' }
strategy = { type = "group_by_rule", at_least = 2 }
` },
  { file: "git.toml", text: `# Both strategies go by what the text says, so a rule may match more commands than it helps, aliases too.

[[rules]]
name = "git-status"
match = { regex = '^git status\\b' }
strategy = { type = "git_status" }

# What git says while it works and after: transfers, merges, commits.
[[rules]]
name = "git-work"
match = { regex = '^(?:git (?!(?:status|log|show|diff|whatchanged)\\b)[a-z]|gh (?:repo|pr) (?:clone|fork|sync|checkout)\\b)' }
strategy = { type = "git_status" }

[[rules]]
name = "git-diff"
match = { regex = '^(?:git (?!(?:log|show|whatchanged)\\b)[a-z]|(?:gh pr|hg|jj|svn) diff\\b)' }
strategy = { type = "git_diff" }

[[rules]]
name = "git-show"
match = { regex = '^(?:git|jj) show\\b' }
strategy = { type = "git_diff" }

[[rules]]
name = "git-log"
match = { regex = '^git (?:log|whatchanged)\\b' }
strategy = { type = "git_diff" }

# The person chose what stands below each commit, and every line of it stays.
[[rules]]
name = "git-log-stat"
match = { regex = '^git (?:log|whatchanged)\\b.*\\s--(?:stat|shortstat|numstat|name-only|name-status|summary|dirstat)\\b' }
strategy = { type = "git_diff" }
files = true
` },
  { file: "infra.toml", text: `# Containers, clusters, infrastructure and transfers: results and errors stay; layers, progress and handshakes go.

[[rules]]
name = "docker-build"
match = { regex = '^docker (?:build|buildx|image build|compose(?: --?[\\w-]+(?:[= ](?!-)\\S+)?){0,9} (?:build|up|create))\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^$',
  '^Sending build context to Docker daemon ',
  '^Step \\d+/\\d+ : ',
  '^ ---> (?:[0-9a-f]{6,}|Using cache|Running in [0-9a-f]+)$',
  '^(?: ---> )?(?:Removed|Removing) intermediate container [0-9a-f]+$',
  '^DEPRECATED: The legacy builder is deprecated and will be removed in a future release\\.$',
  '^ +(?:Install the buildx component to build images with BuildKit:|https://docs\\.docker\\.com/go/buildx/)$',
  '^#\\d+ (?:\\[|CACHED$|DONE [\\d.]+s$|transferring |building with |sha256:[0-9a-f]+ |extracting sha256:|resolve |exporting (?:to image|layers|manifest|config|attestation)|unpacking to |sending tarball |preparing |\\.\\.\\.$|importing cache |inferred cache |pushing layers|auth )',
  '^ => (?!ERROR |CANCELED |WARN)(?:CACHED )?(?:\\[|# |exporting |importing |transferring |resolve |sha256:|extracting |=> (?!ERROR |naming to |writing image |pushing manifest ))',
  '^\\[\\+\\] Building [\\d.]+s \\(\\d+/\\d+\\)(?: FINISHED)?(?: +docker:\\S+)?$',
  '^(?:-{6}|-{20})$',
  '^ > \\[internal\\] .*:$',
  '^(?:#\\d+ )?(?:\\d\\.\\d{3}|\\d\\d\\.\\d\\d|\\d{3,}\\.\\d)$',
  '^View build details: docker-desktop://',
  '''^What's next:$''',
  '^ {4}View a summary of image vulnerabilities and recommendations \u2192 docker scout quickview ?$',
]
blocks = [
  ['^-{20}$', '^ {0,3}\\d+ \\| {5}'],
  ['^ {0,3}\\d+ \\| {5}', '^-{20}$'],
]
replace = [
  { pattern = '^(SECURITY WARNING: You are building a Docker image from Windows against a non-Windows Docker host\\.).*$', with = '$1' },
  { pattern = '^ (=> ERROR .*\\S) +[\\d.]+s$', with = '$1' },
  { pattern = '^ => => (.*\\S) +[\\d.]+s$', with = '$1' },
  { pattern = '^ +(\\d+) \\| >>> (.*)$', with = '$1 | $2' },
  { pattern = '^#\\d+ ((?:naming to|writing image|pushing manifest) \\S+(?: for \\S+)?).*$', with = '$1' },
  { pattern = '^#\\d+ \\d+\\.\\d+ (.*)$', with = '$1' },
  { pattern = '^(?:\\d\\.\\d{3}|\\d\\d\\.\\d\\d|\\d{3,}\\.\\d) (.*)$', with = '$1' },
]

[[rules]]
name = "docker-layers"
match = { regex = '^docker (?:pull|push|run|create|image (?:pull|push)|compose|build|load|stack|service)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?: [0-9a-f]{12} |[0-9a-f]{12}: )(?:Pulling fs layer|Waiting|Downloading|Verifying Checksum|Download complete|Extracting|Pull complete|Already exists|Preparing|Pushing|Pushed|Layer already exists|Mounted from \\S+)\\b.*$',
  '^ *(?:[\u2800-\u28FF\u2714] )?(?:Container|Network|Volume|Image) \\S+ +(?:Creating|Starting|Waiting|Stopping|Removing|Recreate|Pulling|Building)(?: +[\\d.]+s)? *$',
  '^ *[\u2800-\u28FF] .*$',
  '^\\[\\+\\] (?:Running|Building|Pulling|up) \\d+/\\d+ *$',
  '^Using default tag: latest$',
]
replace = [{ pattern = '^ *([\u2714\u2718] (?:Container|Network|Volume|Image|Service) .*\\S) +[\\d.]+s *$', with = '$1' }]

# Tables of docker, kubectl and helm.
[[rules]]
name = "tables"
match = { regex = '^(?:docker (?:ps|images|container ls|image ls|volume ls|network ls|compose ps|stats|node ls|service ls)|kubectl (?:get|top|api-resources|config get-contexts)|oc get|helm (?:list|ls|search|history|repo list)|pip list|gcloud .*\\blist)\\b' }
[rules.strategy]
type = "strip_noise"
squeeze = true
patterns = ['^-{2,}(?: -{2,})+$']

[[rules]]
name = "kubectl"
match = { regex = '^(?:kubectl|oc|helm)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^[Ww]aiting for [^:]{1,200} (?:roll ?out|rolling update) to (?:finish|complete)\\b.*\\.\\.\\.$',
  '^Waiting for \\d+ pods to be ready\\.\\.\\.$',
]

[[rules]]
name = "kubectl-describe"
match = { regex = '^(?:kubectl|oc) describe\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:Priority|Priority Class Name|Service Account|QoS Class|Node-Selectors|IPs|Annotations|Labels|Tolerations|Runtime Class Name|Session Affinity|Internal Traffic Policy|IP Family Policy|IP Families|Start Time|CreationTimestamp): +\\S',
  '^[\\w./ -]+: +(?:<none>|<unset>|<nil>)$',
  '^ +(?:Container ID|Image ID|Host Ports?|SizeLimit|TokenExpirationSeconds|ConfigMapOptional|DownwardAPI|Optional|Medium|HostPathType): ',
  '^ +IP: +[\\d.:a-f]+$',
  '^ {2,}-{2,}(?: +-{2,})+ *$',
  '^ {2}(?:PodReadyToStartContainers|Initialized|Ready|ContainersReady|PodScheduled) +True *$',
  '^ {2}Normal +(?=\\S)(?!.*(?:[Ff]ail|[Bb]ack-?[Oo]ff|Killing|Evict|Preempt|Unhealthy|[Ee]rror))\\S+ ',
  '^IPs:$',
  '^IP: *$',
  '^ {2}Type +(?:Status|Reason +Age +From +Message) *$',
]
blocks = [
  ['^Tolerations: ', '^ {10,}\\S+(?: op=\\w+)?(?: for \\d+s)?$'],
  ['^(?:Labels|Annotations): +\\S', '^ {10,}\\S+(?:=|: )'],
  ['^ +Mounts:$', '^ {6,}/\\S+ from \\S+ \\('],
  ['^  kube-api-access-\\w+:$', '^ {4,}(?:Type|TokenExpirationSeconds|ConfigMapName|ConfigMapOptional|Optional|DownwardAPI): '],
]
replace = [
  { pattern = '^( +Type:) +(\\w+) \\(a(?: \\w+)? .*\\)$', with = '$1 $2' },
  { pattern = '^( *)([\\w(/.-][\\w ()/.-]*:) {2,}(\\S.*)$', with = '$1$2 $3' },
  { pattern = '(\\S) {3,}', with = '$1  ' },
]

[[rules]]
name = "helm"
match = { regex = '^helm\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^LAST DEPLOYED: ',
  '^Hang tight while we grab the latest from your chart repositories\\.\\.\\.$',
  '^\\.\\.\\.Successfully got an update from the ',
  '^TEST SUITE: None$',
]

[[rules]]
name = "terraform"
match = { regex = '^(?:terraform|terragrunt)(?: run-all)? (?:plan|apply|destroy|refresh|import|validate)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^[\u2577\u2575\u2502]? *$',
  '^[\\w.\\-\\[\\]"\\x27/ :]+: (?:Refreshing state|Refreshing|Reading|Read complete after \\w+|Preparing import|Still (?:creating|destroying|modifying|reading))(?:\\.\\.\\.)?(?: \\[.*\\])?$',
  '^ *(?:An execution plan has been generated and is shown below\\.|Terraform used the selected providers to generate the following execution|plan\\. Resource actions are indicated with the following symbols:|Resource actions are indicated with the following symbols:|Terraform will perform the following actions:|Terraform will perform the actions described above\\.|Terraform will destroy all your managed infrastructure, as shown above\\.)$',
  """^ *(?:Only 'yes' will be accepted to (?:approve|confirm)\\\\.|There is no undo\\\\. Only 'yes' will be accepted to confirm\\\\.|Enter a value: yes|Do you want to perform these actions(?: in workspace .*)?\\\\?|Do you really want to destroy all resources(?: in workspace .*)?\\\\?)$""",
  '^ *(?:\\+|-|~|<=|-/\\+|\\+/-) (?:create|destroy|update in-place|read \\(data resources\\)|destroy and then create replacement|create replacement and then destroy)$',
  '^[\u2500-]{10,}$',
  '^ {2}(?:\\+|~|-/\\+|\\+/-|<=) (?:resource|data) "[^"]+" "[^"]+" \\{$',
  '^(?:-/\\+|\\+/-) (?:resource|data) "[^"]+" "[^"]+" \\{$',
  '^ +(?:[+~-] )?[\\w."-]+ += .*\\(known after apply\\)$',
  '^ +\\} -> \\(known after apply\\)$',
  '^ +(?:[-+~] )?[}\\])],?(?: -> null)?$',
  '^ {8,}[\\w."-]+ += (?!.*(?:->|# forces replacement))',
  '^ +# \\(\\d+ unchanged (?:attributes?|elements?|blocks?) hidden\\)$',
  '^ +[-+~] timeouts \\{\\}$',
  '^ +\\S+: +<computed>$',
]
blocks = [
  ['^ {2}- resource "[^"]+" "[^"]+" \\{$', '^(?: {4,}(?:[-#] .*|[}\\])].*))?$'],
]
replace = [
  { pattern = '^(\\S+: (?:Destroying|Creating|Modifying)\\.\\.\\.) \\[id=.*$', with = '$1' },
  { pattern = '^ {6}([-+~]) (\\S+) +(\\S.*)$', with = ' $1 $2 $3' },
  { pattern = '^ {10}([-+~]) (\\S+) +(\\S.*)$', with = '  $1 $2 $3' },
  { pattern = '^ {14,}([-+~]) (\\S+) +(\\S.*)$', with = '   $1 $2 $3' },
  { pattern = '^ {10}([-+~] \\S+)$', with = '  $1' },
  { pattern = '^ {14,}([-+~] \\S+)$', with = '   $1' },
  { pattern = '^ {2}(# .*)$', with = '$1' },
  { pattern = '^\u2502 (.*)$', with = '$1' },
]

# Sentences terraform says every time.
[[rules]]
name = "terraform-hints"
match = { regex = '^(?:terraform|terragrunt)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^Refreshing Terraform state in-memory prior to plan\\.\\.\\.$',
  '^The refreshed state will be used to calculate this plan, but will not be$',
  '^persisted to local or remote state storage\\.$',
  '''^Note: You didn't (?:specify an "-out" parameter|use the -out option) to save this plan, so Terraform''',
  '''^(?:can't )?guarantee (?:that exactly these actions will be performed if|to take exactly these actions if you run "terraform apply" now\\.)$''',
  '^"terraform apply" is subsequently run\\.$',
  '^Initializing (?:the backend|provider plugins|modules|Terraform Cloud|HCP Terraform)\\.\\.\\.$',
  '^- (?:Finding \\S+ versions matching .*|Finding latest version of \\S+|Installing \\S+ v\\S+|Reusing previous version of \\S+ from the dependency lock file|\\S+ is built in to Terraform)(?:\\.\\.\\.)?$',
  '^Terraform has (?:created a lock file \\S+ to record the provider|made some changes to the provider dependency selections recorded)$',
  '^(?:selections it made above\\. Include this file in your version control repository|so that Terraform can guarantee to make the same selections by default when|you run "terraform init" in the future\\.|in the \\S+ file\\. Review those changes and commit them to your|version control system if they represent changes you intended to make\\.)$',
  '^(?:You may now begin working with Terraform\\. Try running "terraform plan" to see|any changes that are required for your infrastructure\\. All Terraform commands|should now work\\.|If you ever set or change modules or backend configuration for Terraform,|rerun this command to reinitialize your working directory\\. If you forget, other|commands will detect it and remind you to do so if necessary\\.)$',
  '^(?:Terraform has compared your real infrastructure against your configuration|and found no differences, so no changes are needed\\.)$',
  '^- Checking for available provider plugins\\.\\.\\.$',
  '^(?:The following providers do not have any version constraints in configuration,|so the latest version was installed\\.|To prevent automatic upgrades to new major versions that may contain breaking|changes, (?:it is recommended to|we recommend) add(?:ing)? version (?:= "\\.\\.\\." )?constraints (?:to|in) (?:the|a required_providers block)|corresponding provider blocks in configuration, with the constraint strings|in your configuration, with the constraint strings suggested below\\.|suggested below\\.)$',
  '^Partner and community providers are signed by their developers\\.$',
  '^If you.d like to know more about provider signing, you can read about it here:$',
  '^https://(?:www|developer)\\.(?:terraform\\.io|hashicorp\\.com/terraform)/\\S*plugins/signing',
]

[[rules]]
name = "ansible"
match = { regex = '^ansible-playbook\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^$', '^(?:ok|skipping|included): (?:\\[[^\\]]+\\]|\\S+ for )(?: => \\(item=.*\\))?$']
blocks = [['^(?:TASK|RUNNING HANDLER) \\[.*\\] \\**$', '^(?:ok|skipping|included): (?:\\[[^\\]]+\\]|\\S+ for )(?: => \\(item=.*\\))?$', '^$']]
replace = [
  { pattern = '^([^*]*[^* ]) \\*{3,}$', with = '$1' },
  { pattern = '^(\\S+) +(: ok=\\d+) +(changed=\\d+) +(unreachable=\\d+) +(failed=\\d+).*$', with = '$1 $2 $3 $4 $5' },
]

# The meter curl draws when its output goes elsewhere. Its last line tells how much came.
[[rules]]
name = "curl-meter"
match = { regex = '^curl\\b|^(?:docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^More details here: https://curl\\.(?:se|haxx\\.se)/docs/sslcerts\\.html$',
  '^(?:curl failed to verify the legitimacy of the server and therefore could not|establish a secure connection to it\\. To learn more about this situation and|how to fix it, please visit the web ?page mentioned above\\.)$',
  '^ {2}% Total {4}% Received % Xferd {2}Average Speed {3}',
  '^ {33}Dload {2}Upload {3}Total {3}Spent {4}Left {2}Speed$',
  '^ *0(?: +[\\d.]+[kMGTP]?){7}(?: +[\\d:-]+){3} +\\d+[kMGTP]?(?:\\* +Trying \\S+\\.\\.\\.)?$',
]
replace = [
  { pattern = '^#{10,} *(\\d[\\d.]*%)$', with = '$1' },
  { pattern = '^ *0(?: +[\\d.]+[kMGTP]?){7}(?: +[\\d:-]+){3} +\\d+(curl: \\(.*|\\* .*)$', with = '$1' },
  { pattern = '^ *(\\d{1,3}) +([\\d.]+[kMGTP]?)(?: +[\\d.]+[kMGTP]?){6}(?: +[\\d:-]+){3} +[\\d.]+[kMGTP]?$', with = '$1% of $2' },
]

[[rules]]
name = "curl-verbose"
match = { regex = '^curl\\b.*\\s(?:-[a-zA-Z#]*v|--verbose|--trace)' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^\\* +(?:Trying \\S+\\.\\.\\.|Connected to |Host .* was resolved\\.|IPv[46]: |TCP_NODELAY set|ALPN[,:]|\\(\\d+\\) \\((?:IN|OUT)\\), |TLSv?1|TLS 1|CAfile: |CApath: |Server certificate:|subject: |start date: |expire date: |subjectAltName: |issuer: |SSL certificate verify ok|SSL connection using |Certificate level \\d|using HTTP/|Using HTTP2|Connection state changed|Copying HTTP/2 data|\\[HTTP/[23]\\] |h2h3? \\[|h2 \\[|Using Stream ID|old SSL session ID is stale|schannel: |successfully set certificate verify locations)',
  '^\\* +(?:Connection #?\\d+ to host .* left intact|Closing connection|Re-?using existing|Found bundle for host|Can not multiplex, even if we wanted to|Mark bundle as not supporting multiuse|Request completely sent off|[Uu]pload completely sent off|We are completely uploaded and fine|HTTP 1\\.0, assume close after body|Issue another request to this URL|Expire in \\d+ ms|Uses proxy env variable)',
  '^\\* +(?:Server auth using |Established connection to |Added \\S+ to DNS cache|Hostname .* was found in DNS cache|Connection cache )',
  '^[{}] \\[\\d+ bytes data\\]$',
  '^[<>] ?$',
  '^> (?:[Hh]ost|[Uu]ser-[Aa]gent|[Aa]ccept(?:-\\w+)?|[Aa]uthorization|[Cc]ontent-\\w+|[Cc]ookie|[Rr]eferer|[Cc]onnection|[Oo]rigin|[Rr]ange|[Ii]f-[\\w-]+|[Tt]ransfer-[Ee]ncoding|[Ee]xpect|[Uu]pgrade|[Pp]roxy-\\w+|HTTP2-Settings|TE|[Xx]-[\\w-]+): ',
  '^< (?!HTTP/|[Ll]ocation:|[Cc]ontent-[Tt]ype:|[Ww][Ww][Ww]-[Aa]uthenticate:|[Rr]etry-[Aa]fter:|[Aa]llow:|.*(?:[Ee]rror|[Ww]arning|[Ff]ail|[Rr]easons?|[Rr]ate-?[Ll]imit))[\\w-]+: ',
]

[[rules]]
name = "wget"
match = { regex = '^wget\\b(?!.* -[a-zA-Z]*O ?-(?: |$))(?!.*--output-document[= ]-(?: |$))' }
[rules.strategy]
type = "strip_noise"
patterns = [
  '^$',
  '^ *\\d+[KMG] [. ]+(?:\\d+% +)?(?:\\d[\\d.,]*[KMG]?(?: ?[ =][\\d.hms]+)?)?$',
  '^[^%\\[]{1,200} \\d{1,3}%\\[[=> +<-]*\\] +[\\d.,]+[KMG]? ',
  '^Resolving \\S+ \\(.*\\)\\.\\.\\. [\\d.:a-f, ]+$',
  '^Connecting to .*\\.\\.\\. connected\\.$',
  '^Reusing existing connection to \\S+$',
  '^Saving to: .*$',
]
replace = [
  { pattern = '^--\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d-- +(\\S+)$', with = '$1' },
  { pattern = '^(?:Proxy|HTTP) request sent, awaiting response\\.\\.\\. (\\S.*)$', with = '$1' },
  { pattern = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\([\\d.,]+ [KMG]?B/s\\) - (.*)$', with = '$1' },
]

[[rules]]
name = "systemctl-status"
match = { regex = '^systemctl status\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^ +(?:Docs|Tasks|Memory|CPU|CGroup|Invocation|IO|IP|TriggeredBy): ', '^ +[\u251C\u2514]\u2500\\d+ ', '^ +man:\\S+$', '^ +https?://\\S+$']

[[rules]]
name = "rsync"
match = { regex = '^rsync\\b' }
[rules.strategy]
type = "strip_noise"
patterns = ['^(?:sending|receiving) incremental file list$', '^ +[\\d,.]+[KMG]? +\\d{1,3}% +[\\d.]+[kKMG]?B/s +[\\d:]+(?: \\(xfr#\\d+, (?:to|ir)-chk=\\d+/\\d+\\))?$', '^$']

[[rules]]
name = "ssh"
match = { regex = '^(?:ssh|scp|sftp|ssh-copy-id)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^Warning: Permanently added .* to the list of known hosts\\.$',
  '^debug[123]: (?!.*(?:[Ee]rror|[Ff]ail|[Dd]enied|[Rr]efused|[Tt]imed? ?out|[Ii]nvalid|[Cc]annot|[Nn]ot |[Bb]ad |unable|No more|disconnect))',
  '^(?:Welcome to Ubuntu [\\d.]+|Last login: | \\* (?:Documentation|Management|Support): +https?://|To see these additional updates run: apt list --upgradable$|The programs included with the Debian GNU/Linux system are free software;$|the exact distribution terms for each program are described in the$|individual files in /usr/share/doc/\\*/copyright\\.$|Debian GNU/Linux comes with ABSOLUTELY NO WARRANTY, to the extent$|permitted by applicable law\\.$)',
]

[[rules]]
name = "cloud"
match = { regex = '^(?:aws|gcloud|gsutil|az)\\b' }
[rules.strategy]
type = "strip_noise"
patterns = [
  '^Completed [\\d.]+ [KMG]?i?B(?:ytes)?/~?[\\d.]+ [KMG]?i?B(?:ytes)? \\([\\d.]+ [KMG]?i?B(?:ytes)?/s\\) with ~?\\d+ file\\(s\\) remaining',
  '^[|/\\\\-]? ?\\[\\d+(?:/\\d+)? files\\]\\[.*$',
  '^(?:Updates are available for some Google Cloud CLI components\\.|To take a quick anonymous survey, run:$| {2}\\$ gcloud (?:components update|survey)$)',
]
` },
  { file: "listings.toml", text: `# Lists of files and of places in them. Every name stays; what they have in common is said once.

[[rules]]
name = "tree"
match = { regex = '^(?:tree|(?:exa|eza|lsd) (?:.* )?(?:--tree|-T))(?: |$)' }
strategy = { type = "dedup", of = "tree" }

[[rules]]
name = "ls"
match = { regex = '^(?:ls|ll|la|dir|vdir|exa|eza|lsd)(?: |$)' }
strategy = { type = "dedup", of = "names" }

[[rules]]
name = "find"
match = { regex = '^(?:find|fd|locate|mlocate|plocate|rg (?:.* )?--files\\b|(?:rg|grep|egrep|ag) (?:.* )?(?:-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(?:out)?-match(?:es)?)\\b)(?: |$)' }
strategy = { type = "dedup", of = "paths" }

[[rules]]
name = "grep"
match = { regex = '^(?:[efz]?grep|rg|ag|ack)(?: |$)' }
strategy = { type = "dedup", of = "matches" }

[[rules]]
name = "du"
match = { regex = '^du(?: |$)' }
strategy = { type = "dedup", of = "sizes" }

[[rules]]
name = "table"
match = { regex = '^(?:df|ps|free|lsblk|lsof|ss|netstat|top|vmstat|iostat|who|w|last|systemctl (?:list-[a-z-]+|status)|lscpu|lsmod|route|arp|findmnt)(?: |$)' }
strategy = { type = "dedup", of = "columns" }
` },
  { file: "logs.toml", text: `# What shows a log, by its name or by its lines. Files that are read count only if they are one.

[[rules]]
name = "log"
match = { regex = '^(?:z?cat|head|tail|z?less|more|bat|batcat|tac) [^|;&]*(?:\\.log\\b|/log/|\\b(?:syslog|messages|dmesg|auth)\\b|\\.(?:out|err|txt)\\b|(?<=[ /])[\\w-]+$)' }
strategy = { type = "dedup", of = "log" }
files = true

[[rules]]
name = "log-command"
match = { regex = '^(?:journalctl|dmesg|docker (?:compose )?(?:container )?logs|kubectl logs|stern|heroku logs|pm2 logs|adb logcat)\\b' }
strategy = { type = "dedup", of = "log" }
` },
  { file: "packages.toml", text: `# Package managers: what was installed, counts, warnings and errors stay; the work on the way goes.

# The lines npm, pnpm and yarn print before a script: its name, then its command.
[[rules]]
name = "run-header"
match = { regex = '^(?:npm|pnpm|yarn|bun|docker (?:build|buildx|compose))\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = []
blocks = [
  ['^> (?:@?[\\w.~-]+(?:/[\\w.~-]+)?@\\d\\S* )?[\\w:.@/-]+(?: (?:/|[A-Z]:\\\\)\\S*)?$', '^> \\S'],
  ['^yarn run v\\d+\\.\\d', '^(?:\\$ |warning (?:package\\.json|@?[^\\s@]+@[^\\s:]+): No license field)'],
]

# Lines with these words are npm's own wherever they stand, so scripts that run npm are cleaned too.
[[rules]]
name = "npm-install"
match = { regex = '^(?:npm|npx|pnpm|yarn|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^npm http (?:fetch |request )?(?:[A-Z]+ )?[23]\\d\\d ',
  '^npm http (?:request|cache) ',
  '^npm (?:timing|sill|silly) \\S+',
  '^npm (?:verb|verbose|info) (?!.*(?:[Ee]rr|ERR|[Ff]ail)).',
  '^npm (?:verb|verbose|sill|silly) (?:audit error|stack) (?: {2,}(?:at |[\\w\\x27-]+: |[{}])|\\}$)',
  '^npm (?:notice|warn|WARN|error|ERR!) ?$',
  '^npm notice (?:New (?:major|minor|patch) version of npm|Changelog: ?<?http|Run \`?npm install -g npm@|To update run: |created a lockfile as )',
  '^npm notice (?:shasum|integrity): ',
  '^npm (?:warn|WARN) \\S+ No (?:description|repository field\\.|license field\\.|README data)$',
  '^npm (?:warn|WARN) old lockfile(?: (?!The package-lock|Could not|.*[Ee]rr).*)?$',
  '^npm (?:warn|WARN) (?:EBADENGINE (?:Unsupported engine \\{|\\})| *node_modules/\\S+|install-scripts(?: Run \`npm .*)?)$',
  '^npm (?:warn|WARN|error|ERR!) +\\d+ more \\(',
  '^npm (?:error|ERR!) (?:A complete log of this run can be found in:|For a full report see:|See \\S+eresolve-report\\.txt for a full report\\.|to accept an incorrect \\(and potentially broken\\)|Clean install a project$|ERESOLVE (?:unable to resolve dependency tree|could not resolve)$|Fix the upstream dependency conflict, or retry$)',
  '^npm (?:error|ERR!) +(?:/|[A-Z]:\\\\)\\S{0,300}(?:_logs[/\\\\]\\S+|-eresolve-report\\.txt)$',
  '^npm (?:error|ERR!) 404(?: ?$| Note that you can also install from a$| tarball, folder, http url, or git url\\.$| You should bug the author to publish it)',
  """^npm (?:error|ERR!) notarget (?:In most cases you or one of your dependencies are requesting|a package version that doesn't exist\\\\.$)""",
  '^npm (?:error|ERR!) (?:This is probably not a problem with npm\\.|To see a list of (?:supported npm commands|scripts), run:$| {2}npm (?:run|help)$|errno -?\\w+$|syscall \\w+$|Exit status \\d+$|command failed$|location (?:/|[A-Z]:\\\\)\\S+$)',
  '^npm (?:error|ERR!) +node_modules/\\S+$',
  '^npm (?:error|ERR!) +at \\S.{0,400}:\\d+:\\d+\\)?,?(?: \\{)?$',
  '^npm (?:error|ERR!) (?: {2}(?:code|errno|syscall|type|requiredBy|address|port): .*|\\})$',
  '^npm (?:error|ERR!) (?:enoent(?: This is related to npm not being able to find a file\\.)?|(?:network )?(?:If you are behind a proxy, please make sure that the|In most cases you are behind a proxy or have bad network settings\\.|This is a problem related to network connectivity\\.).*|.proxy. config is set properly\\. .*) ?$',
  '^npm (?:error|ERR!) (?:gyp|node-pre-gyp|prebuild-install) (?:info|verb|http)\\b',
  '^\\d+ packages? (?:is|are) looking for funding$',
  '^ +run \`(?:npm|yarn|pnpm) fund\` for details$',
  '^To address (?:issues that do not require attention|all issues(?: possible)?(?: \\(including breaking changes\\))?), run:$',
  '^ {2}npm audit fix(?: --force)?$',
  '^(?:Run \`npm audit\` for details\\.|run \`npm audit fix\` to fix them, or \`npm audit\` for details)$',
  '^Some issues need review, and may require choosing$',
  '^a different dependency\\.$',
]
blocks = [
  ['^npm (?:error|ERR!) Usage:$', '^npm (?:error|ERR!)(?: ?$| \\[| npm \\S| Options:$| alias(?:es)?: | {3}-| {5}\\S)', '^npm (?:error|ERR!) Run "npm help '],
]
replace = [
  { pattern = '^(npm (?:error|ERR!) code .*)$', with = '$1' },
  { pattern = '^npm (?:error|ERR!) (?:Fix the upstream dependency conflict, or retry )?this command with (--force,? or --legacy-peer-deps)(?: to accept .*)?$', with = 'Fix the conflict, or retry with $1' },
  { pattern = '^npm (?:error|ERR!) (?:404 |notarget|JSON\\.parse|enoent|network) +(.*)$', with = '$1' },
  { pattern = '^npm (?:error|ERR!) (.*)$', with = '$1' },
  { pattern = '^npm (?:warn|WARN) (deprecated [^\\s:]+: .*(?:[Vv]ulnerab|[Ss]ecurity|malicious|CVE-).*)$', with = '$1' },
  { pattern = '^npm (?:warn|WARN) deprecated ([^\\s:]+): .*$', with = '$1', label = 'deprecated: ' },
  { pattern = '^npm (?:warn|WARN) EBADENGINE +(?:package: )?(.*?),?$', with = '$1', label = 'npm warn EBADENGINE ' },
  { pattern = '^npm (?:warn|WARN) install-scripts +(@?[^\\s@]+@\\S+) .*$', with = '$1', label = ' ' },
  { pattern = '^npm (?:warn|WARN) install-scripts (.*)$', with = '$1' },
  { pattern = '^npm (?:warn|WARN) (While resolving: .*|Found: .*|Could not resolve dependency:|peer .*|Conflicting peer dependency: .*| +.*)$', with = '$1' },
  { pattern = '^(npm (?:warn|WARN) Unknown [\\w-]+ config "[^"]*")\\. .*$', with = '$1' },
  { pattern = '^npm notice (.*)$', with = '$1' },
]

[[rules]]
name = "install-gaps"
match = { regex = '^(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|a|remove|rm|r|uninstall|un|up|update|upgrade|audit|publish|pack|dedupe|prune|link|rebuild)\\b|^yarn(?: -|$)|^(?:pip|uv|uv pip|poetry|pipenv|pdm) (?:install|add|sync|update|lock|remove|uninstall|download|wheel)\\b|^(?:apt|apt-get|conda|gem|bundle|composer) (?:-\\S+ ){0,5}(?:install|update|upgrade|dist-upgrade|remove|purge|autoremove|add|require|create)\\b' }
strategy = { type = "strip_noise", patterns = ['^$'] }

[[rules]]
name = "npm-audit"
match = { regex = '^(?:npm|pnpm) (?:audit|explain|why)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^# npm audit report$', '^ *node_modules/\\S+$']

# A tree says as much with one space for each level.
[[rules]]
name = "npm-ls"
match = { regex = '^(?:npm|pnpm) (?:ls|list|la|ll|why)\\b|^bun pm ls\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^Legend: production dependency, optional only, dev only$', '^\u2502$']
replace = [
  { pattern = '^\u2502   (\\w+ependencies:)$', with = '$1' },
  { pattern = '[\u2502 ] |[\u251C\u2514]\u2500[\u2500\u252C] ', with = ' ' },
]

[[rules]]
name = "outdated"
match = { regex = '^(?:npm|pnpm|yarn|bun) outdated\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
squeeze = true
patterns = [
  '^[\u250C\u251C\u2514|][\u2500\u252C\u253C\u2534\u2510\u2524\u2518|-]+$',
  '^bun outdated v\\d',
  '^info Color legend : *$',
  '^ "<(?:red|yellow|green)>" +: (?:Major|Minor|Patch) Update ',
]
replace = [
  { pattern = '^(Package +Current +Wanted +Latest) +Location +Depended by$', with = '$1  Depended by' },
  { pattern = '^(\\S+ +\\S+ +\\S+ +\\S+) +node_modules/(?:@[^/\\s]+/)?[^/\\s]+ +(\\S.*)$', with = '$1  $2' },
  { pattern = '[\u2502|]', with = ' ' },
  { pattern = '(\\S) +$', with = '$1' },
]

[[rules]]
name = "pnpm"
match = { regex = '^(?:pnpm|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^Progress: resolved \\d+, reused \\d+',
  '^\\++-*$',
  '^Lockfile is up to date, resolution step is skipped$',
  '^Packages are (?:hard linked|copied|cloned) from the content-addressable store to the virtual store\\.$',
  '^ {2}(?:Content-addressable store|Virtual store) is at:',
  '^Downloading \\S+: [\\d.]+ \\w+/[\\d.]+ \\w+(?:, done)?$',
  '^No authorization header was set for the request\\.$',
  '^\\S+ is not in the npm registry, or you have no permission to fetch it\\.$',
  '^Note that in CI environments this setting is true by default\\.',
  '^\\S+ (?:pre|post)?install(?:\\$ .*|: Done)$',
]
replace = [
  { pattern = '^ WARN  deprecated ([^\\s:]+)(?:: .*)?$', with = '$1', label = 'deprecated: ' },
  { pattern = '^([+-] \\S+ \\S+) \\(\\S+ is available\\)$', with = '$1' },
]

# Notices in a frame.
[[rules]]
name = "pnpm-box"
match = { regex = '^pnpm (?:i|install|add|up|update|upgrade|remove|rm|dlx|self-update|import|fetch|rebuild|link|prune|dedupe)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^ *\u2502 +(?:Update available! |Changelog: http|Run "(?:pnpm (?:add -g|self-update)|corepack )|Follow @pnpm).*\u2502$',
  '^ *[\u256D\u2570]\u2500+[\u256E\u256F]$',
  '^ *\u2502 +\u2502$',
  '^\u2502 +(?:Run "pnpm approve-builds" to pick which dependencies should be allowed|to run scripts\\.) +\u2502$',
]
replace = [
  { pattern = '^\u2502 +(\\S(?:.*\\S)?) +\u2502$', with = '$1' },
  { pattern = '^\u256D (\\w+) \u2500+\u256E$', with = '$1' },
]

[[rules]]
name = "yarn"
match = { regex = '^(?:yarn|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^\u27A4 YN0000: (?:\u250C |\u2514 Completed|\xB7 Yarn \\d|\u2502 *$)',
  """^\u27A4 YN0013: \u2502 \\\\S+ can't be found in the cache and will be fetched from """,
  '^\u27A4 YN0019: \u2502 \\S+ appears to be unused - removing$',
  '^\u27A4 YN000[78]: \u2502 .* must be (?:re)?built because ',
  '^\u27A4 YN(?:0000|0086): \u2502 Some peer dependencies are incorrectly met',
  '^\u27A4 YN0000: \u2502 {3,}(?:checksum|languageName|linkType|resolution|version|dependencies|dependenciesMeta|peerDependencies|peerDependenciesMeta|bin|conditions): ?',
  '^\u27A4 YN0000: \u2502 {5,}[@\\w"/.-]+: "?\\S+"?$',
  '^\u27A4 YN0035: {3}Request Method: GET$',
  '^\u27A4 Errors happened when preparing the environment required to run this command\\.$',
  '^yarn (?:install|add|remove|upgrade|list|outdated|audit|why|init|global|link|publish|check|workspaces?) v\\d+\\.\\d',
  '^\\[\\d/\\d\\] (?:\u{1F50D} +|\u{1F69A} +|\u{1F517} +|\u{1F528} +|\u{1F4C3} +)?(?:Resolving packages|Fetching packages|Linking dependencies|Building fresh packages|Rebuilding all packages|Validating package\\.json|Removing module \\S+|Regenerating lockfile and installing missing dependencies|Cleaning modules)\\.\\.\\.$',
  '^info (?:No lockfile found\\.|Visit https://yarnpkg\\.com/\\S+ for documentation about this command\\.)$',
  '^warning (?:package\\.json|@?[^\\s@]+@[^\\s:]+|\\.\\.[/\\\\]\\S*package\\.json): No license field$',
  '^success Saved lockfile\\.$',
  '^info (?:@?[^\\s@]+@[^\\s:]+: The (?:platform|CPU architecture) "[^"]*" is incompatible with this module\\.|"[^\\s"]+" is an optional dependency and failed compatibility check\\. Excluding it from installation\\.)$',
]
blocks = [['^ +at .*/yarn(?:-[\\d.]+)?\\.c?js:\\d+:\\d+\\)?$', '^ +at .*node:internal/']]
replace = [
  { pattern = '^\u27A4 YN0061: \u2502 (\\S+) is deprecated: .*$', with = '$1', label = 'deprecated: ' },
  { pattern = '^\u27A4 YN0000: (?:[\u2502\xB7\u2514] )?(.*)$', with = '$1' },
  { pattern = '^\u27A4 (YN\\d{4}): (?:[\u2502\xB7] ?)?(.*)$', with = '$1 $2' },
]

# yarn 1 draws with three places for each level.
[[rules]]
name = "yarn-list"
match = { regex = '^yarn (?:list|add|why|upgrade)\\b' }
[rules.strategy]
type = "strip_noise"
patterns = []
replace = [{ pattern = '[\u2502 ]  |[\u251C\u2514]\u2500 ', with = ' ' }]

[[rules]]
name = "bun"
match = { regex = '^bun (?:install|i|add|a|remove|rm|update|ci)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^bun (?:install|add|remove|update|ci) v\\d',
  '^Resolving dependencies$',
  '^Resolved, downloaded and extracted \\[\\d+\\]$',
  '^(?:Saved lockfile|Checked \\d+ installs? across \\d+ packages? \\(no changes\\) \\[.*\\])$',
]
replace = [{ pattern = '^(\\+ \\S+) \\(v\\S+ available\\)$', with = '$1' }]

[[rules]]
name = "pip-install"
match = { regex = '^(?:pip|pipx|pipenv|tox|nox|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:Looking in (?:links|indexes): |Using pip [\\d.]+ from )',
  '^INFO: pip is looking at multiple versions of .* This could take a while\\.$',
  '^ +Removing file or directory /',
  """^(?:To fix this you could try to:|1\\\\. loosen the range of package versions you've specified|2\\\\. remove package versions to allow pip(?: to)? attempt to solve the dependency conflict)$""",
  '^ *Collecting \\S',
  '^ *Obtaining (?:dependency information for )?\\S+(?: .*)?$',
  '^ *(?:Downloading|Using cached) (?:https?://|file:/|\\S+\\.(?:whl|tar\\.gz|zip|metadata))',
  '^ {0,12}(?:\\|[\u2588\u2589\u258A\u258B\u258C\u258D\u258E\u258F \u2593\u2591]{8,}\\||[\u2588\u2589\u258A\u258B\u258C\u258D\u258E\u258F\u2593\u2591]{8}|[\u2501\u2578\u257A]{3})',
  '^ *Requirement already satisfied: .* \\(from ',
  '^ *(?:Preparing metadata|Installing build dependencies|Installing backend dependencies|Getting requirements to build (?:wheel|editable)|Checking if build backend supports build_editable|Building (?:wheel|editable) for \\S+|Running setup\\.py (?:install|bdist_wheel) for \\S+)(?: \\([\\w. ]+\\))?: (?:started|still running\\.\\.\\.|finished with status .done.|\\.+ done)$',
  '^ *(?:Preparing metadata|Installing build dependencies|Getting requirements to build wheel|Building wheel for \\S+)(?: \\([\\w. ]+\\))? \\.\\.\\. (?:[-\\\\|/]|done)$',
  '^ *(?:Created wheel for|Stored in directory:|Building wheels for collected packages:|Installing collected packages:|Attempting uninstall:|Uninstalling \\S+:$)',
  '^ *Found existing installation: ',
  '^(?:\\[notice\\]|WARNING: You are using pip version|You should consider upgrading via the )',
  """^WARNING: Running pip as the 'root' user can result in broken permissions""",
  '^ *note: This (?:error originates from a subprocess, and is likely not a problem with pip|is an issue with the package mentioned above, (?:and is likely )?not (?:a problem with )?pip)\\.$',
  '^(?:hint: See above for details\\.|\u2570\u2500> See above for output\\.)$',
  '^ +(?:\u2570\u2500> )?\\[(?:\\d+ lines of output|end of output)\\]$',
]
replace = [
  { pattern = '^ *Successfully uninstalled (\\S+)$', with = '$1', label = 'Successfully uninstalled ' },
  { pattern = '^(Requirement already satisfied: \\S+) in \\S+ (\\(.*\\))$', with = '$1 $2' },
  { pattern = """^WARNING: Retrying \\\\(Retry\\\\(.*\\\\)\\\\) after connection broken by '(\\\\w+)\\\\(.*: ([^:]*)'\\\\)': (\\\\S+)$""", with = 'WARNING: Retrying after $1: $2: $3' },
]

# What a package's own build printed before it broke.
[[rules]]
name = "pip-build"
match = { regex = '^(?:pip|pipx) ' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^ {6,}(?:running \\w+$|(?:writing|creating|reading manifest|copying|adding|hard linking|removing|byte-compiling) \\S)']
blocks = [
  ['^ *File ".*(?:/pip/_vendor/|/pip/_internal/|/pip-build-env-|/setuptools/)[^"]*", line \\d+, in ', '^ {10,}(?!File "|\\w*(?:Error|Exception)\\b)\\S'],
]

[[rules]]
name = "python-projects"
match = { regex = '^(?:uv|poetry|pipenv|pdm|rye) (?!run\\b)' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^ *(?:Downloading|Downloaded|Building|Built|Updating|Updated|Preparing packages)(?: \\S+)?(?: \\([\\d.]+ ?[KMG]?i?B\\))?(?:\\.\\.\\.(?: \\(\\d+/\\d+\\))?)?$',
  '^(?:Resolving dependencies\\.\\.\\.(?: \\([\\d.]+s\\))?|Updating dependencies|Writing lock file|Installing dependencies from (?:lock file|Pipfile\\.lock \\(\\w+\\)(?:\\.\\.\\.|\u2026))|Courtesy Notice:|All dependencies are now up-to-date!)$',
  '^ +[-\u2022] (?:Installing|Updating|Downgrading|Removing) \\S+ \\(.*\\): (?:Pending|Downloading|Installing|Preparing|Unpacking|Creating)\\.\\.\\.(?: *\\d+%)?$',
]
replace = [
  { pattern = '^ +[-\u2022] (Installing|Updating|Downgrading|Removing) (\\S+) \\((.*)\\)$', with = '$1 $2 $3', label = ' ' },
]

[[rules]]
name = "conda"
match = { regex = '^(?:conda|mamba|micromamba)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:Collecting package metadata|Retrieving notices|Solving environment|Preparing transaction|Verifying transaction|Executing transaction|Loading channels|Looking for: )(?: ?\\([\\w.]+\\))?:? ?(?:\\.\\.\\.working\\.\\.\\.|[-\\\\|/ ])* ?(?:done)?$',
  '^## Package Plan ##$',
  '^Downloading and Extracting Packages:?(?: ?\\.\\.\\.working\\.\\.\\. ?(?:done)?)?$',
  '^\\S+ +\\| +[\\d.]+ [KMG]?B +\\| .*\\d%',
  '^ {4}(?:package +\\| +build|-{5,}\\|-{5,}|-{10,})$',
  '^ {4}\\S+ +\\| +\\S+ +[\\d.]+ [KMG]?B(?: +\\S+)?$',
  '^# (?:To (?:activate|deactivate) this environment, use)?$',
  '^#$',
  '^ *\\.\\.\\.working\\.\\.\\. done$',
]
replace = [{ pattern = '^ {6,}(Total:) +(.*)$', with = '  $1 $2' }]

[[rules]]
name = "apt"
match = { regex = '^(?:apt|apt-get|aptitude|dpkg|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:Reading package lists|Building dependency tree|Reading state information|Calculating upgrade|Building data structures)\\.\\.\\.(?: ?(?:\\d+%|Done))?$',
  '^(?:Get|Hit|Ign):\\d+ \\S+ ',
  '^WARNING: apt does not have a stable CLI interface\\. Use with caution in scripts\\.$',
  '^(?:Need to get [\\d.,]+ ?[kMG]?B(?:/[\\d.,]+ ?[kMG]?B)? of archives|After this operation, [\\d.,]+ ?[kMG]?B (?:of additional disk space will be used|disk space will be freed))\\.$',
  '^Selecting previously (?:un|de)selected package \\S+$',
  '^\\(Reading database \\.\\.\\.',
  '^Preparing to (?:unpack|replace) \\S+ .*\\.\\.\\.$',
  '^Unpacking (?:replacement )?\\S+ (?:\\(.*\\) )?\\.\\.\\.$',
  '^Processing triggers for \\S+ (?:\\(.*\\) )?\\.\\.\\.$',
  '^debconf: (?:delaying package configuration, since apt-utils is not installed|unable to initialize frontend: |falling back to frontend: |\\(.*\\))',
  '^update-alternatives: using \\S+ to provide \\S+ ',
  '^Extracting templates from packages: \\d+%$',
  '^Progress: \\[ *\\d+%\\]',
  '^Conf \\S+ \\(\\S+ .*\\)$',
]
blocks = [
  ['^(?:Suggested|Recommended) packages:$', '^ {2}[a-z0-9]'],
  ['^The following packages? (?:was|were) automatically installed and (?:is|are) no longer required:$', '^ {2}[a-z0-9]', '^Use .*apt(?:-get)? autoremove. to remove (?:it|them)\\.$'],
]
replace = [
  { pattern = '^Setting up (\\S+) \\((.*)\\) \\.\\.\\.$', with = '$1 $2', label = 'Setting up ' },
  { pattern = '^Removing (\\S+) \\((.*)\\) \\.\\.\\.$', with = '$1 $2', label = 'Removing ' },
  { pattern = '^Inst (\\S+) ([^(]*)\\(([^\\s)]+) [^\\[]*\\[\\w+\\]\\)(?: \\[.*\\])?$', with = '$1 $2$3', label = 'Inst ' },
  { pattern = '^(Fetched [\\d.,]+ ?[kMG]?B) in \\d.*/s\\)$', with = '$1' },
]

[[rules]]
name = "system-packages"
match = { regex = '^(?:apk|dnf|yum|microdnf|pacman|zypper|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^fetch https?://\\S+APKINDEX\\.tar\\.gz$',
  '^Executing \\S+\\.(?:trigger|post-install|pre-install)$',
  '^(?:Last metadata expiration check: .*|Downloading Packages:|Running transaction(?: check| test)?|Transaction (?:check|test) succeeded\\.|Dependencies resolved\\.|Preparing packages?\\.\\.\\.)$',
  '^\\(\\d+/\\d+\\): \\S+\\.rpm +[\\d.]+ [kMG]?B/s \\| +[\\d.]+ [kMG]?B +[\\d:]+ *$',
  '^ +(?:Preparing|Installing|Upgrading|Verifying|Cleanup|Running scriptlet) *: .* \\d+/\\d+ *$',
  '^(?: \\S+)? ?(?:checking keyring|checking package integrity|loading package files|checking for file conflicts|checking available disk space|downloading)\\.\\.\\.$',
]
replace = [{ pattern = '^\\(\\d+/\\d+\\) ([Ii]nstalling|[Uu]pgrading|[Pp]urging|[Rr]emoving) (\\S+)(?: \\((.*)\\))?(?:\\.\\.\\.)?$', with = '$1 $2 $3', label = ' ' }]

[[rules]]
name = "brew"
match = { regex = '^brew\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^$',
  '^==> (?:Downloading|Fetching|Pouring|Verifying checksum|Auto-updating Homebrew|Caveats$|Summary$|Running \`brew cleanup |Installing \\S+ dependency: |Fetching dependencies for |Moving |Linking |Patching$|Purging files)',
  '^==> (?:Installing )?[a-z0-9][\\w@.+/-]*$',
  '^[#=O -]{10,}\\d[\\d.]*%$',
  '^(?:Already downloaded: |Adjust (?:how often this is run|this behaviou?r) (?:with|by)|Hide these hints with |Disable this behaviou?r by setting |\`?\\$?HOMEBREW_NO_\\w+=1)',
  '^(?:If you need to have \\S+ first in your PATH,? run:|For (?:compilers|pkg-config|pkgconf|cmake) to find \\S+ you may need to set:|(?:Bash|Zsh|zsh|fish) (?:completions?|functions?) has(?:ve)? been installed to:|(?:Bash|[Zz]sh|[Ff]ish) completions? ha(?:s|ve) been installed to:)$',
  '^ {2}(?:echo .export PATH=|export (?:LDFLAGS|CPPFLAGS|PKG_CONFIG_PATH|CMAKE_PREFIX_PATH)=|set -gx |fish_add_path |\\S*/(?:bash_completion\\.d|site-functions|vendor_completions\\.d)$)',
  '^because (?:macOS|some formulae|this is an alternate version|it (?:shadows|conflicts with) |Apple|\\S+ is (?:shadowed|provided)|installing )',
  '^Warning: Treating \\S+ as a formula\\. For the cask, use ',
  '^(?:Pruned \\d+ symbolic links|Updated \\d+ taps? \\()',
]
replace = [
  { pattern = '^(\\S+) is keg-only, which means it was not symlinked into \\S+$', with = '$1', label = 'keg-only: ' },
]

[[rules]]
name = "cargo-packages"
match = { regex = '^cargo (?:install|fetch|update|add|remove|vendor|generate-lockfile|search|publish|package|binstall)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^ *(?:Updating (?:\\S+ index|git repository .*)|Downloading crates \\.\\.\\.|Downloading \\d+ crates?|Downloaded \\S+ v\\S+(?: \\(.*\\))?|Blocking waiting for file lock on .*)$',
  '^ *(?:Compiling|Checking|Vendoring|Unpacking|Verifying|Packaging) \\S+ v\\S+(?: \\(.*\\))?$',
  '^note: pass \`--verbose\` to see \\d+ unchanged dependencies ',
  '^To use vendored sources, add this to your \\.cargo/config\\.toml',
]
replace = [
  { pattern = '^ +(Adding|Updating|Removing|Downgrading) (\\S+ v\\S+(?: -> v\\S+)?)(?: \\(.*\\))?$', with = '$1 $2', label = ' ' },
]

[[rules]]
name = "cargo-tree"
match = { regex = '^(?:cargo tree|uv tree|poetry show .*--tree|composer show .*--tree|pipdeptree)\\b' }
[rules.strategy]
type = "strip_noise"
patterns = []
replace = [{ pattern = '[\u2502|]   |    |[\u251C\u2514|\`]\u2500\u2500? |[|\`]-- ', with = ' ' }]

[[rules]]
name = "gems"
match = { regex = '^(?:gem|bundle|bundler)\\b(?! exec)' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^Fetching (?:gem metadata from |version metadata from |dependency metadata from |\\S+ [\\d.]\\S*(?: \\(.*\\))?$|\\S+\\.gem$|: ?$)',
  '^Resolving dependencies\\.*$',
  '^Using \\S+ [\\d.]\\S*(?: from .*| \\(.*\\))?$',
  '^(?:Parsing|Installing ri|Installing rdoc) documentation for \\S+$',
  '^Done installing documentation for .* after \\d+ seconds?$',
  '^Use \`bundle info \\[gemname\\]\` to see where a bundled gem is installed\\.$',
  '^\\d+ installed gems? you directly depend on (?:is|are) looking for funding\\.$',
  '^ {2}Run \`bundle fund\` for details$',
  '^Building native extensions\\. This could take a while\\.\\.\\.$',
]
replace = [
  { pattern = '^Installing (\\S+ [\\d.]\\S*)(?: with native extensions| \\(.*\\))?$', with = '$1', label = 'Installing ' },
]

[[rules]]
name = "composer"
match = { regex = '^composer\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:Loading composer repositories with package information|(?:Running composer (?:update|install|require)|Updating dependencies|Installing dependencies from lock file|Installing dependencies)(?: \\(including require-dev\\)| .*)?|Writing lock file|Verifying lock file contents can be installed on current platform\\.|Generating (?:optimized )?autoload files|Info from https://repo\\.packagist\\.org: .*)$',
  '^ {2}- (?:Locking|Downloading) \\S+ \\(.*\\)$',
  '^ +\\d+/\\d+ \\[[=>-]+\\] +\\d+%$',
  '^\\d+ packages? you are using (?:is|are) looking for funding\\.$',
  '^Use the \`composer fund\` command to find out more!$',
  '^\\d+ package suggestions were added by new dependencies, use \`composer suggest\` to see details\\.$',
  '^\\S+ suggests installing ',
]
replace = [
  { pattern = '^ {2}- (Installing|Upgrading|Downgrading|Removing) (\\S+) \\(([^)]*)\\)(?:: Extracting archive|: Loading from cache)?$', with = '$1 $2 $3', label = ' ' },
]

[[rules]]
name = "go-modules"
match = { regex = '^go\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = ['^go: (?:downloading|finding|extracting) \\S+ \\S+$', '^go: finding module for package \\S+$']

# Maven's and Gradle's downloads; what they build and test is for other rules.
[[rules]]
name = "java-downloads"
match = { regex = '^(?:mvn|gradle|sbt|ant|docker (?:build|buildx|compose)|make|just|task|\\./\\S+|(?:ba|z)?sh)\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^(?:\\[INFO\\] )?(?:Downloading|Downloaded)(?: from \\S+)?: ?https?://\\S+(?: \\(.*\\))?$',
  '^Progress \\(\\d+\\): ',
  '^\\d+/\\d+ [KM]?B(?: +\\d+/\\d+ [KM]?B)* *$',
  '^Download(?:ing)? https?://\\S+(?: *\\.*)$',
  '^(?:\\.{1,200}\\d{1,3}%){1,20}\\.*$',
  '^Starting a Gradle Daemon(?: \\(subsequent builds will be faster\\)|, .*)$',
  '^(?:Welcome to Gradle \\S+!|To honour the JVM settings for this build a single-use Daemon process will be forked\\..*|Daemon will be stopped at the end of the build ?)$',
]

[[rules]]
name = "maven-tree"
match = { regex = '^(?:mvn|gradle) .*(?:dependency:tree|dependencies)\\b' }
[rules.strategy]
type = "strip_noise"
patterns = ['^\\[INFO\\] ?$', '^\\[INFO\\] -+(?:< .* >-+|\\[ \\w+ \\]-+)?$', '^\\[INFO\\] Scanning for projects\\.\\.\\.$']
replace = [
  { pattern = '^\\[INFO\\] (.*)$', with = '$1' },
]

[[rules]]
name = "dotnet-restore"
match = { regex = '^dotnet\\b' }
[rules.strategy]
type = "strip_noise"
harmless = true
patterns = [
  '^ *Determining projects to restore\\.\\.\\.$',
  '^ *All projects are up-to-date for restore\\.$',
  '^ *(?:GET|OK|NotModified|CACHE) https?://\\S+(?: \\d+ms)?$',
  '^ *(?:Installing|Installed) \\S+ [\\d.]\\S*(?: from \\S+.*)?\\.$',
  '^(?:Welcome to \\.NET \\S+!|Telemetry|SDK Version: \\S+|Installed an ASP\\.NET Core HTTPS development certificate\\.|Learn about HTTPS: \\S+|Write your first app: \\S+|Find out what.s new: \\S+|Explore documentation: \\S+|Report issues and find source on GitHub: \\S+|Use .dotnet --help. to see available commands or visit: \\S+|To trust the certificate, .*)$',
]
` },
  { file: "tests.toml", text: `# Test runners. What the command tells is only who is to be expected: all of them are known by their lines, too.

[[rules]]
name = "cargo-nextest"
match = { regex = '^cargo nextest\\b' }
strategy = { type = "test_summary", runners = ["nextest"] }

[[rules]]
name = "cargo-test"
match = { regex = '^cargo (?:test|t|llvm-cov|tarpaulin|miri)\\b' }
strategy = { type = "test_summary", runners = ["cargo"] }

[[rules]]
name = "pytest"
match = { regex = '^(?:pytest|py\\.test|tox|nox)\\b' }
strategy = { type = "test_summary", runners = ["pytest"] }

[[rules]]
name = "unittest"
match = { regex = '^unittest\\b|\\bmanage\\.py test\\b|^(?:trial|nose2|stestr)\\b' }
strategy = { type = "test_summary", runners = ["unittest"] }

[[rules]]
name = "go-test"
match = { regex = '^(?:go test|gotestsum)\\b' }
strategy = { type = "test_summary", runners = ["go"] }

[[rules]]
name = "jest"
match = { regex = '^(?:jest|react-scripts test)\\b' }
strategy = { type = "test_summary", runners = ["jest"] }

[[rules]]
name = "vitest"
match = { regex = '^vitest\\b' }
strategy = { type = "test_summary", runners = ["vitest"] }

[[rules]]
name = "mocha"
match = { regex = '^(?:(?:nyc|c8) (?:-\\S+ )*)?(?:mocha|cypress run)\\b' }
strategy = { type = "test_summary", runners = ["mocha"] }

[[rules]]
name = "node-test"
match = { regex = '^(?:node|tsx) (?:\\S+ )*--test(?: |$)' }
strategy = { type = "test_summary", runners = ["node", "tap"] }

[[rules]]
name = "tap"
match = { regex = '^(?:tap|bats|prove)\\b' }
strategy = { type = "test_summary", runners = ["tap"] }

[[rules]]
name = "playwright"
match = { regex = '^playwright test\\b' }
strategy = { type = "test_summary", runners = ["playwright"] }

[[rules]]
name = "bun-test"
match = { regex = '^bun test\\b' }
strategy = { type = "test_summary", runners = ["bun"] }

[[rules]]
name = "deno-test"
match = { regex = '^deno test\\b' }
strategy = { type = "test_summary", runners = ["deno"] }

[[rules]]
name = "rspec"
match = { regex = '^rspec\\b' }
strategy = { type = "test_summary", runners = ["rspec"] }

[[rules]]
name = "minitest"
match = { regex = '^(?:ruby \\S*test\\S*\\.rb|rails test|rake test)\\b' }
strategy = { type = "test_summary", runners = ["minitest"] }

[[rules]]
name = "phpunit"
match = { regex = '^(?:php \\S*)?(?:phpunit|paratest)\\b' }
strategy = { type = "test_summary", runners = ["phpunit"] }

[[rules]]
name = "ctest"
match = { regex = '^ctest\\b' }
strategy = { type = "test_summary", runners = ["ctest", "gtest"] }

[[rules]]
name = "maven-tests"
match = { regex = '^mvn\\b.*\\b(?:test|verify|package|install|deploy)\\b' }
strategy = { type = "test_summary", runners = ["surefire"] }

[[rules]]
name = "gradle-tests"
match = { regex = '^gradle\\b.*\\b(?:test\\w*|\\w+Test|check|build)\\b' }
strategy = { type = "test_summary", runners = ["gradle"] }

[[rules]]
name = "dotnet-test"
match = { regex = '^dotnet (?:test|vstest)\\b' }
strategy = { type = "test_summary", runners = ["dotnet"] }

[[rules]]
name = "xctest"
match = { regex = '^(?:swift test|xcodebuild)\\b' }
strategy = { type = "test_summary", runners = ["xctest"] }

# npm test, make check, ./ci.sh: whatever they run, it is known by sums and results of the same runner. What someone searches for, or wrote
# into a commit, is no run.
[[rules]]
name = "any-tests"
match = { regex = '^(?!.*(?:(?<![-\\w])(?:[efz]?grep|rg|ag|ack)|\\bgit (?:\\S+ ){0,4}(?:diff|log|show|grep|blame|stash|notes))(?: |$)).' }
strategy = { type = "test_summary" }
` },
  { file: "zz-any.toml", text: `# What any command may print. These come last, after the rules that know the command.

[[rules]]
name = "any-progress"
match = { regex = '.' }
strategy = { type = "dedup", of = "progress" }

[[rules]]
name = "any-trace"
match = { regex = '.' }
strategy = { type = "dedup", of = "traces" }

[[rules]]
name = "any-log"
match = { regex = '.' }
strategy = { type = "dedup", of = "log" }

[[rules]]
name = "any-repeats"
match = { regex = '.' }
strategy = { type = "dedup", of = "lines" }
` }
];

// src/filters/patterns.ts
import { RE2JS } from "re2js";
var MAX_PATTERN = 512;
function trustedPattern(pattern3) {
  const expression = new RegExp(pattern3);
  return (line) => expression.test(line);
}
function untrustedPattern(pattern3) {
  if (pattern3.length > MAX_PATTERN) throw new Error(`the pattern is longer than ${MAX_PATTERN} characters`);
  const expression = RE2JS.compile(pattern3);
  return (line) => expression.matcher(line.length > MAX_LOOKED_AT ? line.slice(0, MAX_LOOKED_AT) : line).find();
}
var MAX_LOOKED_AT = 2e4;

// src/filters/rule.ts
import * as z11 from "zod";

// src/filters/strategies/dedup.ts
import * as z2 from "zod";

// src/filters/strategy.ts
var defineStrategy = (strategy) => strategy;

// src/filters/text/columns.ts
var DRAWN = /\\_|[├└│]|^\s*[|`]-/;
var squeezed = (lines) => lines.map((line) => {
  const text = DRAWN.test(line.text) ? line.text : line.text.trim().replace(/[ \t]{2,}|\t/g, " ");
  return text === line.text ? line : standFor(text, [line]);
});

// src/filters/text/counters.ts
var FEWEST = 20;
var SHARE2 = 0.8;
var REPEATS = 3;
var GLANCE = 100;
var PLACES = [/(?<=^|[\s[(#])\d+(?=$|[\s\]),:;])/, /(?<=^|[\s[(#])\d+(?=[\]),:;.]?$)/];
var SENTENCE = new RegExp("\\p{L}\\S*\\s|\\s\\S*\\p{L}", "u");
function withoutCounters(lines) {
  const place = PLACES.find((counter) => saysTheSame(lines, counter) && isCounting(lines, counter));
  if (!place || hasGap(lines, place)) return null;
  const keys = lines.map(({ text }) => text.replace(place, "\0"));
  const groups = /* @__PURE__ */ new Map();
  for (const [at, key] of keys.entries()) {
    const group = groups.get(key);
    if (group) group.push(lines[at]);
    else groups.set(key, [lines[at]]);
  }
  return lines.flatMap((line, at) => {
    const group = groups.get(keys[at]);
    if (group.length < REPEATS || line.errors > 0 || keys[at] === line.text || !SENTENCE.test(line.text)) return [line];
    if (line !== group[0]) return [];
    const last2 = place.exec(group.at(-1).text)[0];
    return [standFor(`${line.text.trimEnd()} (\xD7${group.length} until ${last2})`, [line])];
  });
}
var saysTheSame = (lines, place) => new Set(lines.slice(0, GLANCE).map(({ text }) => text.replace(place, "\0"))).size <= GLANCE / 2;
function hasGap(lines, place) {
  let before2 = Number.NaN;
  let others = 0;
  return lines.some((line) => {
    const number = numberIn(line, place);
    if (!(number > before2 ? number - before2 <= FEWEST : number < FEWEST)) {
      others++;
      if (Number.isNaN(before2)) before2 = number;
      return false;
    }
    const missing = number - before2 - 1;
    const hidden2 = missing > others;
    before2 = number;
    others = 0;
    return hidden2;
  });
}
var numberIn = ({ text }, place) => Number(place.exec(text)?.[0] ?? Number.NaN);
function isCounting(lines, counter) {
  if (lines.length < FEWEST) return false;
  let steps = 0;
  let before2 = Number.NaN;
  for (const [at, { text }] of lines.entries()) {
    if (at === GLANCE && steps < GLANCE / 2) return false;
    const found = text.length < 1e3 ? counter.exec(text) : null;
    const number = found ? Number(found[0]) : Number.NaN;
    if (number === before2 + 1) steps++;
    before2 = number;
  }
  return steps >= lines.length * SHARE2;
}

// src/filters/text/names.ts
var joined = (names2) => names2.map(quoted).join(" ");
var quoted = (name) => /[\s"']|:$|^…/.test(name) || name === "" ? JSON.stringify(name) : name;

// src/filters/text/listing.ts
var DATE = [
  String.raw`[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5}`,
  String.raw`\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?(?: [+-]\d{4})?)?)?`,
  String.raw`\d\d-\d\d \d\d:\d\d`,
  String.raw`\d{1,2} [A-Z][a-z]{2} [\d:]{4,5}`
].join("|");
var ROW = new RegExp(
  String.raw`^([bcdlps-][rwxsStT-]{9})[.+@]?\s+\d+\s+(\S+(?: +\S*[^\s\d.,KMGTP]\S*)?)\s+([\d.]+[KMGTP]?|\d+, +\d+)\s+(${DATE})\s(\S.*)$`
);
var SECTION = /^\S.*:$/;
var FEWEST2 = 3;
function shortRows(lines) {
  const rows = lines.map(rowOf);
  const found = rows.filter((row) => row !== null).filter(({ name }) => !isDots(name));
  if (found.length < FEWEST2) return null;
  const usual = usualOf(found);
  const said2 = Object.values(usual).filter((value) => value !== "");
  const shown = said2.length > 0 ? [heading(`(${said2.join(", ")} unless said)`)] : [];
  for (const [at, line] of lines.entries()) {
    const row = rows[at];
    if (row && !isDots(row.name)) shown.push(standFor(shortRow(row, usual), [line]));
    else if (!row && line.text !== "" && !/^total \d/.test(line.text)) shown.push(line);
  }
  return shown;
}
var isDots = (name) => name === "." || name === "..";
var isFolder = ({ mode }) => mode.startsWith("d");
function rowOf(line) {
  const [, mode, owner, size, date, name] = ROW.exec(line.text) ?? [];
  if (!mode || !owner || !size || !date || !name) return null;
  return { line, mode, owner: owner.replace(/ +/, ":"), size: size.replace(/ +/g, ""), date: date.replace(/ +/g, " "), name };
}
function usualOf(rows) {
  const folders2 = rows.filter(isFolder);
  const files = rows.filter((row) => !isFolder(row));
  return {
    file: commonest(files.map(({ mode }) => mode)),
    folder: commonest(folders2.map(({ mode }) => mode)),
    owner: commonest(rows.map(({ owner }) => owner)),
    date: commonest(rows.map(({ date }) => date))
  };
}
function commonest(values) {
  const counts2 = /* @__PURE__ */ new Map();
  for (const value2 of values) counts2.set(value2, (counts2.get(value2) ?? 0) + 1);
  const [value, count2] = [...counts2].reduce((most, next) => next[1] > most[1] ? next : most, ["", 0]);
  return count2 > 1 && count2 >= values.length / 3 ? value : "";
}
function shortRow(row, usual) {
  const { mode, owner, size, date, name } = row;
  const unusual = [
    isFolder(row) ? "" : size,
    mode === (isFolder(row) ? usual.folder : usual.file) ? "" : mode,
    owner === usual.owner ? "" : owner,
    date === usual.date ? "" : date
  ];
  return [...unusual.filter((part2) => part2 !== ""), isFolder(row) ? `${quoted(name)}/` : name.includes(" -> ") ? name : quoted(name)].join(
    " "
  );
}
var WIDTH = 100;
function namesSideBySide(lines) {
  const shown = [];
  let names2 = [];
  const end = () => {
    if (names2.length > 0) shown.push(standFor(joined(names2.map(({ text }) => text)), names2));
    names2 = [];
  };
  for (const [at, line] of lines.entries()) {
    const begins2 = SECTION.test(line.text) && (at === 0 || lines[at - 1].text === "");
    if (begins2 || line.text === "" || isMessage(line)) end();
    if (begins2 || isMessage(line)) shown.push(line);
    else if (line.text !== "") names2.push(line);
    if (names2.reduce((width, { text }) => width + text.length + 1, 0) > WIDTH) end();
  }
  end();
  return shown;
}
var isMessage = ({ text, errors }) => errors > 0 && /^\w+: /.test(text);

// src/filters/text/template.ts
var GAP2 = "\0";
var ADDED = "";
var VARYING = /\b[a-f\d][\da-f]{5,}(?:-[\da-f]{4,12}){0,4}\b|\b[A-F\d][\dA-F]{7,}\b|\d\w*(?:\.\d\w*)*/g;
var DATES = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?=,? [JFMASOND])|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?=[ /]+\0)/g;
var MAY_BE_DATE = /^.{0,40}?[JFMASOND][a-z]{2}[ /]/;
var TELLING = /(?:" |\b(?:code|status|exit|errno|signal|rc|error)[ =:]{1,2})\d{1,3}\b/;
var METHOD = "(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)";
var FAILED_REQUEST = new RegExp(
  [
    String.raw`(?:\b${METHOD} \S{1,2000}|(?<![^\s"'])https?://[^\s"']{1,2000}["']?)(?: HTTP/[\d.]{1,3}"?)? (?:(?:->|=>|→|-|\|) )?([45]\d\d)(?![\w.:/%-])(?! ?(?:[mµn]?s|[kMG]?i?B|bytes)\b)`,
    String.raw`(?<!\S)/\S{0,2000} ([45]\d\d)(?= (?:in )?\d{1,9}(?:\.\d{1,9})? ?[mµn]?s\b)`
  ].join("|")
);
var FAILED = `${ADDED}failed `;
var isOfFailedRequest = (template) => template.includes(FAILED);
function templateOf(text) {
  const gapped = text.replace(VARYING, GAP2);
  const unsigned = gapped.includes("_-") ? gapped.replaceAll(`_-${GAP2}`, `_${GAP2}`) : gapped;
  const template = MAY_BE_DATE.test(unsigned) ? unsigned.replace(DATES, GAP2) : unsigned;
  const telling = TELLING.exec(text);
  const failed = FAILED_REQUEST.exec(text);
  const added = telling ? `${ADDED}${telling[0]}` : "";
  return failed ? `${template}${added}${FAILED}${failed[1] ?? failed[2]}` : `${template}${added}`;
}
var BETWEEN = String.raw`\s"'()[\]{}<>,;=|`;
var FIELD_WITH_DIGIT = new RegExp(String.raw`(?<![^${BETWEEN}])[^${BETWEEN}\d]*\d[^${BETWEEN}]*`, "g");
var SEPARATORS = new RegExp(`([${BETWEEN}]+)`);
var numbersOf = (text) => text.match(FIELD_WITH_DIGIT) ?? [];
var fieldsOf = (text) => text.split(SEPARATORS);
function templateFields(template) {
  const end = template.indexOf(ADDED);
  return end === -1 ? { fields: fieldsOf(template), added: "" } : { fields: fieldsOf(template.slice(0, end)), added: template.slice(end) };
}
var isConstant = (field) => !field.includes(GAP2);
var UUIDS = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
var withoutUuids = (text) => text.includes("-") ? text.replace(UUIDS, GAP2) : text;

// src/filters/text/alike.ts
var WILD = "";
var KNOWN = 20;
var NAMES = 4;
var PLAIN_WORDS = 8;
var PLAIN_WORD = /^[a-z]+$|^[A-Z][a-z]+$|^[A-Z]+$/;
var ENOUGH_LINES = { good: 12, bad: 21 };
var MOST_FIELDS = 40;
var MOST_GROUPS = 4e3;
function withNamesAside(groups) {
  return mergedOnce(mergedOnce(groups));
}
function mergedOnce(groups) {
  const rare = groups.filter(({ entries: entries2, template, wild }) => (entries2.length < KNOWN || wild.length > 0) && !template.includes("\n"));
  if (rare.length < NAMES || rare.length > MOST_GROUPS) return groups;
  const taken = /* @__PURE__ */ new Set();
  const made = [];
  for (const { place, members } of candidatesIn(rare)) {
    const free = members.filter(({ group }) => !taken.has(group));
    if (!isPlaceForNames(free)) continue;
    const [first3] = free;
    for (const { group } of free) taken.add(group);
    const entries2 = free.flatMap(({ group }) => group.entries).sort((a, b) => a.at - b.at);
    const { fields, added } = templateFields(first3.group.template);
    const template = `${fields.with(place, WILD).join("")}${added}`;
    made.push({ template, bad: first3.group.bad, entries: entries2, wild: [...first3.group.wild, place] });
  }
  return made.length === 0 ? groups : [...groups.filter((group) => !taken.has(group)), ...made];
}
function candidatesIn(groups) {
  const candidates = /* @__PURE__ */ new Map();
  for (const group of groups) {
    const { fields, added } = templateFields(group.template);
    if (fields.length > MOST_FIELDS * 2) continue;
    for (let place = 0; place < fields.length; place += 2) {
      const name = fields[place];
      if (name === "" || name === WILD || !(isConstant(name) || /[a-z]{3}/i.test(name)) || LEVEL.test(name)) continue;
      const key = `${group.bad}${place}
${fields.with(place, WILD).join("")}${added}`;
      const candidate = candidates.get(key);
      if (candidate) candidate.members.push({ group, name });
      else candidates.set(key, { place, members: [{ group, name }] });
    }
  }
  return [...candidates.values()].filter(({ members }) => members.length >= NAMES).sort((a, b) => b.members.length - a.members.length);
}
var LEVEL = /^(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|crit(?:ical)?|severe|emerg|alert|panic):?$/i;
function isPlaceForNames(members) {
  const names2 = new Set(members.map(({ name }) => name));
  const plain = [...names2].filter((name) => PLAIN_WORD.test(name)).length;
  if (names2.size < NAMES || plain > names2.size / 2 && names2.size < PLAIN_WORDS) return false;
  const lines = members.reduce((sum, { group }) => sum + group.entries.length, 0);
  return lines >= ENOUGH_LINES[members[0].group.bad ? "bad" : "good"];
}

// src/filters/text/stamps.ts
var DAYS = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
var MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
var CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;
var STAMPS = [
  String.raw`\d{4}[-/.]\d\d[-/.]\d\d[T _-]\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d\b| UTC\b)?`,
  String.raw`(?:${DAYS},? )?${MONTHS} +\d{1,2} ${CLOCK}(?: \d{4}\b)?`,
  String.raw`${MONTHS} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d(?: [AP]M)?`,
  String.raw`\d{1,2}/${MONTHS}/\d{4}[: ]${CLOCK}(?: [+-]\d{4}\b)?`,
  String.raw`[IWEF]\d{4} ${CLOCK} +\d+`,
  String.raw`\b\d\d-\d\d ${CLOCK} +\d+ +\d+`,
  String.raw`\b\d\d[-/.]\d\d[-/.]\d\d ${CLOCK}`,
  String.raw`^\d{6} \d{6} \d+\b`,
  String.raw`^\[ *\d+\.\d{6}\]`,
  String.raw`^1\d{9}(?:\.\d+)?\b`,
  String.raw`\b\d{8}-${CLOCK}(?::\d+)?`,
  String.raw`(?<!\d)${CLOCK}`
];
var STAMP = new RegExp(STAMPS.join("|"));
var MAY_BE = /\d[:.]\d|^1\d{9}|^\d{6} /;
var NEAR = 80;
function stampOf(text) {
  const near2 = text.length > NEAR ? text.slice(0, NEAR) : text;
  const found = MAY_BE.test(near2) ? STAMP.exec(near2) : null;
  return found ? { at: found.index, stamp: found[0] } : null;
}
function withoutStamp(text) {
  const found = stampOf(text);
  return found ? `${text.slice(0, found.at)}${text.slice(found.at + found.stamp.length)}` : text;
}
function untilStamp(first3, last2) {
  const day = (stamp) => stamp.slice(0, clockAt(stamp));
  if (clockAt(last2) <= 0 || day(first3) !== day(last2)) return last2;
  return last2.slice(clockAt(last2), clockAt(last2) + "00:00:00".length);
}
var clockAt = (stamp) => stamp.search(/(?<!\d)\d\d:\d\d:\d\d/);
var LEVELS = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|ALERT|PANIC";
var LEVEL2 = new RegExp(
  String.raw`^\W{0,3}(?:${LEVELS})\b(?![-./\w])|[\[(<](?:${LEVELS})[\])>]|\blevel["']?[=:] ?["']?\w|^(?:${LEVELS}):`.replaceAll(
    "(?:TRACE",
    "(?:trace|debug|info|warn|error|TRACE"
  )
);
var ONLY_LEVEL = new RegExp(String.raw`^\W{0,3}(?:${LEVELS})\W{0,3}$`, "i");
var isOnlyLevel = (text) => text.length < 20 && ONLY_LEVEL.test(text);
function isStamped(text) {
  const near2 = text.length > NEAR ? text.slice(0, NEAR) : text;
  return STAMP.test(near2) || LEVEL2.test(near2);
}

// src/filters/text/entries.ts
var CONTINUES = /^(?:\s+\S|Caused by|Traceback |[\w.$]+(?:Exception|Error)\b|\.\.\. \d+ (?:more|frames)|During handling|The above exception)/;
var ONLY_WHERE = /^[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d (?:[AP]M )?\S+ \S+$/;
var LONGEST = 200;
var NOTHING2 = [];
function entriesOf(all) {
  const lines = all.filter(({ text }) => text !== "");
  const entries2 = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOf(lines, at);
    entries2.push({ at, head: lines[at], more: end === at + 1 ? NOTHING2 : lines.slice(at + 1, end) });
    at = end;
  }
  return entries2;
}
function endOf(lines, at) {
  let end = at + 1;
  if (ONLY_WHERE.test(lines[at].text) && isStamped(lines[end]?.text ?? "")) end++;
  while (end < lines.length && end - at < LONGEST && continues(lines[end].text)) end++;
  return end;
}
var continues = (text) => CONTINUES.test(text) && !isStamped(text);
var MOST_TEMPLATES = 2e4;
function groupsOf(entries2) {
  const groups = /* @__PURE__ */ new Map();
  for (const entry3 of entries2) {
    const { head, more: more2 } = entry3;
    const bad = head.errors > 0 || more2.some(({ errors }) => errors > 0);
    const template = more2.length === 0 ? templateOf(head.text) : [head, ...more2].map(({ text }) => templateOf(text)).join("\n");
    const key = bad ? `!${template}` : template;
    const group = groups.get(key);
    if (group) group.entries.push(entry3);
    else {
      if (groups.size === MOST_TEMPLATES) return null;
      groups.set(key, { template, bad, entries: [entry3], wild: [] });
    }
  }
  return [...groups.values()];
}

// src/filters/text/values.ts
var MOST_LOOKED_AT2 = 1e4;
function remarkOn(group, detail, told5) {
  const step = Math.ceil(group.entries.length / MOST_LOOKED_AT2);
  const varying = slotsOf(group, step, Math.max(detail.numbers, detail.names)).filter(({ seen }) => seen.size > 1);
  const lists = varying.map(
    (slot) => slot.isName ? names(slot, detail.names, told5) : numbers(slot, detail.numbers, group.entries.length)
  );
  const said2 = [...new Set(lists)].filter((list2) => list2 !== "");
  const isFew = ({ seen, isName }) => seen.size <= (isName ? detail.names : detail.numbers);
  const isAll = ([slot, another]) => !another && isFew(slot) && said2.length === 1 && !said2[0].includes(" and ");
  const text = said2.join("; ");
  return { text: step > 1 && text !== "" ? `about ${text}` : text, whole: step === 1 && (varying.length === 0 || isAll(varying)) };
}
var FEW_VALUES = 5;
var RARE2 = 2;
var ENOUGH = 10;
var MOST_OUTLIERS = 10;
var USUAL = 5;
var MOST_SEARCHED = 2e5;
function outliersOf(group) {
  const { entries: entries2, wild } = group;
  if (entries2.length < ENOUGH || entries2.length > MOST_SEARCHED) return [];
  const rare = slotsOf(group, 1, FEW_VALUES).map((slot) => rareIn(slot, entries2.length));
  if (rare.every(({ size }) => size === 0)) return [];
  const valuesIn = wild.length === 0 ? numbersOf : allFields;
  const hasRare = ({ head }) => valuesIn(head.text).some((value, n) => rare[n].has(withoutColon(value)));
  return entries2.filter(hasRare).slice(0, Math.min(MOST_OUTLIERS, Math.floor(entries2.length / USUAL)));
}
function rareIn({ seen }, lines) {
  if (seen.size < 2 || seen.size > FEW_VALUES) return NONE;
  const rare = [...seen].filter(([, count2]) => count2 <= RARE2);
  const together3 = rare.reduce((sum, [, count2]) => sum + count2, 0);
  return together3 > lines / USUAL ? NONE : new Set(rare.map(([value]) => value));
}
var NONE = /* @__PURE__ */ new Set();
function until(entries2) {
  const first3 = stampOf(entries2[0].head.text)?.stamp;
  const last2 = stampOf(entries2.at(-1).head.text)?.stamp;
  return first3 && last2 && first3 !== last2 ? `until ${untilStamp(first3, last2)}` : "";
}
function slotsOf({ entries: entries2, wild }, step, most) {
  const valuesIn = wild.length === 0 ? numbersOf : allFields;
  const first3 = entries2[0].head.text;
  const inStamp = placesOfStamp(first3, valuesIn, wild.length === 0 ? 0 : 1);
  const slots = valuesIn(first3).map((value, n) => newSlot(withoutColon(value), wild.includes(n * 2)));
  for (let at = 0; at < entries2.length; at += step) {
    const values = valuesIn(entries2[at].head.text);
    if (values.length !== slots.length) return [];
    for (let n = 0; n < values.length; n++) if (n < inStamp.from || n >= inStamp.to) note(slots[n], withoutColon(values[n]), most);
  }
  return slots;
}
var allFields = (text) => fieldsOf(text).filter((_, place) => place % 2 === 0);
function placesOfStamp(text, valuesIn, end) {
  const found = stampOf(text);
  if (!found) return { from: 0, to: 0 };
  const before2 = text.slice(0, found.at);
  return { from: valuesIn(before2).length - end, to: valuesIn(before2 + found.stamp).length };
}
var withoutColon = (value) => value.startsWith(":") ? value.slice(1) : value;
var newSlot = (value, isName) => ({
  seen: /* @__PURE__ */ new Map(),
  isName,
  unit: isName ? null : NUMBER.exec(value)?.[1] ?? null,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY
});
var NUMBER = /^-?\d+(?:\.\d+)?([a-zA-Zµ%]{0,6})$/;
function note(slot, value, most) {
  const count2 = slot.seen.get(value);
  if (count2 !== void 0 || slot.seen.size <= most) slot.seen.set(value, (count2 ?? 0) + 1);
  if (slot.unit === null) return;
  const number = value.endsWith(slot.unit) ? Number(value.slice(0, value.length - slot.unit.length)) : Number.NaN;
  if (Number.isNaN(number)) slot.unit = null;
  else {
    if (number < slot.min) slot.min = number;
    if (number > slot.max) slot.max = number;
  }
}
function names({ seen }, most, told5) {
  const fresh = [...seen].filter(([name]) => !told5.has(name));
  const said2 = [];
  let room = ROOM_FOR_NAMES;
  for (const [name, count2] of fresh.slice(0, most)) {
    if (room < 0) break;
    room -= name.length;
    told5.add(name);
    said2.push(count2 > 1 ? `${name}\xD7${count2}` : name);
  }
  if (said2.length === 0) return "";
  const above = seen.size - fresh.length;
  const rest2 = said2.length < fresh.length ? " and others" : above > 0 ? ` and ${above} named above` : "";
  return `${said2.join(", ")}${rest2}`;
}
var ROOM_FOR_NAMES = 600;
var TIME = /\d\d:\d\d|\d{4}-\d\d-\d\d|^\d{6}$/;
var ID = /^[^a-z]*[\da-f]{8,}|\d{5,}|[\da-f]{4}-[\da-f]{4}-/i;
var ADDRESS = /\d+\.\d+\.\d+\.\d+|\/\S*[a-z]/i;
var SMALL = 1e5;
var EXAMPLES = 3;
var ROOM = 25;
function numbers({ seen, unit, min, max }, most, lines) {
  const values = [...seen.keys()];
  const [first3 = ""] = values;
  const isNewEachTime = seen.size > Math.min(most, lines / 2);
  if (TIME.test(first3) || isNewEachTime && ID.test(first3) && !ADDRESS.test(first3)) return "";
  const few = withoutCommon(values.slice(0, most));
  const list2 = few.join(", ");
  const fits2 = list2.length <= most * ROOM;
  if (seen.size <= most && fits2) return list2;
  if (unit !== null && max < SMALL) return `${min}\u2013${max}${unit}`;
  if (!ADDRESS.test(first3)) return "";
  return `${(fits2 && most > MANY ? few : few.slice(0, EXAMPLES)).join(", ")} and others`;
}
var MANY = 20;
function withoutCommon(values) {
  const [first3 = "", ...others] = values;
  const all = (test) => others.length > 0 && others.every(test);
  let start = 0;
  let end = 0;
  while (start < first3.length && all((value) => value[start] === first3[start])) start++;
  while (end < first3.length - start && all((value) => value.length > start + end && value.at(-1 - end) === first3.at(-1 - end))) end++;
  while (start > 0 && /\w/.test(first3[start - 1])) start--;
  while (end > 0 && /\w/.test(first3.at(-end))) end--;
  const isLong = start + end >= LONG_ENDS;
  return values.map((value) => (isLong ? value.slice(start, value.length - end) : value).replace(/[.:]$/, ""));
}
var LONG_ENDS = 12;

// src/filters/text/log.ts
var ERRORS_IN_FULL = 20;
var FIRST_ERRORS = 3;
var MUCH = 12e3;
var REPEATS2 = 3;
var OF_ERRORS = { numbers: 40, names: 40 };
var OF_OTHERS = { numbers: 8, names: 40 };
function groupedLog(lines) {
  const kinds2 = groupsOf(entriesOf(withoutEmpty(lines)));
  if (!kinds2) return null;
  const groups = [...withNamesAside(kinds2)].sort((a, b) => a.entries[0].at - b.entries[0].at);
  const events = new Map(groups.filter(tellsOfFailure).map((group) => [group, sameEvents(group.entries, ERRORS_IN_FULL)]));
  const inFull = lengthOf(events.values()) > MUCH ? FIRST_ERRORS : ERRORS_IN_FULL;
  const told5 = /* @__PURE__ */ new Set();
  const shown = groups.flatMap((group) => {
    const same = events.get(group);
    if (same && same.length <= inFull) return same.flatMap(oneEvent);
    const outliers = new Set(outliersOf(group));
    const usual = outliers.size === 0 ? group : { ...group, entries: group.entries.filter((entry3) => !outliers.has(entry3)) };
    return [...[...outliers].map(asIs), ...(same === void 0 ? recordsOf : manyErrors)(usual, told5)];
  });
  return shown.sort((a, b) => a.at - b.at).flatMap((item) => item.lines);
}
var tellsOfFailure = ({ bad, template }) => bad || isOfFailedRequest(template);
function withoutEmpty(lines) {
  if (!lines.some(({ text }) => isOnlyLevel(text))) return lines;
  const kept = [];
  for (const line of lines) {
    const above = kept.at(-1);
    const mayJoin = above && above.text !== "" && (line.errors === 0 || above.errors > 0);
    if (mayJoin && isOnlyLevel(line.text)) kept[kept.length - 1] = standFor(above.text, [above, line]);
    else kept.push(line);
  }
  return kept;
}
var asIs = ({ at, head, more: more2 }) => ({ at, lines: [head, ...more2] });
var A_WORD = new RegExp("\\p{L}{3}", "u");
function recordsOf(group, told5) {
  const { entries: entries2 } = group;
  const [first3] = entries2;
  if (entries2.length === 1) return [asIs(first3)];
  if (!A_WORD.test(first3.head.text)) return entries2.map(asIs);
  const { text, whole: whole3 } = remarkOn(group, OF_OTHERS, told5);
  const isAll = whole3 && (first3.more.length === 0 || sameEvents(entries2, 1) !== null);
  if (entries2.length < REPEATS2 && !(isAll && text === "")) return entries2.map(asIs);
  return [withRemark(first3, [`\xD7${entries2.length}`, until(entries2), text], isAll ? sumOf2(entries2) : sumOf2([first3]))];
}
var oneEvent = (same) => same.length === 1 || isOnlyLevel(same[0].head.text) ? same.map(asIs) : [withRemark(same[0], [`\xD7${same.length}`, until(same)], sumOf2(same))];
function manyErrors(group, told5) {
  const firsts = group.entries.slice(0, FIRST_ERRORS);
  const third = firsts.pop();
  const last2 = group.entries.at(-1);
  const rest2 = group.entries.slice(FIRST_ERRORS, -1);
  const remarks = [`and ${rest2.length} more like it`, until(group.entries), remarkOn(group, OF_ERRORS, told5).text];
  const tells = { covers: sumOf2([third]).covers, errors: sumOf2([third, ...rest2]).errors };
  return [...firsts.map(asIs), withRemark(third, remarks, tells), asIs(last2)];
}
var PASSING = /\[\d+\](?=:)|\bport \d+|(?<=\d\.\d{1,3}):\d{5}\b/g;
function sameEvents(entries2, most) {
  const events = /* @__PURE__ */ new Map();
  for (const entry3 of entries2) {
    const event = withoutStamp(entry3.head.text).replace(PASSING, "");
    const key = entry3.more.length === 0 ? event : [event, ...entry3.more.map(({ text }) => text)].join("\n");
    const same = events.get(key);
    if (same) same.push(entry3);
    else if (events.size === most) return null;
    else events.set(key, [entry3]);
  }
  return [...events.values()];
}
function withRemark({ at, head, more: more2 }, remarks, tells) {
  const asTheyAre = sumOf(more2);
  const remark = remarks.filter((part2) => part2 !== "").join("; ");
  const text = `${head.text.trimEnd()} (${remark.replace("; until", " until")})`;
  return { at, lines: [{ text, covers: tells.covers - asTheyAre.covers, errors: tells.errors - asTheyAre.errors }, ...more2] };
}
function sumOf2(entries2) {
  let covers = 0;
  let errors = 0;
  for (const { head, more: more2 } of entries2) {
    const others = sumOf(more2);
    covers += head.covers + others.covers;
    errors += head.errors + others.errors;
  }
  return { covers, errors };
}
function lengthOf(events) {
  let length2 = 0;
  for (const same of events) for (const [first3] of same ?? []) for (const { text } of [first3.head, ...first3.more]) length2 += text.length;
  return length2;
}

// src/filters/text/log-shape.ts
var SAMPLE3 = 500;
var FEWEST3 = 4;
var SHARE3 = 0.6;
var CONTINUES2 = /^\s|^(?:Caused by|Traceback )/;
function isLog(lines, kind2) {
  const isStamped2 = kind2 === "file" ? (text) => stampOf(text) !== null : isStamped;
  const step = Math.max(1, Math.floor(lines.length / SAMPLE3));
  let looked = 0;
  let stamped = 0;
  for (let at = 0; at < lines.length; at += step) {
    const { text } = lines[at];
    if (text === "" || CONTINUES2.test(text) && !isStamped2(text)) continue;
    looked++;
    if (isStamped2(text)) stamped++;
  }
  return looked >= FEWEST3 && stamped >= looked * SHARE3;
}
var READERS2 = /^(?:z?cat|head|tail|z?less|more|bat|batcat|tac)$/;
var LOG_FILE = /\.log(?:[.-][\w.-]+)?$|^\/var\/log\/|(?:^|\/)(?:syslog|messages|dmesg|auth|kern|catalina\.out|nohup\.out)(?:\.\d+)?$/;
var LOG_COMMAND = /^(?:journalctl|dmesg|docker (?:compose )?(?:container )?logs|kubectl logs|stern|heroku logs|pm2 logs|adb logcat)\b/;
var LISTS = /^(?:ls|ll|dir|exa|eza|lsd|find|fd|locate|du|df|ps|top|stat|tar|unzip|zipinfo|aws|gsutil|gcloud|az|rclone|s3cmd|mc|last|who|w|crontab|at|atq|git|gh|glab|hg|svn|[efz]?grep|rg|ag|ack|kubectl (?:get|describe|top|explain)|docker (?:ps|images|stats|volume|network|inspect)|systemctl list|helm|terraform|squeue|qstat|lsof|netstat|ss)\b/;
function showsLog({
  words: words2,
  verbatim: verbatim2
}) {
  const command = words2.join(" ");
  const isReader = READERS2.test(words2[0] ?? "");
  if (LOG_COMMAND.test(command) || isReader && words2.slice(1).some((word) => LOG_FILE.test(word))) return "yes";
  return LISTS.test(command) || verbatim2 !== null && !isReader ? "no" : "perhaps";
}

// src/filters/text/search.ts
function searchOf(words2) {
  const [program = "", ...args] = words2;
  const has = (short2, long) => args.some((arg) => /^-[a-zA-Z]+\d*$/.test(arg) ? arg.includes(short2) : long.test(arg));
  const showsFiles = has("l", /^--files/) || has("c", /^--count/) || has("L", /^--files-without/) && program !== "rg";
  const isNumbered = has("n", /^--(?:line-number|column|vimgrep)/) || program === "ag" || program === "ack";
  return { wanted: wantedIn(args), form: showsFiles ? "files only" : isNumbered ? "numbered" : "unnumbered" };
}
function wantedIn(args) {
  const given = args.findIndex((arg) => arg === "-e" || arg === "--regexp");
  const pattern3 = given === -1 ? args.find((arg, n) => !arg.startsWith("-") && !VALUED.has(args[n - 1] ?? "")) : args[given + 1];
  const pieces = (pattern3 ?? "").split(/\\.|[.*+?()[\]{}|^$]+/);
  return pieces.reduce((longest, piece) => piece.length > longest.length ? piece : longest, "");
}
var VALUED = new Set("-A -B -C -m -g -t -T -f --glob --type --include --exclude --exclude-dir --max-count --context".split(" "));
var LONGEST2 = 300;
var BEFORE2 = 100;
function excerpt(text, wanted2) {
  if (text.length <= LONGEST2) return text;
  const found = wanted2 === "" ? -1 : text.toLowerCase().indexOf(wanted2.toLowerCase());
  const from = Math.max(0, Math.min(found - BEFORE2, text.length - LONGEST2));
  return `${from > 0 ? "\u2026 " : ""}${text.slice(from, from + LONGEST2)}${from + LONGEST2 < text.length ? " \u2026" : ""}`;
}

// src/filters/text/matches.ts
var NUMBERED = /^(.+?):(\d+):(.*)$/;
var CONTEXT = /-(\d+)-/g;
var UNNUMBERED = /^([^\s:]*(?:\/[^\s:/]+|[^\s:/]\.[A-Za-z]\w{0,8})):(.*)$/;
var ROW2 = /^(\d+)([:-])(.*)$/;
var FEWEST4 = 3;
function groupedMatches(lines, { wanted: wanted2, form }) {
  const said2 = lines.filter(({ text }) => text !== "" && text !== "--");
  if (said2.length < FEWEST4 || form === "files only") return null;
  const isRows = said2.filter(({ text }) => rowOf2(text)).length > said2.length / 2;
  const matches2 = isRows ? underHeadings(said2) : form === "numbered" ? numbered(said2) : unnumbered(said2);
  return matches2 && folders(filesOf(matches2), wanted2);
}
var isMatch = (item) => "file" in item;
var rowOf2 = (text) => stampOf(text)?.at === 0 ? null : ROW2.exec(text);
function underHeadings(lines) {
  let file = null;
  const found = [];
  for (const [at, line] of lines.entries()) {
    const [, number, sign, text] = rowOf2(line.text) ?? [];
    if (number !== void 0 && file !== null) found.push({ line, file, number: `${number}${sign}`, text });
    else if (number === void 0 && rowOf2(lines[at + 1]?.text ?? "")) {
      file = line.text;
      found.push({ line, file, number: null, text: "" });
    } else found.push(line);
  }
  return file === null ? null : found;
}
function numbered(lines) {
  const found = lines.map((line) => {
    const [, file, number, text] = NUMBERED.exec(line.text) ?? [];
    return file === void 0 || /\s/.test(file) || stampOf(line.text)?.at === 0 ? line : { line, file, number: `${number}:`, text };
  });
  const files = new Set(found.filter(isMatch).map(({ file }) => file));
  const whole3 = found.map((item) => isMatch(item) ? item : context(item, files) ?? item);
  return whole3.filter(isMatch).length < lines.length * 0.6 ? null : whole3;
}
function context(line, files) {
  for (const found of line.text.slice(0, 1e3).matchAll(CONTEXT)) {
    const file = line.text.slice(0, found.index);
    if (files.has(file)) return { line, file, number: `${found[1]}-`, text: line.text.slice(found.index + found[0].length) };
  }
  return null;
}
function unnumbered(lines) {
  const found = lines.map((line) => {
    const [, file, text] = UNNUMBERED.exec(line.text) ?? [];
    return file === void 0 ? line : { line, file, number: "", text };
  });
  const matches2 = found.filter(isMatch);
  const files = new Set(matches2.map(({ file }) => file));
  return matches2.length < lines.length * 0.8 || files.size > matches2.length / 2 ? null : found;
}
function filesOf(found) {
  const files = [];
  for (const item of found) {
    const last2 = files.at(-1);
    if (!isMatch(item)) files.push(item);
    else if (last2 && "matches" in last2 && last2.name === item.file) last2.matches.push(item);
    else files.push({ name: item.file, matches: [item] });
  }
  return files;
}
function folders(files, wanted2) {
  const shown = [];
  for (let at = 0; at < files.length; ) {
    const folder = folderOf(files[at]);
    let end = at + 1;
    while (end < files.length && folder !== "" && folderOf(files[end]) === folder) end++;
    const isSaid = end - at >= FEWEST4;
    if (isSaid) shown.push(heading(folder));
    for (const file of files.slice(at, end)) {
      const lines = "matches" in file ? told(file, isSaid ? ` ${file.name.slice(folder.length)}` : file.name, wanted2) : [file];
      for (const line of lines) shown.push(line);
    }
    at = end;
  }
  return shown;
}
var folderOf = (file) => "matches" in file ? file.name.slice(0, file.name.lastIndexOf("/") + 1) : "";
function told({ matches: matches2 }, name, wanted2) {
  const titles = matches2.filter(({ number }) => number === null).map(({ line }) => line);
  const rows = rowsOf(matches2.filter(isRow), wanted2);
  const [only] = rows;
  if (rows.length === 1 && titles.length === 0) return [{ ...only, text: `${name}:${only.text}` }];
  return [standFor(name, titles), ...rows];
}
var isRow = (match2) => match2.number !== null;
function rowsOf(matches2, wanted2) {
  const hasContext = matches2.some(({ number }) => number.endsWith("-"));
  const indent = hasContext ? indentOf(matches2) : 0;
  const bare5 = ({ text }) => hasContext ? text.slice(indent).trimEnd() : text.trim();
  const rows = /* @__PURE__ */ new Map();
  for (const match2 of matches2) {
    const key = hasContext || match2.number === "" ? `${rows.size}` : bare5(match2);
    const same = rows.get(key);
    if (same) same.push(match2);
    else rows.set(key, [match2]);
  }
  return [...rows.values()].map((same) => {
    const text = bare5(same[0]);
    const short2 = excerpt(text, wanted2);
    const sign = same[0].number.slice(-1);
    const numbers2 = same.map(({ number }) => number.slice(0, -1)).join(",");
    const line = standFor(
      sign === "" ? short2 : `${numbers2}${sign} ${short2}`,
      same.map(({ line: line2 }) => line2)
    );
    return short2 === text ? line : { ...line, covers: 0 };
  });
}
var indentOf = (matches2) => matches2.reduce((least, { text }) => text.trim() === "" ? least : Math.min(least, text.search(/\S/)), 200);

// src/filters/text/paths.ts
var FAMILY = 3;
var MOST_LEVELS = 8;
function groupedPaths(lines) {
  const shown = [];
  let list2 = [];
  const end = () => {
    for (const line of familiesOf(list2)) shown.push(line);
    list2 = [];
  };
  for (const line of lines) {
    if (line.text !== "" && !isMessage2(line)) list2.push(line);
    else {
      end();
      shown.push(line);
    }
  }
  end();
  return shown;
}
var isMessage2 = ({ text, errors }) => errors > 0 && /^[\w./-]+: |^\[/.test(text);
function familiesOf(list2) {
  const order = new Map(list2.map((line, at) => [line, at]));
  const said2 = [];
  let strays = list2.map((line) => split({ line, folder: line.text, name: "" }));
  for (let level = 0; strays.length > 0; level++) {
    const isLast = level === MOST_LEVELS || strays.every(isAtTop);
    const next = [];
    for (const [folder, members] of byFolder(strays)) {
      const lines = members.map(({ line }) => line);
      const isFamily = folder !== "" && members.length >= FAMILY && (isLast || !members.every(isAtTop));
      if (isFamily)
        said2.push({ at: order.get(lines[0]), line: standFor(`${quoted(folder)}: ${joined(members.map(({ name }) => name))}`, lines) });
      else if (isLast) for (const line of lines) said2.push({ at: order.get(line), line: standFor(quoted(line.text), [line]) });
      else for (const member of members) next.push(isAtTop(member) ? member : split(member));
    }
    strays = next;
  }
  return said2.sort((a, b) => a.at - b.at).map(({ line }) => line);
}
var isAtTop = ({ folder }) => !folder.includes("/", 1);
function byFolder(paths) {
  const folders2 = /* @__PURE__ */ new Map();
  for (const path of paths) {
    const members = folders2.get(path.folder);
    if (members) members.push(path);
    else folders2.set(path.folder, [path]);
  }
  return folders2;
}
function split({ line, folder, name }) {
  const slash = folder.lastIndexOf("/", folder.length - 2);
  const last2 = folder.slice(slash + 1);
  const above = slash > 0 ? folder.slice(0, slash) : slash === 0 && folder !== "/" ? "/" : "";
  return { line, folder: above, name: name === "" ? last2 : `${last2}/${name}` };
}

// src/filters/text/progress.ts
var FEWEST5 = 3;
function withoutProgress(lines) {
  const kept = [];
  let run = [];
  let before2 = null;
  const end = () => {
    kept.push(...run.length < FEWEST5 ? run : run.slice(-1));
    run = [];
  };
  for (const line of lines) {
    const step = stepOf(line);
    const goesOn = step && before2 && step.about === before2.about && step.of === before2.of && step.done >= before2.done;
    if (!goesOn) end();
    if (step) run.push(line);
    else kept.push(line);
    before2 = step;
  }
  end();
  return kept.length < lines.length ? kept : lines;
}
var PERCENT = /(?<![\d.])(\d{1,3}(?:\.\d+)?) ?%/;
var MAY_COUNT = /\d(?:\/| \/ | of )\d/;
var COUNT = /(?<![\d./-])(\d{1,9}) ?(?:\/|of) ?(\d{1,9})(?![\d./-])/;
var VARYING2 = /(?<![\p{L}_-])[~+-]?\d[\d.,:/%]*(?:[kKMGT]?i?B(?:\/s)?|[kKMGT]|ms|s|m|h|it\/s)?(?:[\d.,:]+(?:ms|s|m|h))*(?![\p{L}\d_-])|\b(?:[kKMGT]i?B(?:\/s)?|B\/s|eta|ETA|s|ms)\b|[-=#>*.·█▉▊▋▌▍▎▏▓▒░━╸╺─▪■□\\/|_⠀-⣿◐◓◑◒\s[\]()<:,]+/gu;
function stepOf({ text, errors }) {
  if (errors > 0 || text.length > 400) return null;
  const percent = text.includes("%") ? PERCENT.exec(text) : null;
  const count2 = !percent && MAY_COUNT.test(text) ? COUNT.exec(text) : null;
  const found = percent ?? count2;
  if (!found) return null;
  return { done: Number(found[1]), of: percent ? 100 : Number(found[2]), about: text.replace(VARYING2, " ") };
}

// src/filters/text/repeats.ts
var LONGEST_BLOCK = 8;
var SHORT = 20;
function withoutRepeats(lines) {
  const isSame2 = comparing(lines);
  const kept = [];
  for (let at = 0; at < lines.length; ) {
    const { period, times } = repetitionAt(lines, at, isSame2);
    if (times === 1 || !isWorthIt(lines, at, period, times)) kept.push(lines[at++]);
    else {
      kept.push(...told2(lines.slice(at, at + period * times), period, times));
      at += period * times;
    }
  }
  return kept.length < lines.length ? kept : lines;
}
function repetitionAt(lines, at, isSame2) {
  for (let period = 1; period <= LONGEST_BLOCK && lines[at].text !== "" && at + period < lines.length; period++) {
    let same = 0;
    while (at + same + period < lines.length && isSame2(at + same, at + same + period)) same++;
    if (same >= period) return { period, times: 1 + Math.floor(same / period) };
  }
  return { period: 0, times: 1 };
}
function comparing(lines) {
  const events = [];
  const eventAt = (at) => {
    events[at] ??= withoutUuids(withoutStamp(lines[at].text));
    return events[at];
  };
  return (a, b) => {
    const { text } = lines[a];
    const other = lines[b].text;
    if (text === other) return true;
    if (text.length !== other.length || text.charCodeAt(text.length - 1) !== other.charCodeAt(other.length - 1)) return false;
    return eventAt(a) !== text && eventAt(a) === eventAt(b);
  };
}
function isWorthIt(lines, at, period, times) {
  if (period > 1) return lines.slice(at, at + period).some(({ text }) => /\w/.test(text)) && period * (times - 1) > 2;
  return times > 2 || lines[at].text.length >= SHORT;
}
function told2(lines, period, times) {
  if (period === 1) return [standFor(`${lines[0].text.trimEnd()} (\xD7${times}${until2(lines)})`, lines)];
  const block = Array.from(
    { length: period },
    (_, n) => standFor(
      lines[n].text,
      lines.filter((_2, at) => at % period === n)
    )
  );
  return [...block, heading(`(the ${period} lines above \xD7${times})`)];
}
function until2(lines) {
  const first3 = stampOf(lines[0].text);
  const last2 = stampOf(lines.at(-1).text);
  const clock = last2 && /(?<!\d)\d\d:\d\d:\d\d/.exec(last2.stamp)?.[0];
  return first3 && clock && first3.stamp !== last2.stamp ? ` until ${clock}` : "";
}

// src/filters/text/sizes.ts
var ROW3 = /^\s*([\d.,]+[kKMGTPEZY]?i?B?)\s+(\S.*)$/;
var FAMILY2 = 3;
function groupedSizes(lines) {
  const shown = [];
  let family = [];
  const end = () => {
    shown.push(
      ...family.length >= FAMILY2 ? [together(family)] : family.map(({ line, size, folder, name }) => standFor(`${size} ${folder}${name}`, [line]))
    );
    family = [];
  };
  for (const line of lines) {
    const row = rowOf3(line);
    if (!row || row.folder === "" || row.folder !== family[0]?.folder) end();
    if (row) family.push(row);
    else shown.push(line);
  }
  end();
  return shown;
}
function rowOf3(line) {
  const [, size, path] = ROW3.exec(line.text) ?? [];
  if (size === void 0 || path === void 0) return null;
  const slash = path.lastIndexOf("/", path.length - 2);
  return { line, size, folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}
var together = (family) => standFor(
  `${quoted(family[0].folder)}: ${family.map(({ size, name }) => `${size} ${joined([name])}`).join(" ")}`,
  family.map(({ line }) => line)
);

// src/filters/text/traces.ts
function shortTraces(lines) {
  const kept = [];
  let harmless = 0;
  for (let at = 0; at < lines.length; ) {
    const run = framesFrom(lines, at);
    if (run.length === 0) kept.push(lines[at++]);
    else {
      const shown = told3(run);
      const end = run.at(-1).end;
      harmless += sumOf(lines.slice(at, end)).errors - sumOf(shown).errors;
      for (const line of shown) kept.push(line);
      at = end;
    }
  }
  return kept.length < lines.length ? { lines: kept, harmless } : { lines, harmless: 0 };
}
var MAY_BE_FRAME = /^(?:\s*(?:at |File "|from |#\d|\d+: )|created by |[\w./*]+\.[\w.()*]+\(.*\)$)/;
var NONE2 = () => 0;
var PACKAGES = /^\s*at (?:async )?(?:[\w.@-]*\/{1,2})?(?:new )?(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|akka|groovy|clojure|reactor|rx|play|okhttp3|retrofit2|lombok|junit|oracle|System|Microsoft|Xunit|NUnit|Newtonsoft|Castle|Autofac|MediatR|Npgsql|Serilog|org\.(?:springframework|apache|hibernate|eclipse|jboss|wildfly|junit|mockito|gradle|codehaus|slf4j|postgresql|mariadb|xnio|glassfish|aspectj|thymeleaf|jooq|flywaydb|quartz|bouncycastle|reactivestreams|testng|opentest4j|assertj)|io\.(?:netty|undertow|quarkus|micronaut|vertx|grpc|reactivex|smallrye|lettuce|micrometer|opentelemetry|kotest|ktor)|com\.(?:google|fasterxml|zaxxer|mysql|intellij|netflix|amazonaws|microsoft|mongodb|rabbitmq|squareup|github\.benmanes|datastax|codahale)|net\.(?:bytebuddy|sf|sourceforge)|ch\.qos|software\.amazon)[./$]/;
var LANGUAGES = [
  {
    frame: /^\s+at .*(?:node_modules[/\\]|\(?node:|\(internal\/|<anonymous>\)?$|\(native\))/,
    library: /node_modules[/\\]|\bnode:|\(internal\/|^\s+at (?:new )?[\w.]+ \(<anonymous>\)$|^\s+at <anonymous>$|\(native\)/,
    happened: "first",
    tail: NONE2
  },
  {
    frame: /^\s*at (?:async )?[\w.$@/<>[\]` -]+(?: ?\(|:\d+:\d+\)?$| in )/,
    library: PACKAGES,
    happened: "first",
    tail: NONE2
  },
  {
    frame: /^\s+File ".{1,500}", line \d+/,
    library: /(?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|"<frozen |[/\\]Lib[/\\](?!site)\w+\.py"|[/\\]versions[/\\]\d[\w.]*[/\\]lib[/\\]/,
    happened: "last",
    tail: sourceLines
  },
  {
    frame: /^\s+\d+: +(?:0x[\da-f]+ - )?\S.*$/,
    library: /^\s+\d+: +(?:0x[\da-f]+ - )?<?(?:std|core|alloc|test|tokio|futures\w*|rayon|hyper|axum|tower|actix\w*)::|: +(?:0x[\da-f]+ - )?(?:rust_begin_unwind|rust_panic|__\w+|_start|main|clone3?|start_thread|<unknown>)$|\/rustc\//,
    happened: "elsewhere",
    tail: (lines, from) => /^\s{6,}at \S/.test(lines[from]?.text ?? "") ? 1 : 0
  },
  {
    frame: /^[\w./*()[\]{}-]+\(.*\)$|^created by \S/,
    library: /^(?:runtime|testing|net\/http|sync|reflect|os|syscall|internal\/[\w/]+)\.|^created by (?:testing|net\/http|runtime)\./,
    happened: "elsewhere",
    tail: (lines, from) => /^\s+\/?\S+\.(?:go|s):\d+/.test(lines[from]?.text ?? "") ? 1 : 0
  },
  { frame: /^\s+from \S+:\d+:in /, library: /\/gems\/|\/lib\/ruby\/|<internal:/, happened: "first", tail: NONE2 },
  { frame: /^#\d+ (?:\S+\(\d+\): |\{main\})/, library: /\/vendor\/|\[internal function\]|\{main\}/, happened: "first", tail: NONE2 }
];
var GO = 4;
var MORE = /^\s*(?:\.\.\. \d+ (?:more|common frames omitted|lines matching)|--- End of stack trace from previous location)/;
function framesFrom(lines, from) {
  const run = [];
  for (let at = from; at < lines.length; at = run.at(-1).end) {
    const frame = frameAt(lines, at, run.length > 0);
    if (!frame) break;
    run.push(frame);
  }
  return run;
}
function frameAt(lines, at, inRun) {
  const { text } = lines[at];
  if (!MAY_BE_FRAME.test(text) && !inRun) return null;
  if (inRun && MORE.test(text)) return { lines: [lines[at]], end: at + 1, origin: "count", happened: "first" };
  const kind2 = LANGUAGES.findIndex(({ frame }) => frame.test(text));
  if (kind2 === -1) return null;
  const { library, happened, tail } = LANGUAGES[kind2];
  const more2 = tail(lines, at + 1);
  if (more2 === 0 && happened === "elsewhere" && !inRun) return null;
  const own = lines.slice(at, at + 1 + more2);
  const place = kind2 === GO ? /\/go[-\d.]*\/src\/|\/pkg\/mod\//.test(own.at(-1).text) : false;
  const isLibrary = place || own.some(({ text: text2 }) => library.test(text2));
  return { lines: own.filter(({ text: text2 }) => !CARETS.test(text2)), end: at + 1 + more2, origin: isLibrary ? "library" : "own", happened };
}
var CARETS = /^\s+[\^~]+\s*$/;
function sourceLines(lines, from) {
  const indent = /^\s+/.exec(lines[from - 1].text)[0].length;
  let count2 = 0;
  while (count2 < 8) {
    const text = lines[from + count2]?.text ?? "";
    if (/^\s+File "/.test(text) || /^\s*/.exec(text)[0].length <= indent || text.trim() === "") break;
    count2++;
  }
  return count2;
}
function told3(run) {
  const hasOwn = run.some(({ origin }) => origin === "own");
  const { happened } = run[0];
  const around2 = hasOwn ? happened === "elsewhere" ? 0 : 1 : 3;
  const isShown = ({ origin }, n) => origin === "own" || origin === "library" && (happened === "last" ? n >= run.length - around2 : n < around2);
  const shown = [];
  let hidden2 = 0;
  const say = () => {
    if (hidden2 > 0) shown.push(heading(`    \u2026 ${hidden2} ${hidden2 === 1 ? "frame" : "frames"}`));
    hidden2 = 0;
  };
  for (const [n, frame] of run.entries()) {
    if (isShown(frame, n)) {
      say();
      for (const line of frame.lines) shown.push(line);
    } else hidden2 += frame.origin === "count" ? Number(/\d+/.exec(frame.lines[0].text)?.[0] ?? 0) : 1;
  }
  say();
  return shown;
}

// src/filters/text/tree.ts
var BRANCH = /^((?:[│|][\s\u00a0]{2,3}|[\s\u00a0]{4})*)(?:[├└]─{1,2} |[├└]─┬ |[|`+\\]-- )(.*)$/;
var FEWEST6 = 3;
function indentedTree(lines) {
  const shown = [];
  const above = [];
  let drawn = 0;
  for (const [at, line] of lines.entries()) {
    const node3 = nodeOf(line, lines[at + 1]);
    if (!node3) {
      above.length = 0;
      shown.push(line);
      continue;
    }
    if (node3.depth > 0) drawn++;
    above.length = Math.min(above.length, node3.depth);
    const siblings = above[node3.depth - 1]?.children ?? shown;
    siblings.push(node3);
    above[node3.depth] = node3;
  }
  return drawn < FEWEST6 ? null : shown.flatMap((item) => "children" in item ? told4(item) : [item]);
}
function nodeOf(line, next) {
  const [, stem, name] = BRANCH.exec(line.text) ?? [];
  if (stem !== void 0 && name !== void 0) return { line, depth: 1 + Math.round(stem.length / 4), name, children: [] };
  return line.text !== "" && BRANCH.test(next?.text ?? "") ? { line, depth: 0, name: line.text, children: [] } : null;
}
function told4({ line, depth: depth2, name, children }) {
  const files = children.filter((child) => child.children.length === 0);
  const folders2 = children.filter((child) => child.children.length > 0);
  const folder = `${" ".repeat(depth2)}${entry(name)}${children.length > 0 ? ":" : ""}`;
  const text = [folder, ...files.map((file) => entry(file.name))].join(" ");
  return [standFor(text, [line, ...files.map((file) => file.line)]), ...folders2.flatMap(told4)];
}
function entry(text) {
  const [, about, rest2 = text] = /^\[([^\]]+)\] {1,2}(.*)$/.exec(text) ?? [];
  const name = rest2.split(" -> ").map(quoted).join("->");
  return about === void 0 ? name : `[${about.trim().replace(/ +/g, " ")}] ${name}`;
}

// src/filters/strategies/dedup.ts
var KINDS = {
  lines: repeats,
  log: log2,
  traces: ({ lines }) => shortTraces(lines),
  progress: ({ lines }) => ({ lines: withoutProgress(lines) }),
  paths: ({ lines, subject }) => PRINTS_ITS_OWN.some((option) => subject.words.includes(option)) ? null : { lines: groupedPaths(lines) },
  sizes: ({ lines }) => ({ lines: groupedSizes(lines) }),
  matches: ({ lines, subject }) => of(groupedMatches(lines, searchOf(subject.words))),
  names: ({ lines, subject }) => of(shortRows(lines) ?? (keepsItsLines(subject.words) ? null : namesSideBySide(lines))),
  tree: ({ lines }) => of(indentedTree(lines)),
  columns: ({ lines }) => ({ lines: squeezed(lines) })
};
var of = (lines) => lines && { lines };
var dedup = defineStrategy({
  options: z2.strictObject({
    of: z2.enum(Object.keys(KINDS)).default("lines").describe(
      "What is said again and again: lines (the same line several times in a row, times and UUIDs aside), log (records of a log that differ in numbers, ids and names only), traces (frames of libraries), progress, paths and sizes (folders of `find` and `du`), matches (files of `grep`), names (columns of `ls -l`), tree (drawn branches), columns (the blanks between them)"
    )
  }),
  build: ({ of: of2 }) => {
    const once = KINDS[of2];
    return (source) => {
      const said2 = once(source);
      return said2 && { ...said2, confidence: "Full" };
    };
  }
});
var PRINTS_ITS_OWN = ["-printf", "-fprintf", "-ls", "-exec", "-execdir", "-ok", "-x", "--exec", "-l", "--list-details", "-print0", "-0"];
var keepsItsLines = (words2) => words2.some((word) => /^(?:-[a-zA-Z]*[1T]|--tree)/.test(word));
function repeats({ lines, subject }) {
  if (lines.slice(0, 200).some(({ text }) => /^(?:@@ |diff --git )/.test(text))) return null;
  const numbered2 = showsLog(subject) === "no" ? null : withoutCounters(lines);
  return { lines: numbered2 ?? withoutRepeats(lines) };
}
function log2({ lines, subject }) {
  const shows = showsLog(subject);
  if (shows === "no" || shows === "perhaps" && !isLog(lines, subject.verbatim === "text" ? "file" : "output")) return null;
  const { lines: short2, harmless } = shortTraces(lines);
  return { lines: groupedLog(short2) ?? short2, harmless };
}

// src/filters/strategies/git-diff.ts
import * as z3 from "zod";

// src/filters/git/hunk.ts
var HEAD = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: ?(.*))?$/;
var COMBINED = /^(@{3,20})(?: -\d+(?:,\d+)?){2,19} \+(\d+)(?:,(\d+))? @{3,20}(?: ?(.*))?$/;
var NEXT = /^(?:diff --|@@|commit [0-9a-f]{7}|index [0-9a-f]{4})/;
function readHunk(lines, at) {
  const head = lines[at];
  const plain = HEAD.exec(head.text);
  if (plain) {
    const [, before2 = "1", start2, length3 = "1", section2 = ""] = plain;
    return ending(plainEnd(lines, at + 1, Number(before2), Number(length3)), { columns: 1, start: start2, length: length3, section: section2 });
  }
  const combined = COMBINED.exec(head.text);
  if (!combined) return null;
  const [, ats = "", start, length2 = "1", section = ""] = combined;
  const columns = ats.length - 1;
  return ending(combinedEnd(lines, at + 1, columns, Number(length2)), { columns, start, length: length2, section });
  function ending(next, { columns: columns2, start: start2, length: length3, section: section2 }) {
    const isLast = next === lines.length;
    return {
      hunk: { head, columns: columns2, start: Number(start2), length: Number(length3), section: section2, lines: lines.slice(at + 1, next), isLast },
      next
    };
  }
}
var [PLUS, MINUS, SPACE, BACKSLASH] = [43, 45, 32, 92];
function plainEnd(lines, from, before2, after) {
  let [old, fresh] = [before2, after];
  let at = from;
  for (; at < lines.length; at++) {
    const { text } = lines[at];
    const mark = text === "" ? SPACE : text.charCodeAt(0);
    if (mark === PLUS && fresh > 0) fresh--;
    else if (mark === MINUS && old > 0) old--;
    else if (mark === SPACE && old > 0 && fresh > 0) {
      old--;
      fresh--;
    } else if (mark !== BACKSLASH && !(old + fresh > 0 && isBetween(lines, at))) break;
  }
  return at;
}
function combinedEnd(lines, from, columns, after) {
  let fresh = after;
  let at = from;
  for (; at < lines.length; at++) {
    const { text } = lines[at];
    const isMarked = text === "" || hasMarks(text, columns);
    if (!isMarked && !isBetween(lines, at)) break;
    if (!isMarked || text.startsWith("\\ ") || markOf(lines[at], columns) === "removed") continue;
    if (fresh === 0) break;
    fresh--;
  }
  return at;
}
function hasMarks(text, columns) {
  for (let at = 0; at < columns; at++) if (!" +-".includes(text[at] ?? "x")) return text.startsWith("\\ ");
  return true;
}
var isBetween = (lines, at) => !/^[ +-]/.test(lines[at].text) && !NEXT.test(lines[at].text) && /^(?:[ +\\-]|$)/.test(lines[at + 1]?.text ?? "x");
function markOf({ text }, columns) {
  if (columns === 1) {
    const mark = text === "" ? SPACE : text.charCodeAt(0);
    return mark === PLUS ? "added" : mark === MINUS ? "removed" : mark === SPACE ? "same" : "stray";
  }
  const marks2 = text.slice(0, columns);
  return marks2.includes("+") ? "added" : marks2.includes("-") ? "removed" : marks2.trim() === "" ? "same" : "stray";
}
function shownHunk(hunk, context2) {
  const { head, lines, columns } = hunk;
  const marks2 = lines.map((line) => markOf(line, columns));
  const isOdd = marks2.some((mark, n) => mark === "stray" && !lines[n].text.startsWith("\\ "));
  const kept = isOdd ? marks2.map(() => true) : near(lines, marks2, context2);
  const numbers2 = lineNumbers(hunk, marks2);
  const shown = [];
  let open2 = false;
  for (let n = 0; n < lines.length; n++) {
    if (kept[n]) {
      if (!open2) shown.push(shown.length === 0 ? standFor(headText(hunk, numbers2[n]), [head]) : heading(headText(hunk, numbers2[n])));
      shown.push(lines[n]);
    }
    open2 = kept[n];
  }
  return shown.length > 0 ? shown : [standFor(headText(hunk, hunk.start), [head])];
}
var isStray = ({ text }) => text !== "" && !/^(?:[ +-]|\\ |@@)/.test(text);
var isHunkHead = ({ text }) => text.startsWith("@@");
var headText = ({ section }, line) => ["@@", ...line === void 0 ? [] : [String(line)], ...section === "" ? [] : [section]].join(" ");
function near(lines, marks2, context2) {
  const kept = marks2.map((mark) => mark !== "same");
  const around2 = (order) => {
    let last2 = Number.POSITIVE_INFINITY;
    for (const n of order) {
      last2 = marks2[n] === "same" ? last2 + 1 : 0;
      if (last2 <= context2 && lines[n].text.trim() !== "") kept[n] = true;
    }
  };
  const forth = marks2.map((_, n) => n);
  around2(forth);
  around2(forth.toReversed());
  for (let n = 1; n < marks2.length - 1; n++) if (!kept[n] && kept[n - 1] && kept[n + 1]) kept[n] = true;
  return kept;
}
function lineNumbers({ start, length: length2, lines, isLast }, marks2) {
  const counts2 = (n) => marks2[n] === "added" || marks2[n] === "same";
  const seen = marks2.reduce((sum, _, n) => sum + (counts2(n) ? 1 : 0), 0);
  const firstBlank = seen === length2 ? lines.length : lines.findIndex(({ text }) => text === "");
  const lastBlank = seen === length2 ? -1 : isLast ? lines.length : lines.findLastIndex(({ text }) => text === "");
  let before2 = 0;
  return marks2.map((_, n) => {
    const [fromStart, fromEnd] = [start + before2, start + length2 - seen + before2];
    if (counts2(n)) before2++;
    return n <= firstBlank || firstBlank === -1 ? fromStart : n > lastBlank ? fromEnd : void 0;
  });
}
function changedAt(hunk) {
  const marks2 = hunk.lines.map((line) => markOf(line, hunk.columns));
  return lineNumbers(hunk, marks2)[marks2.findIndex((mark) => mark !== "same")];
}

// src/filters/git/names.ts
var FEW = 10;
var DEEPEST = 24;
var MOST_FOLDERS = 2 * DEEPEST - 1;
function listed(label, named3, said2 = []) {
  if (named3.length <= FEW) return [standFor([label, ...named3.map(entry2)].join(" "), [...said2, ...named3.map(({ line }) => line)])];
  const root = treeOf(named3);
  const below2 = [];
  const { texts, lines } = inline(root, "");
  for (const [name, child] of many(root)) show(child, name, " ", below2);
  return [standFor([label, ...texts].join(" "), [...said2, ...lines]), ...below2];
}
var newFolder = () => ({ folders: /* @__PURE__ */ new Map(), files: [], count: 0 });
function treeOf(named3) {
  const root = newFolder();
  const known2 = /* @__PURE__ */ new Map();
  for (const of2 of named3) {
    const start = folderLength(of2.path);
    const path = of2.path.slice(0, start);
    const at = known2.get(path) ?? open(root, path);
    known2.set(path, at);
    at.files.push({ name: of2.path.slice(start), of: of2 });
  }
  count(root);
  return root;
}
function folderLength(path) {
  if (path.startsWith('"')) return 0;
  let end = path.lastIndexOf("/", path.length - 2) + 1;
  if (end > MOST_FOLDERS && path.split("/", DEEPEST + 1).length > DEEPEST) end = path.split("/", DEEPEST).join("/").length + 1;
  return end;
}
function open(root, path) {
  let at = root;
  for (const part2 of path === "" ? [] : path.slice(0, -1).split("/")) {
    const next = at.folders.get(part2) ?? newFolder();
    at.folders.set(part2, next);
    at = next;
  }
  return at;
}
function count(at) {
  at.count = at.files.length;
  for (const child of at.folders.values()) at.count += count(child);
  return at.count;
}
function show(shown, path, indent, into) {
  let at = shown;
  let base = `${path}/`;
  while (at.files.length === 0 && at.folders.size === 1) {
    const [[name, only]] = at.folders;
    at = only;
    base += `${name}/`;
  }
  const { texts, lines } = inline(at, "");
  const text = indent + [quoted2(base), ...texts].join(" ");
  into.push(texts.length > 0 ? standFor(text, lines) : heading(text));
  for (const [name, child] of many(at)) show(child, name, `${indent} `, into);
}
var many = ({ folders: folders2 }) => [...folders2].filter(([, { count: count2 }]) => count2 > 1);
function inline(at, base) {
  const texts = [];
  const lines = [];
  for (const { name, of: of2 } of at.files) {
    texts.push(quoted2(base + name) + (of2.note ?? ""));
    lines.push(of2.line);
  }
  for (const [name, child] of at.folders) {
    if (child.count > 1) continue;
    const only = inline(child, `${base}${name}/`);
    texts.push(...only.texts);
    for (const line of only.lines) lines.push(line);
  }
  return { texts, lines };
}
var entry2 = ({ path, note: note3 = "" }) => quoted2(path) + note3;
var quoted2 = (path) => path.includes(" ") && !path.startsWith('"') ? `"${path}"` : path;
function moved(label, renames, said2 = []) {
  const lines = (all) => all.map((one) => one.line);
  const written = ({ from, path, note: note3 = "" }) => `${quoted2(from)} -> ${quoted2(path)}${note3}`;
  if (renames.length === 1) return [standFor(`${label} ${written(renames[0])}`, [...said2, ...lines(renames)])];
  const together3 = /* @__PURE__ */ new Map();
  for (const rename of renames) {
    const [from, to] = [split2(rename.from), split2(rename.path)];
    const key = from.name === to.name && !/["]/.test(rename.from) ? `${quoted2(from.folder)} -> ${quoted2(to.folder)}` : `
${rename.from}
${rename.path}`;
    const group = together3.get(key);
    if (group) group.push(rename);
    else together3.set(key, [rename]);
  }
  const shown = [...together3].flatMap(
    ([key, group]) => group.length > 2 ? [standFor([` ${key}`, ...group.map((one) => entry2({ ...one, path: split2(one.path).name }))].join(" "), lines(group))] : group.map((one) => standFor(` ${written(one)}`, [one.line]))
  );
  return [standFor(label, said2), ...shown];
}
function split2(path) {
  const at = path.lastIndexOf("/") + 1;
  return { folder: at === 0 ? "./" : path.slice(0, at), name: path.slice(at) };
}

// src/filters/git/file.ts
var FIELDS = {
  index: [[/^index ([0-9a-f]{4}.*)$/, () => {
  }]],
  "---": [[/^--- (.+)$/, (heading2, path) => heading2.minus = path]],
  "+++": [[/^\+\+\+ (.+)$/, (heading2, path) => heading2.plus = path]],
  new: [
    [/^new file mode (\d{6})$/, ({ tags }, mode) => tags.push(mode === "100644" ? "new file" : `new file mode ${mode}`)],
    [/^new mode (\d{6})$/, ({ tags, oldMode }, mode) => tags.push(`mode ${oldMode} -> ${mode}`)]
  ],
  deleted: [[/^deleted file mode (\d{6}(?:,\d{6}){0,20})$/, ({ tags }) => tags.push("deleted file")]],
  old: [[/^old mode (\d{6})$/, (heading2, mode) => heading2.oldMode = mode]],
  mode: [[/^mode ([\d,]+\.\.\d{6})$/, ({ tags }, modes) => tags.push(`mode ${modes}`)]],
  similarity: [[/^similarity index (\d+%)$/, (heading2, percent) => heading2.similarity = percent]],
  dissimilarity: [[/^dissimilarity index (\d+%)$/, ({ tags }, percent) => tags.push(`rewritten ${percent}`)]],
  rename: [
    [/^rename from (.+)$/, (heading2, path) => comesFrom(heading2, "rename", path)],
    [/^rename to (.+)$/, (heading2, path) => heading2.to = path]
  ],
  copy: [
    [/^copy from (.+)$/, (heading2, path) => comesFrom(heading2, "copy", path)],
    [/^copy to (.+)$/, (heading2, path) => heading2.to = path]
  ],
  Binary: [[/^(Binary files .+ differ)$/, ({ tags }) => tags.push("binary")]],
  GIT: [[/^(GIT binary patch)$/, ({ tags }) => tags.push("binary patch")]]
};
function comesFrom(heading2, how, path) {
  heading2.from = path;
  heading2.tags.push([`${how} from ${quoted2(path)}`, ...heading2.similarity ? [heading2.similarity] : []].join(", "));
}
function takeField(text, heading2) {
  const word = text.slice(0, text.indexOf(" "));
  for (const [pattern3, take] of Object.hasOwn(FIELDS, word) ? FIELDS[word] : []) {
    const found = pattern3.exec(text);
    if (!found) continue;
    take(heading2, found[1]);
    return true;
  }
  return false;
}
function readFile(lines, from) {
  const first3 = lines[from].text;
  const isGit = first3.startsWith("diff --git ") || first3.startsWith("diff --cc ") || first3.startsWith("diff --combined ");
  if (!isGit && !isPlain(lines, from)) return null;
  const heading2 = { tags: [] };
  const head = isGit ? [lines[from]] : [];
  let at = isGit ? from + 1 : from;
  for (; at < lines.length && takeField(lines[at].text, heading2); at++) {
    if (!lines[at].text.startsWith("index ")) head.push(lines[at]);
    if (heading2.tags.at(-1) === "binary patch") at = binaryEnd(lines, at + 1) - 1;
  }
  const strays = [];
  const hunks = [];
  for (; at < lines.length; ) {
    const read3 = readHunk(lines, at);
    if (read3) hunks.push(read3.hunk);
    else if (hunks.length > 0 && lines[at + 1]?.text.startsWith("@@ -") && !lines[at].text.startsWith("diff ")) strays.push(lines[at]);
    else break;
    at = read3?.next ?? at + 1;
  }
  const { path, from: before2 } = named(first3, heading2);
  const { added, removed } = counts(hunks);
  return { file: { path, from: before2, tags: heading2.tags, head: standFor("", head), hunks, strays, added, removed }, next: at };
}
var isPlain = (lines, at) => lines[at].text.startsWith("--- ") && (lines[at + 1]?.text.startsWith("+++ ") ?? false) && (lines[at + 2]?.text.startsWith("@@ -") ?? false);
function binaryEnd(lines, from) {
  let at = from;
  while (at < lines.length && /^(?:(?:literal|delta) \d+|[A-Za-z][!-~]{5,65}|)$/.test(lines[at].text)) at++;
  return at;
}
function counts(hunks) {
  let [added, removed] = [0, 0];
  for (const { lines, columns } of hunks) {
    for (const line of lines) {
      const mark = markOf(line, columns);
      if (mark === "added") added++;
      else if (mark === "removed") removed++;
    }
  }
  return { added, removed };
}
function named(first3, { from, to, minus, plus }) {
  if (to !== void 0) return { path: to, from: from ?? null };
  const both = first3.startsWith("diff --git ") ? samePath(first3.slice(11)) : null;
  if (both !== null) return { path: both, from: null };
  if (/^diff --(?:cc|combined) /.test(first3)) return { path: first3.slice(first3.indexOf(" ", 7) + 1), from: null };
  const [old, fresh] = [bare(minus), bare(plus)];
  if (old === void 0 && fresh === void 0) return { path: first3.replace(/^diff --git /, ""), from: null };
  if (old === void 0 || fresh === void 0) return { path: withoutPrefix(old ?? fresh), from: null };
  const same = samePath(`${old} ${fresh}`);
  return same === null ? { path: fresh, from: old } : { path: same, from: null };
}
var bare = (path) => {
  const name = path?.replace(/\t.*$/, "").trimEnd();
  return name === "/dev/null" ? void 0 : name;
};
var withoutPrefix = (path) => path.replace(/^("?)[abciwo12]\//, "$1");
function samePath(pair2) {
  const middle = (pair2.length - 1) / 2;
  const [left, right] = [pair2.slice(0, middle), pair2.slice(middle + 1)];
  if (pair2[middle] !== " ") return null;
  if (left === right) return left;
  const [one, other] = [withoutPrefix(left), withoutPrefix(right)];
  return one === other ? one : null;
}
function fileHead({ path, from, tags, head }, said2, more2) {
  const about = from !== null && !tags.some((tag) => tag.includes(" from ")) ? [`from ${quoted2(from)}`, ...tags] : tags;
  return standFor(`diff ${quoted2(path)}${about.length > 0 ? ` (${about.join(", ")})` : ""}${said2}`, [head, ...more2]);
}
var isPlainChange = ({ from, tags }) => from === null && tags.length === 0;

// src/filters/git/alike.ts
var LARGEST = 40;
var FEWEST7 = 3;
function alike(files) {
  const groups = /* @__PURE__ */ new Map();
  for (const file of files) {
    if (!isPlainChange(file) || file.strays.length > 0 || file.added + file.removed > LARGEST || file.hunks.length === 0) continue;
    const key = file.hunks.map(changeOf).join("\n@@\n");
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return new Map([...groups.values()].filter(({ length: length2 }) => length2 >= FEWEST7).map((group) => [group[0], group]));
}
var changed = ({ lines, columns }) => lines.filter((line) => markOf(line, columns) !== "same");
var changeOf = (hunk) => changed(hunk).map(({ text }) => text).join("\n");
function sharedHead(group) {
  const named3 = group.map((file) => ({
    path: file.path,
    note: `:${file.hunks.map((hunk) => changedAt(hunk) ?? "?").join(",")}`,
    line: standFor("", [file.head, ...file.hunks.flatMap((hunk) => [hunk.head, ...file === group[0] ? [] : changed(hunk)])])
  }));
  return listed(`diff, the same in ${group.length} files:`, named3);
}
var sharedHunks = ({ hunks }) => hunks.map((hunk, n) => [...n === 0 ? [] : [heading("@@")], ...shownHunk(hunk, 0).slice(1)]);

// src/filters/git/locks.ts
var LOCK = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|bun\.lock|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Podfile\.lock|pubspec\.lock|packages\.lock\.json)"?$/;
var MADE = /\.min\.(?:js|css|mjs)"?$|\.(?:js|css|mjs)\.map"?$|\.bundle\.js"?$/;
var IDENTITY = /^[ +-]+(?:"?(?:name|version|specifier|lockfileVersion|rev|tag)"?\s{0,9}[:=]? ?["']?[\w^~>=<*.]|"node_modules\/|["']?@?[\w./-]{1,200}@[^\s{]{1,200}["']?(?:, |:$)|[\w.-]{1,200} \([^)]{1,80}\)$|[^\s"]{1,300} v\d[^\s/]{0,80} h1:|"[\w.@/-]{1,200}": ?\{$)/;
var LONG = 300;
function readable(path) {
  if (LOCK.test(path)) return ({ text }) => IDENTITY.test(text) || !/^[ +-]/.test(text);
  if (MADE.test(path)) return ({ text }) => text.length <= LONG;
  return null;
}

// src/filters/git/share.ts
var LEAST = 3;
function shares(sizes, room) {
  const order = sizes.map((_, n) => n).sort((a, b) => sizes[a] - sizes[b] || a - b);
  const given = sizes.map(() => 0);
  let left = room;
  order.forEach((n, rank) => {
    const fair = Math.max(Math.floor(left / (order.length - rank)), LEAST);
    const most = Math.min(sizes[n], fair, left);
    given[n] = most < Math.min(LEAST, sizes[n]) ? 0 : most;
    left -= given[n];
  });
  return given;
}

// src/filters/git/blocks.ts
var CONTEXT2 = 1;
var MADE2 = 20;
function blocksOf(commits, { room, context: context2 }) {
  const units = commits.flatMap(unitsOf);
  const isCut = units.reduce((sum, { least }) => sum + least, 0) > room;
  if (isCut) return { blocks: cut(units, room), isCut };
  const roomy = units.map((unit) => unit.hunks(context2 ?? CONTEXT2));
  const size = roomy.reduce((sum, hunks) => sum + sizeOf(hunks), 0);
  const shown = size > room && context2 === null ? units.map((unit) => unit.hunks(0)) : roomy;
  return { blocks: new Map(units.map((unit, n) => [unit.file, whole2(unit, shown[n])])), isCut };
}
function unitsOf(files) {
  const groups = alike(files);
  const later = new Set([...groups.values()].flatMap((group) => group.slice(1)));
  return files.filter((file) => !later.has(file)).map((file) => unitOf(file, groups.get(file)));
}
function unitOf(file, group) {
  const { hunks, added, removed } = file;
  if (group) return { file, kind: "alike", least: added + removed, head: () => sharedHead(group), hunks: () => sharedHunks(file) };
  const test = readable(file.path);
  const isWhole = hunks.length === 1 && /^(?:new|deleted) file/.test(file.tags[0] ?? "");
  const head = (said2) => [fileHead(file, said2, isWhole ? [hunks[0].head] : []), ...file.strays];
  if (!test) {
    const shown2 = (context2) => hunks.map((hunk) => shownHunk(hunk, context2).slice(isWhole ? 1 : 0));
    return { file, kind: "written", least: added + removed + hunks.length, head, hunks: shown2 };
  }
  const shown = hunks.map((hunk) => shownHunk(hunk, CONTEXT2).filter((line) => !isHunkHead(line) && test(line)));
  return { file, kind: "made", least: sizeOf(shown), head, hunks: () => shown };
}
var sizeOf = (hunks) => hunks.reduce((sum, { length: length2 }) => sum + length2, 0);
function whole2({ file, kind: kind2, head }, hunks) {
  const bare5 = kind2 !== "alike" && file.hunks.length === 0 && file.strays.length === 0 ? bareLabel(file, "") : null;
  return { file, lines: [...head(kind2 === "made" ? countsOf(file) : ""), ...hunks.flat()], bare: bare5 };
}
function cut(units, room) {
  const shown = units.map((unit) => unit.hunks(0));
  const sizes = shown.map((hunks) => hunks.reduce((sum, hunk) => sum + weightOf2(hunk), 0));
  const given = shares(
    sizes.map((size, n) => units[n].kind === "made" ? Math.min(size, MADE2) : size),
    room
  );
  return new Map(units.map((unit, n) => [unit.file, sizes[n] <= given[n] ? whole2(unit, shown[n]) : part(unit, shown[n], given[n])]));
}
var WIDTH2 = 200;
var weightOf2 = (lines) => lines.reduce((sum, { text }) => sum + 1 + Math.floor(text.length / WIDTH2), 0);
function part({ file, kind: kind2, head }, hunks, room) {
  const rooms = shares(hunks.map(weightOf2), room);
  const lines = hunks.flatMap((hunk, n) => beginning(hunk, rooms[n]));
  const missing = file.added + file.removed - changesIn(lines, file.hunks[0]?.columns ?? 1);
  const bare5 = lines.length === 0 && file.strays.length === 0 && kind2 !== "alike" ? bareLabel(file, ", not shown") : null;
  return { file, lines: [...head(countsOf(file)), ...lines, ...lines.length > 0 ? [heading(`\u2026 ${missing} more lines`)] : []], bare: bare5 };
}
var changesIn = (lines, columns) => lines.filter((line) => !isHunkHead(line) && /added|removed/.test(markOf(line, columns))).length;
function beginning(hunk, room) {
  let left = room;
  return hunk.filter((line) => {
    const fits2 = left >= weightOf2([line]);
    left = fits2 ? left - weightOf2([line]) : 0;
    return fits2 || isStray(line);
  });
}
var countsOf = ({ added, removed }) => ` +${added} -${removed}`;
function bareLabel(file, said2) {
  if (/^rename from .*, 100%$/.test(file.tags.join(", "))) return RENAMED;
  if (file.from !== null || isPlainChange(file) && said2 === "") return null;
  return `diff${file.tags.length > 0 ? ` (${file.tags.join(", ")})` : ""}${said2}:`;
}
var RENAMED = "diff (renamed, 100%):";

// src/filters/git/commit.ts
var HEAD2 = /^((?:[|\\/_ .-]{0,200}\*[|\\/_ .-]{0,200})?)commit ([0-9a-f]{7,64})((?: [0-9a-f]{7,64}){0,20})( \(.+\))?$/;
var FIELD = /^([|\\/_ .-]{0,400})(Merge|Author|Date): +(\S.*)$/;
var OTHER = /^[|\\/_ .-]{0,400}(?:[A-Z][A-Za-z ]{2,20}: |gpg: )/;
var ART = /^[|\\/_ .*-]*$/;
function readCommit(lines, from) {
  const head = lines[from];
  const found = HEAD2.exec(head.text);
  if (!found || !OTHER.test(lines[from + 1]?.text ?? "")) return null;
  const [, art = "", hash = "", parents = "", refs = ""] = found;
  const fields = {};
  const strays = [];
  let column = art.length;
  let at = from + 1;
  for (; at < lines.length && !isEmpty(lines[at], art); at++) {
    const line = lines[at];
    const [, before2 = "", name, text = ""] = FIELD.exec(line.text) ?? [];
    if (name !== void 0 && !Object.hasOwn(fields, name)) {
      fields[name] = { text, line };
      if (name !== "Merge") column = before2.length;
    } else if (OTHER.test(line.text) || FIELD.test(lines[at + 1]?.text ?? "")) strays.push(line);
    else break;
  }
  const message = [];
  for (; at < lines.length; at++) {
    const line = lines[at];
    if (isEmpty(line, art)) message.push({ text: "", line });
    else if (isMessage3(line.text, column)) message.push({ text: line.text.slice(column + 4), line });
    else break;
  }
  return { commit: { art, hash: hash + parents, refs, fields, head, strays, message: trimmed(message) }, next: at };
}
var isEmpty = ({ text }, art) => text === "" || art !== "" && ART.test(text);
var isMessage3 = (text, column) => text.startsWith("    ", column) && ART.test(text.slice(0, column));
function trimmed(message) {
  const first3 = message.findIndex(({ text }) => text !== "");
  const last2 = message.findLastIndex(({ text }) => text !== "");
  return first3 === -1 ? [] : message.slice(first3, last2 + 1);
}
var short = (hash) => hash.includes(" ") ? hash.split(" ").map(short).join(" ") : hash.slice(0, 10);
var TRAILER = /^(?:Signed-off-by|Co-authored-by|Change-Id|Reviewed-by|Reviewed-on|Tested-by|Acked-by|Reported-by|Cc|git-svn-id|Assisted-by|Generated-by):/i;
var WEIGHTY = /^(?:BREAKING[ -]CHANGE\b|This reverts commit |\(cherry picked from commit )/;
var bodyOf = ({ message }) => message.slice(1).filter(({ text }) => text !== "" && !TRAILER.test(text));
function oneCommit({ hash, refs, head, fields, strays, message }, room) {
  const said2 = ["Merge", "Author", "Date"].flatMap((name) => {
    const field = fields[name];
    return field ? [standFor(`${name}: ${field.text}`, [field.line])] : [];
  });
  const shown = message.slice(0, room + 1).map(({ text, line }) => standFor(text, [line]));
  return [standFor(`commit ${short(hash)}${refs}`, [head]), ...said2, ...strays, ...shown, ...more(message.length - shown.length)];
}
function commitLine(commit, room, told5) {
  const { art, hash, refs, head, fields, strays, message } = commit;
  const { Author, Merge, Date: date } = fields;
  const sameAuthor = Author?.text === told5.last;
  const author = Author && (told5.seen.has(Author.text) ? Author.text.replace(/ <[^<>]*>$/, "") : Author.text);
  if (Author) told5.seen.add(Author.text);
  told5.last = Author?.text;
  const stands = [head, Merge?.line, date?.line, message[0]?.line, sameAuthor ? Author?.line : void 0].filter(
    (line) => line !== void 0
  );
  const text = [
    `${art}${short(hash)}${refs}`,
    date && shortDate(date.text, told5.precision),
    message[0]?.text,
    Merge && `(merge ${Merge.text})`
  ].filter(Boolean).join(" ");
  const body = bodyOf(commit);
  const shown = room === 0 ? body.filter(({ text: text2 }) => WEIGHTY.test(text2)) : body.slice(0, room);
  return [
    ...Author && !sameAuthor ? [standFor(`Author: ${author}`, [Author.line])] : [],
    standFor(text, stands),
    ...strays,
    ...shown.map(({ text: text2, line }) => standFor(` ${text2}`, [line])),
    ...room === 0 ? [] : more(body.length - shown.length, " ")
  ];
}
var more = (lines, indent = "") => lines > 0 ? [heading(`${indent}\u2026 ${lines} more lines`)] : [];
var MONTHS2 = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
function shortDate(date, precision) {
  const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/.exec(date);
  const [, month = "", number = "", time = "", year] = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{1,2}) (\d\d:\d\d):\d\d (\d{4})(?: [+-]\d{4})?$/.exec(date) ?? [];
  const at = MONTHS2.indexOf(month) + 1;
  if (!iso && at === 0) return date;
  const day = iso ? iso[1] : `${year}-${String(at).padStart(2, "0")}-${number.padStart(2, "0")}`;
  return precision === "day" ? day : `${day} ${iso ? iso[2] : time}`;
}

// src/filters/git/messages.ts
var ONE = 100;
var TOGETHER = 60;
var LEAST2 = 8;
var FEW2 = 20;
function shownCommits(all) {
  const [first3] = all;
  if (first3 && all.length === 1) return { commits: /* @__PURE__ */ new Map([[first3, oneCommit(first3, ONE)]]), areCut: first3.message.length > ONE + 1 };
  const sizes = all.map((commit) => bodyOf(commit).length);
  const rooms = shares(sizes, TOGETHER);
  const isEnough = rooms.every((room, n) => room >= Math.min(sizes[n], LEAST2));
  const told5 = { seen: /* @__PURE__ */ new Set(), last: void 0, precision: all.length > FEW2 ? "day" : "minute" };
  return {
    commits: new Map(all.map((commit, n) => [commit, commitLine(commit, isEnough ? rooms[n] : 0, told5)])),
    areCut: rooms.some((room, n) => room < sizes[n])
  };
}

// src/filters/git/diff.ts
function shownParts(parts, amount) {
  const byCommit = filesByCommit(parts);
  const { blocks, isCut } = blocksOf(byCommit, amount);
  const lists = new Map(byCommit.flatMap((files) => [...listsOf(files, blocks)]));
  const { commits, areCut } = shownCommits(parts.flatMap((part2) => part2.kind === "commit" ? [part2.commit] : []));
  const lines = [];
  for (const part2 of parts) {
    const shown = part2.kind === "text" ? [part2.line] : part2.kind === "commit" ? commits.get(part2.commit) : lists.get(part2.file) ?? blocks.get(part2.file)?.lines ?? [];
    for (const line of shown) lines.push(line);
  }
  return { lines, isCut: isCut || areCut };
}
function filesByCommit(parts) {
  const groups = [[]];
  for (const part2 of parts) {
    if (part2.kind === "commit") groups.push([]);
    else if (part2.kind === "file") groups.at(-1).push(part2.file);
  }
  return groups;
}
var FEWEST8 = 3;
function listsOf(files, blocks) {
  const kinds2 = /* @__PURE__ */ new Map();
  for (const file of files) {
    const label = blocks.get(file)?.bare ?? null;
    if (label === null) continue;
    const kind2 = kinds2.get(label);
    if (kind2) kind2.push(file);
    else kinds2.set(label, [file]);
  }
  const lists = /* @__PURE__ */ new Map();
  for (const [label, [first3, ...others]] of kinds2) {
    if (!first3 || others.length + 1 < FEWEST8) continue;
    lists.set(first3, listOf(label, [first3, ...others]));
    for (const other of others) lists.set(other, []);
  }
  return lists;
}
function listOf(label, files) {
  const named3 = files.map((file) => ({
    path: file.path,
    from: file.from ?? "",
    line: file.head,
    note: file.hunks.length > 0 ? `|${countsOf(file).trim().replace(" ", "")}` : ""
  }));
  return label === RENAMED ? moved(label, named3) : listed(label, named3);
}

// src/filters/git/parts.ts
function readParts(lines) {
  const parts = [];
  let isKnown = false;
  for (let at = 0; at < lines.length; ) {
    const commit = readCommit(lines, at);
    const diff = commit ? null : readFile(lines, at);
    if (commit) parts.push({ kind: "commit", commit: commit.commit });
    else if (diff) parts.push({ kind: "file", file: diff.file });
    else parts.push({ kind: "text", line: lines[at] });
    isKnown ||= commit !== null || diff !== null;
    at = (commit ?? diff)?.next ?? at + 1;
  }
  return isKnown ? parts.filter((part2, n) => !isLayout(part2, parts[n - 1], parts[n + 1])) : null;
}
var isLayout = (part2, before2, after) => part2.kind === "text" && isBlank2(part2.line) && (before2?.kind !== "text" || after?.kind !== "text");

// src/filters/strategies/git-diff.ts
var BY_WORD = /^--(?:word-diff|color-words)/;
var gitDiff = defineStrategy({
  options: z3.strictObject({
    max_diff_lines: z3.int().min(1).max(1e6).default(500).describe("Changed lines that are shown before files are cut to a fair share")
  }),
  build: ({ max_diff_lines }) => ({ lines, subject }) => {
    if (subject.words.some((word) => BY_WORD.test(word))) return null;
    const parts = readParts(lines);
    if (!parts) return null;
    const { lines: kept, isCut } = shownParts(parts, { room: max_diff_lines, context: askedContext(subject.words) });
    return { lines: kept, confidence: isCut ? "Partial" : "Full", harmless: Math.max(sumOf(lines).errors - sumOf(kept).errors, 0) };
  }
});
function askedContext(words2) {
  if (words2.some((word) => /^(?:-W|--function-context)$/.test(word))) return Number.POSITIVE_INFINITY;
  const asked = words2.map((word) => /^(?:-U|--unified=)(\d{1,6})$/.exec(word)?.[1]).findLast((number) => number !== void 0);
  return asked === void 0 ? null : Number(asked);
}

// src/filters/strategies/git-status.ts
import * as z4 from "zod";

// src/filters/git/progress.ts
var STEPS = [
  "(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking|Indexing|Checking|Removing duplicate|(?:Up|Down)loading LFS) objects",
  "Resolving deltas|Finding sources|Updating files|Checking out files|Filtering content|Checking connectivity|Refresh index",
  "Checking object directories|Expanding reachable commits in commit graph|Computing commit graph [a-z ]{1,40}|Collecting referenced commits",
  "Finding commits for commit graph among packed objects|Selecting bitmap commits|Building bitmaps|Performing inexact rename detection"
];
var SIZE = String.raw`[\d.]+ (?:bytes|[KMGT]?i?B)`;
var STEP = new RegExp(
  String.raw`^(?:remote: )?(?:${STEPS.join("|")}): +(\d{1,3}% \(\d+\/\d+\)|\d+)(?:, ${SIZE}(?: \| ${SIZE}\/s)?)?((?:, done|, completed with \d+ local objects?)?)\.?\s*$`
);
var ALWAYS = new RegExp(
  [
    String.raw`^(?:remote: )?Delta compression using up to \d+ threads?\.?\s*$`,
    String.raw`^(?:remote: )?Total \d+ \(delta \d+\), reused \d+ \(delta \d+\)(?:, pack-reused \d+(?: \(from \d+\))?)?\s*$`,
    String.raw`^remote:\s*$`,
    String.raw`^remote: Waiting for private key checker: \d+\/\d+ objects left\s*$`,
    String.raw`^Auto packing the repository (?:in background )?for optimum performance\.$`,
    String.raw`^See "git help gc" for manual housekeeping\.$`
  ].join("|")
);
var REBASING = /^Rebasing \(\d+\/\d+\)$/;
function progressReader(exitCode) {
  return (lines, at) => {
    const { text } = lines[at];
    if (REBASING.test(text)) return exitCode === 0 || REBASING.test(lines[at + 1]?.text ?? "") ? { next: at + 1, shown: [] } : null;
    const [isStep, amount = "", end = ""] = STEP.exec(text) ?? [];
    if (isStep === void 0 && !ALWAYS.test(text)) return null;
    if (exitCode !== 0 && end === "" && amount.includes("%") && !amount.startsWith("100%")) return null;
    return { next: at + 1, shown: [] };
  };
}
var remoteReader = (lines, at) => {
  const line = lines[at];
  const short2 = line.text.startsWith("remote: ") ? line.text.replace(/^remote: +/, "remote: ").trimEnd() : line.text;
  return short2 === line.text ? null : { next: at + 1, shown: [standFor(short2, [line])] };
};
var hintReader = (lines, at) => {
  const { text } = lines[at];
  if (!text.startsWith("hint:") || /\bhook\b|\b(?:error|fatal|warning):/.test(text)) return null;
  return { next: at + 1, shown: [] };
};
var DETACHED = "You are in 'detached HEAD' state.";
var DETACHED_ADVICE = [
  /^You are in 'detached HEAD' state\. You can look around, make experimental$/,
  /^changes and commit them, and you can discard any commits you make in this$/,
  /^state without impacting any branches by (?:performing another checkout|switching back to a branch)\.$/,
  /^If you want to create a new branch to retain commits you create, you may$/,
  /^do so \(now or later\) by using -[bc] with the (?:checkout|switch) command(?: again)?\. Example:$/,
  /^ {2}git (?:checkout -b|switch -c) <(?:new-)?(?:branch-)?name>$/,
  /^Or undo this operation with:$/,
  /^ {2}git switch -$/,
  /^Turn off this advice by setting config variable advice\.detachedHead to false$/
];
var detachedReader = (lines, at) => {
  const line = lines[at];
  if (!line.text.startsWith(DETACHED) || line.text === DETACHED) return null;
  let next = at + 1;
  while (next < lines.length && (lines[next].text === "" || DETACHED_ADVICE.some((advice) => advice.test(lines[next].text)))) next++;
  return { next, shown: [standFor(DETACHED, [line])] };
};
function mergeReader(all) {
  const said2 = /* @__PURE__ */ new Set();
  for (const { text } of all) {
    const [, path] = /^CONFLICT \([^)]*\): .*\bin (\S.*)$/.exec(text) ?? [];
    if (path !== void 0) said2.add(`Auto-merging ${path}`);
    if (text.startsWith("error: could not apply ")) said2.add(`C${text.slice(8)}`);
  }
  return (lines, at) => said2.has(lines[at].text) ? { next: at + 1, shown: [] } : null;
}

// src/filters/git/reader.ts
function readAll(lines, readers) {
  const kept = [];
  let known2 = 0;
  for (let at = 0; at < lines.length; ) {
    const read3 = first(readers, lines, at);
    if (read3) known2++;
    for (const line of read3?.shown ?? [lines[at]]) kept.push(line);
    at = read3?.next ?? at + 1;
  }
  return known2 === 0 ? null : kept;
}
function first(readers, lines, at) {
  for (const reader of readers) {
    const read3 = reader(lines, at);
    if (read3) return read3;
  }
  return null;
}

// src/filters/git/runs.ts
var KINDS2 = [
  { pattern: /^ (create|delete) mode (\d{6}) (\S.*)$/, label: ([, verb, mode]) => `${verb} mode ${mode}:`, path: 3 },
  { pattern: /^(add|remove|rm) '([^']+)'$/, label: ([, verb]) => `${verb}:`, path: 2 },
  { pattern: /^(Removing|Would remove|Auto-merging|Checking patch) ([^'].*?)(?:\.\.\.)?$/, label: ([, verb]) => `${verb}:`, path: 2 },
  { pattern: /^Applied patch (\S.*) cleanly\.$/, label: () => "Applied cleanly:", path: 1 },
  {
    pattern: /^warning: in the working copy of '([^']+)', (.{0,100})$/,
    label: ([, , what]) => `warning: ${what}, in the working copy of:`,
    path: 1
  },
  { pattern: /^([MADRCTU])\t(\S.*)$/, label: ([, letter]) => letter, path: 2 },
  { pattern: /^(\S.*): (needs merge|needs update)$/, label: ([, , what]) => `${what}:`, path: 1 },
  { pattern: /^\t(\S+)$/, label: () => "", path: 1 },
  // Refs that are new, or gone: their name here is their name there.
  { pattern: /^ ([*-]) (\[[a-z ]{3,20}\]) +(\S+) +-> (\S+)$/, label: refLabel, path: 3 }
];
var FEWEST9 = 3;
var runReader = (lines, from) => {
  const first3 = lines[from];
  const kind2 = KINDS2.find(({ pattern: pattern3 }) => pattern3.test(first3.text));
  const opening = kind2 && read(kind2, first3);
  if (!kind2 || !opening) return null;
  const named3 = [opening.named];
  let at = from + 1;
  for (; at < lines.length; at++) {
    const next = read(kind2, lines[at]);
    if (next?.label !== opening.label) break;
    named3.push(next.named);
  }
  return named3.length < FEWEST9 ? null : { next: at, shown: listed(opening.label, named3) };
};
function read({ pattern: pattern3, label, path }, line) {
  const groups = pattern3.exec(line.text);
  if (!groups || groups[path].includes("  ")) return null;
  const said2 = label(groups);
  return said2 === NONE3 ? null : { label: said2, named: { path: groups[path], line } };
}
var NONE3 = "\n";
function refLabel([, flag, what, here = "", there = ""]) {
  if (!there.endsWith(here)) return NONE3;
  const before2 = there.slice(0, there.length - here.length);
  return before2 === "" || before2.endsWith("/") ? `${flag} ${what} -> ${before2}*:` : NONE3;
}

// src/filters/git/stat.ts
var AMOUNT = /^ *(?:(\d+)(?: [+-]+)?|(Bin)(?: \d+ -> \d+ bytes)?)$/;
var TOTALS = /^ \d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?$/;
function statReader() {
  let looked = 0;
  return (lines, from) => {
    if (from < looked) return null;
    const named3 = [];
    let at = from;
    for (; at < lines.length; at++) {
      const row = rowOf4(lines[at]);
      if (!row) break;
      named3.push(row);
    }
    looked = at;
    const totals = lines[at];
    if (named3.length === 0 || !totals || !TOTALS.test(totals.text)) return null;
    const { next, marked: marked2, others } = marks(lines, at + 1, named3);
    return { next, shown: [...listed("changed:", marked2), standFor(totals.text.trim(), [totals]), ...others] };
  };
}
var MARK = /^ (create|delete) mode 100644 (\S.*)$/;
var OTHER_MARK = /^ (?:mode change|rename|copy|rewrite) /;
var MANY2 = 10;
function marks(lines, from, named3) {
  if (named3.length <= MANY2) return { next: from, marked: named3, others: [] };
  const byPath = new Map(named3.map((one) => [one.path, one]));
  const others = [];
  let next = from;
  for (; next < lines.length; next++) {
    const line = lines[next];
    const [, verb, path = ""] = MARK.exec(line.text) ?? [];
    const row = byPath.get(path);
    if (row)
      byPath.set(path, { ...row, note: `${row.note},${verb === "create" ? "new" : "deleted"}`, line: standFor("", [row.line, line]) });
    else if (OTHER_MARK.test(line.text)) others.push(line);
    else break;
  }
  return { next, marked: [...byPath.values()], others };
}
function rowOf4(line) {
  const { text } = line;
  const bar = text[0] === " " ? text.lastIndexOf(" | ") : -1;
  if (bar < 2) return null;
  const [amount, count2, bin] = AMOUNT.exec(text.slice(bar + 3)) ?? [];
  if (amount === void 0) return null;
  return { path: text.slice(1, bar).trim(), note: `|${count2 ?? bin}`, line };
}

// src/filters/git/status.ts
var SECTIONS = {
  "Changes to be committed:": "staged",
  "Changes not staged for commit:": "unstaged",
  "Changed but not updated:": "unstaged",
  "Untracked files:": "untracked",
  "Ignored files:": "ignored",
  "Unmerged paths:": "unmerged"
};
var HINT = /^ +\((?:use "git |fix conflicts and |commit or discard the untracked|Once you are satisfied with|see more in file )[^\n]*\)$/;
var HINT_BEHIND = /^(no changes added to commit|nothing added to commit but untracked files present|Untracked files not listed|nothing to commit) \((?:use|create) [^)]*\)$/;
var SLOW = /^(?:It took \d+\.\d+ seconds to enumerate untracked files[.,]|may speed it up, but you have to be careful|new files yourself \(see 'git help status'\)|but the results were cached, and subsequent runs may be faster|See 'git help status' for information on how to improve this)/;
var ENTRY = /^\t(?:([a-z][a-z ]{3,20}):\s+)?(\S.*)$/;
var NOTE = / \((?:new commits|modified content|untracked content)(?:, (?:modified content|untracked content))*\)$/;
var RENAMED2 = /^(?:renamed|copied)$/;
function statusReader() {
  let section = null;
  let said2 = [];
  return (lines, at) => {
    const line = lines[at];
    const { text } = line;
    if (Object.hasOwn(SECTIONS, text)) {
      section = SECTIONS[text];
      said2 = [line];
      let next = at + 1;
      while (next < lines.length && (lines[next].text === "" || HINT.test(lines[next].text))) next++;
      return lines[next]?.text.startsWith("	") ? { next, shown: [] } : null;
    }
    if (text.startsWith("	") && section !== null) {
      const read3 = entries(lines, at, section, said2);
      said2 = [];
      return read3;
    }
    if (HINT.test(text) || SLOW.test(text)) return { next: at + 1, shown: [] };
    const behind = HINT_BEHIND.exec(text);
    if (behind) return { next: at + 1, shown: [standFor(behind[1], [line])] };
    if (text !== "" && (text.endsWith(":") || !lines[at + 1]?.text.startsWith("	"))) section = null;
    return null;
  };
}
function entries(lines, from, section, said2) {
  const groups = /* @__PURE__ */ new Map();
  let at = from;
  for (; at < lines.length; at++) {
    const entry3 = entryOf(lines[at], section);
    if (!entry3) break;
    const group = groups.get(entry3.kind);
    if (group) group.push(entry3);
    else groups.set(entry3.kind, [entry3]);
  }
  const shown = [];
  for (const [kind2, group] of groups) {
    const label = `${kind2 === "" ? section : `${section} ${kind2}`}:`;
    const stands = shown.length === 0 ? said2 : [];
    for (const line of RENAMED2.test(kind2) ? moved(label, group.map(pair), stands) : listed(label, group, stands)) shown.push(line);
  }
  return at === from ? null : { next: at, shown };
}
function entryOf(line, section) {
  const [, kind2 = "", rest2 = ""] = ENTRY.exec(line.text) ?? [];
  const plain = section === "untracked" || section === "ignored";
  if (rest2 === "" || (plain ? line.text.includes("  ") : kind2 === "")) return null;
  if (plain) return { kind: "", path: line.text.slice(1), line };
  if (RENAMED2.test(kind2) && !rest2.includes(" -> ")) return null;
  const note3 = rest2.endsWith(")") ? NOTE.exec(rest2)?.[0] : void 0;
  return { kind: kind2, path: note3 ? rest2.slice(0, -note3.length) : rest2, line, note: note3 };
}
function pair(entry3) {
  const at = entry3.path.indexOf(" -> ");
  return { ...entry3, from: entry3.path.slice(0, at), path: entry3.path.slice(at + 4) };
}

// src/filters/strategies/git-status.ts
var gitStatus = defineStrategy({
  options: z4.strictObject({}),
  build: () => ({ lines, exitCode }) => {
    const readers = [
      statusReader(),
      progressReader(exitCode),
      hintReader,
      remoteReader,
      detachedReader,
      mergeReader(lines),
      statReader(),
      runReader
    ];
    const read3 = readAll(lines, readers);
    if (!read3) return null;
    const kept = read3.filter((line) => !isBlank2(line));
    return { lines: kept, confidence: "Full", harmless: sumOf(lines).errors - sumOf(kept).errors };
  }
});

// src/filters/strategies/group-by-rule.ts
import * as z5 from "zod";

// src/filters/diagnostics/diagnostic.ts
var placeOf = (file, line, column) => ({
  file,
  line: Number(line ?? 0),
  column: Number(column ?? 0)
});
var NONE4 = [];
function diagnostic({ file, line, column }, label, message, said2, drawn = NONE4, source = "") {
  return { label, message, file, line, column, source, said: said2, drawn };
}
var textAt = (lines, at) => lines[at]?.text ?? "";
var isNote = ({ label }) => /^(?:note|help|info|hint|remark)\b/.test(label);
var SOURCE_FILE = /\.(?:[cmdslhyr]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|tcc|ipp|inl|inc|def|mm|cu|cuh|rs|go|java|kts?|scala|sc|groovy|gradle|swift|pyi?|pyx|ipynb|[cm]?[jt]sx?|vue|svelte|astro|css|scss|sass|less|html?|cs|csx|fsx?|vb|csproj|rb|rake|php|sh|bash|zsh|fish|bats|ps1|lua|zig|nim|hs|lhs|mli?|elm|exs?|erl|clj[cs]?|dart|sql|proto|graphql|jsonc?|json5|ya?ml|toml|xml|mdx?|rst|tex|txt|tf|tfvars|hcl|nix|asm|f|f90|f95|for|p[lm]|jl|cmake|mk|bzl|sol|v|sv|vhdl?|tcl|ld|in|conf|cfg|ini|properties|prisma|sbt)$/i;
var HEADER = /[\\/](?:include|c\+\+)[\\/](?:.{0,200}[\\/])?[a-z_]{1,40}$/;
var NAMED = /(?:^|[\\/])(?:\w{0,3}Makefile|Dockerfile|Rakefile|Gemfile|Jenkinsfile|BUILD|WORKSPACE)$/;
var isSourceFile = (name) => SOURCE_FILE.test(name) || HEADER.test(name) || NAMED.test(name);
var SYSTEM = /^\/usr\/(?:include|lib|share|local\/include|bin\/\.\.)|^\/opt\/|^\/Library\/Developer|^\/Applications\/Xcode|^[A-Z]:\\Program Files|^\/nix\/store|\/rustc\/|\/\.rustup\/toolchains\/|\/\.cargo\/registry\/|\/c\+\+\/(?:v1|\d{1,2})\/|\/lib\.[\w.]{1,60}\.d\.ts$/;
var isSystemFile = (name) => SYSTEM.test(name);

// src/filters/diagnostics/template.ts
var NAMES2 = /'[^'\n]{0,200}'|"[^"\n]{0,200}"|`[^`'\n]{0,200}[`']|‘[^’\n]{0,200}’|“[^”\n]{0,200}”|[\w$.#@-]*[\d_][\w$.#@-]*(?:\(\))?|[\w$]+\([^()\s]{0,100}\)|(?<=: )[^\s'"`‘“]{1,100}$/g;
function templateOf2(message) {
  const parts = [];
  const names2 = [];
  let from = 0;
  for (const { 0: name, index: index2 } of message.slice(0, LONG2).matchAll(NAMES2)) {
    parts.push(message.slice(from, index2));
    names2.push(name);
    from = index2 + name.length;
  }
  return { parts: [...parts, message.slice(from)], names: names2 };
}
var LONG2 = 2e3;
var MOST_HOLES = 2;
function filled(templates) {
  const { parts, names: names2 } = templates[0];
  const differ = names2.map((name, n) => templates.some((other) => other.names[n] !== name));
  if (differ.filter(Boolean).length > MOST_HOLES) return null;
  const text = parts.map((part2, n) => `${part2}${n < names2.length ? differ[n] ? hole(names2[n]) : names2[n] : ""}`).join("");
  return {
    text,
    names: templates.map(
      (one) => one.names.filter((_, n) => differ[n]).map(bared).join(",")
    )
  };
}
var QUOTED = /^['"`‘“](.*)['"`’”]$/;
var hole = (name) => QUOTED.test(name) ? `${name[0]}\u2026${name.at(-1)}` : "\u2026";
var bared = (name) => QUOTED.exec(name)?.[1] ?? name;

// src/filters/diagnostics/group.ts
var FEW3 = 10;
var ALIKE = 3;
function grouped(found) {
  if (found.length <= FEW3) return oneByOne(found);
  const folder = commonFolder(found);
  const all = found.map(
    (one) => ({ one, file: one.file.slice(folder.length), line: one.line > 0 ? `${one.line}` : "", text: textOf(one) })
  );
  const told5 = shorter2(byMessage(all), byFile(all));
  return folder === "" ? told5 : [heading(`(in ${folder})`), ...told5];
}
var shorter2 = (one, other) => lengthOf2(other) < lengthOf2(one) ? other : one;
var lengthOf2 = (lines) => lines.reduce((sum, { text }) => sum + text.length + 1, 0);
function commonFolder(found) {
  const [first3, ...others] = new Set(found.map(({ file }) => file));
  if (first3 === void 0 || !/^(?:\/|[A-Za-z]:\\)/.test(first3)) return "";
  let shared = first3;
  for (const file of others) while (!file.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, Math.max(shared.lastIndexOf("/"), shared.lastIndexOf("\\")) + 1);
}
function oneByOne(found) {
  const groups = kinds(found, (one) => `${isNote(one) ? found.indexOf(one) : ""}${textOf(one)}`);
  return [...groups.values()].flatMap((of2) => {
    const [{ source, message }] = of2;
    const text = textOf(of2[0]);
    const places = counted(of2.map(({ file, line: line2, column }) => [file, line2, column].filter(Boolean).join(":"))).join(" ");
    if (of2.length > 1) return [standing(text, of2), heading(` ${places}`)];
    const line = standing([places, text].filter(Boolean).join(": "), of2);
    return source !== "" && templateOf2(message).names.length === 0 ? [line, { text: `  ${source.slice(0, SOURCE)}`, covers: 1, errors: 0 }] : [line];
  });
}
var SOURCE = 160;
function byMessage(all) {
  const often = messages(all).filter(({ of: of2 }) => of2.length > 1).sort((a, b) => rankOf(a.of[0].one) - rankOf(b.of[0].one));
  const several = new Set(often.flatMap(({ of: of2 }) => of2));
  return [...often.flatMap(byPlace), ...byFile(all.filter((told5) => !several.has(told5)))];
}
function byPlace({ text, of: of2, names: names2 }) {
  const spots = of2.map(({ file, line }, n) => ({ file, at: names2?.[n] ? `${line}(${names2[n]})` : line }));
  const places = [...kinds(spots, ({ file }) => file)].map(([file, here]) => withLines(file, counted(here.map(({ at }) => at))));
  return [
    standing(
      text,
      of2.map(({ one }) => one)
    ),
    heading(` ${places.join(" ")}`)
  ];
}
function byFile(all) {
  return [...kinds(all, ({ file }) => file)].flatMap(([file, here]) => {
    const rows = [...kinds(here, ({ text }) => text)].map(([text, of2]) => ({
      text,
      lines: counted(of2.map(({ line }) => line)),
      of: of2.map(({ one }) => one)
    }));
    if (rows.length === 1 || file === "")
      return rows.map(({ text, lines, of: of2 }) => standing([withLines(file, lines), text].filter(Boolean).join(": "), of2));
    return [heading(file), ...rows.map(({ text, lines, of: of2 }) => standing(` ${[lines.join(","), text].filter(Boolean).join(" ")}`, of2))];
  });
}
function messages(all) {
  const exact = [...kinds(all, ({ text }) => text)].map(([text, of2]) => ({
    text,
    of: of2,
    names: null,
    template: templateOf2(of2[0].one.message)
  }));
  const alike2 = kinds(exact, ({ of: of2, template }) => [of2[0].one.label, ...template.parts].join("\0"));
  return [...alike2.values()].flatMap((group) => group.length < ALIKE ? group : together2(group) ?? group);
}
function together2(alike2) {
  const told5 = filled(alike2.map(({ template }) => template));
  if (!told5) return null;
  const named3 = alike2.flatMap(({ of: of2 }, n) => of2.map((each) => ({ each, name: told5.names[n] })));
  named3.sort((a, b) => a.each.one.line - b.each.one.line);
  const text = textOf({ label: named3[0].each.one.label, message: told5.text });
  return [{ text, of: named3.map(({ each }) => each), names: named3.map(({ name }) => name) }];
}
var rankOf = (one) => isNote(one) ? 2 : /^warn/i.test(one.label) ? 1 : 0;
var textOf = ({ label, message }) => label === "" || message === "" ? label + message : `${label}: ${message}`;
var withLines = (file, lines) => lines.length > 0 ? `${file}:${lines.join(",")}` : file;
var counted = (places) => [...kinds(places.filter(Boolean), (place) => place)].map(([place, { length: length2 }]) => length2 > 1 ? `${place}\xD7${length2}` : place);
function standing(text, of2) {
  let covers = 0;
  let errors = 0;
  for (const { said: said2, drawn } of of2) {
    for (const line of said2) {
      covers += line.covers;
      errors += line.errors;
    }
    for (const line of drawn) errors += line.errors;
  }
  return { text, covers, errors };
}
function kinds(all, kindOf2) {
  const groups = /* @__PURE__ */ new Map();
  for (const one of all) {
    const kind2 = kindOf2(one);
    const group = groups.get(kind2);
    if (group) group.push(one);
    else groups.set(kind2, [one]);
  }
  return groups;
}

// src/filters/diagnostics/biome.ts
var HEAD3 = /^(\S.*?)(?::(\d{1,7}):(\d{1,6}))? ([a-z]+(?:\/[\w/-]{1,100})?)(?: {1,3}[A-Z][A-Z ]{1,30}?)? +━{3,}$/;
var SAID = /^ {1,4}([×✖!⚠iℹ]) (\S.*)$/;
var SEVERITIES = { "\xD7": "error", "\u2716": "error", "!": "warning", "\u26A0": "warning", i: "info", \u2139: "info" };
var biome = () => (lines, at) => {
  if (/^[a-z]{1,20} ━{3,}$/.test(textAt(lines, at))) return { found: [], end: at + 1 };
  const [, file, line, column, rule] = HEAD3.exec(textAt(lines, at)) ?? [];
  if (file === void 0) return null;
  const first3 = textAt(lines, at + 1) === "" ? at + 2 : at + 1;
  const [, sign, message] = SAID.exec(textAt(lines, first3)) ?? [];
  if (message === void 0) return null;
  const end = bodyEnd(lines, first3 + 1);
  const drawn = lines.slice(first3 + 1, end);
  const place = placeOf(file.replace(/^\.\//, ""), line, column);
  const said2 = [lines[at], lines[first3]];
  return { found: [diagnostic(place, SEVERITIES[sign], `${message.replace(/:$/, "")} (${rule})`, said2, drawn)], end };
};
function bodyEnd(lines, at) {
  let end = at;
  while (end < lines.length && (textAt(lines, end) === "" || /^ {2}/.test(textAt(lines, end)))) end++;
  while (end > at && textAt(lines, end - 1) === "") end--;
  return end;
}

// src/filters/diagnostics/box.ts
var OPEN = /^ {0,12}(?:╭─+|,-+)\[ ?(\S.*?):(\d{1,7}):(\d{1,6}) ?\]?$/;
var CLOSE = /^ {0,12}─*(?:╰─+|╯|`-{2,})\s*$/;
var SIDE = /^ {0,12}(?:\d{1,7} {0,2})?[│|·:](?: |$)/;
var SEVERITIES2 = { x: "error", "\xD7": "error", "\u2716": "error", "!": "warning", "\u26A0": "warning", i: "info" };
var box = () => (lines, at) => {
  let open2 = at + 1;
  while (open2 < at + 3 && !isOpen(textAt(lines, open2))) open2++;
  if (!isOpen(textAt(lines, open2)) || textAt(lines, at) === "") return null;
  const [, file, line, column] = OPEN.exec(textAt(lines, open2));
  const close = closeAt(lines, open2 + 1);
  const head = lines.slice(at, open2);
  if (close === -1 || !isSourceFile(file) || !head.every(({ text }, n) => n === 0 || /^\s+\S/.test(text))) return null;
  const [, sign = "", said2 = ""] = /^\s{0,8}(?:([x×✖!⚠i]) )?(\S.*)$/.exec(head[0].text) ?? [];
  const body = lines.slice(open2 + 1, close + 1);
  const label = labelIn(body);
  const help = /^ {1,4}help: /.test(textAt(lines, close + 1)) ? [lines[close + 1]] : [];
  const message = [said2, ...head.slice(1).map(({ text }) => text.replace(/^[\s│|]+/, "")), label].filter(Boolean).join(" ");
  const drawn = [...body, ...help];
  return {
    found: [diagnostic(placeOf(file, line, column), SEVERITIES2[sign] ?? "", message, lines.slice(at, open2 + 1), drawn)],
    end: close + 1 + help.length
  };
};
var isOpen = (text) => (text.includes("\u2500[") || text.includes(",-[")) && OPEN.test(text);
function closeAt(lines, at) {
  for (let n = at; n < Math.min(lines.length, at + 60); n++) {
    if (CLOSE.test(textAt(lines, n))) return n;
    if (!SIDE.test(textAt(lines, n))) return -1;
  }
  return -1;
}
function labelIn(body) {
  const labels = body.flatMap(({ text }) => /(?:╰─+|`-+) (\S.*)$/.exec(text)?.[1]?.trim() ?? []);
  return labels.length > 0 ? `(${labels.join("; ")})` : "";
}

// src/filters/diagnostics/cmake.ts
var HEAD4 = /^(CMake (?:Error|Warning|Deprecation Warning)(?: \(dev\))?(?: (?:at|in) \S.*)?):$/;
var STACK = /^Call Stack \(most recent call first\):$/;
var CALL = /^ {2}(\S.*?):(\d{1,7}) \(/;
var MODULE = /\/share\/cmake[^/]{0,20}\/Modules\//;
var cmake = () => (lines, at) => {
  const [, label] = HEAD4.exec(textAt(lines, at)) ?? [];
  if (label === void 0 || !/^ {2}\S/.test(textAt(lines, at + 1))) return null;
  let end = indentedEnd(lines, at + 1);
  const said2 = lines.slice(at + 1, end);
  const drawn = [];
  const calls = [];
  if (STACK.test(textAt(lines, end))) {
    const last2 = indentedEnd(lines, end + 1);
    drawn.push(...lines.slice(end, last2));
    for (const { text: text2 } of drawn) {
      const [, from, where] = CALL.exec(text2) ?? [];
      if (from !== void 0 && !MODULE.test(from)) calls.push(`${from}:${where}`);
    }
    end = last2;
  }
  const text = said2.map((one) => one.text.trim()).filter(Boolean).join(" ");
  const message = `${text}${calls.length > 0 ? ` (called from ${calls.join(", ")})` : ""}`;
  return { found: [diagnostic(placeOf(""), label, message, [lines[at], ...said2], drawn)], end };
};
function indentedEnd(lines, at) {
  let end = at;
  while (end < lines.length && (/^ {2}\S|^ {3,}/.test(textAt(lines, end)) || textAt(lines, end) === "" && /^ {2,}/.test(textAt(lines, end + 1))))
    end++;
  return end;
}

// src/filters/diagnostics/below.ts
var MARGIN = /^ {0,12}(?:\d{1,7}|\+{3})? {0,8}[|│](?:[ +]|$)/;
var NUMBERED2 = /^ {0,12}\d{1,7} {0,8}[|│] ?(.*)$/;
var CARET = /^[\s|]*[~^][\s~^|-]*$/;
var FOOT = /^\s{1,12}= (?:help|note|info): /;
var MOST_LINES = 12;
var hasMargin = (text) => MARGIN.test(text);
var isCaret = (text) => CARET.test(text);
function below(lines, at, isHead2) {
  if (hasMargin(textAt(lines, at))) return framed(lines, at);
  const caret = caretBelow(lines, at, isHead2);
  if (caret > at) return pointed(lines, at, caret, isHead2);
  const end = indentedEnd2(lines, at, depthOf(textAt(lines, at - 1)), isHead2);
  return { more: lines.slice(at, end), source: "", drawn: [], end };
}
function framed(lines, at) {
  const frame = frameEnd(lines, at);
  let end = frame;
  if (CANDIDATES.test(textAt(lines, frame))) while (/^ {2,}\S/.test(textAt(lines, end))) end++;
  return { more: [], source: markedSource(lines.slice(at, frame)), drawn: lines.slice(at, end), end };
}
var CANDIDATES = /^ {2,8}• there (?:is|are) \d{1,5} candidates?\b/;
function frameEnd(lines, at) {
  let end = at;
  while (end < lines.length && (hasMargin(textAt(lines, end)) || FOOT.test(textAt(lines, end)))) end++;
  return end;
}
function markedSource(frame) {
  const mark = frame.findIndex(({ text }) => /^ {0,12}[|│] *[\s|]*[~^]/.test(text));
  const source = mark > 0 ? NUMBERED2.exec(frame[mark - 1].text) : null;
  return source?.[1]?.trim() ?? "";
}
function pointed(lines, at, caret, isHead2) {
  const source = lines[caret - 1];
  let end = caret + 1;
  if (isFixIt(lines[end])) end++;
  const last2 = indentedEnd2(lines, end, depthOf(textAt(lines, at - 1)), isHead2);
  const said2 = source.errors > 0 ? [source] : [];
  const more2 = [...lines.slice(at, caret - 1), ...said2, ...lines.slice(end, last2)];
  const drawn = [...source.errors > 0 ? [] : [source], ...lines.slice(caret, end)];
  const right = textAt(lines, caret).search(/[~^]/) - source.text.search(/\S/);
  return { more: more2, source: source.errors > 0 ? "" : source.text.trim(), caret: right, drawn, end: last2 };
}
function caretBelow(lines, at, isHead2) {
  let caret = at;
  while (caret < at + 6 && textAt(lines, caret) !== "" && !isCaret(textAt(lines, caret))) caret++;
  if (!isCaret(textAt(lines, caret))) return -1;
  return lines.slice(at, caret).some(({ text }) => isHead2(text)) ? -1 : caret;
}
function isFixIt(line) {
  return line !== void 0 && line.errors === 0 && /^\s+\S.{0,80}$/.test(line.text) && !DETAIL.test(line.text);
}
var DETAIL = /^\s+(?:\w[\w ]{0,30}:\s|[a-z]{3,} [a-z]{2,} )/;
function indentedEnd2(lines, at, depth2, isHead2) {
  let end = at;
  while (end < Math.min(lines.length, at + MOST_LINES) && depthOf(textAt(lines, end)) > depth2 && !isHead2(textAt(lines, end))) end++;
  return end;
}
function depthOf(text) {
  const depth2 = text.search(/\S/);
  return text.startsWith("	") ? 100 : depth2 < 2 ? 0 : depth2;
}
function joined2(message, more2) {
  if (more2.length === 0 && !message.includes("  ")) return message;
  const text = [message, ...more2.map((line) => line.text.trim())].join(" ").replace(/ {2,}/g, " ").trim();
  return text.replace(/^cannot find symbol symbol: (.{1,300}?) location: /, "cannot find symbol: $1 in ");
}

// src/filters/diagnostics/preamble.ts
var INSIDE = /^[^\s:][^:]*: (?:In|At) \S.*:$/;
var INCLUDED = /^(?:In file included| {10,30}) ?from ([^\s:][^:]*):(\d{1,7})(?::\d{1,6})?[,:]$/;
var REQUIRED = /^([^\s:][^:]*):(\d{1,7})(?::(\d{1,6}))?: {2,6}((?:recursively )?required (?:from|by|for) .+|\[ skipping .{1,200})$/;
var MODULE2 = /^\*{5,} Module \S{1,300}$/;
var MAY_BE2 = /[:,]$|: {2,6}(?:\[|re)|^\*/;
var MOST_LINES2 = 200;
var LONG3 = 120;
function preamble(lines, at) {
  const required = [];
  const included = [];
  let end = at;
  while (end < Math.min(lines.length, at + MOST_LINES2)) {
    const line = lines[end];
    if (!MAY_BE2.test(line.text)) break;
    const [, user, userLine] = INCLUDED.exec(line.text) ?? [];
    const [, file, fileLine, column, why] = REQUIRED.exec(line.text) ?? [];
    if (user !== void 0) included.push(note2("included from here", user, userLine, void 0, line));
    else if (file !== void 0) required.push(note2(why, file, fileLine, column, line));
    else if (!INSIDE.test(line.text) && !MODULE2.test(line.text)) break;
    end = file !== void 0 ? frameEnd(lines, end + 1) : end + 1;
  }
  return { end, read: (file) => chains(file, lines.slice(at, end), ours(required), ours(included)) };
}
function chains(file, all, required, included) {
  const notes = required.length > 0 ? required : isSystemFile(file) ? included : [];
  const said2 = new Set(notes.flatMap((found) => found.said));
  return { notes, drawn: all.filter((line) => !said2.has(line)) };
}
var ours = (all) => all.filter((found) => !isSystemFile(found.file));
function note2(why, file, line, column, said2) {
  return diagnostic(placeOf(file, line, column), "note", why.length > LONG3 ? why.replace(/ [‘'].*/, " here") : why, [said2]);
}

// src/filters/diagnostics/colon.ts
var colon = () => {
  let barren = 0;
  return (lines, at) => {
    if (at < barren) return null;
    const start = namedAt(lines, at);
    const before2 = preamble(lines, start);
    const head = headOf(textAt(lines, before2.end));
    if (head) return readFrom(lines, at, start, before2, head);
    barren = before2.end;
    return null;
  };
};
var PLACE = /^(?:vet: )? {0,8}((?:[A-Za-z]:[\\/])?[^\s:][^:]*):(\d{1,7})(?::(\d{1,6}))?(?:-\d[\d:]{0,12})?(:| -|) {1,4}(\S.*)$/;
var SEVERITY = /^((?:fatal error|internal compiler error|error|warning|note|info|information|hint|remark|style|performance|portability|convention|refactor|Error|Warning|[CWEFRI])(?:\[[\w:-]{1,60}\]| [A-Z]{1,6}\d{1,5})?): ?(.*)$/;
var CODE = /^([A-Z]{1,6}\d{2,5}(?:\/[\w/-]{1,60})?):? (.+)$/;
var UNIX = /^(.+) \[(Error|Warning|Info)(?:\/([^\]\s]{1,100}))?\]$/;
function headOf(text) {
  const [, file, line, column, colon2, rest2 = ""] = PLACE.exec(text) ?? [];
  if (file === void 0 || !isSourceFile(file)) return null;
  const head = (label2, message2) => ({ label: label2, message: message2, file, line: Number(line), column: Number(column ?? 0) });
  const [, label, message] = colon2 && SEVERITY.exec(rest2) || CODE.exec(rest2) || [];
  if (label !== void 0) return head(label, message);
  const [, said2, severity, rule] = UNIX.exec(rest2) ?? [];
  return severity ? head(severity, rule ? `${said2} (${rule})` : said2) : null;
}
function pointIn(text) {
  const [, file, line, column, colon2, rest2] = PLACE.exec(text) ?? [];
  return colon2 === ":" && isSourceFile(file) ? { place: placeOf(file, line, column), rest: rest2 } : null;
}
var isHead = (text) => headOf(text) !== null;
function readFrom(lines, at, start, before2, head) {
  const { more: more2, source, caret, drawn, end } = below(lines, before2.end + 1, isHead);
  const ended = textAt(lines, end) === "compilation terminated." ? end + 1 : end;
  const next = idleEnd(lines, ended);
  const chains2 = before2.read(head.file);
  const message = joined2(head.message, more2);
  const said2 = [...lines.slice(at, start), lines[before2.end], ...more2];
  const first3 = diagnostic(head, head.label, message, said2, [...chains2.drawn, ...drawn, ...lines.slice(end, next)], source);
  const pointed2 = head.column === 0 && caret !== void 0 ? { ...first3, caret } : first3;
  return { found: [pointed2, ...chains2.notes], end: next };
}
function namedAt(lines, at) {
  const text = textAt(lines, at);
  return textAt(lines, at + 1).startsWith(`  ${text}:`) && isSourceFile(text) ? at + 1 : at;
}
function idleEnd(lines, at) {
  let end = at;
  for (; ; ) {
    const from = preamble(lines, end).end;
    const head = headOf(textAt(lines, from));
    const idle = head && (isSystemFile(head.file) || EMPTY.test(head.message) || end > at && /^ {2}/.test(head.message));
    if (head?.label !== "note" || !idle) return end;
    const frame = frameEnd(lines, from + 1);
    const rest2 = frame === from + 1 ? below(lines, frame, isHead) : null;
    if (rest2?.more.some(({ errors }) => errors > 0)) return end;
    end = rest2?.end ?? frame;
  }
}
var EMPTY = /^each undeclared identifier is reported only once|^See https?:\/\/\S+$/;

// src/filters/diagnostics/esbuild.ts
var HEAD5 = /^[✘▲] \[(ERROR|WARNING)\] (\S.*)$/;
var PLACE2 = /^ {4}(\S.*?):(\d{1,7}):(\d{1,6}):$/;
var esbuild = () => (lines, at) => {
  const [, label, message] = HEAD5.exec(textAt(lines, at)) ?? [];
  const [, file, line, column] = PLACE2.exec(textAt(lines, at + 2)) ?? [];
  if (label === void 0 || file === void 0 || textAt(lines, at + 1) !== "") return null;
  let end = at + 3;
  while (hasMargin(textAt(lines, end)) || /^ {6,}╵/.test(textAt(lines, end))) end++;
  const said2 = [lines[at], lines[at + 2]];
  return { found: [diagnostic(placeOf(file, line, column), label, message, said2, lines.slice(at + 3, end))], end };
};

// src/filters/diagnostics/go.ts
var PACKAGE = /^# [^\s#]\S{0,300}(?: \[\S{1,300}\])?$/;
var go = () => {
  let inPackage = false;
  return (lines, at) => {
    const reading = goAt(lines, at, inPackage);
    inPackage = reading !== null || PACKAGE.test(textAt(lines, at)) && isGo(textAt(lines, at + 1));
    return reading;
  };
};
var bare2 = () => (lines, at) => goAt(lines, at, true);
var isGo = (text) => /^\S/.test(text) && pointIn(text)?.place.file.endsWith(".go") === true;
function goAt(lines, at, known2) {
  const text = textAt(lines, at);
  const point = pointIn(text);
  if (!point) return null;
  const { more: more2, source, drawn, end } = below(lines, at + 1, isPlace);
  const linted = drawn.length > 0 && /\([\w-]{2,40}\)$/.test(point.rest);
  if (!linted && !(known2 && isGo(text))) return null;
  const message = joined2(point.rest, more2);
  return {
    found: [diagnostic(point.place, text.startsWith("vet: ") ? "vet" : "", message, [lines[at], ...more2], drawn, source)],
    end
  };
}
var isPlace = (text) => pointIn(text) !== null || PACKAGE.test(text);

// src/filters/diagnostics/kotlin.ts
var HEAD6 = /^([ew]): (?:file:\/\/)?((?:[A-Za-z]:[\\/])?[^\s:][^:]*):(?:(\d{1,7}):(\d{1,6}):?| \((\d{1,7}), (\d{1,6})\):) (\S.*)$/;
var COMPACT = /^(\S[^:]*): line (\d{1,7}), col (\d{1,6}), (Error|Warning) - (\S.*)$/;
var kotlin = () => (lines, at) => {
  const [, label, file, line, column, oldLine, oldColumn, message] = HEAD6.exec(textAt(lines, at)) ?? [];
  if (file === void 0 || !isSourceFile(file)) return null;
  return { found: [diagnostic(placeOf(file, line ?? oldLine, column ?? oldColumn), label, message, [lines[at]])], end: at + 1 };
};
var compact = () => (lines, at) => {
  const [, file, line, column, label, message] = COMPACT.exec(textAt(lines, at)) ?? [];
  if (file === void 0 || !isSourceFile(file)) return null;
  return { found: [diagnostic(placeOf(file, line, column), label, message, [lines[at]])], end: at + 1 };
};

// src/filters/diagnostics/linker.ts
var INSIDE2 = /^(?:\S{1,200}ld(?:\.\w{1,8})?: )?(\S.*?): in function [`'‘"]([^'’"]{1,1000})['’"]:$/;
var UNDEFINED = /^(?:\S{1,200}ld(?:\.\w{1,8})?: )?(\S[^()]{0,400}?):(?:\(\S{1,200}\)|(\d{1,7})): ((?:more )?(?:undefined reference to|multiple definition of) .+)$/;
var linker = () => {
  let inside2 = "";
  return (lines, at) => {
    const named3 = INSIDE2.exec(textAt(lines, at));
    const first3 = named3 && UNDEFINED.test(textAt(lines, at + 1)) ? at + 1 : at;
    const [, file, line, message] = UNDEFINED.exec(textAt(lines, first3)) ?? [];
    if (file === void 0) return null;
    if (first3 > at) inside2 = named3[2];
    const place = placeOf(inside2 === "" ? file : `${file}:${inside2}`, line);
    return { found: [diagnostic(place, "", message, lines.slice(at, first3 + 1))], end: first3 + 1 };
  };
};

// src/filters/diagnostics/located.ts
var PLACE3 = /^(?:\.\/)?(\S[^:]*):(\d{1,7}):(\d{1,6})$/;
var SAID2 = /^((?:Type |Syntax )?[Ee]rror|Warning|Hint|Warn): (\S.*)$/;
var FRAME = /^[> ] {0,8}\d{0,7} \|/;
var located = () => (lines, at) => {
  const [, file, line, column] = PLACE3.exec(textAt(lines, at)) ?? [];
  const [, label, message] = SAID2.exec(textAt(lines, at + 1)) ?? [];
  if (file === void 0 || label === void 0 || !isSourceFile(file)) return null;
  const first3 = textAt(lines, at + 2) === "" ? at + 3 : at + 2;
  let end = first3;
  while (FRAME.test(textAt(lines, end))) end++;
  const drawn = lines.slice(first3, end);
  const said2 = lines.slice(at, at + 2);
  return { found: [diagnostic(placeOf(file, line, column), label, message, said2, drawn)], end: end > first3 ? end : at + 2 };
};

// src/filters/diagnostics/maven.ts
var HEAD7 = /^\[(ERROR|WARNING)\] ((?:[A-Za-z]:[\\/])?[^\s:][^:]*):\[(\d{1,7})(?:,(\d{1,6}))?\] (\S.*)$/;
var DETAIL2 = /^(?:\[(?:ERROR|WARNING)\])? {2,}((?:symbol|location|required|found|reason|where|method|constructor)\b.*)$/;
var IDLE = /^\[ERROR\] *(?:$|-> \[Help \d\]|\[Help \d\] https?:|To see the full stack trace of the errors, re-run|Re-run Maven using the -X|For more information about the errors)/;
var maven = () => (lines, at) => {
  if (IDLE.test(textAt(lines, at))) return { found: [], end: at + 1 };
  const [, label, file, line, column, message] = HEAD7.exec(textAt(lines, at)) ?? [];
  if (file === void 0) return null;
  let end = at + 1;
  while (end < at + 12 && DETAIL2.test(textAt(lines, end))) end++;
  const more2 = lines.slice(at + 1, end);
  const plain = more2.map((one) => ({ ...one, text: DETAIL2.exec(one.text)[1] }));
  return { found: [diagnostic(placeOf(file, line, column), label, joined2(message, plain), [lines[at], ...more2])], end };
};

// src/filters/diagnostics/paren.ts
var paren = () => (lines, at) => {
  const head = headOf2(textAt(lines, at));
  if (!head) return null;
  const { more: more2, source, drawn, end } = below(lines, at + 1, isOther);
  const message = withoutProject(joined2(head.message, more2), head.file);
  return { found: [diagnostic(head, head.label, message, [lines[at], ...more2], drawn, source)], end };
};
var HEAD8 = /^ {0,8}(?:\d{1,3}>)?((?:[A-Za-z]:[\\/])?[^\s:(][^:(]*|[^\s:][^:]*)\((\d{1,7})(?:,(\d{1,6}))?(?:,\d{1,7},\d{1,6})?\) ?: {1,2}((?:fatal error|error|warning|message|info)(?: [A-Z]{1,10}\d{1,6})?): (.+)$/;
function headOf2(text) {
  const [, file, line, column, label, message] = HEAD8.exec(text) ?? [];
  if (file === void 0 || !isSourceFile(file)) return null;
  return { label, message, file, line: Number(line), column: Number(column ?? 0) };
}
var isOther = (text) => headOf2(text) !== null || /^ +\d+ (?:Warning|Error)\(s\)$/.test(text);
function withoutProject(message, file) {
  if (!message.endsWith("proj]")) return message;
  const [, said2, folder] = /^(.+) \[([^\][]{0,400}[\\/])[^\][\\/]{1,200}proj\]$/.exec(message) ?? [];
  return said2 !== void 0 && file.startsWith(folder) ? said2 : message;
}

// src/filters/diagnostics/prettier.ts
var FILE = /^(\[(?:warn|error)\]|[Ww]ould reformat:?) (\S.*)$/;
var BROKEN = /^\[error\] (\S[^:]*): (\S.*) \((\d{1,7}):(\d{1,6})\)$/;
var FRAME2 = /^\[error\] [ >] {0,8}\d{0,7} \|/;
var prettier = () => (lines, at) => {
  const text = textAt(lines, at);
  const [, file, message, line, column] = BROKEN.exec(text) ?? [];
  if (file !== void 0) {
    let end = at + 1;
    while (FRAME2.test(textAt(lines, end))) end++;
    return { found: [diagnostic(placeOf(file, line, column), "[error]", message, [lines[at]], lines.slice(at + 1, end))], end };
  }
  const [, label, name] = FILE.exec(text) ?? [];
  if (label === void 0 || name === void 0 || !isSourceFile(name)) return null;
  return { found: [diagnostic(placeOf(name), label, "", [lines[at]])], end: at + 1 };
};

// src/filters/diagnostics/pretty.ts
var NUMBERED3 = /^ {0,12}\d{1,7} (.*)$/;
var TILDES = /^ +~+\s*$/;
var RELATED = /^ {2}(\S[^:]*):(\d{1,7}):(\d{1,6})(?: - (.+))?$/;
var pretty = () => (lines, at) => {
  if (/^Errors {2}Files$/.test(textAt(lines, at))) return { found: [], end: tableEnd(lines, at + 1) };
  const head = / - (?:error|warning|message|suggestion) TS\d{1,6}: /.test(textAt(lines, at)) ? headOf(textAt(lines, at)) : null;
  if (!head) return null;
  const said2 = [lines[at]];
  let next = at + 1;
  for (; /^ {2,}\S/.test(textAt(lines, next)) && !RELATED.test(textAt(lines, next)); next++) said2.push(lines[next]);
  const message = [head.message, ...said2.slice(1).map(({ text }) => text.trim())].join(" ");
  const frame = frameAt2(lines, next);
  next = frame.end;
  const found = [];
  const drawn = [...frame.drawn];
  for (let related = relatedAt(lines, next); related; related = relatedAt(lines, next)) {
    next = related.end;
    if (isSystemFile(related.found.file)) drawn.push(...related.found.said, ...related.found.drawn);
    else found.push(related.found);
  }
  return { found: [diagnostic(head, head.label, message, said2, drawn, frame.source), ...found], end: next };
};
function tableEnd(lines, at) {
  let end = at;
  while (/^ {1,8}\d{1,7} {2}\S.*:\d{1,7}$/.test(textAt(lines, end))) end++;
  return end;
}
function frameAt2(lines, at) {
  const drawn = [];
  let source = "";
  let next = skipBlank(lines, at);
  while (NUMBERED3.test(textAt(lines, next)) && (TILDES.test(textAt(lines, next + 1)) || drawn.length > 0)) {
    source ||= NUMBERED3.exec(textAt(lines, next))[1].trim();
    drawn.push(lines[next++]);
    for (; TILDES.test(textAt(lines, next)) || textAt(lines, next).trim() === "..."; next++) drawn.push(lines[next]);
  }
  return drawn.length > 0 ? { drawn, source, end: next } : { drawn, source, end: at };
}
function relatedAt(lines, at) {
  const start = skipBlank(lines, at);
  const [, file, line, column, inline2] = RELATED.exec(textAt(lines, start)) ?? [];
  if (file === void 0) return null;
  const { drawn, end } = frameAt2(lines, start + 1);
  const after = inline2 === void 0 && /^ {4}\S/.test(textAt(lines, end)) ? lines[end] : void 0;
  const message = inline2 ?? after?.text.trim() ?? "";
  const said2 = after ? [lines[start], after] : [lines[start]];
  return {
    found: diagnostic(placeOf(file, line, column), "note", message, said2, drawn),
    end: after ? end + 1 : end
  };
}
var skipBlank = (lines, at) => textAt(lines, at) === "" && at < lines.length ? at + 1 : at;

// src/filters/diagnostics/rustc-body.ts
var MARKED = /^ {0,12}\| +[\s|]*[\^~_-]|^ {0,12}\| [\s|]+\S/;
var LINT = /`(?:#\[(?:warn|deny|forbid)\()?(?:-[DWF] )?([\w:-]{3,80})(?:\)\])?`.*(?:on by default|implied by|lint level)/;
var CLIPPY = /rust-clippy\/\S*#([\w-]{3,80})$/;
var EMPTY2 = /^(?:for (?:further|more) information|`#\[|`-[DWF] |to override |this error originates in|the question mark operation|all struct fields|required (?:for|by|because)|the following other types|the full (?:name|type)|consult |see |if you |the lint level)/;
function ruleIn(body) {
  for (const { text } of body) {
    const rule = CLIPPY.exec(text)?.[1] ?? LINT.exec(text)?.[1];
    if (rule) return rule.replace("clippy::", "");
  }
  return "";
}
function labelsIn(body) {
  const labels = [];
  for (const { text } of body) {
    if (/^(?:note|help): |^ {1,12}= /.test(text)) break;
    if (!MARKED.test(text)) continue;
    const label = text.replace(/^[\s|^~_+-]+/, "");
    if (/[A-Za-z]{2}/.test(label)) labels.push(label);
  }
  return labels.reverse().slice(0, 6).reverse();
}
function remarksIn(body) {
  const remarks = [];
  for (const [n, { text }] of body.entries()) {
    const [, word, sub] = /^(note|help): (.+)$/.exec(text) ?? [];
    const [, foot] = /^ {1,12}= (?:note|help): (.+)$/.exec(text) ?? [];
    if (sub !== void 0) remarks.push(`${word}: ${sub}${inserted(body, n + 1)}`);
    else if (foot !== void 0 && !EMPTY2.test(foot)) remarks.push(`${foot}${wanted(body[n + 1])}`);
  }
  return remarks;
}
var wanted = (line) => line && /^ {6,}(?:found|to) /.test(line.text) ? `, ${line.text.trim()}` : "";
function inserted(body, from) {
  for (let n = from; n < body.length && !/^(?:note|help): /.test(body[n].text); n++) {
    const added = /^ {0,12}\d{1,7} \+ (.{1,400})$/.exec(body[n].text)?.[1];
    if (added !== void 0) return `: ${added.trim().slice(0, 160)}`;
    const marks2 = /^ {0,12}\| [\s+~]*[+~]+\s*$/.test(body[n].text) && n > from ? body[n].text : "";
    if (marks2 === "") continue;
    const source = body[n - 1].text;
    const parts = [...marks2.matchAll(/[+~]{1,200}/g)].map(({ 0: run, index: index2 }) => source.slice(index2, index2 + run.length).trim());
    return `: ${parts.join(" ")}`;
  }
  return "";
}

// src/filters/diagnostics/rustc.ts
var rustc = () => {
  const rules = /* @__PURE__ */ new Map();
  const ruleOf = (message, body) => {
    const kind2 = templateOf2(message).parts.join("\0");
    const rule = ruleIn(body) || (rules.get(kind2) ?? "");
    rules.set(kind2, rule);
    return rule;
  };
  return (lines, at) => EXPLAIN.test(textAt(lines, at)) ? { found: [], end: at + 1 } : diagnosticAt(lines, at, ruleOf);
};
var EXPLAIN = /^(?:Some errors have detailed explanations: E\d|For more information about (?:an|this) error, try `rustc --explain )/;
function diagnosticAt(lines, at, ruleOf) {
  const [, severity, code = "", said2] = HEAD9.exec(textAt(lines, at)) ?? RUFF.exec(textAt(lines, at)) ?? [];
  if (severity === void 0) return null;
  let next = at + 1;
  while (next < at + 5 && /^ {3,}\S/.test(textAt(lines, next)) && !ARROW.test(textAt(lines, next))) next++;
  const place = placeIn2(textAt(lines, next));
  if (!place) return null;
  const { body, notes, end } = bodyAt(lines, next + 1);
  const head = lines.slice(at, next + 1);
  const told5 = [said2, ...head.slice(1, -1).map(({ text }) => text.trim())].join(" ");
  const rule = /^\[E/.test(code) ? "" : ruleOf(told5, body);
  const labels = severity === "error" && rule === "" ? labelsIn(body).filter((label) => code !== "" || !label.startsWith("help:")) : [];
  const remarks = severity === "error" && code !== "" ? remarksIn(body) : [];
  const beside = [...labels.length > 0 ? [labels.join("; ")] : [], ...rule === "" ? [] : [rule]].map((text) => ` (${text})`).join("");
  const message = [`${told5}${beside}`, ...remarks].join("; ");
  const first3 = diagnostic(place, `${severity}${code}`, message, head, body, markedSource(body));
  return { found: [first3, ...notes], end };
}
var HEAD9 = /^(error|warning|info)(\[[\w:-]{1,80}\])?: (.+)$/;
var RUFF = /^([A-Z]{1,6}\d{2,5}|invalid-syntax)():?(?: \[\*\])? (.+)$/;
var ARROW = /^ {0,12}(?:-->|:::) (\S.*?):(\d{1,7}):(\d{1,6})$/;
var SUB = /^(note|help): (.+)$/;
var SUGGESTED = /^ {0,12}\d{1,7} {0,2}[-+~](?: |$)/;
var FOOT2 = /^ {1,12}= (?:note|help|warning|info): /;
function placeIn2(text) {
  const [, file, line, column] = ARROW.exec(text) ?? [];
  return file === void 0 ? null : placeOf(file, line, column);
}
function bodyAt(lines, at) {
  const body = [];
  const notes = [];
  let end = at;
  while (end < lines.length && isBody(lines, end)) {
    const [, label, message] = SUB.exec(textAt(lines, end)) ?? [];
    const place = label === void 0 ? null : placeIn2(textAt(lines, end + 1));
    if (place && !isSystemFile(place.file)) {
      notes.push(diagnostic(place, label, message, lines.slice(end, end + 2)));
      end += 2;
    } else body.push(lines[end++]);
  }
  return { body, notes, end };
}
function isBody(lines, at) {
  const { text } = lines[at];
  if (text === "...") return true;
  if (hasMargin(text) || SUGGESTED.test(text) || FOOT2.test(text) || ARROW.test(text)) return true;
  if (SUB.test(text)) return at > 0 && textAt(lines, at - 1) !== "";
  return /^ {6,}\S/.test(text) && (FOOT2.test(textAt(lines, at - 1)) || /^ {6,}\S/.test(textAt(lines, at - 1)));
}

// src/filters/diagnostics/shellcheck.ts
var HEAD10 = /^In (\S.*) line (\d{1,7}):$/;
var MARK2 = /^(\s*)\^-*\^? (SC\d{3,5}) \((\w{1,20})\): (.+)$/;
var shellcheck = () => (lines, at) => {
  if (/^For more information:$/.test(textAt(lines, at)) && isLink(textAt(lines, at + 1))) {
    let end2 = at + 1;
    while (isLink(textAt(lines, end2))) end2++;
    return { found: [], end: end2 };
  }
  const [, file, line] = HEAD10.exec(textAt(lines, at)) ?? [];
  if (file === void 0 || !MARK2.test(textAt(lines, at + 2))) return null;
  const found = [];
  let end = at + 2;
  for (let mark = MARK2.exec(textAt(lines, end)); mark; mark = MARK2.exec(textAt(lines, end))) {
    const [, indent, code, severity, message] = mark;
    const first3 = end === at + 2;
    const place = { file, line: Number(line), column: indent.length + 1 };
    const said2 = first3 ? [lines[at], lines[end]] : [lines[end]];
    found.push(diagnostic(place, `${severity} ${code}`, message, said2, first3 ? [lines[at + 1]] : []));
    end++;
  }
  const proposal = textAt(lines, end) === "" ? end + 1 : end;
  if (/^Did you mean:\s*$/.test(textAt(lines, proposal)) && textAt(lines, proposal + 1) !== "" && lines[proposal + 1].errors === 0)
    end = proposal + 2;
  return { found, end };
};
var isLink = (text) => /^ {2}https:\/\/\S+ -- /.test(text);

// src/filters/diagnostics/stylish.ts
var stylish = () => {
  let file = "";
  return (lines, at) => {
    const named3 = rowIn(textAt(lines, at + 1)) ? fileIn(textAt(lines, at)) : null;
    const first3 = named3 === null ? at : at + 1;
    file = named3 ?? file;
    const found = [];
    let end = first3;
    for (let row = file === "" ? null : rowIn(textAt(lines, end)); row; row = rowIn(textAt(lines, end))) {
      const said2 = end === first3 && first3 > at ? [lines[at], lines[end]] : [lines[end]];
      found.push(diagnostic({ file, line: row.line, column: row.column }, row.label, row.message, said2));
      end++;
    }
    return found.length > 0 ? { found, end } : null;
  };
};
function fileIn(text) {
  if (text === "" || text.length > 400 || /^\s/.test(text)) return null;
  const name = text.replace(/:$/, "");
  return isSourceFile(name) ? name : null;
}
var ROW4 = /^ {0,6}(\d{1,7}):(\d{1,6})\s{1,8}(error|warning|info|Error:|Warning:|✖|⚠|ℹ|×|‼|[A-Z]{1,6}\d{2,5})\s{1,10}(\S.*)$/;
var RULE = /^(?:@?[\w-]+[/(])?[@\w][\w@/.()-]*$/;
function rowIn(text) {
  const [, line, column, label, rest2] = ROW4.exec(text) ?? [];
  if (rest2 === void 0) return null;
  const trimmed3 = rest2.trimEnd();
  const gap = trimmed3.lastIndexOf("  ");
  const rule = gap > 0 ? trimmed3.slice(gap).trim() : "";
  const message = rule !== "" && RULE.test(rule) ? `${trimmed3.slice(0, gap).trimEnd()} (${rule})` : trimmed3;
  return { label: label.replace(":", ""), message: message.replace(/ {2,}/g, " "), line: Number(line), column: Number(column) };
}

// src/filters/diagnostics/webpack.ts
var HEAD11 = /^(ERROR|WARNING) in (\S.*?)(?: (\d{1,7}):(\d{1,6})(?:-[\d:]{1,16})?)?$/;
var TRACE = /^resolve '|^ {2,}\S|^ ?@ |^\s*$|^See https?:\/\/|^You may need an appropriate loader|^File was (?:parsed|processed)/;
var webpack = () => (lines, at) => {
  const [, label, file, line, column] = HEAD11.exec(textAt(lines, at)) ?? [];
  if (file === void 0 || textAt(lines, at + 1) === "") return null;
  const said2 = [];
  const drawn = [];
  let end = at + 1;
  for (; end < lines.length && textAt(lines, end) !== "" && !HEAD11.test(textAt(lines, end)); end++) {
    const { text } = lines[end];
    const traced = said2.length > 0 && (TRACE.test(text) || hasMargin(text.replace(/^>/, " ")));
    (traced ? drawn : said2).push(lines[end]);
  }
  const message = said2.map(({ text }) => text.trim()).join(" ");
  return { found: [diagnostic(placeOf(file, line, column), label, message, [lines[at], ...said2], drawn)], end };
};

// src/filters/diagnostics/index.ts
var FORMATS2 = {
  pretty,
  rustc,
  biome,
  box,
  shellcheck,
  located,
  esbuild,
  webpack,
  cmake,
  maven,
  prettier,
  kotlin,
  paren,
  stylish,
  colon,
  compact,
  linker,
  go,
  bare: bare2
};

// src/filters/diagnostics/hints.ts
var PLACE4 = /(?:\.[A-Za-z][\w+]{0,9}|c\+\+\/[\w/]{1,80}|file|BUILD|WORKSPACE)(?:[:(]\d|:\[\d|: line \d|: \(\d| line \d| \d+:\d)|━━━|: undefined reference|: multiple definition/;
var WORDS2 = /^(?: {0,6}\d{1,7}:\d{1,6}\s|CMake |ERROR in |WARNING in |\[(?:warn|error|ERROR)\]|For more information|Some errors have|Errors {2}F|[Ww]ould reformat|[✘▲] \[)/;
var ABOVE = 5;
function begins(lines) {
  let looked = 0;
  let last2 = -1;
  return (at) => {
    for (; looked < lines.length && looked <= at + ABOVE; looked++) {
      const { text } = lines[looked];
      if (PLACE4.test(text) || WORDS2.test(text)) last2 = looked;
      if (last2 >= at) return true;
    }
    return last2 >= at;
  };
}

// src/filters/diagnostics/read.ts
function readParts2(lines, formats2, atLeast) {
  const first3 = partsIn(lines, formats2);
  const seen = formats2.filter((name) => (first3.counts.get(name) ?? 0) >= atLeast);
  if (seen.length === 0) return null;
  const lone = formats2.some((name) => first3.counts.has(name) && !seen.includes(name));
  const { parts, harmless } = lone ? partsIn(lines, seen) : first3;
  return { parts: withoutRepetition(parts), harmless };
}
function partsIn(lines, formats2) {
  const readers = formats2.map((name) => [name, FORMATS2[name]()]);
  const mayBegin = begins(lines);
  const counts2 = /* @__PURE__ */ new Map();
  const parts = [];
  let run = [];
  let harmless = 0;
  const close = () => {
    if (run.length > 0) parts.push({ found: run });
    run = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const [name, reading] = mayBegin(at) ? readAt(readers, lines, at) : NOTHING3;
    if (name && reading) {
      counts2.set(name, (counts2.get(name) ?? 0) + reading.found.filter((one) => !isNote(one)).length);
      if (reading.found.length === 0) harmless += sumOf(lines.slice(at, reading.end)).errors;
      for (const one of reading.found) run.push(one);
      at = reading.end;
      continue;
    }
    if (line.text !== "") close();
    if (line.text !== "" || run.length === 0) parts.push({ line });
    at++;
  }
  close();
  return { parts, counts: counts2, harmless };
}
var NOTHING3 = [null, null];
function readAt(readers, lines, at) {
  for (const [name, read3] of readers) {
    const reading = read3(lines, at);
    if (reading) return [name, reading];
  }
  return NOTHING3;
}
function withoutRepetition(parts) {
  const first3 = /* @__PURE__ */ new Map();
  const again = /* @__PURE__ */ new Map();
  const isNew = (one) => {
    const key = `${one.file}\0${one.line}\0${one.column}\0${one.label}\0${one.message}`;
    const exact = one.caret === void 0 ? key : `${key}\0${one.caret}`;
    const there = first3.get(key);
    const before2 = first3.get(exact) ?? (there?.caret === void 0 ? there : void 0);
    if (!before2) {
      if (!there) first3.set(key, one);
      first3.set(exact, one);
    } else if (!again.get(before2)?.push(one)) again.set(before2, [one]);
    return !before2;
  };
  const fresh = parts.map((part2) => "line" in part2 ? part2 : { found: part2.found.filter(isNew) });
  if (again.size === 0) return parts;
  const whole3 = (one) => {
    const others = again.get(one);
    return others ? { ...one, drawn: [one, ...others].flatMap(({ said: said2, drawn }, n) => n === 0 ? drawn : [...said2, ...drawn]) } : one;
  };
  return fresh.map((part2) => "line" in part2 ? part2 : { found: part2.found.map(whole3) });
}

// src/filters/strategies/group-by-rule.ts
var NAMES3 = Object.keys(FORMATS2);
var PROVEN = NAMES3.filter((name) => name !== "bare");
var TOLD = /* @__PURE__ */ new WeakSet();
var groupByRule = defineStrategy({
  options: z5.strictObject({
    formats: z5.array(z5.enum(NAMES3)).min(1).optional().describe("The forms to look for; all that cannot be mistaken if left out"),
    at_least: z5.int().min(1).default(1).describe("How many of one form there must be")
  }),
  build({ formats: formats2 = PROVEN, at_least }) {
    return ({ lines }) => {
      if (lines.some((line) => TOLD.has(line))) return null;
      const read3 = readParts2(lines, formats2, at_least);
      if (!read3) return null;
      const shown = read3.parts.flatMap((part2) => "found" in part2 ? ours2(grouped(part2.found)) : [part2.line]);
      return { lines: shown, confidence: "Full", harmless: read3.harmless };
    };
  }
});
function ours2(lines) {
  for (const line of lines) TOLD.add(line);
  return lines;
}

// src/filters/strategies/keep-matching.ts
import * as z6 from "zod";
var keepMatching = defineStrategy({
  options: z6.strictObject({ patterns: z6.array(z6.string().max(512)).min(1).describe("Lines that match any of these stay") }),
  build({ patterns }, compile2) {
    const tests = patterns.map(compile2);
    return ({ lines }) => {
      const kept = lines.filter((line) => line.errors > 0 || tests.some((test) => test(line.text)));
      if (kept.length === 0) return null;
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  }
});

// src/filters/strategies/strip-annotated.ts
import * as z7 from "zod";
var stripAnnotated = defineStrategy({
  options: z7.strictObject({
    annotations: z7.array(z7.string().min(1).max(512)).min(1).describe("Words such as note and help, without the colon")
  }),
  build({ annotations }) {
    const begins2 = annotations.map((word) => `${word}:`);
    const isRemark = (text) => begins2.some((begin) => bare3(text).startsWith(begin));
    return ({ lines }) => {
      const kept = [];
      let at = 0;
      while (at < lines.length) {
        const line = lines[at];
        if (!isRemark(line.text)) kept.push(line);
        at = isRemark(line.text) ? drawnEnd(lines, at + 1) : at + 1;
      }
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  }
});
var bare3 = (text) => text.replace(/^[\s=|>-]+/, "").replace(/^[^\s:][^:]{0,400}:\d{1,7}:(?:\d{1,6}:)? +/, "");
function drawnEnd(lines, at) {
  const first3 = /^ {0,12}(?:-->|:::) \S/.test(textAt(lines, at)) ? at + 1 : at;
  const end = frameEnd(lines, first3);
  if (end > first3 || first3 > at) return end;
  return isCaret(textAt(lines, at + 1)) && lines[at].errors === 0 ? at + 2 : at;
}

// src/filters/strategies/strip-noise.ts
import * as z8 from "zod";

// src/filters/noise/any.ts
function anyOf(patterns, compile2) {
  const alone = patterns.filter((pattern3) => compile2 !== trustedPattern || refersBack(pattern3));
  const together3 = patterns.filter((pattern3) => !alone.includes(pattern3));
  const tests = [...alone.map(compile2), ...together3.length > 0 ? [compile2(together3.map((pattern3) => `(?:${pattern3})`).join("|"))] : []];
  return (line) => tests.some((test) => test(line));
}
var refersBack = (pattern3) => /\\[1-9]/.test(pattern3);

// src/filters/noise/blocks.ts
function blocksIn(lines, sequences) {
  const found = /* @__PURE__ */ new Set();
  for (const tests of sequences) {
    for (let at = 0; at < lines.length; ) {
      const { end, complete } = follow(lines, at, tests);
      if (complete) for (let n = at; n < end; n++) found.add(n);
      at = Math.max(end, at + 1);
    }
  }
  return found;
}
function follow(lines, from, tests) {
  let at = from;
  for (const test of tests) {
    const start = at;
    while (at < lines.length && test(lines[at].text)) at++;
    if (at === start) return { end: at, complete: false };
  }
  return { end: at, complete: true };
}

// src/filters/noise/columns.ts
function withoutPadding(lines) {
  const result = [];
  let changed2 = false;
  for (let at = 0; at < lines.length; ) {
    const end = isHeader(lines[at].text) ? endOfTable(lines, at) : at + 1;
    const block = lines.slice(at, end);
    const table = block.length > 1 ? squeezed2(block) : block;
    changed2 ||= table !== block;
    result.push(...table);
    at = end;
  }
  return changed2 ? result : lines;
}
var GAPS = /(?: {2,}| ?\t *)(?=\S)/g;
var gaps = (text) => text.trimStart().match(GAPS)?.length ?? 0;
var isHeader = (text) => /^\s*[A-Z]/.test(text) && gaps(text) >= 2;
function endOfTable(lines, from) {
  let end = from;
  while (end < lines.length && !isBlank2(lines[end])) end++;
  return end;
}
function squeezed2(block) {
  const rows = rowsOf2(block.filter(({ text }) => gaps(text) > 0));
  const [head, ...body] = rows;
  if (!head || body.length === 0 || head.cells.length < 3) return block;
  const columns = [...head.cells.keys()];
  const shared = body.length < 3 ? [] : columns.filter((n) => n > 0 || head.cells.length > 3).filter((n) => isShared(body, n));
  const full = columns.filter((n) => !body.every(({ cells }) => isEmpty2(cells[n])));
  const said2 = shared.filter((n) => full.includes(n));
  const shown = full.filter((n) => !said2.includes(n));
  if (shown.length === 0) return block;
  const note3 = said2.length > 0 ? ` (all: ${said2.map((n) => `${head.cells[n]}=${body[0].cells[n]}`).join(", ")})` : "";
  const texts = new Map(rows.map(({ line, cells }) => [line, sideBySide(shown.map((n) => isEmpty2(cells[n]) ? "-" : cells[n]))]));
  return block.map((line) => {
    const text = texts.get(line);
    if (text === void 0) return line;
    return standFor(line === head.line ? `${text}${note3}` : text, [line]);
  });
}
var sideBySide = (cells) => cells.reduce((row, cell, n) => `${row}${[cells[n - 1], cell].some((each) => each?.includes(" ")) ? "  " : " "}${cell}`);
var isEmpty2 = (cell) => cell === "" || cell === "<none>";
var isShared = (body, n) => body.every(({ cells }) => cells[n] === body[0].cells[n]);
function rowsOf2(lines) {
  if (lines.some(({ text }) => text.includes("	"))) return tabbed(lines);
  const bounds = columnsOf(lines.map(({ text }) => text));
  return lines.map((line) => ({ line, cells: bounds.map(([from, to]) => line.text.slice(from, to).trim()) }));
}
function tabbed(lines) {
  const rows = lines.map((line) => ({ line, cells: line.text.split("	").map((cell) => cell.trim()) }));
  return rows.every(({ cells }) => cells.length === rows[0].cells.length) ? rows : [];
}
function columnsOf(texts) {
  const width = texts.reduce((most, { length: length2 }) => Math.max(most, length2), 0);
  const used = new Uint8Array(width + 2);
  for (const text of texts) for (let n = 0; n < text.length; n++) if (text[n] !== " ") used[n] = 1;
  const columns = [];
  for (let at = 0; at < width; ) {
    while (at < width && !used[at]) at++;
    const from = at;
    while (at < width && (used[at] || used[at + 1])) at++;
    if (at > from) columns.push([from, at]);
  }
  return columns;
}

// src/filters/noise/replace.ts
import { RE2JS as RE2JS2 } from "re2js";
function replacing(written, compile2) {
  const isMeant = anyOf(
    written.map(({ pattern: pattern3 }) => pattern3),
    compile2
  );
  const replacements = written.map((each) => replacement(each, compile2));
  const first3 = (text) => isMeant(text) ? replacements.find(({ matches: matches2 }) => matches2(text)) : void 0;
  return (lines) => written.length > 0 ? replaced(lines, first3) : lines;
}
function replaced(lines, first3) {
  const result = [];
  for (let at = 0; at < lines.length; ) {
    const found = first3(lines[at].text);
    let end = at + 1;
    if (found?.label !== void 0) while (end < lines.length && first3(lines[end].text) === found) end++;
    result.push(found ? said(lines.slice(at, end), found) : lines[at]);
    at = end;
  }
  return result.length < lines.length || result.some((line, n) => line !== lines[n]) ? result : lines;
}
function said(group, { label = "", apply }) {
  const text = `${label}${group.map((line) => apply(line.text)).join(", ")}`;
  return text === group[0].text ? group[0] : standFor(text, group);
}
function replacement({ pattern: pattern3, with: text, label }, compile2) {
  return { matches: compile2(pattern3), label, apply: compile2 === trustedPattern ? fast(pattern3, text) : linear(pattern3, text) };
}
function fast(pattern3, text) {
  const expression = new RegExp(pattern3, "g");
  return (line) => line.replace(expression, text);
}
function linear(pattern3, text) {
  const expression = RE2JS2.compile(pattern3);
  return (line) => expression.matcher(line).replaceAll(text);
}

// src/filters/strategies/strip-noise.ts
var pattern = z8.string().max(512);
var stripNoise = defineStrategy({
  options: z8.strictObject({
    patterns: z8.array(pattern).describe("Lines that match any of these are left out"),
    blocks: z8.array(z8.array(pattern).min(2)).default([]).describe("Neighbouring lines left out together: for each pattern in turn one line or more, or none of them"),
    harmless: z8.boolean().default(false).describe("What is left out is no error, whatever words it holds, and is not counted as one"),
    replace: z8.array(z8.strictObject({ pattern, with: z8.string().max(512), label: z8.string().max(80).optional() })).default([]).describe("Lines said more shortly: the first pattern that matches, $1 for its group. With a label, neighbours become one line"),
    squeeze: z8.boolean().default(false).describe("Columns move together; empty ones go, and what all rows share is said once")
  }),
  build({ patterns, blocks, harmless, replace, squeeze }, compile2) {
    const isNoise = anyOf(patterns, compile2);
    const sequences = blocks.map((tests) => tests.map(compile2));
    const edited = replacing(replace, compile2);
    const isKnown = anyOf([...patterns, ...blocks.flat(), ...replace.map(({ pattern: pattern3 }) => pattern3)], compile2);
    return ({ lines }) => {
      if (!squeeze && isStrange(lines, isKnown)) return { lines, confidence: "Fallback" };
      const kept = withoutNoise(lines, isNoise, sequences);
      const shown = squeeze ? withoutPadding(edited(kept)) : edited(kept);
      const left = sumOf(lines).errors - sumOf(kept).errors;
      return { lines: shown, confidence: shown === lines ? "Fallback" : "Full", harmless: harmless ? left : 0 };
    };
  }
});
var MANY3 = 5e3;
var LOOKED_AT3 = 1e3;
function isStrange(lines, isKnown) {
  if (lines.length < MANY3) return false;
  const step = Math.floor(lines.length / LOOKED_AT3);
  const looked = (_, at) => at < LOOKED_AT3 || at >= lines.length - LOOKED_AT3 || at % step === 0;
  return !lines.some((line, at) => looked(line, at) && isKnown(line.text));
}
function withoutNoise(lines, isNoise, sequences) {
  const blocks = blocksIn(lines, sequences);
  const kept = lines.filter((line, n) => !blocks.has(n) && !isNoise(line.text));
  if (kept.length === lines.length) return lines;
  return kept.every(isBlank2) ? lines.filter((line) => !isBlank2(line)).slice(-1) : kept;
}

// src/filters/strategies/test-summary.ts
import * as z9 from "zod";

// src/filters/runners/javascript.ts
var JS_FRAMES = [
  {
    see: /^\s*(?:# +)?((?:at|❯) (?=.*(?:node_modules\/|\bnode:|\bext:|<anonymous>\)|\binternal\/)).*?)(?: \{)?$/,
    do: "foreign",
    say: "$1"
  },
  { see: /^\s*(?:# +)?at (?:async )?(?:\w+\.)?<anonymous> \((.+:\d+:\d+)\)(?: \{)?$/, do: "own", say: "at $1" },
  { see: /^\s*(?:# +)?(at .*:\d+\)?|❯ .*:\d+:\d+)(?: \{)?$/, do: "own", say: "$1" }
];
var CODE_FRAME = [
  { see: /^\s*> *(\d+) \| ?\s*/, do: "keep", say: "> $1| " },
  { see: /^\s*(?:\|\s*)?\^+\s*$/, do: "points" },
  { see: /^\s*(\d+) *\|\s*/, do: "source", say: "$1| " }
];
var COVERAGE = [
  { see: /^-{3,}\|-[-|]+$/, do: "drop" },
  { see: /^All files\s*\|/, do: "totals" },
  { see: /^\s*\S.*\|(?:\s+100 \|){4}\s*$/, do: "drop" }
];

// src/filters/runners/bun.ts
var TIME2 = String.raw`(?: \[[\d.]+m?s\])?$`;
var ALWAYS2 = [
  { see: /^ (\d+ (?:pass|skip|todo|fail|error|filtered out|snapshots?.*|expect\(\) calls))s?$/, do: "totals", begins: "run", say: "$1" },
  { see: /^(Ran \d+ tests? across \d+ files?\.)(?: \[.*\])?$/, do: "totals", begins: "run", say: "$1" },
  { see: /^\d+ tests? (?:failed|skipped|todo):$/, do: "drop", begins: "list" }
];
var RESULTS = [
  { see: /^(?:\((?:pass|skip|todo)\)|[✓»✎]) /, do: "pass" },
  { see: /^bun test v\d|^\S+\.\w+:$/, do: "drop" }
];
var FAILED2 = new RegExp(`^(?:\\(fail\\)|\u2717) (?<key>.+?)${TIME2}`);
var bun = {
  name: "bun",
  always: ALWAYS2,
  parts: {
    // What a failing test is about stands before its name.
    run: { rows: [...RESULTS, { see: FAILED2, do: "title", begins: "run", say: "(fail) $1" }, ...JS_FRAMES, ...CODE_FRAME] },
    list: { outside: true, rows: [...RESULTS, { see: FAILED2, do: "brief" }], blank: "run" }
  }
};

// src/filters/runners/rust.ts
var RUST_BACKTRACE = [
  { see: /^ *(?:stack backtrace:$|note: (?:run with `RUST_BACKTRACE=|Some details are omitted))/, do: "drop" },
  { see: /^ +at (?:\/rustc\/|.*\/(?:\.cargo\/(?:registry|git)|rustlib|toolchains)\/)/, do: "drop" },
  { see: /^ +(at (?:\.\/|\/|\w)\S*:\d+(?::\d+)?)$/, do: "shows", say: "$1" },
  { see: /^ +\d+: (?:0x[0-9a-f]+ - )?(\S.*)$/, do: "source", say: "$1" }
];

// src/filters/runners/cargo.ts
var ALWAYS3 = [
  { see: /^(test result: (?:ok|FAILED)\. .*filtered out); finished in [\d.]+s$/, do: "totals", begins: "run", say: "$1" },
  { see: /^\s+(?:Running (?:unittests |benches |tests |examples )?\S+ \(.+\)|Doc-tests \S+)$/, do: "drop", begins: "run" },
  { see: /^failures:$/, do: "drop", begins: "failures" },
  { see: /^successes:$/, do: "drop", begins: "successes" }
];
var TITLE = { see: /^---- (?<key>.+) (?:stdout|stderr|compile) ----$/, do: "title", begins: "block", say: "---- $1 ----" };
var cargo = {
  name: "cargo",
  always: ALWAYS3,
  dots: /^[.iF]+(?: \d+\/\d+)?$/,
  parts: {
    run: {
      rows: [
        TITLE,
        { see: /^test .* \.\.\. ok(?:, .*)?(?: <[\d.]+s>)?$/, do: "pass" },
        { see: /^test .* \.\.\. ignored(?:, .*)?(?: <[\d.]+s>)?$/, do: "skip" },
        { see: /^test (?<key>.*?)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?$/, do: "brief" },
        { see: /^(?<key>\S.*?)(?: - should panic)? --- FAILED$/, do: "brief" },
        {
          see: /^running \d+ tests?$|^\s+(?:Compiling|Finished|Fresh|Executable|Blocking|Downloaded|Downloading) |^all doctests ran in /,
          do: "drop"
        },
        ...RUST_BACKTRACE
      ]
    },
    // Names alone, or what each of them printed.
    failures: { outside: true, rows: [TITLE, { see: /^ {4}(?<key>\S.*)$/, do: "brief" }] },
    block: { rows: [TITLE, ...RUST_BACKTRACE] },
    successes: { outside: true, rows: [{ see: /^---- .+ stdout ----$|^ {4}\S/, do: "pass" }], rest: "quiet" }
  }
};

// src/filters/runners/ctest.ts
var TEST = String.raw`^ *\d+\/\d+ Test +#(?<key>\d+): `;
var ALWAYS4 = [
  { see: /^\d+% tests passed, \d+ tests failed out of \d+$/, do: "totals", begins: "run" },
  { see: /^No tests were found!!!$/, do: "totals", begins: "run" },
  { see: new RegExp(`${TEST}.* Passed +[\\d.]+ sec$`), do: "pass", begins: "run" },
  { see: new RegExp(`${TEST}(?<what>\\S+) \\.*(?<how>\\*\\*\\*.+?) +[\\d.]+ sec`), do: "title", begins: "run", say: "#$1 $2 $3" },
  { see: /^The following tests passed:$/, do: "drop", begins: "passed" },
  { see: /^The following tests FAILED:$/, do: "drop", begins: "failed" },
  {
    see: /^(?:Internal ctest changing into|Test project |Total Test time|Errors while running CTest|Output from these tests are in:|Use "--rerun-failed)/,
    do: "drop"
  }
];
var RUN = [
  { see: /^ +Start +\d+: |^test \d+$/, do: "drop" },
  {
    see: /^(?:UpdateCTestConfiguration|Constructing a list of tests|Done constructing|Updating test list|Added \d+ tests|Checking test dependency)/,
    do: "drop"
  },
  // With -V each line has the number of its test.
  { see: /^(?<owner>\d+): ?(?:Test command: |Working Directory: |Test timeout computed)/, do: "drop" },
  { see: /^(?<owner>\d+): ?/, do: "log" }
];
var ctest = {
  name: "ctest",
  always: ALWAYS4,
  parts: {
    run: { rows: RUN },
    passed: { outside: true, rows: [{ see: /^\t\S/, do: "pass" }], blank: "run" },
    failed: { outside: true, rows: [{ see: /^\t *(?<key>\d+) - /, do: "brief" }], blank: "run" }
  }
};

// src/filters/runners/deno.ts
var TIME3 = String.raw`(?: \([\d.]+(?:ms|s|µs|m[\d.]*s?)\))?$`;
var ALWAYS5 = [
  { see: new RegExp(`^((?:ok|FAILED) \\| \\d+ passed.*?)${TIME3}`), do: "totals", begins: "run", say: "$1" },
  { see: /^ ?ERRORS ?$/, do: "drop", begins: "errors" },
  { see: /^ ?FAILURES ?$/, do: "drop", begins: "failures" }
];
var TITLE2 = { see: /^(?<key>\S.* => [^\s:]+:\d+:\d+)(?:: .*)?$/, do: "title", begins: "block" };
var deno = {
  name: "deno",
  always: ALWAYS5,
  dots: /^[.!,]+$/,
  parts: {
    run: {
      rows: [
        { see: new RegExp(`^\\s*(?<key>\\S.*) \\.\\.\\. (?:ok|ignored)${TIME3}`), do: "pass" },
        { see: new RegExp(`^\\s*(?<key>\\S.*) \\.\\.\\. FAILED(?: \\(due to .*\\))?${TIME3}`), do: "brief" },
        { see: /^running \d+ tests? from |^Check file:/, do: "drop" },
        { see: /^-+ (?:post-test |pre-test )?output -+$/, do: "log", begins: "printed" },
        { see: /^\s*(?<owner>\S.*) \.\.\.$/, do: "drop" }
      ]
    },
    printed: { rows: [{ see: /^-+ (?:post-test |pre-test )?output end -+$/, do: "log", begins: "run" }], rest: "log" },
    errors: { outside: true, rows: [TITLE2] },
    block: { rows: [TITLE2, ...JS_FRAMES] },
    failures: { outside: true, rows: [{ see: /^(?<key>\S.* => [^\s:]+:\d+:\d+)$/, do: "brief" }] }
  },
  aliases: (key) => key.replace(/ => \S+$/, "").split(" ... ")
};

// src/filters/runners/dotnet.ts
var TIME4 = String.raw`(?: \[(?:< )?[\d.,]+ (?:ms|s|m|m \d+ s)\])?$`;
var ALWAYS6 = [
  { see: /^(?:Failed|Passed|Skipped)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+/, do: "totals", begins: "run" },
  { see: /^Test Run (?:Failed|Successful|Aborted)\.$|^Total tests: \d+$|^ +(?:Passed|Failed|Skipped): \d+$/, do: "totals", begins: "run" },
  { see: /^Test summary: total: \d+, failed: \d+/, do: "totals", begins: "run" },
  { see: new RegExp(`^ {2}(?:Passed|Skipped) \\S.*${TIME4}`), do: "pass", begins: "run" },
  { see: new RegExp(`^ {2}Failed (?<key>\\S.*?)${TIME4}`), do: "title", begins: "block", say: "Failed $1" }
];
var RUN2 = [
  { see: /^\[xUnit\.net [\d:.]+\] +(?<key>\S.*) \[FAIL\]$/, do: "brief" },
  { see: /^\[xUnit\.net [\d:.]+\] +(?:Discovering|Discovered|Starting|Finished): /, do: "drop" },
  {
    see: /^(?:Microsoft \(R\)|Copyright \(c\)|VSTest version|Starting test execution|A total of \d+ test files? matched|Test run for )/,
    do: "drop"
  }
];
var dotnet = {
  name: "dotnet",
  always: ALWAYS6,
  parts: {
    run: { rows: RUN2 },
    block: {
      rows: [
        ...RUN2,
        { see: /^ {2}(?:Error Message|Stack Trace):$/, do: "drop" },
        { see: /^ +at (?:System|Xunit|NUnit|Microsoft|InvokeStub_\w+)\.|^--- End of stack trace from previous location/, do: "foreign" },
        { see: /^ +at .+ in (.+):line (\d+)$/, do: "own", say: "at $1:$2" }
      ],
      indent: 3
    }
  }
};

// src/filters/runners/go.ts
var TIME5 = String.raw` \([\d.]+s\)$`;
var ALWAYS7 = [
  { see: /^(ok {2}|\? {3})\t(\S+)\t(?:[\d.]+s|\(cached\))?(?:\t)?(.*)$/, do: "totals", begins: "run", say: "$1$2 $3" },
  { see: /^(FAIL)\t(\S+)(?:\t[\d.]+s| (\[.+\]))?$/, do: "totals", begins: "run", say: "$1 $2 $3" },
  { see: /^(?:PASS|FAIL|exit status 1)$/, do: "drop", begins: "run" },
  // Not just a failing test: it panicked, or was ended.
  { see: /^exit status \d+$/, do: "keep", begins: "run" },
  { see: /^=== (?:RUN|CONT|NAME) +(?<owner>\S.*)$/, do: "drop", begins: "printed" },
  { see: /^=== PAUSE +\S/, do: "drop" },
  { see: new RegExp(`^\\s*--- PASS: (?<key>.+)${TIME5}`), do: "pass", begins: "run" },
  { see: new RegExp(`^\\s*(--- SKIP: (?<key>.+))${TIME5}`), do: "skip", begins: "run", say: "$1" },
  { see: new RegExp(`^\\s*(--- FAIL: (?<key>.+))${TIME5}`), do: "title", begins: "block", say: "$1" }
];
var TRACE2 = [
  { see: /^={18}$|^goroutine \d+ .*\]:$|^\t?panic: .* \[recovered(?:, repanicked)?\]$/, do: "drop" },
  { see: /^\s+\S*(?:\/go(?:-[\d.]+)?\/src\/|\/go\/pkg\/mod\/|_testmain\.go|\/libexec\/src\/)\S*:\d+(?: \+0x[0-9a-f]+)?$/, do: "drop" },
  { see: /^\s+(\/\S+\.(?:go|s):\d+)(?: \+0x[0-9a-f]+)?$/, do: "shows", say: "  $1" },
  {
    see: /^\s*(?:created by )?([\w./*()[\]-]+)\((?:\.\.\.|[{}\w, ?.]*)\)(?: in goroutine \d+)?$|^created by \S+(?: in goroutine \d+)?$/,
    do: "source"
  }
];
var go2 = {
  name: "go",
  always: ALWAYS7,
  parts: {
    run: { rows: TRACE2 },
    printed: { outside: true, rows: [{ see: /^\s+\S+\.go:\d+: /, do: "logged" }, ...TRACE2], rest: "log" },
    block: { rows: TRACE2 }
  }
};

// src/filters/runners/jvm.ts
var JVM_FRAMES = [
  {
    see: /^\s+at (?:[\w.@-]+\/+)?(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|testng|hamcrest|assertj|opentest4j|mockito|gradle|apache\.maven|codehaus|spockframework)|junit|worker)\./,
    do: "foreign"
  },
  { see: /^\s+(at [\w$.<>/@-]+\([^()]*\)).*$/, do: "own", say: "$1" },
  { see: /^\s+\.\.\. \d+ (?:more|common frames omitted)$/, do: "drop" }
];

// src/filters/runners/gradle.ts
var ALWAYS8 = [
  { see: /^\d+ tests? completed(?:, \d+ \w+)*$/, do: "totals", begins: "run" },
  { see: /^BUILD (?:SUCCESSFUL|FAILED)(?: in .*)?$/, do: "totals", begins: "run" },
  { see: /^(?=.* > )(?<key>\S.*) (?:PASSED|SKIPPED)(?: \([\d.]+m?s\))?$/, do: "pass", begins: "run" },
  { see: /^(?=.* > )(?<key>\S.*) (?:FAILED)(?: \([\d.]+m?s\))?$/, do: "title", begins: "block", say: "$1 FAILED" },
  { see: /^(?=.* > )(?<owner>\S.*) STANDARD_(?:OUT|ERROR)$/, do: "logged", begins: "printed" }
];
var gradle = {
  name: "gradle",
  always: ALWAYS8,
  parts: {
    run: { rows: [] },
    block: { rows: JVM_FRAMES, indent: 4 },
    printed: {
      outside: true,
      rows: [
        { see: /^ {4}/, do: "log", say: "" },
        { see: /^\S/, do: "keep", begins: "run" }
      ]
    }
  }
};

// src/filters/runners/gtest.ts
var TIME6 = String.raw`(?: \(\d+ ms(?: total)?\))?$`;
var ALWAYS9 = [
  { see: /^\[=+\] (\d+ tests? from .* ran\.)(?: \(\d+ ms total\))?$/, do: "totals", begins: "end", say: "$1" },
  { see: /^\[ {2}(?:PASSED|SKIPPED|FAILED) {2,}\] \d+ tests?(?:\.|, listed below:)$/, do: "totals", begins: "end" },
  { see: /^\[(?:-+|=+)\]|^Running main\(\) from |^Note: Google Test filter = /, do: "drop" },
  { see: /^\[ RUN +\] (?<owner>\S.*)$/, do: "drop", begins: "printed" },
  { see: new RegExp(`^\\[ +(?:OK|SKIPPED) +\\] (?<key>.+?)${TIME6}`), do: "pass", begins: "run" }
];
var FAILED3 = new RegExp(`^(\\[ {2}FAILED {2}\\] (?<key>.+?))${TIME6}`);
var gtest = {
  name: "gtest",
  always: ALWAYS9,
  parts: {
    run: { rows: [] },
    // The name of a failing test follows what it printed.
    printed: { outside: true, rows: [{ see: FAILED3, do: "title", begins: "run", say: "$1" }], rest: "log" },
    end: {
      outside: true,
      rows: [
        { see: FAILED3, do: "brief" },
        { see: /^ *\d+ FAILED TESTS?$/, do: "drop" }
      ]
    }
  }
};

// src/filters/runners/jest.ts
var FILE2 = String.raw`(?:\S.* )?(?<key>\S+\.\w+)(?: \([\d.]+ m?s\))?$`;
var ALWAYS10 = [
  { see: /^Snapshots: +0 total$|^Time: +[\d.]+ m?s|^Ran all test suites/, do: "drop", begins: "run" },
  { see: /^(?:Test Suites|Tests|Snapshots): +\d.* total$/, do: "totals", begins: "run" },
  { see: /^Summary of all failing tests$/, do: "drop", begins: "summary" },
  ...COVERAGE
];
var FILES = [
  { see: new RegExp(`^PASS ${FILE2}`), do: "pass", begins: "passed" },
  { see: new RegExp(`^FAIL ${FILE2}`), do: "keep", begins: "failed" },
  { see: /^ {2}● (?!Console$)(?<key>.*\S)$/, do: "title", begins: "block", say: "\u25CF $1" }
];
var TREE = [
  { see: /^\s+[✓√] (?<key>.+?)(?: \([\d.]+ m?s\))?$|^\s+[○✎] /, do: "pass" },
  { see: /^\s+[✕×] (?<key>.+?)(?: \([\d.]+ m?s\))?$/, do: "brief" },
  { see: /^ {2,}\S/, do: "group" }
];
var FRAMES = [...JS_FRAMES, ...CODE_FRAME];
var ADVICE = {
  see: /^\s+(?:Jest failed to parse a file\.|Out of the box Jest supports|By default "node_modules"|Here's what you can do:|• (?:If|To) |You'll find more details|https:\/\/jestjs\.io\/|For information about custom|Details:$)/,
  do: "drop"
};
var HEADING = /^ {2}● Console$/;
var CONSOLE = { see: /^(?<owner>) {2,4}console\.\w+$/, do: "log", begins: "console" };
var OUTSIDE = { see: /^ {0,3}\S/, do: "keep", begins: "run" };
var jest = {
  name: "jest",
  always: ALWAYS10,
  parts: {
    run: { rows: [...FILES, CONSOLE, { see: /^ *RUNS {2}\S|^Determining test suites to run/, do: "drop" }] },
    passed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "quiet" }, ...TREE], blank: "afterPassed" },
    afterPassed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "quiet" }, CONSOLE] },
    failed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "loud" }, ...TREE] },
    quiet: { outside: true, rows: [...FILES, { see: /^ {4,}\S/, do: "quiet" }, OUTSIDE], indent: 6 },
    loud: { outside: true, rows: [...FILES, ...FRAMES, OUTSIDE], indent: 4 },
    // With --verbose it stands before the file it is from, which only the place tells.
    console: {
      outside: true,
      rows: [
        ...FILES,
        CONSOLE,
        { see: /^\s+at (?:.* \()?(?<by>[^\s()]+):\d+:\d+\)?$/, do: "log" },
        ...CODE_FRAME,
        { see: /^ {4,}\S/, do: "log" },
        OUTSIDE
      ],
      indent: 4
    },
    block: { rows: [...FILES, CONSOLE, ...FRAMES, ADVICE], indent: 4 },
    summary: { outside: true, rows: [{ see: /^ {2}● (?<key>.*\S)$/, do: "brief" }], rest: "echo" }
  },
  named: (key) => key.replace(/^\.\//, ""),
  aliases: (key) => [key.split(" \u203A ").at(-1)],
  titles: "all"
};

// src/filters/runners/minitest.ts
var ALWAYS11 = [
  { see: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors(?:, .*)?$/, do: "totals", begins: "run" },
  { see: /^Finished in [\d.]+ ?s(?:econds)?[,.]?.*$|^# Running:$|^You have skipped tests\. Run with --verbose/, do: "drop", begins: "run" },
  { see: /^ {2}\d+\) Skipped:$/, do: "pass", begins: "skipped" },
  { see: /^ {2}\d+\) (?:Failure|Error):$/, do: "drop", begins: "title" }
];
var BLOCK = [
  { see: /^ {4}(?:\/usr\/|\/.*\/gems\/)\S*:\d+:in /, do: "foreign" },
  { see: /^ {4}(\S+:\d+):in [`'].*'$/, do: "own", say: "$1" },
  { see: /^(?:bin\/)?rails test \S+:\d+$/, do: "drop" }
];
var minitest = {
  name: "minitest",
  always: ALWAYS11,
  dots: /^(?:[.FES]*\.[.FES]*|([FES])\1+)$/,
  parts: {
    run: {
      rows: [
        { see: /^[^\s#]+#\S.* = [\d.]+ s = [.S]$/, do: "pass" },
        { see: /^(?<key>[^\s#]+#\S.*) = [\d.]+ s = [FE]$/, do: "brief" }
      ]
    },
    title: { rows: [{ see: /^(?<key>[^\s#]+#\S[^[]*?)(?: \[.*\])?:$/, do: "title", begins: "block" }] },
    block: { rows: BLOCK },
    skipped: { outside: true, rows: [], rest: "quiet" }
  }
};

// src/filters/runners/mocha.ts
var ALWAYS12 = [{ see: /^ {2}(\d+ (?:passing|pending|failing)(?: \(.*\))?)$/, do: "totals", begins: "totals", say: "$1" }];
var FRAMES2 = JS_FRAMES.map((row) => ({ ...row, begins: "block" }));
var TITLE3 = { see: /^ {2}(?<key>\d+\)) (.*)$/, do: "title", begins: "block", say: "$1 $2" };
var mocha = {
  name: "mocha",
  always: ALWAYS12,
  dots: /^ {0,2}[.,!·․]{2,}$/,
  parts: {
    run: {
      rows: [
        { see: /^\s*[✔✓√] .*$/, do: "pass" },
        { see: /^ {2,}(- \S.*)$/, do: "skip", say: "$1" },
        { see: /^ {2,}(?<key>\d+\)) \S/, do: "brief" },
        { see: /^ {2,}\S/, do: "group" }
      ]
    },
    totals: { outside: true, rows: [TITLE3] },
    block: {
      rows: [
        TITLE3,
        ...FRAMES2,
        { see: /^\s+\+ expected - actual$/, do: "again", begins: "diff" },
        { see: /^ {5}(?=\S)/, do: "keep", say: "" }
      ],
      indent: 6
    },
    // What the message of the assertion has shown already, most often.
    diff: { rows: [TITLE3, ...FRAMES2], rest: "again", indent: 6 }
  }
};

// src/filters/runners/nextest.ts
var TIME7 = String.raw`\[ *>? *[\d. smh]+\](?: +\( *\d+\/\d+\))?`;
var ALWAYS13 = [
  { see: /^ +(Summary \[.*\] .*\btests? run: .*)$/, do: "totals", begins: "end", say: "$1" },
  { see: new RegExp(`^ *(?:PASS|SKIP|SETUP PASS) ${TIME7} `), do: "pass", begins: "run" },
  {
    see: /^(?:─+|-{12,})$|^ *Nextest run ID |^ +Starting \d+ tests? across |^ +(?:Compiling|Finished|Blocking) /,
    do: "drop",
    begins: "run"
  }
];
var FAILED4 = new RegExp(`^ *((?:TRY \\d+ )?(?:FAIL|TIMEOUT|TMT|ABORT|SIG\\w+|XFAIL|LEAK-FAIL)) ${TIME7} +(?<key>\\S.*)$`);
var PRINTED = [
  { see: /^ *(?:running 1 test|failures:|test result: FAILED\. 0 passed; 1 failed; .*|test .* \.\.\. FAILED)$/, do: "drop" },
  { see: /^(?:─+|-{3}) (?:STDOUT|STDERR): |^ +(?:stdout|stderr) (?:─+|-{3,})$/, do: "drop" },
  ...RUST_BACKTRACE,
  { see: /^ {4,8}(?<key>[\w:]+)$/, do: "brief" }
];
var TITLE4 = { see: FAILED4, do: "title", begins: "block", say: "$1 $2" };
var nextest = {
  name: "nextest",
  always: ALWAYS13,
  parts: {
    run: { rows: [TITLE4, ...PRINTED.slice(1, 2)] },
    block: { rows: [TITLE4, ...PRINTED], indent: 4 },
    // The list after the sums.
    end: { outside: true, rows: [{ see: FAILED4, do: "brief" }, ...PRINTED] }
  },
  aliases: (key) => [key.split(" ").at(-1)]
};

// src/filters/runners/node.ts
var TIME8 = String.raw` \([\d.]+ms\)(?: # .*)?$`;
var FAILED5 = new RegExp(`^\\s*\u2716 (?<key>.+)${TIME8}`);
var ALWAYS14 = [
  { see: /^ℹ duration_ms /, do: "drop", begins: "run" },
  { see: /^ℹ ((?:tests|suites|pass|fail|cancelled|skipped|todo) \d+)$/, do: "totals", begins: "run", say: "$1" },
  { see: /^✖ failing tests:$|^Failed tests:$/, do: "drop", begins: "failing" }
];
var RESULTS2 = [
  { see: new RegExp(`^\\s*\u2714 .*${TIME8}`), do: "pass" },
  { see: /^\s*(﹣ .*) \([\d.]+ms\)( # .*)?$/, do: "skip", say: "$1$2" },
  { see: FAILED5, do: "brief", begins: "inline", say: "\u2716 $1" },
  { see: /^\s*▶ (?<key>.+?)(?: \([\d.]+ms\))?$/, do: "opens" },
  { see: /^ℹ (?:-+|(?:start|end) of coverage report|.*\|(?: +100\.00 \|){3}\s*)$/, do: "drop" },
  { see: /^ℹ (all files .*)$/, do: "totals", say: "$1" }
];
var FAILURES = [
  { see: /^test at (.*)$/, do: "title", begins: "title", say: "test at $1" },
  { see: FAILED5, do: "title", begins: "block", say: "\u2716 $1" }
];
var FIELDS2 = [
  { see: /^\s+(?:generatedMessage: \w+|code: 'ERR_(?:ASSERTION|TEST_FAILURE)'|operator: '[^']*'|diff: '\w+'),?$|^ {2}\}$/, do: "drop" },
  { see: /^\s+(?:actual|expected): /, do: "again" }
];
var node = {
  name: "node",
  always: ALWAYS14,
  dots: /^[.X]{2,}$/,
  parts: {
    run: { rows: RESULTS2 },
    // Older versions tell of a failure twice: here, and below with the place of the test.
    inline: { outside: true, rows: [...RESULTS2, { see: /^ {2,}/, do: "echo" }] },
    failing: { outside: true, rows: FAILURES },
    title: { rows: [{ see: FAILED5, do: "named", begins: "block", say: "\u2716 $1" }] },
    block: { rows: [...FAILURES, { see: /^ {2}'\d+ subtests? failed'$/, do: "void" }, ...JS_FRAMES, ...FIELDS2], indent: 2 }
  }
};

// src/filters/runners/phpunit.ts
var ALWAYS15 = [
  {
    see: /^Tests: \d+, Assertions: \d+.*\.$|^OK(?:, but .*!| \(\d+ tests?, \d+ assertions?\))$|^No tests executed!$/,
    do: "totals",
    begins: "run"
  },
  { see: /^PHPUnit \d[\d.]* by |^(?:Runtime|Configuration): +\S|^Time: [\d:.]+, Memory: /, do: "drop", begins: "run" },
  { see: /^There (?:was|were) \d+ (?:error|failure)s?:$/, do: "drop", begins: "failures" },
  { see: /^There (?:was|were) \d+ [\w ]+:$/, do: "keep", begins: "others" },
  { see: /^Summary of non-successful tests:$/, do: "drop", begins: "summary" },
  { see: /^--$/, do: "drop" }
];
var TITLE5 = { see: /^\d+\) (?<key>\S.*)$/, do: "title", begins: "block" };
var DOX = { see: /^ [✘✗] (?<key>.*)$/, do: "title", begins: "dox" };
var PASSED = { see: /^ [✔↩∅☢⚠] /, do: "pass", begins: "run" };
var phpunit = {
  name: "phpunit",
  always: ALWAYS15,
  dots: /^(?:[.FEWSIRNDP]*\.[.FEWSIRNDP]*|[.FEWSIRNDP]+ +\d+ \/ \d+ \( *\d+%\))$/,
  parts: {
    run: { rows: [PASSED, DOX, { see: /^\S/, do: "group" }] },
    failures: { outside: true, rows: [TITLE5] },
    others: { outside: true, rows: [] },
    block: { rows: [TITLE5, { see: /^(?:\/|phar:).*\/(?:vendor|phpunit[^/]*)\/.*:\d+$/, do: "drop" }] },
    // --testdox
    dox: { rows: [PASSED, DOX, { see: /^ {3}│ *$/, do: "drop" }, { see: /^ {3}│ /, do: "keep", say: "" }] },
    summary: {
      outside: true,
      rows: [
        { see: /^ [✘✗] (?<key>.*)$/, do: "brief" },
        { see: /^ [↩∅☢⚠] /, do: "keep" },
        { see: /^ {3}│ *$/, do: "drop" }
      ],
      rest: "echo"
    }
  }
};

// src/filters/runners/playwright.ts
var TITLE6 = { see: /^ {2}(\d+\)) (?<key>.+?)(?: ─+)?$/, do: "title", begins: "block", say: "$1 $2" };
var ALWAYS16 = [
  {
    see: /^ {2}(\d+ (?:passed|failed|flaky|skipped|interrupted|did not run|errors? .*)(?: \([\d.]+m?s\))?)$/,
    do: "totals",
    begins: "list",
    say: "$1"
  }
];
var RUN3 = [
  { see: /^ {2}[✓✔√-] +\d+ .*›/, do: "pass" },
  { see: /^ {2}[✘✖x] +\d+ (?<key>.*›.*?)(?: \(retry #\d+\))?(?: \([\d.]+m?s\))?$/, do: "brief" },
  { see: /^(?:\[\d+\/\d+\] .*›|Running \d+ tests? using \d+ workers?)/, do: "drop" },
  { see: /^ *(?:To open last HTML report run:|npx playwright show-report.*)$/, do: "drop" }
];
var playwright = {
  name: "playwright",
  always: ALWAYS16,
  dots: /^[·°×±FTx]{2,}$/,
  parts: {
    run: { rows: [TITLE6, ...RUN3] },
    block: { rows: [TITLE6, ...JS_FRAMES, ...CODE_FRAME], indent: 4 },
    list: { outside: true, rows: [{ see: /^ {4}(?<key>.*›.*?)(?: ─+)?$/, do: "brief" }, TITLE6, ...RUN3] }
  }
};

// src/filters/runners/python.ts
var FOREIGN2 = String.raw`(?:<frozen |.*(?:/site-packages/|/dist-packages/|/lib/python\d|/_pytest/|/unittest/\w+\.py))`;
var MARKS = { see: /^\s+[\^~][\^~\s-]*$/, do: "drop" };
function tracebackParts(rows) {
  const frames = [
    { see: new RegExp(String.raw`^\s+File "${FOREIGN2}`), do: "drop", begins: "nativeForeign" },
    { see: /^\s+File "([^"]+)", line (\d+)(?:, in (.+))?$/, do: "own", begins: "nativeOwn", say: "$1:$2 in $3" },
    MARKS,
    ...rows
  ];
  return {
    native: { rows: frames },
    nativeOwn: { rows: [...frames, { see: /^ {4}\s*(\S.*)$/, do: "keep", begins: "native", say: "  $1" }] },
    nativeForeign: { rows: [...frames, { see: /^ {4}\s*\S/, do: "drop", begins: "native" }] }
  };
}
var TRACEBACK = { see: /^Traceback(?: \(most recent call last\))?:$/, do: "drop", begins: "native" };
var PYTEST_FRAMES = [
  { see: new RegExp(String.raw`^${FOREIGN2}[^:]*:\d+: in .+$`), do: "drop", begins: "foreign" },
  { see: new RegExp(String.raw`^${FOREIGN2}[^:]*:\d+: \w*$`), do: "drop" },
  { see: /^(\S.*:\d+): in (.+)$/, do: "own", begins: "source", say: "$1 in $2" },
  { see: /^(\S+:\d+): ?(\w*)$/, do: "own", say: "$1 $2" },
  MARKS
];

// src/filters/runners/pytest.ts
var TITLE7 = { see: /^_+ (?<key>.+?) _+$/, do: "title", begins: "block", say: "$1" };
var ALWAYS17 = [
  {
    see: /^(?:=+ )?(\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)\b[a-z\d, ]* in [\d.]+s(?: \([\d:]+\))?)(?: =+)?$/,
    do: "totals",
    begins: "run",
    say: "$1"
  },
  { see: /^(?:=+ )?(no tests ran in [\d.]+s)(?: =+)?$/, do: "totals", begins: "run", say: "$1" },
  { see: /^=+ test session starts(?: \(.*\))? =+$/, do: "drop", begins: "run" },
  { see: /^=+ (?:ERRORS|FAILURES|XFAILURES) =+$/, do: "drop", begins: "blocks" },
  { see: /^=+ (?:X?PASSES) =+$/, do: "drop", begins: "passes" },
  { see: /^=+ short test summary info =+$/, do: "drop", begins: "summary" },
  { see: /^=+ warnings summary(?: \(.*\))? =+$/, do: "drop", begins: "warnings" },
  { see: /^(?:=+ tests coverage =+|[-_]+ coverage: .* [-_]+)$/, do: "drop", begins: "coverage" },
  { see: /^!+ (.+?) !+$/, do: "keep", say: "$1" },
  { see: /^=+ (.+?) =+$/, do: "keep", begins: "run", say: "$1" }
];
var RESULTS3 = [
  { see: /^\S.* (?:PASSED|SKIPPED|XFAIL|XPASS|SUBPASS(?:ED)?|SUBSKIP(?:PED)?)(?: \(.*\))?\s*(?:\[ *\d+%\])?$/, do: "pass" },
  { see: /^(?:\[gw\d+\] )?\[ *\d+%\] (?:PASSED|SKIPPED|XFAIL|XPASS|SUBPASS(?:ED)?) /, do: "pass" },
  { see: /^(?=.*::)(?<key>(?<id>\S.*) (?:FAILED|ERROR))\s*(?:\[ *\d+%\])?$/, do: "brief" },
  { see: /^(?:\[gw\d+\] )?\[ *\d+%\] (?<key>(?:FAILED|ERROR) (?<id>\S.*?))\s*$/, do: "brief" },
  { see: /^(?:\S+\.\w+ )?[.FEsxXpPRuUrSw,-]+\s*\[ *(?:\d+%|\d+\/\d+)\]$/, do: "pass" },
  { see: /^\S+\.\w+ [.FEsxXpPRuUrSw,-]*\.[.FEsxXpPRuUrSw,-]*$/, do: "pass" }
];
var PREAMBLE = [
  {
    see: /^(?:platform \w+ -- Python|cachedir: |rootdir: |configfile: |testpaths: |plugins: |hypothesis profile|benchmark: \d|asyncio: mode=|timeout: |django: |collecting \.\.\.)/,
    do: "drop"
  },
  { see: /^(?:collecting \.\.\. )?collected \d+ items?(?: \/ \d+ \w+)*$/, do: "drop" },
  {
    see: /^(?:gw\d+ (?:I|C|ok|\[\d+\])(?: \/ )?)+$|^\d+ workers \[\d+ items?\]|^\[gw\d+\] (?:\w+ )?Python \d|^scheduling tests via \w+$|^bringing up nodes\.\.\.$/,
    do: "drop"
  },
  // xdist announces each test, with a space behind it.
  { see: /^\S+\.py::.* $/, do: "drop" }
];
var HINT2 = {
  see: /^E\s*$|^E\s+\?[\s^~+-]*$|^E\s+(?:Omitting \d+ identical items, use -vv to show|Use -v+ to get (?:more|the full) diff)$/,
  do: "drop"
};
var BLOCK2 = [
  { see: /^(?:_ ){4,}_?$/, do: "drop", begins: "block" },
  TITLE7,
  { see: /^-+ (Captured .+?) -+$/, do: "keep", begins: "captured", say: "$1:" },
  HINT2,
  { see: /^E\s+Full diff:$/, do: "again", begins: "diff", say: "E Full diff:" },
  { see: /^>\s+/, do: "keep", say: "> " },
  { see: /^E\s+/, do: "keep", say: "E " },
  ...PYTEST_FRAMES,
  TRACEBACK,
  { see: /^self = <[^>]*>, /, do: "keep", say: "" },
  { see: /^self = <.*>$|^\[gw\d+\] \w+ -- Python |^Hint: make sure your test modules/, do: "drop" }
];
var pytest = {
  name: "pytest",
  always: ALWAYS17,
  parts: {
    // The end of an output alone may begin among failures.
    run: { rows: [{ ...TITLE7, see: /^_{3,} (?<key>.+?) _{3,}$/ }, ...RESULTS3, ...PREAMBLE] },
    blocks: { outside: true, rows: [TITLE7] },
    block: { rows: [...BLOCK2, { see: /^ {4}/, do: "drop" }] },
    source: { rows: [...BLOCK2, { see: /^ {4}\s*/, do: "keep", say: "  " }] },
    // The two values in full, line by line; they were told in one line each.
    diff: { rows: [HINT2, { see: /^E\s+/, do: "again", say: "E " }, ...BLOCK2] },
    foreign: { rows: [...BLOCK2, { see: /^ {4}/, do: "drop" }] },
    ...tracebackParts(BLOCK2),
    captured: { rows: [TITLE7, ...BLOCK2.slice(2, 3)] },
    passes: { outside: true, rows: [{ see: /^_+ .+ _+$|^-+ Captured .+ -+$/, do: "pass" }], rest: "quiet" },
    warnings: {
      outside: true,
      rows: [
        { see: /^-- Docs: |^\S+\.py(?:::.*|: \d+ warnings?)$| {4}\S/, do: "drop" },
        { see: /^ {2}(\S.*:\d+: \w+: )/, do: "keep", say: "$1" }
      ]
    },
    summary: {
      outside: true,
      rows: [
        { see: /^PASSED \S/, do: "pass" },
        { see: /^(?<key>(?:FAILED|ERROR) (?<id>\S.*?))(?: - .*)?$/, do: "brief" },
        { see: /^(?:SKIPPED|XFAIL|XPASS|SUBFAIL)/, do: "keep" }
      ],
      rest: "echo"
    },
    coverage: {
      outside: true,
      rows: [
        { see: /^TOTAL\s/, do: "totals", begins: "coverage" },
        { see: /^-+$| 100%\s*$/, do: "drop" }
      ]
    }
  },
  named: (key) => {
    const name = key.replace(/^(?:ERROR (?:at \w+ of|collecting)|FAILED|ERROR) | (?:FAILED|ERROR)$/, "");
    const test = name.includes(".py::") ? name.slice(name.indexOf("::") + 2) : name;
    return `${/^ERROR | ERROR$/.test(key) ? "ERROR " : ""}${test.replaceAll("::", ".")}`;
  },
  retitled: (title, { id }) => {
    const kind2 = /^ERROR (?:at \w+ of|collecting) /.exec(title);
    return kind2 ? `${kind2[0]}${id}` : `FAILED ${id}`;
  }
};

// src/filters/runners/rspec.ts
var ALWAYS18 = [
  { see: /^\d+ examples?, \d+ failures?(?:, .*)?$/, do: "totals", begins: "end" },
  { see: /^Finished in .* \(files took .* to load\)$/, do: "drop", begins: "run" },
  { see: /^Pending: \(Failures listed here are expected/, do: "drop", begins: "pending" },
  { see: /^Failures:$/, do: "drop", begins: "failures" },
  { see: /^Failed examples:$/, do: "drop", begins: "end" }
];
var TITLE8 = { see: /^ {2}(?<key>\d+\) .*)$/, do: "title", begins: "block", say: "$1" };
var RESULTS4 = [
  { see: /^\s+\S.* \(FAILED - (?<key>\d+)\)$/, do: "brief" },
  { see: /^\s+\S.* \(PENDING: /, do: "pass" }
];
var rspec = {
  name: "rspec",
  always: ALWAYS18,
  dots: /^[.F*]+$/,
  parts: {
    // The documentation format prints the bare names of what passed, below the name of their group.
    run: { rows: [...RESULTS4, { see: /^\S/, do: "group", begins: "doc" }] },
    doc: { outside: true, rows: [...RESULTS4, { see: /^ {2,}\S/, do: "quiet" }], blank: "run" },
    pending: {
      outside: true,
      rows: [{ see: /^ {2}\d+\) |^ {5}(?:#|Failure\/Error: )|^ {7}(?:expected: |\(compared using)|^ {12}got: /, do: "pass" }],
      rest: "quiet"
    },
    failures: { outside: true, rows: [TITLE8] },
    block: {
      rows: [
        TITLE8,
        { see: /^ +\(compared using [=!a-z?.]+\)$/, do: "drop" },
        { see: /^ {5}# (?:\/usr\/|.*\/gems\/|.*\/rubygems)/, do: "foreign" },
        { see: /^ {5}# (\S+:\d+):in [`'].*'$/, do: "own", say: "# $1" }
      ],
      indent: 5
    },
    end: { outside: true, rows: [{ see: /^rspec (?<at>\S+) # (?<key>.*)$/, do: "brief" }] }
  },
  aliases: (key) => [key.slice(0, key.indexOf(")")), key.slice(key.indexOf(")") + 2)],
  retitled: (title, { at }) => at ? `${title} # ${at}` : null
};

// src/filters/runners/surefire.ts
var COUNTS = String.raw`Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+`;
var TAG = String.raw`^(?:\[\w+\] )?`;
var ALWAYS19 = [
  { see: /^\[(?:INFO|ERROR)\] *$/, do: "drop" },
  { see: new RegExp(`${TAG}(${COUNTS})$`), do: "totals", begins: "run", say: "$1" },
  { see: new RegExp(`${TAG}${COUNTS}, Time elapsed: [\\d.,]+ m?s(?: -+ in .*)?$`), do: "pass", begins: "run" },
  { see: new RegExp(`${TAG}${COUNTS}, Time elapsed: .* <<< (?:FAILURE|ERROR)!(?: -+ in .*)?$`), do: "drop", begins: "run" },
  {
    see: /^(?:\[\w+\] )?(?<key>\S.*?) +(?:-- )?Time elapsed: [\d.,]+ m?s +<<< (FAILURE|ERROR)!$/,
    do: "title",
    begins: "block",
    say: "$1 $2"
  },
  { see: /^\[\w+\] (?:Failures|Errors): *$/, do: "drop", begins: "list" },
  {
    see: /^\[INFO\] (?:Running \S+|Results:|-+| +T E S T S)$|^ T E S T S$|^-{50,}$|^Running [\w.$]+$|^Results *:$/,
    do: "drop",
    begins: "run"
  }
];
var surefire = {
  name: "surefire",
  always: ALWAYS19,
  parts: {
    run: {
      rows: [
        {
          see: /^\[ERROR\] (?:-> \[Help \d+\]|\[Help \d+\] http|To see the full stack trace|Re-run Maven using|For more information about the errors|Please refer to )/,
          do: "drop"
        }
      ]
    },
    block: { rows: JVM_FRAMES },
    list: { outside: true, rows: [{ see: /^\[ERROR\] +(?<key>[\w$]+\.[\w$]+(?:\[.*?\])?):\d+\b.*$/, do: "brief" }] }
  },
  // startedHour(p.FeesTest), or p.FeesTest.startedHour: FeesTest.startedHour
  aliases: (key) => {
    const old = /^(.+?)\((?:[\w$]+\.)*([\w$]+)\)$/.exec(key);
    return [old ? `${old[2]}.${old[1]}` : key.replace(/^(?:[\w$]+\.)*(?=[\w$]+\.[\w$]+)/, "")];
  }
};

// src/filters/runners/tap.ts
var ALWAYS20 = [
  { see: /^# duration_ms /, do: "drop", begins: "run" },
  { see: /^# ((?:tests|suites|pass|fail|cancelled|skipped|todo|ok) \d+)$/, do: "totals", begins: "run", say: "$1" },
  { see: /^# (?:ok|passed|failed \d+ of \d+.*)$/, do: "totals", begins: "run" },
  { see: /^\d+\.\.\d+(?: # .*)?$/, do: "totals", begins: "run" },
  { see: /^\s*(not ok \d+.* # (?:TODO|SKIP)\b.*)$/i, do: "keep", begins: "run", say: "$1" },
  { see: /^\s*(ok \d+\b.* # SKIP\b.*)$/i, do: "skip", begins: "passed", say: "$1" },
  { see: /^\s*ok \d+\b/, do: "pass", begins: "passed" },
  { see: /^\s*(not ok \d+(?: -)? ?(?<key>.*))$/, do: "title", begins: "failed", say: "$1" }
];
var RUN4 = [
  ...JS_FRAMES,
  { see: /^TAP version \d+$|^\s+\d+\.\.\d+$/, do: "drop" },
  { see: /^\s*# Subtest: (?<key>.*)$/, do: "opens" }
];
var FIELDS3 = [
  { see: /^\s+(?:---|\.\.\.)$/, do: "drop" },
  { see: /^\s+(?:duration_ms|type|failureType|operator|name|exitCode|signal): |^\s+code: 'ERR_(?:ASSERTION|TEST_FAILURE)'$/, do: "drop" }
];
var FAILED6 = [
  ...RUN4,
  { see: /^\s+(exitCode: [1-9]\d*|signal: '\w+')$/, do: "keep", say: "$1" },
  ...FIELDS3,
  { see: /^\s+location: '(.*)'$/, do: "own", say: "at $1" },
  { see: /^\s+error: '\d+ subtests? failed'$/, do: "void" },
  { see: /^\s+(?:error|message): \|-?$/, do: "drop" },
  { see: /^\s+(?:error|message): ['"](.*)['"]$/, do: "keep", say: "$1" },
  { see: /^\s+((?:expected|actual|wanted|found): ?)/, do: "again", begins: "values", say: "$1" },
  { see: /^\s+stack: (?:\|-?)?$/, do: "drop", begins: "stack" },
  { see: /^(?: {8}| {4})/, do: "keep", say: "" }
];
var tap = {
  name: "tap",
  always: ALWAYS20,
  parts: {
    run: { rows: RUN4 },
    passed: { outside: true, rows: [...RUN4, ...FIELDS3] },
    failed: { rows: FAILED6 },
    values: { rows: [...FAILED6.filter(({ do: deed }) => deed !== "keep"), { see: /^\s+/, do: "again", say: "" }] },
    stack: {
      rows: [
        ...FIELDS3,
        ...RUN4,
        { see: /^\s+\S.*(?:\(node:|\(<anonymous>\)|\/node_modules\/)|^\s+(?:async )?node:internal\//, do: "foreign" },
        { see: /^\s+(?:TestContext\.<anonymous> \((.+:\d+:\d+)\)|(\S.*:\d+:\d+\)?))$/, do: "own", say: "at $1$2" }
      ],
      rest: "echo"
    }
  }
};

// src/filters/runners/unittest.ts
var ALWAYS21 = [
  { see: /^Ran \d+ tests? in [\d.]+s$/, do: "totals", begins: "run" },
  { see: /^(?:OK|FAILED|NO TESTS RAN)(?: \((?:[a-z ]+=\d+(?:, )?)+\))?$/, do: "totals", begins: "run" },
  { see: /^={70}$|^-{70}$/, do: "drop" },
  { see: /^(?:FAIL|ERROR): (?<key>\w+ \([\w.<>]+\).*)$/, do: "title", begins: "block" }
];
var DIFF = [
  { see: /^\? [\s^+~-]*$/, do: "drop" },
  { see: /^[-+] /, do: "again" }
];
var unittest = {
  name: "unittest",
  always: ALWAYS21,
  dots: /^(?:[.FEsxu]*\.[.FEsxu]*|([FEsxu])\1*)$/,
  parts: {
    run: {
      rows: [
        { see: /^.* \.\.\. (?:ok|expected failure)$|^ok$/, do: "pass" },
        { see: /^.* \.\.\. skipped (?:'.*'|".*")$/, do: "skip" },
        { see: /^\s*(?<key>\w+ \([\w.<>]+\).*?) \.\.\. (?:FAIL|ERROR)$/, do: "brief" },
        { see: /^\s*test\w* \([\w.]+\)(?: \.\.\. ?)?$/, do: "drop" }
      ]
    },
    block: { rows: [TRACEBACK] },
    ...tracebackParts([TRACEBACK, ...DIFF])
  }
};

// src/filters/runners/vitest.ts
var ALWAYS22 = [
  {
    see: /^\s*((?:Test Files|Tests|Snapshots|Type Errors|Errors) {2,}(?:no tests|no errors|\d+ \w+).*)$/,
    do: "totals",
    begins: "run",
    say: "$1"
  },
  { see: /^\s*(?:Start at|Duration) {2,}\S/, do: "drop", begins: "run" },
  { see: /^ *FAIL {2}(?<key>.*\S)$/, do: "title", begins: "block", say: "FAIL $1" },
  { see: /^⎯+(?: Failed (?:Tests|Suites|Typechecks) \d+ ⎯*|\[\d+\/\d+\]⎯*)?$/, do: "drop", begins: "run" },
  { see: /^⎯+ (.+?) ⎯+$/, do: "keep", begins: "block", say: "$1" },
  { see: /^[·x*-]*(?:stdout|stderr) \| (?<owner>.*\S)$/, do: "logged", begins: "printed" }
];
var RESULTS5 = [
  { see: /^\s*[✓√] /, do: "pass" },
  { see: /^\s*(↓ .*)$/, do: "skip", say: "$1" },
  { see: /^\s*[×✗] (?:\|[^|]*\| )?(?<key>.+?)(?: \(\d+ tests?\b.*\))?(?: \d+ ?ms)?$/, do: "brief" },
  { see: /^\s*❯ (?:\|[^|]*\| )?(?<key>\S.*?) \(\d+ tests?\b.*\)(?: \d+ ?ms)?$/, do: "brief" },
  { see: /^\s*❯ .* \(\d+\)(?: \d+ ?ms)?$/, do: "drop" },
  { see: /^\s+❯ (?<key>\S.* > .*)$/, do: "brief" },
  { see: /^\s+→ /, do: "echo", begins: "reason" },
  { see: /^\s*RUN {2}v\d/, do: "drop" },
  { see: /^\s+Isolate {2,}\d+ workers spawned|^\s+at least ~.* faster with isolate: false/, do: "drop" },
  { see: /^ % Coverage report from/, do: "drop" },
  ...COVERAGE
];
var BLOCK3 = [
  ...JS_FRAMES.map((row) => ({ ...row, begins: "block" })),
  ...CODE_FRAME,
  {
    see: /^This might cause false positive tests\.|^- (?:[Tt]he error was thrown,? (?:while|after)|If the error occurred after the test)/,
    do: "drop"
  }
];
var vitest = {
  name: "vitest",
  always: ALWAYS22,
  dots: /^(?:[·x*-]*·[·x*-]*|x{2,})$/,
  parts: {
    run: { rows: RESULTS5 },
    // The message may have more lines. The block of the test says them again.
    reason: { outside: true, rows: RESULTS5.map((row) => ({ begins: "run", ...row })), rest: "echo" },
    printed: { rows: [], rest: "log", blank: "run" },
    block: {
      rows: [...BLOCK3, { see: /^[-+] (?:Expected|Received)(?: +[-+] \d+)?$|^(?:Expected|Received): /, do: "again", begins: "diff" }]
    },
    diff: { rows: BLOCK3, rest: "again" }
  },
  // In a workspace the project stands before the file.
  named: (key) => key.replace(/^\|[^|]*\| /, ""),
  aliases: (key) => {
    const segments = key.split(" > ");
    return [segments[0].replace(/ \[ .* \]$/, ""), ...segments.map((_, n) => segments.slice(n).join(" > "))];
  },
  titles: "owners"
};

// src/filters/runners/xctest.ts
var NAME = "'(?<key>[^']+)'";
var ALWAYS23 = [
  { see: /^\s+(Executed \d+ tests?, with .*?)(?: in [\d.]+ \([\d.]+\) seconds)?$/, do: "totals", say: "$1" },
  { see: new RegExp(`^Test Case ${NAME} passed \\(`), do: "pass", begins: "run" },
  { see: new RegExp(`^Test Case ${NAME} failed \\(`), do: "brief", begins: "run" },
  { see: /^Test Case '(?<owner>[^']+)' started/, do: "drop", begins: "printed" },
  { see: /^Test Suite '.*' (?:started|passed|failed) at /, do: "drop", begins: "run" },
  { see: /^\S.*:\d+: error: (?<key>-\[.+?\]|[\w.]+) : /, do: "title" }
];
var xctest = {
  name: "xctest",
  always: ALWAYS23,
  parts: {
    run: { rows: [] },
    printed: { outside: true, rows: [], rest: "log" }
  }
};

// src/filters/runners/index.ts
var RUNNERS = [
  nextest,
  ctest,
  bun,
  cargo,
  deno,
  dotnet,
  go2,
  gradle,
  gtest,
  jest,
  minitest,
  mocha,
  node,
  phpunit,
  playwright,
  pytest,
  rspec,
  surefire,
  tap,
  unittest,
  vitest,
  xctest
];
var sumsOf = ({ always, parts }) => [always, ...Object.values(parts).map(({ rows }) => rows)].flat().flatMap((row) => row.do === "totals" ? [row.see] : []);
var SUMS = new RegExp([...new Set(RUNNERS.flatMap(sumsOf).map(({ source }) => `(?:${source.replace(/\(\?<\w+>/g, "(")})`))].join("|"));
var MAX_SUM = 500;
function runnersIn(lines) {
  const sums = lines.filter(({ text }) => text.length <= MAX_SUM && SUMS.test(text));
  if (sums.length === 0) return [];
  return RUNNERS.filter((runner) => {
    const patterns = sumsOf(runner);
    return sums.some(({ text }) => patterns.some((pattern3) => pattern3.test(text)));
  });
}

// src/filters/runners/again.ts
function saidAgain(told5) {
  const again = /* @__PURE__ */ new Set();
  const words2 = /* @__PURE__ */ new Map();
  for (let n = 0; n < told5.length; n++) {
    if (told5[n].deed !== "again") continue;
    const { block } = told5[n];
    let end = n + 1;
    while (told5[end]?.deed === "again" && told5[end].block === block) end++;
    const said2 = words2.get(block) ?? wordsOfBlock(told5, n, block);
    words2.set(block, said2);
    const isSaid = ({ line }) => wordsOf(line.text.trimStart().replace(LEGEND, "")).every((word) => said2.has(word));
    if (told5.slice(n, end).every(isSaid)) for (let at = n; at < end; at++) again.add(at);
    n = end - 1;
  }
  return again;
}
var LEGEND = /^(?:[-+] ?(?:Expected|Received|Snapshot|actual|expected)\b[-+\d\s]*(?:(?:expected|actual)$)?|(?:Expected|Received|Actual|expected|actual|got|want):|[-+])/;
function wordsOfBlock(told5, near2, block) {
  const words2 = /* @__PURE__ */ new Set();
  let from = near2;
  while (told5[from - 1]?.block === block) from--;
  for (let n = from; told5[n]?.block === block; n++) {
    const { deed, line } = told5[n];
    if (deed === "keep" || deed === "title") for (const word of wordsOf(line.text)) words2.add(word);
  }
  return words2;
}
var wordsOf = (text) => text.split(/[\s,;(){}[\]'"`<>|]+/).flatMap((word) => HAS_LETTER.test(word) && !/^\d+:$/.test(word) ? [word.replace(/:$/, "")] : []);
var HAS_LETTER = /[\p{L}\p{N}]/u;

// src/filters/runners/walk.ts
var MAX_LINE2 = 2e3;
function walk(runner, lines) {
  const { parts, always, named: named3 = asItIs } = runner;
  const told5 = [];
  let part2 = parts.run;
  let owner = { name: "" };
  const groupsAbove = nesting();
  let titles = 0;
  let block = 0;
  let afterBlank = true;
  for (const line of lines) {
    if (isBlank2(line)) {
      if (part2.blank) part2 = parts[part2.blank];
      afterBlank = true;
      continue;
    }
    const row = rowFor(line.text, always, part2.rows, part2 === parts.run ? runner.dots : void 0);
    const groups = row && namesGroups(row) ? row.see.exec(line.text)?.groups : void 0;
    if (row?.do === "title") block = ++titles;
    if (row?.do === "totals" || row?.begins === "run" || row?.begins && parts[row.begins].outside) block = 0;
    if (groups?.owner !== void 0) owner = { name: named3(groups.owner.trim()) };
    if (groups?.by !== void 0) owner.name = named3(groups.by.trim());
    const deed = row?.do ?? part2.rest ?? "keep";
    const key = named3(groups?.key?.trim() ?? "");
    told5.push({
      line,
      deed,
      found: groups ?? NOTHING4,
      text: GOING.has(deed) ? "" : textOf2(line.text, row, part2.indent ?? 0),
      key,
      path: key !== "" && PLACED.has(deed) ? groupsAbove(line.text, key, deed) : NOWHERE,
      owner,
      block,
      afterBlank,
      fits: row !== null
    });
    if (row?.begins !== void 0) {
      part2 = parts[row.begins];
      if (groups?.owner === void 0 && part2.rest !== "log") owner = { name: "" };
    }
    afterBlank = false;
  }
  return withoutStrangers(told5);
}
function nesting() {
  let open2 = [];
  return (text, key, deed) => {
    const depth2 = text.search(/\S/);
    open2 = open2.filter((group) => group.depth < depth2).slice(0, MAX_DEPTH2);
    const path = open2.map((group) => group.key);
    if (deed === "opens") open2.push({ depth: depth2, key });
    return path;
  };
}
var MAX_DEPTH2 = 20;
var PLACED = /* @__PURE__ */ new Set(["opens", "title", "brief"]);
var NOWHERE = [];
function withoutStrangers(told5) {
  for (let n = told5.length - 1; n >= 0 && !OWN.has(told5[n].deed); n--) {
    const one = told5[n];
    if (!one.fits) told5[n] = { ...one, deed: "keep", text: one.line.text };
  }
  return told5;
}
var OWN = /* @__PURE__ */ new Set(["totals", "title", "brief", "pass", "skip", "own", "foreign", "shows"]);
var GOING = /* @__PURE__ */ new Set(["pass", "drop", "points", "opens", "void"]);
var NOTHING4 = {};
var asItIs = (key) => key;
var PROGRESS = { see: /^/, do: "drop" };
function rowFor(text, always, rows, dots) {
  if (dots?.test(text)) return PROGRESS;
  if (text.length > MAX_LINE2) return null;
  for (const row of always) if (row.see.test(text)) return row;
  for (const row of rows) if (row.see.test(text)) return row;
  return null;
}
var NAMES4 = /* @__PURE__ */ new WeakMap();
function namesGroups(row) {
  const known2 = NAMES4.get(row);
  if (known2 !== void 0) return known2;
  const names2 = row.see.source.includes("(?<");
  NAMES4.set(row, names2);
  return names2;
}
function textOf2(text, row, indent) {
  const said2 = row?.say === void 0 ? text : text.replace(row.see, row.say);
  return (indent > 0 && said2.search(/\S/) >= indent ? said2.slice(indent) : said2).trimEnd();
}

// src/filters/runners/known.ts
function known(runner, told5) {
  const stays2 = told5.map(
    (one) => GOING.has(one.deed) ? null : { text: inGroups(one.text, one), told: one, lines: [one.line] }
  );
  const titles = titlesIn(runner, stays2);
  const isFewSkipped = told5.filter(({ deed }) => deed === "skip").length <= FEW_SKIPPED;
  const passed = keysOf(told5, isFewSkipped ? ["pass"] : ["pass", "skip"]);
  const opened = keysOf(told5, ["opens"]);
  const around2 = new Set(told5.flatMap(({ deed, path }) => deed === "title" || deed === "brief" ? path : []));
  const voids = voidBlocks(told5, around2);
  const said2 = new Set(told5.filter(isTold).map(({ line }) => bare4(line.text)));
  const again = saidAgain(told5);
  const isWhole = told5.some(({ deed }) => deed === "totals");
  const alarms = /* @__PURE__ */ new Map();
  return {
    stays: stays2,
    isFewSkipped,
    deedAt: (n) => told5[n]?.deed,
    homeOf: homes(runner, titles),
    isGroup: ({ key }) => titles.size > 0 && opened.has(key) && around2.has(key),
    isVoid: ({ block }) => voids.has(block),
    isSaid: ({ line }) => said2.has(bare4(line.text)),
    isSaidAgain: (n) => again.has(n),
    isOnlyPlace: (n) => !isPlace2(told5[n - 1]) && !stackFrom(told5, n).some(({ deed }) => deed === "own" || deed === "shows"),
    isAboveTests: (n) => isAboveTests(told5, n),
    isOfPassed: ({ owner: { name } }) => name !== "" && passed.has(name) || isWhole && runner.titles !== void 0 && titles.size === 0 || isWhole && runner.titles === "owners" && name !== "" && !titles.has(name),
    alarm(stay) {
      if (stay.told.line.errors === 0) return null;
      const before2 = alarms.get(stay.text);
      if (!before2) alarms.set(stay.text, stay);
      return before2 ?? stay;
    }
  };
}
var FEW_SKIPPED = 5;
var keysOf = (told5, deeds) => new Set(told5.filter(({ deed }) => deeds.includes(deed)).map(({ key }) => key));
function inGroups(text, { path, key }) {
  const groups = path.filter((name) => !FILE3.test(name));
  return groups.length > 0 && text.endsWith(key) ? `${text.slice(0, text.length - key.length)}${[...groups, key].join(" > ")}` : text;
}
var FILE3 = /^\S*[\\/.]\S*\.[cm]?[jt]sx?$|^\S+\.[cm]?[jt]sx?$/;
function voidBlocks(told5, around2) {
  const named3 = new Set(
    told5.filter(({ key, deed }) => (deed === "title" || deed === "named") && around2.has(key)).map(({ block }) => block)
  );
  return new Set(told5.filter(({ deed, block }) => deed === "void" && named3.has(block)).map(({ block }) => block));
}
function titlesIn(runner, stays2) {
  const titles = /* @__PURE__ */ new Map();
  for (const stay of stays2) {
    if (stay === null) continue;
    const { deed, key } = stay.told;
    if (deed !== "title" && deed !== "named" || key === "") continue;
    for (const name of /* @__PURE__ */ new Set([key, ...runner.aliases?.(key) ?? []])) {
      const named3 = titles.get(name);
      if (named3) named3.push(stay);
      else titles.set(name, [stay]);
    }
  }
  return titles;
}
function homes(runner, titles) {
  const retitled = /* @__PURE__ */ new Set();
  const first3 = /* @__PURE__ */ new Map();
  return (brief) => {
    const { key, found } = brief.told;
    const named3 = titles.get(key);
    const title = named3?.find((one) => !retitled.has(one)) ?? named3?.[0];
    if (!title) return withoutTitle(brief, first3);
    const text = runner.retitled?.(title.text, found) ?? inGroups(title.text, brief.told);
    if (retitled.has(title) || text === title.text) return title;
    title.text = text;
    retitled.add(title);
    return title;
  };
}
function withoutTitle(brief, first3) {
  const { path, key } = brief.told;
  const name = [...path, key].join("\0");
  const before2 = first3.get(name);
  if (!before2) first3.set(name, brief);
  else if (brief.text.trim().length > before2.text.trim().length) before2.text = brief.text;
  return before2 ?? null;
}
var STAYING = /* @__PURE__ */ new Set(["keep", "totals", "title", "named", "own", "shows"]);
var isTold = ({ deed, block }) => STAYING.has(deed) || block > 0 && deed !== "echo" && deed !== "brief";
var bare4 = (text) => text.trim().replace(/^(?:[E│#>→]\s+){1,3}/, "").replace(/^[\w.$]*(?:Error|Exception)(?: \[\w+\])?: /, "");
var PLACES2 = /* @__PURE__ */ new Set(["own", "shows", "foreign", "source", "points"]);
var isPlace2 = (one) => one !== void 0 && PLACES2.has(one.deed);
function stackFrom(told5, from) {
  let end = from;
  while (isPlace2(told5[end])) end++;
  return told5.slice(from, end);
}
function isAboveTests(told5, n) {
  if (depth(told5[n]) === 0 && !told5[n].afterBlank) return false;
  let at = n;
  while (told5[at].deed === "group" && told5[at + 1] && depth(told5[at + 1]) > depth(told5[at])) at++;
  return TESTS.has(told5[at].deed);
}
var TESTS = /* @__PURE__ */ new Set(["pass", "skip", "brief", "quiet"]);
var depth = ({ line }) => line.text.search(/\S/);

// src/filters/runners/settle.ts
function settle(runner, told5) {
  const all = known(runner, told5);
  const kept = [];
  let harmless = 0;
  for (const [n, stay] of all.stays.entries()) {
    const home = stay && JUDGES[stay.told.deed](stay, all, n);
    if (home === null) harmless += told5[n].line.errors;
    else if (home === stay) kept.push(stay);
    else home.lines.push(told5[n].line);
  }
  return { lines: withoutSameBodies(kept).map(lineFor), harmless, tellsWhy: kept.some(isReason) };
}
var isReason = ({ told: { deed, line } }) => deed === "title" || deed === "brief" || line.errors > 0 && !EMPTY3.has(deed);
var EMPTY3 = /* @__PURE__ */ new Set(["totals", "log", "quiet", "skip"]);
var stays = (stay) => stay;
var goes = () => null;
var JUDGES = {
  keep: stays,
  totals: stays,
  named: (stay, all) => all.isVoid(stay.told) ? null : stay,
  shows: stays,
  pass: goes,
  skip: (stay, all) => all.isFewSkipped ? stay : all.alarm(stay),
  drop: goes,
  opens: goes,
  void: goes,
  title: (stay, all) => all.isVoid(stay.told) ? null : stay,
  own: (stay, all) => all.isVoid(stay.told) ? null : stay,
  points: goes,
  brief: (stay, all) => all.isGroup(stay.told) ? null : all.homeOf(stay) ?? stay,
  echo: (stay, all) => all.isSaid(stay.told) ? null : stay,
  again: (stay, all, n) => all.isSaidAgain(n) ? null : stay,
  source: (stay, all, n) => all.deedAt(n + 1) === "points" || all.deedAt(n + 1) === "shows" ? stay : null,
  foreign: (stay, all, n) => all.isOnlyPlace(n) ? stay : null,
  group: (stay, all, n) => stay.told.line.errors === 0 && all.isAboveTests(n) ? null : stay,
  quiet: (stay, all) => all.alarm(stay),
  log: (stay, all) => all.isOfPassed(stay.told) ? all.alarm(stay) : stay,
  logged: (stay, all) => all.isOfPassed(stay.told) ? null : stay
};
var lineFor = ({ text, lines, told: told5 }) => lines.length === 1 && text === told5.line.text ? told5.line : standFor(text, lines);
function withoutSameBodies(kept) {
  const shown = [];
  const first3 = /* @__PURE__ */ new Map();
  for (let n = 0; n < kept.length; ) {
    const { deed, block } = kept[n].told;
    let end = n + 1;
    while (deed === "title" && end < kept.length && kept[end].told.block === block) end++;
    const group = kept.slice(n, end);
    n = end;
    const body = group.slice(1);
    const text = body.map(({ text: text2 }) => text2).join("\n");
    const same = first3.get(text);
    if (same) {
      const told5 = same.find(({ text: text2 }) => text2 === group[0].text);
      if (told5) told5.lines.push(...group[0].lines);
      else same.splice(same.length - body.length, 0, group[0]);
      for (const [at, { lines }] of body.entries()) same.at(at - body.length).lines.push(...lines);
    } else {
      shown.push(group);
      if (body.length > 0) first3.set(text, group);
    }
  }
  return shown.flat();
}

// src/filters/strategies/test-summary.ts
var testSummary = defineStrategy({
  options: z9.strictObject({
    runners: z9.array(z9.string()).min(1).optional().describe("Whose output it is. Others are recognised by their lines alone")
  }),
  build({ runners = [] }) {
    for (const name of runners) if (!RUNNERS.some((runner) => runner.name === name)) throw new Error(`there is no test runner "${name}"`);
    return (source) => shortened2(source, new Set(runners));
  }
});
var READ = /* @__PURE__ */ new WeakSet();
var TAIL = 20;
function shortened2({ lines, exitCode }, expected) {
  if (READ.has(lines)) return null;
  const whole3 = read2(lines, expected);
  if (whole3 === null) return null;
  const isExplained = exitCode === 0 || whole3.tellsWhy;
  const { lines: shown, harmless } = isExplained ? whole3 : withTail(lines, expected);
  READ.add(shown);
  return { lines: shown, confidence: isExplained ? "Full" : "Partial", harmless };
}
function read2(all, expected) {
  const plain = new Set(runnersIn(all));
  let result = null;
  for (const runner of RUNNERS) {
    const isExpected = expected.has(runner.name);
    if (!isExpected && !plain.has(runner)) continue;
    const told5 = walk(runner, result?.lines ?? all);
    if (!told5.some(isResult) && !(isExpected && plain.has(runner))) continue;
    const { lines, harmless, tellsWhy } = settle(runner, told5);
    result = { lines, harmless: harmless + (result?.harmless ?? 0), tellsWhy: tellsWhy || (result?.tellsWhy ?? false) };
  }
  return result;
}
var isResult = ({ deed }) => deed === "pass" || deed === "skip" || deed === "brief" || deed === "title";
function withTail(all, expected) {
  const head = all.slice(0, -TAIL);
  const { lines, harmless } = read2(head, expected) ?? { lines: head, harmless: 0 };
  return { lines: [...lines, ...all.slice(-TAIL)], harmless };
}

// src/filters/strategies/truncate.ts
import * as z10 from "zod";
var truncate = defineStrategy({
  options: z10.strictObject({
    max_lines: z10.int().min(1).describe("Outputs with more lines than this are cut"),
    head: z10.int().min(0).default(20).describe("Lines kept from the beginning"),
    tail: z10.int().min(0).default(20).describe("Lines kept from the end")
  }).refine(({ max_lines, head, tail }) => head + tail <= max_lines, "head + tail is more than max_lines"),
  build({ max_lines, head, tail }) {
    return ({ lines }) => {
      if (lines.length <= max_lines) return { lines, confidence: "Fallback" };
      const errors = lines.slice(head, lines.length - tail).filter(({ errors: errors2 }) => errors2 > 0);
      const kinds2 = kindsOf(errors);
      const firsts = kinds2.map(([first3]) => first3);
      const others = kinds2.flatMap(([, ...rest2]) => rest2);
      const ranked = [...firsts.filter(isOutspoken), ...firsts.filter((line) => !isOutspoken(line)), ...others];
      const chosen = new Set(ranked.slice(0, max_lines - head - tail));
      const middle = errors.filter((line) => chosen.has(line));
      return { lines: [...lines.slice(0, head), ...middle, ...lines.slice(lines.length - tail)], confidence: "Partial" };
    };
  }
});

// src/filters/strategies/index.ts
var STRATEGIES = {
  strip_noise: stripNoise,
  truncate,
  keep_matching: keepMatching,
  strip_annotated: stripAnnotated,
  test_summary: testSummary,
  group_by_rule: groupByRule,
  git_status: gitStatus,
  git_diff: gitDiff,
  dedup
};

// src/filters/rule.ts
var pattern2 = z11.string().max(MAX_PATTERN, `a pattern has at most ${MAX_PATTERN} characters`);
var match = z11.strictObject({ exact: pattern2.optional(), prefix: pattern2.optional(), regex: pattern2.optional() }).refine((kinds2) => Object.values(kinds2).filter((kind2) => kind2 !== void 0).length === 1, "set exactly one of exact, prefix and regex");
var ruleSchema = z11.strictObject({
  name: z11.string().min(1),
  match: match.optional(),
  strategy: z11.looseObject({ type: z11.string() }).optional(),
  enabled: z11.boolean().default(true),
  files: z11.boolean().default(false)
});
function buildRule({ name, match: match2, strategy, files }, origin, compile2) {
  if (!match2) throw new Error("it has no match: set exact, prefix or regex");
  if (!strategy) throw new Error("it has no strategy");
  const { type, ...options } = strategy;
  if (!isStrategy(type)) throw new Error(`there is no strategy "${type}". There are: ${Object.keys(STRATEGIES).join(", ")}`);
  const { options: schema, build } = STRATEGIES[type];
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${["strategy", ...path].join(".")}: ${message}`).join("; "));
  return { name, origin, strategy: type, files, matches: matcher(match2, compile2), apply: build(parsed.data, compile2) };
}
var isStrategy = (type) => Object.hasOwn(STRATEGIES, type);
function matcher({ exact, prefix, regex }, compile2) {
  if (exact !== void 0) return ({ forms }) => forms.includes(exact);
  if (prefix !== void 0) return ({ forms }) => forms.some((form) => form.startsWith(prefix));
  const test = compile2(regex);
  return ({ forms }) => forms.some(test);
}

// src/filters/rules.ts
var MAX_BYTES = TOML_LIMITS.length;
var MOST_WARNINGS = 100;
var builtIn;
function builtInRules() {
  builtIn ??= BUILT_IN.flatMap(({ file, text }) => {
    const read3 = rulesIn(file, text);
    if (typeof read3 === "string") throw new Error(read3);
    return read3.entries.map((entry3) => buildRule(ruleSchema.parse(entry3), "built-in", trustedPattern));
  });
  return builtIn;
}
function rulesWith(file, text) {
  const size = Buffer.byteLength(text);
  if (size > MAX_BYTES) return fallback(`${file} has ${size} bytes, more than the ${MAX_BYTES} a filter file may have`);
  const read3 = rulesIn(file, text);
  if (typeof read3 === "string") return fallback(read3);
  const warnings = [...read3.warnings];
  const lineOf2 = ruleLines(text);
  const mine = [];
  const replaced3 = /* @__PURE__ */ new Set();
  for (const [n, entry3] of read3.entries.entries()) {
    const name = nameOf2(entry3) ?? `number ${n + 1}`;
    const skipped = (why) => void warnings.push(`${file}:${lineOf2(n)}: rule "${name}" is skipped: ${why}.`);
    replaced3.add(name);
    const parsed = ruleSchema.safeParse(entry3);
    if (!parsed.success) {
      skipped(wordsOf2(parsed.error));
      continue;
    }
    if (!parsed.data.enabled) continue;
    try {
      mine.push(buildRule(parsed.data, "user", untrustedPattern));
    } catch (error) {
      skipped(error.message);
    }
  }
  if (warnings.length > MOST_WARNINGS)
    warnings.splice(MOST_WARNINGS, warnings.length, `${file}: ${warnings.length - MOST_WARNINGS} more mistakes are not shown.`);
  const ours3 = read3.inherit ? builtInRules().filter(({ name }) => !replaced3.has(name)) : [];
  return { rules: [...mine, ...ours3], warnings };
}
var fallback = (why) => ({ rules: builtInRules(), warnings: [`${why}. The built-in rules are used.`] });
function rulesIn(file, text) {
  try {
    const { rules = [], inherit = true, examples: _examples, ...others } = parseToml(text.replace(/^\ufeff/, ""), "filters");
    if (!Array.isArray(rules)) return `${file}: "rules" is not a list of tables; begin each rule with [[rules]]`;
    const warnings = Object.keys(others).map((key) => `${file}: "${key}" is unknown and not used. There are "rules" and "inherit".`);
    if (typeof inherit !== "boolean") warnings.push(`${file}: "inherit" is true or false; it is taken for true.`);
    return { entries: rules, inherit: inherit !== false, warnings };
  } catch (error) {
    if (error instanceof TomlMistake) return `${file}:${error.line}:${error.column}: Invalid TOML document: ${error.message}`;
    return `${file}: ${error.message}`;
  }
}
function ruleLines(text) {
  const lines = [];
  for (const [at, line] of text.split("\n").entries()) if (/^\s*\[\[\s*rules\s*\]\]/.test(line)) lines.push(at + 1);
  return (n) => lines[n] ?? 1;
}
function nameOf2(entry3) {
  const name = entry3?.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 100) : null;
}
var wordsOf2 = (error) => error.issues.map(({ path, message }) => path.length > 0 ? `${path.join(".")}: ${message}` : message).join("; ");

// src/filters/secrets/custom.ts
import { RE2JS as RE2JS3 } from "re2js";
var MAX_PATTERN2 = 512;
var PIECE = 16384;
var OVERLAP = 1024;
function customPatterns(sources) {
  const warnings = [];
  const patterns = sources.flatMap((source) => {
    const compiled = compile(source);
    if (typeof compiled !== "string") return [compiled];
    warnings.push(`The secret pattern ${JSON.stringify(source.slice(0, 80))} is left out: ${compiled}`);
    return [];
  });
  return { custom: { find: (text) => patterns.length === 0 ? [] : findAll(text, patterns) }, warnings };
}
function compile(source) {
  if (source.trim() === "") return "it is empty.";
  if (source.length > MAX_PATTERN2) return `it is longer than ${MAX_PATTERN2} characters.`;
  try {
    const pattern3 = RE2JS3.compile(source);
    return pattern3.matches("") ? "it matches nothing at all, and so everything." : pattern3;
  } catch (error) {
    return `${error.message}. Lookaround and backreferences are not supported.`;
  }
}
function findAll(text, patterns) {
  const spans = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    for (let from = 0; from < line.length; from += PIECE - OVERLAP) {
      const piece = line.slice(from, from + PIECE);
      for (const pattern3 of patterns) findIn(piece, start + from, pattern3, spans);
      if (from + PIECE >= line.length) break;
    }
    start += line.length + 1;
  }
  return spans;
}
function findIn(piece, offset, pattern3, spans) {
  if (!pattern3.test(piece)) return;
  const matcher2 = pattern3.matcher(piece);
  while (matcher2.find()) {
    const group = matcher2.groupCount() > 0 && matcher2.group(1) ? 1 : 0;
    const [start, end] = [matcher2.start(group), matcher2.end(group)];
    if (end > start) spans.push({ start: offset + start, end: offset + end, family: "custom", value: piece.slice(start, end) });
  }
}

// src/filters/secrets/judge.ts
var LOOKED_AT4 = 256;
function isCode(value) {
  const text = value.slice(0, LOOKED_AT4);
  if (TYPE.test(text) || OPERATORS.test(text) || SIGIL.test(text)) return true;
  if (/[([{]/.test(text) && /^[A-Za-z_$&*!@.][\w$.:>?!&*-]*[([{]/.test(text)) return true;
  return /^[!~&*-]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+;?$/.test(text) && isWordy(text);
}
var TYPE = /^(?:&?(?:mut )?str(?:ing)?|String|text|number|int(?:eger)?|bool(?:ean)?|any|object|bytes?|char|varchar|unknown|never|void|float|double|Buffer|Uint8Array|SecretStr|Optional|Option|required|optional|secretKeyRef|valueFrom)\b/;
var SIGIL = /^(?:\$[A-Za-z_][\w:]*(?:-|\[|\{)|[$@%&]\w+::|qr\W)/;
var OPERATORS = /&&|\|\||=>|[!=]==?(?=[^=\s])|\w\(|[;{}](?:return\b|var\b|let\b|const\b|if\b|for\b|\w+[.(=[])|\]\.|\?[?.]/;
function isWordy(value) {
  const text = value.slice(0, LOOKED_AT4);
  if (/[^\w./:@ ,-]/.test(text)) return false;
  let words2 = 0;
  let all = 0;
  for (const part2 of text.split(/[^A-Za-z0-9]+/)) {
    all += part2.length;
    if (WORD.test(part2) && isSayable(part2)) words2 += part2.length;
  }
  return all === 0 || words2 / all > 0.75;
}
var WORD = /^(?:[a-z]{1,20}|[A-Z]{1,20}|\d{1,10}|[A-Z]{0,5}[a-z]{1,14}\d{0,5}(?:[A-Z][a-z]{2,14}\d{0,3}){0,8}(?:[A-Z]{1,2}[a-z]?)?|[a-z]{2,12}\d{1,3}[a-z]{2,12}|[A-Z]{2,12}\d{1,3}|[A-Z]\d{1,5}|\d{1,3}[a-z]{1,2}|[A-Z]\d(?:[A-Z][a-z]{2,14}){1,8})$/;
function isSayable(part2) {
  if (/\d[A-Za-z]+\d/.test(part2)) return false;
  for (const word of part2.match(/[A-Z]?[a-z]{2,}/g) ?? []) {
    if (/[b-df-hj-np-tv-xz]{5}/i.test(word) || !(/[aeiouy]/i.test(word) || SHORT_FORM.test(word))) return false;
  }
  return true;
}
var SHORT_FORM = /^(?:https?|html|xml|sql|kms|dns|ctx|cfg|msg|str|ptr|btn|cmd|pwd|tls|ssl|npm|jwt|grpc|rpc|ssh|src|dst|tmp|std|sdk|css|svg|png|pdf|pkg|mgr|vpn|vpc|gcp|fs|db|js|ts|md|pw|ip|cb|rm|ls|mb|kb|px|st|nd|rd|th|nth|pvt|prv|prd|stg|dflt|tkn|hmac|ldap|smtp|ftp|tcp|http2)$/i;
function mixing(value) {
  const text = value.slice(0, LOOKED_AT4);
  let changes = 0;
  for (let i = 1; i < text.length; i++) {
    const [a, b] = [kind(text.charCodeAt(i - 1)), kind(text.charCodeAt(i))];
    if (a === b || a === OTHER2 || b === OTHER2) continue;
    if (a === UPPER && b === LOWER && (i < 2 || kind(text.charCodeAt(i - 2)) !== UPPER)) continue;
    changes++;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}
function isMixed(value) {
  return value.length >= 8 && new Set(value.slice(0, LOOKED_AT4)).size >= 6 && mixing(value) >= 0.2 && !isWordy(value);
}
function isRandom(value) {
  const kinds2 = [/[a-z]/, /[A-Z]/, /\d/].filter((kind2) => kind2.test(value)).length;
  return kinds2 >= 2 && new Set(value.slice(0, LOOKED_AT4)).size >= 6 && !isWordy(value);
}
function isStrong(value) {
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && isMixed(value) && !HEX_OR_ID.test(value);
}
var HEX_OR_ID = /^(?:[a-f0-9-]+|[A-F0-9-]+)$/;
var LOWER = 0;
var UPPER = 1;
var DIGIT = 2;
var OTHER2 = 3;
function kind(code) {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER2;
}

// src/filters/secrets/known.ts
function knownValues(found) {
  const tree = new Tree();
  const tails = /* @__PURE__ */ new Map();
  for (const { family, value } of found) {
    for (const form of formsOf(value, family)) {
      const known2 = { family, value: form };
      tree.add(known2);
      if (form.length > CUT) tails.set(form.slice(-CUT), known2);
    }
  }
  return (text) => tree.empty ? [] : [...heads(text, tree), ...tailsAtLineStart(text, tails)];
}
var SHORT2 = 6;
var CUT = 8;
var ENOUGH2 = 64;
var UNBROKEN = 4;
function formsOf(value, family) {
  if (family === "private-key") return value.split("\n").filter((line) => line.length >= CUT);
  if (value.length < SHORT2 || family !== "custom" && /^[A-Za-z]{1,12}$/.test(value) && isWordy(value)) return [];
  const forms = /* @__PURE__ */ new Set([
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    percentDecoded(value),
    unescaped(value),
    inBase64(value)
  ]);
  return [...forms].filter((form) => form.length >= SHORT2);
}
function percentDecoded(value) {
  try {
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    return value;
  }
}
function inBase64(value) {
  return value.length >= CUT && /^[\x00-\xff]*$/.test(value) ? btoa(value).replace(/=+$/, "") : value;
}
var unescaped = (value) => value.replace(/\\(["'\\/])/g, "$1");
function heads(text, tree) {
  const spans = [];
  const last2 = text.length - SHORT2;
  for (let at = 0; at <= last2; at++) {
    if (!tree.mayStart(text, at)) continue;
    const found = tree.match(text, at);
    if (!found) continue;
    spans.push({ start: at, end: found.end, family: found.family });
    at = found.end - 1;
  }
  return spans;
}
var LINE_START2 = /(?:^|\n|\.\.\.|…|\] ?)[ \t]{0,40}([^\s"'`<>…,;)\]}]{8,4096})/g;
function tailsAtLineStart(text, tails) {
  const spans = [];
  LINE_START2.lastIndex = 0;
  for (let match2 = LINE_START2.exec(text); match2; match2 = LINE_START2.exec(text)) {
    const run = match2[1];
    const known2 = tails.get(run.slice(-CUT));
    if (!known2?.value.endsWith(run) || !isTelling(run)) continue;
    spans.push({ start: LINE_START2.lastIndex - run.length, end: LINE_START2.lastIndex, family: known2.family });
  }
  return spans;
}
var isTelling = (part2) => /\d/.test(part2) || /[a-z]/.test(part2) && /[A-Z]/.test(part2);
var Tree = class {
  #root = node2();
  /** Which pairs of characters start a value. */
  #pairs = new Uint8Array(65536);
  get empty() {
    return this.#root.next === null;
  }
  add(known2) {
    const { value } = known2;
    this.#pairs[pairOf(value, 0)] = 1;
    this.#root.next ??= /* @__PURE__ */ new Map();
    let here = this.#root;
    for (let depth2 = 0; ; depth2++) {
      if (depth2 === Math.min(value.length, ENOUGH2)) {
        here.ends ??= known2;
        return;
      }
      const code = value.charCodeAt(depth2);
      const down = here.next?.get(code);
      if (!down) {
        here.next ??= /* @__PURE__ */ new Map();
        here.next.set(code, { only: known2, ends: null, next: null });
        return;
      }
      if (down.only) this.#split(down, depth2 + 1);
      here = down;
    }
  }
  /** Two values go on together: the one that was alone moves a step down. */
  #split(down, depth2) {
    const known2 = down.only;
    down.only = null;
    if (depth2 >= Math.min(known2.value.length, ENOUGH2)) down.ends = known2;
    else down.next = /* @__PURE__ */ new Map([[known2.value.charCodeAt(depth2), { only: known2, ends: null, next: null }]]);
  }
  mayStart(text, at) {
    return this.#pairs[pairOf(text, at)] === 1;
  }
  /** The longest value that starts here, or so much of one that it was cut. */
  match(text, start) {
    let here = this.#root;
    let at = start;
    let whole3 = null;
    for (let depth2 = 0; ; depth2++) {
      if (here.ends) whole3 = { end: endOf2(text, at, depth2, here.ends), family: here.ends.family };
      if (here.only) return rest(text, at, depth2, here.only) ?? whole3;
      const direct = here.next?.get(text.charCodeAt(at));
      const next = direct || depth2 < UNBROKEN ? at : lineBreak(text, at);
      const down = direct ?? here.next?.get(text.charCodeAt(next));
      if (!down) return whole3 ?? cutOff(text, at, depth2, anyOf2(here));
      here = down;
      at = next + 1;
    }
  }
};
var node2 = () => ({ only: null, ends: null, next: null });
var pairOf = (text, at) => (text.charCodeAt(at) * 251 ^ text.charCodeAt(at + 1)) & 65535;
function anyOf2(from) {
  let here = from;
  while (!here.only && !here.ends) here = here.next.values().next().value;
  return here.only ?? here.ends;
}
function rest(text, start, seen, known2) {
  const { value, family } = known2;
  let at = start;
  for (let depth2 = seen; depth2 < value.length; depth2++) {
    if (depth2 === ENOUGH2) return { end: endOf2(text, at, depth2, known2), family };
    if (text.charCodeAt(at) !== value.charCodeAt(depth2)) {
      const next = depth2 >= UNBROKEN ? lineBreak(text, at) : at;
      if (next === at || text.charCodeAt(next) !== value.charCodeAt(depth2)) return cutOff(text, at, depth2, known2);
      at = next;
    }
    at++;
  }
  return { end: at, family };
}
function cutOff(text, at, depth2, { value, family }) {
  if (depth2 < CUT || !isOmission(text, at) || !isTelling(value.slice(0, depth2))) return null;
  return { end: at, family };
}
function endOf2(text, at, seen, { value }) {
  RUN5.lastIndex = at;
  return value.length > seen && RUN5.test(text) ? RUN5.lastIndex : at;
}
var RUN5 = /[^\s"'`<>,;…]{1,16384}/y;
var BREAK = /\r?\n[ \t]{0,40}/y;
function lineBreak(text, at) {
  BREAK.lastIndex = at;
  return BREAK.test(text) ? BREAK.lastIndex : at;
}
var OMISSION = /\s*$|[ \t]*\r?\n|\s?(?:\.\.|…|\[|\()/y;
function isOmission(text, at) {
  OMISSION.lastIndex = at;
  return OMISSION.test(text);
}

// src/filters/secrets/plain.ts
var UNSEEN = (
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])([^\x00-\x1f\x7f-\x9f]{0,4096})(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,8}[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060-\u2064\ufeff]/g
);
var ANY_UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060-\u2064\ufeff]/;
function views(raw) {
  if (!ANY_UNSEEN.test(raw)) return [{ text: raw, origin: (at) => at }];
  const seen = new Pieces(raw);
  const hidden2 = new Pieces(raw);
  let from = 0;
  UNSEEN.lastIndex = 0;
  for (let match2 = UNSEEN.exec(raw); match2; match2 = UNSEEN.exec(raw)) {
    seen.add(from, match2.index);
    from = UNSEEN.lastIndex;
    if (match2[1]) hidden2.addLine(match2.index + match2[0].indexOf(match2[1]), match2[1].length);
  }
  seen.add(from, raw.length);
  return hidden2.empty ? [seen.plain()] : [seen.plain(), hidden2.plain()];
}
var Pieces = class {
  #raw;
  #parts = [];
  /** Where each part starts: in the text put together, and in the original. */
  #here = [];
  #there = [];
  #length = 0;
  constructor(raw) {
    this.#raw = raw;
  }
  get empty() {
    return this.#length === 0;
  }
  add(start, end) {
    if (end <= start) return;
    this.#here.push(this.#length);
    this.#there.push(start);
    this.#parts.push(this.#raw.slice(start, end));
    this.#length += end - start;
  }
  addLine(start, length2) {
    this.add(start, start + length2);
    this.#parts.push("\n");
    this.#length++;
  }
  plain() {
    const here = this.#here;
    const there = this.#there;
    return { text: this.#parts.join(""), origin: (at) => here.length === 0 ? at : originOf(at, here, there) };
  }
};
function originOf(at, here, there) {
  let low = 0;
  let high = here.length - 1;
  while (low < high) {
    const middle = low + high + 1 >> 1;
    if (here[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return there[low] + at - here[low];
}

// src/filters/secrets/base64.ts
var MAX_LENGTH2 = 4096;
function decoded(base642) {
  try {
    return atob(
      base642.replaceAll("-", "+").replaceAll("_", "/").replace(/={1,2}$/, "")
    );
  } catch {
    return "";
  }
}
function passwordIn(pair2) {
  if (pair2.length < 8 || pair2.length > MAX_LENGTH2 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(pair2)) return null;
  return /^[\x20-\x39\x3b-\x7e]{0,200}:([\x20-\x7e]+)$/.exec(decoded(pair2))?.[1] ?? null;
}

// src/filters/secrets/standin.ts
var LOOKED_AT5 = 256;
function isStandIn(value) {
  const text = value.slice(0, LOOKED_AT5);
  if (NO_SECRET.some((pattern3) => pattern3.test(text))) return true;
  if (PATH.test(text) && !isMixed(text.replace(/[\\/.]/g, ""))) return true;
  return isFiller(text);
}
var isSample = (value) => isFiller(value) || SAYS_SO.test(value.slice(0, LOOKED_AT5));
function isFiller(value) {
  const text = value.slice(0, LOOKED_AT5).toLowerCase();
  if (text.length >= 6 && !hasKinds(text, 3)) return true;
  return text.length >= 10 && longestRise(text) >= Math.min(16, text.length * 0.6);
}
var any = (words2) => `(?:${words2.split(" ").join("|")})`;
var SLOT = /^(?:<[^<>]*>?|&(?:lt|#x3[cC]|#60);.*|\$(?:\{.*|\(.*|\w+)|\{.*|%[A-Za-z_]\w*%|@[A-Za-z_]\w*@|\[.*|\(.*|[*•●.…_#?-]+|.*(?:\*{3}|•{3}|\.{3}|…).*)$/s;
var VERBS = /^(?:%(?:\(\w+\))?[-+#0]?\d{0,2}[sdvqxr][:/@, -]?){1,4}$/;
var NOTHING5 = /^(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|unset|default|n\/?a|tbd|todo|fixme|void|0|0x[0-9a-f]{1,16})$/i;
var SECRET = any("here me it this pass password passwd passphrase pwd pw secret token key value string");
var ASKS = new RegExp(
  `^(?:${any("your my enter insert replace change paste provide specify")}[-_ ]?|${any("the some any a an put use add set type")}[-_ ])[a-z_ -]*${SECRET}\\d{0,3}$`,
  "i"
);
var NAMES5 = new RegExp(
  `^(?:x{3,}|change(?:me|it|this)\\d{0,4}|(?:some|any)thing|${any(
    "foo bar baz test dummy example sample fake mock stub placeholder redacted hidden masked censored omitted removed sensitive encrypted secret password passwd passphrase pass pwd token credentials? api[-_\\s]?key key user username string value text"
  )}[-_ ]?${SECRET}?\\d{0,2})$`,
  "i"
);
var SAYS_SO = /(?:^|[-_ .<])your[-_ .>]|example|placeholder|redacted|changeme|change[-_]me|insert[-_]|replace[-_]|x{6}|(?:[-_ ]|token|string|key|secret)here$/i;
var POINTERS = [
  /^(?:process|os|import\.meta|System|Deno|Bun)\./,
  new RegExp(
    `^${any(
      "env ENV environ secrets? vars? local data module config conf cfg settings options opts args argv params? props self this req request res response ctx context event user creds credentials state steps github inputs matrix needs Fn Ref"
    )}[.[]`
  ),
  /^!(?:vault|[Rr]ef|Sub|secret|GetAtt|ImportValue|Join|env|reference|encrypted)\b/,
  /^(?:ENC\[|projects\/|sha\d{1,3}-|(?:vault|op|arn|ssm|awssm|gcpsm|file|kms|keychain|data|sha\d{1,3}|md5):|[a-z][a-z0-9+.-]{1,20}:\/\/)/
];
var VERSIONED = /^[a-z][a-z0-9._/-]{1,60}[-:@]v?\d+(?:\.\d+){1,3}(?:[-.+][\w.]{1,40})?$/;
var AMOUNT2 = /^(?:(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w|y|[KMGT]i?B?))+|\d{4}-\d\d-\d\d(?:[T ].*)?)$/i;
var PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\|\\\\)/;
var NO_SECRET = [SLOT, VERBS, NOTHING5, ASKS, NAMES5, SAYS_SO, ...POINTERS, VERSIONED, AMOUNT2];
function hasKinds(text, least) {
  let seen = "";
  for (let i = 0; i < text.length && seen.length < least; i++) if (!seen.includes(text[i]) && !"-_.".includes(text[i])) seen += text[i];
  return seen.length >= least;
}
function longestRise(text) {
  let longest = 1;
  let rise = 1;
  for (let i = 1; i < text.length; i++) {
    rise = text.charCodeAt(i) === text.charCodeAt(i - 1) + 1 ? rise + 1 : 1;
    longest = Math.max(longest, rise);
  }
  return longest;
}

// src/filters/secrets/fits.ts
function fits({ text, quoted: quoted4 }, means, form) {
  if (text.length < 4 || isStandIn(text) || !quoted4 && isCode(text)) return false;
  if (!isEnvironment(form) && NAMES_ITSELF.test(text)) return false;
  if (means.kind === "pair") return passwordIn(text) !== null;
  if (means.kind === "perhaps") return isStrong(text);
  if (form.kind === "loose" && !isChosen(text) && !isNoWord(text)) return false;
  if (means.kind === "password") return isPassword(text, form, quoted4);
  return isToken(text, form, quoted4) && (means.family === "password" || TOKEN.test(text));
}
var TOKEN = /^[\w.~+/=:@%!#$&*^-]+$/;
var NAMES_ITSELF = /^[A-Za-z_. -]{0,40}(?:password|passwd|passphrase|secret|token|credential|private_?key|api_?key)[A-Za-z_. -]{0,20}$/i;
function isToken(value, form, quoted4) {
  if (value.length < 8 || /\s/.test(value)) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value) && !isWordy(value)) return true;
  if (value.length >= 12 && (isMixed(value) || quoted4 && /[a-z]/.test(value) && /[A-Z]/.test(value) && !isWordy(value))) return true;
  return isEnvironment(form) && !/[-_./]/.test(value) && (quoted4 || value.length >= 10);
}
function isPassword(value, form, quoted4) {
  if (/\s/.test(value)) return false;
  if (/^\d+$/.test(value)) return value.length >= 6 && (quoted4 || isEnvironment(form));
  if (isEnvironment(form) || form.kind === "mark") return true;
  if (/^[A-Za-z]+$/.test(value)) return isNoWord(value) || quoted4 && value.length >= 6 && !/^[A-Z][a-z]+$/.test(value);
  return isChosen(value) || isNoWord(value) || quoted4 && /[^\w.-]/.test(value) || /[!@#$%^&*+=?~]/.test(value) && value.length >= 6;
}
var isEnvironment = ({ kind: kind2 }) => kind2 === "env" || kind2 === "line";
var isNoWord = (value) => value.length >= 8 && !isWordy(value);
var isChosen = (value) => value.length >= 4 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^v?\d+(?:[.-]\w+)*$/.test(value) && !(/[-_./].*[-_./]/.test(value) && isWordy(value));

// src/filters/secrets/stick.ts
function stick(pattern3, text, at) {
  pattern3.lastIndex = at;
  return pattern3.exec(text);
}

// src/filters/secrets/forms.ts
var TIE = /(?:\\{0,3}["'`]|\\{1,3}u0022|&quot;|&#3[49];|%22)?\]?\)?[ \t]{0,20}(:=|=>|[=!]==?|\|\|=|\?=|\+=|=|:(?!:)|%3[ADad]|(?<=[ \t])\|(?=[ \t]))[ \t]{0,20}/y;
var BLOCK4 = /[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,40}(?=\S)/y;
var TYPED = /&?(?:'static )?[A-Za-z_][\w<>[\].|? ]{0,40}?[ \t]?=[ \t]?(?=[brfu@]?["'`])/y;
var BESIDE2 = /\\{0,3}["']?[ \t]{0,20},?[ \t]{0,20}(?:\r?\n[ \t]{0,60})?\\{0,3}["']?[Vv]alue\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}/y;
var NAMED2 = /(?:[Nn]ame|[Kk]ey)\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}\\{0,3}["']?$/;
var TAG2 = /["']?[ \t]{0,4}>(?=[^<>\s])/y;
var IN_TAG = /<[^<>\n]{0,60}$/;
var ARGUMENT = /(?:["'`][ \t]{0,4},[ \t]{0,8}|\()(?=["'`])/y;
var SPACE2 = /[ \t]{1,20}(?=[^\s-])/y;
var SAID3 = /[ \t](?:is|was)(?::|[ \t])[ \t]?(?=\S)|[ \t](?=["'`])/y;
var COLUMN = /[ \t]{2,60}(?=[^\s"'`]{8,}[ \t]{0,20}(?:\r?\n|$))/y;
function formAfter(text, name) {
  if (!isTied(text, name)) return null;
  const tie = stick(TIE, text, name.end);
  if (tie) return assigned(text, name, tie[0], tie[1]);
  const before2 = text.slice(Math.max(0, name.start - 64), name.start);
  const after = (pattern3) => {
    const length2 = stick(pattern3, text, name.end)?.[0].length;
    return length2 === void 0 ? -1 : name.end + length2;
  };
  let at = NAMED2.test(before2) ? after(BESIDE2) : -1;
  if (at >= 0) return { at, kind: "plain", strict: false };
  at = IN_TAG.test(before2) ? after(TAG2) : -1;
  if (at >= 0) return { at, kind: "mark", strict: false };
  at = name.text.startsWith("-") ? after(SPACE2) : -1;
  if (at >= 0) return { at, kind: "flag", strict: false };
  if (before2.endsWith("/") || /^pass$/i.test(name.text)) return null;
  at = after(ARGUMENT);
  if (at >= 0) return { at, kind: "loose", strict: true };
  at = LINE_START3.test(before2) ? after(COLUMN) : -1;
  if (at < 0) at = after(SAID3);
  return at >= 0 ? { at, kind: "loose", strict: false } : null;
}
function assigned(text, name, tie, sign) {
  const at = name.end + tie.length;
  if (sign.endsWith("==")) return { at, kind: "loose", strict: true };
  if (sign === "|") return { at, kind: "loose", strict: false };
  const typed = sign === ":" ? stick(TYPED, text, at) : null;
  if (typed) return { at: at + typed[0].length, kind: "plain", strict: true };
  const block = sign === ":" ? stick(BLOCK4, text, at) : null;
  if (block) return { at: at + block[0].length, kind: "plain", strict: false };
  if (tie !== "=" || !/^[-.]{0,2}[A-Z][A-Z0-9_]*$/.test(name.text)) return { at, kind: "plain", strict: false };
  const isLine = LINE_START3.test(text.slice(Math.max(0, name.start - 24), name.start));
  return { at, kind: isLine ? "line" : "env", strict: false };
}
var LINE_START3 = /(?:^|\n)[ \t]{0,12}(?:[+-]|export |declare -x )?$/;
function isTied(text, name) {
  const next = text[name.end] ?? "";
  if (next !== " " && next !== "	") return next !== "" && "\r\n\"'`\\])=:!|?+>,&%(".includes(next);
  return name.text.startsWith("-") || TIED_LATER.test(text.slice(name.end, name.end + 24));
}
var TIED_LATER = /^[ \t]+(?:[=:!|?+>'"`,]|is\b|was\b|value\b|\]|$)|^[ \t]{2}/i;

// src/filters/secrets/names.ts
function meaning(name) {
  if (name.length > MAX_REMEMBERED) return judged(name);
  const known2 = REMEMBERED.get(name);
  if (known2 !== void 0) return known2;
  if (REMEMBERED.size >= 1e3) REMEMBERED.clear();
  const means = judged(name);
  REMEMBERED.set(name, means);
  return means;
}
var REMEMBERED = /* @__PURE__ */ new Map();
var MAX_REMEMBERED = 12;
function judged(name) {
  const words2 = wordsOf3(name);
  const at = words2.findLastIndex((word) => HEADS.has(word));
  if (at < 0) return null;
  const head = words2[at];
  const before2 = words2.slice(0, at);
  const after = words2.slice(at + 1);
  if (after.some((word) => ABOUT.has(word)) || before2.some((word) => UNLIKE.has(word))) return null;
  const kind2 = kindOf(head, before2, after);
  return kind2 && { kind: kind2, family: familyOf(head, words2) };
}
function kindOf(head, before2, after) {
  const own = HEADS.get(head);
  if (own === "pair") return after.length > 0 ? null : before2.every((word) => word === "basic" || word === "registry") ? "pair" : "perhaps";
  if (own === "key" && before2.length === 0) return null;
  if (head === "pass" && before2.length === 0) return "token";
  if (after.some((word) => !FURTHER.test(word))) return "perhaps";
  if (own === "key") return KEYS.has(before2.at(-1)) ? "token" : "perhaps";
  return own;
}
function familyOf(head, words2) {
  if (words2.some((word) => CLOUDS.has(word)) || words2.join(" ").includes("secret access key")) return "cloud-key";
  if (head === "key" && (words2.includes("account") || words2.includes("shared"))) return "cloud-key";
  if (head === "key" && words2.includes("private")) return "private-key";
  return /^pa(?:ir|ssword)$/.test(HEADS.get(head)) || head.startsWith("secret") || head.startsWith("cred") ? "password" : "access-token";
}
function wordsOf3(name) {
  const words2 = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words2.flatMap((word) => unglued(word.toLowerCase()));
}
function unglued(word) {
  const key = GLUED_KEY.exec(word);
  if (key) return key.slice(1).filter(Boolean);
  const tail = GLUED.find((ending) => word.length > ending.length && word.endsWith(ending));
  return tail ? [word.slice(0, -tail.length), tail] : [word];
}
var GLUED_KEY = /^([a-z]{0,24}?)(api|access|secret|private|auth|account|encryption|signing|shared|master)(key|token)$/;
var GLUED = ["password", "passwd", "passphrase", "passcode", "secret", "token", "credentials", "pwd"];
var HEADS = new Map([
  ...list("password", "password passwd passwort passphrase passcode pass pwd pw dbpass sshpass userpass rootpass adminpass mnemonic"),
  ...list("token", "secret token jwt pat bearer credential credentials cred creds"),
  ...list("perhaps", "passwords secrets tokens keys"),
  ...list("key", "key"),
  ...list("pair", "auth")
]);
function list(kind2, words2) {
  return words2.split(" ").map((word) => [word, kind2]);
}
var goesBeforeKey = (word) => KEYS.has(word.toLowerCase());
var KEYS = new Set(
  "api access secret private encryption encrypt decryption decrypt signing sign auth account shared master admin root license licence service deploy session app application client subscription storage function functions write read ingest ingestion insert integration webhook hmac aes jwt cookie personal server live prod user org organization project preshared psk".split(
    " "
  )
);
var ABOUT = new Set(
  "id ids name names file files filename path paths dir directory url uri urls endpoint type types kind length len size count counts limit max min hash hashed policy policies expiry expires expiration expired exp ttl age timeout lifetime interval date time at on status state valid validity validation validator invalid field fields label title hint placeholder message messages error errors prompt help description desc header headers prefix suffix regex pattern format version alias index idx algorithm algo method mode env var vars variable ref reference arn provider providers manager service services store host port user username email enabled disabled required optional exists present found missing changed updated created reset strength score rules rule config configuration settings options option class component handler helper util utils spec page form input button view screen route controller model schema table column list set map cache bucket generator factory builder parser lexer counter usage budget window rate cost price per fingerprint checksum digest sha sha1 sha256 md5 vault ring chain board word press down up stroke frame frames scope scopes audience issuer source scanning rotation encrypted auth json yaml yml toml txt csv js ts py go rs java xml html css md lock".split(
    " "
  )
);
var UNLIKE = new Set(
  "public pub publishable csrf xsrf authenticity antiforgery non not no without has is skip hide show forgot invalid fake dummy mock example sample wrong next page continuation continue pagination paging cursor cancellation cancel sync resume idempotency cache primary foreign sort partition shard routing lookup object bucket row index map hot arrow natural schema sequence unexpected".split(
    " "
  )
);
var FURTHER = /^(?:\d+|prod|production|dev|development|stage|staging|test|testing|live|main|default|base|value|val|string|str|plain|plaintext|raw|old|new|current|previous|prev|primary|secondary|backup|admin|root|master|local|remote|base64|b64|encoded|confirm|confirmation|again|repeat|[a-d])$/;
var CLOUDS = new Set("aws azure gcp google cloudflare digitalocean alibaba aliyun tencent oci yandex s3 amz".split(" "));

// src/filters/secrets/value.ts
var MAX_VALUE = 4096;
var QUOTE = /(?:[brfu@]|\$)?(\\{0,3}["'`]|\\{1,3}u0022|&quot;|&#3[49];|%22)/y;
var WHOLE = /[^\s"'`<>]{1,4096}/y;
var START = /[^\s"'`<>]{1,256}/y;
var LINE = /\S{1,4096}/y;
function valueAt(text, form, extent) {
  const quote = stick(QUOTE, text, form.at);
  if (quote) return quotedValue(text, form.at + quote[0].length, quote[1]);
  const pattern3 = form.kind === "line" ? LINE : extent === "start" ? START : WHOLE;
  const bare5 = form.strict ? null : stick(pattern3, text, form.at)?.[0];
  if (!bare5 || form.kind === "mark" && !text.startsWith("</", form.at + bare5.length)) return null;
  const value = trimmed2(text[form.at - 3] === "%" ? bare5.replace(/%2[26].*$/s, "") : bare5);
  return value === "" ? null : { text: value, start: form.at, end: form.at + value.length, quoted: false };
}
function quotedValue(text, start, quote) {
  const last2 = quote.at(-1);
  const limit = Math.min(text.length, start + MAX_VALUE);
  for (let i = start; i < limit; i++) {
    const char = text[i];
    if (char === "\n") return wrappedValue(text, start, i, quote);
    if (quote.length === 1 && char === "\\") i++;
    else if (char === last2 && text.startsWith(quote, i - quote.length + 1))
      return { text: text.slice(start, i - quote.length + 1), start, end: i - quote.length + 1, quoted: true };
  }
  return null;
}
var GOES_ON = /\n[ \t]{0,40}([^\s"'`]{1,200})(["'`])/y;
function wrappedValue(text, start, lineEnd3, quote) {
  const rest2 = stick(GOES_ON, text, lineEnd3);
  const first3 = text.slice(start, lineEnd3).trimEnd();
  if (rest2?.[2] !== quote || first3.length < 4 || /\s/.test(first3)) return null;
  return { text: first3 + rest2[1], start, end: lineEnd3 + rest2[0].length - 1, quoted: true };
}
function trimmed2(value) {
  const next = /(?:&(?:amp;)?|[;,])(?:[A-Za-z_][\w.-]{0,40}[=:]|["'\]})]|$)|\\[nrt"']|&(?:[a-z]{2,6}|#\d{2,5});/.exec(value);
  return balanced(next ? value.slice(0, next.index) : value).replace(/[.:]$/, "");
}
function balanced(value) {
  const close = value.search(/[)\]}]/);
  if (close < 0 || !/^[)\]},;]*$/.test(value.slice(close))) return value;
  const before2 = value.slice(0, close);
  return /[([{]/.test(before2) ? value : before2;
}

// src/filters/secrets/assignments.ts
var MAX_NAME = 64;
function assignment(text, at) {
  const name = nameAround(text, at);
  const none = { spans: [], end: Math.max(name.end, at + 1) };
  const form = name.end - at < MAX_NAME ? formAfter(text, name) : null;
  const means = form && meaning(name.text);
  const value = means && secretAt(text, form, means);
  if (!value || isElsewhere(text, name.start)) return none;
  const span = spanOf(value, means);
  const changed2 = newValue(text, value.end, means);
  return changed2 ? { spans: [span, changed2], end: changed2.end } : { spans: [span], end: value.end };
}
function nameAround(text, at) {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  if (start > 0 && start < at && text[start - 1] === "\\" && "nrtbf".includes(text[start])) start++;
  if (start > 0 && start + 1 < at && text[start - 1] === "%" && /^[0-9A-F]{2}/.test(text.slice(start, start + 2))) start += 2;
  let end = at;
  while (end < text.length && end - at < MAX_NAME && isNameChar(text.charCodeAt(end))) end++;
  const before2 = end - start === 3 && text[start - 1] === " " ? /([A-Za-z]{2,16}) $/.exec(text.slice(Math.max(0, start - 17), start)) : null;
  if (before2 && goesBeforeKey(before2[1])) start -= before2[0].length;
  return { text: text.slice(start, end), start, end };
}
function isNameChar(code) {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code >= 48 && code <= 57 || code === 95 || code === 45 || code === 46;
}
function isElsewhere(text, start) {
  const before2 = text.slice(Math.max(0, start - 64), start);
  return /(?:\$\{|:\/\/|\b(?:next|page|continuation|csrf|public|unexpected) |arn:[\w:*-]{4,60}:)$/i.test(before2);
}
function secretAt(text, form, means) {
  const start = valueAt(text, form, "start");
  if (!start || !fits(start, means, form)) return null;
  return start.quoted || start.text.length < 200 ? start : valueAt(text, form, "whole");
}
var CHANGED = /["'`]?[ \t]{1,4}->[ \t]{1,4}(?=["'`])/y;
function newValue(text, end, means) {
  const arrow = stick(CHANGED, text, end);
  const value = arrow && secretAt(text, { at: end + arrow[0].length, kind: "plain", strict: true }, means);
  return value && spanOf(value, means);
}
function spanOf({ start, end, text }, { kind: kind2, family }) {
  const also = kind2 === "pair" ? passwordIn(text) : null;
  return { start, end, family, value: text, ...also && { also } };
}

// src/filters/secrets/commands.ts
var WORD2 = `["']?([^\\s"'<>]{4,200})`;
var OPTIONS = "(?:\\\\\\r?\\n|[^\\n|;&]){0,300}?\\s";
var PROGRAM = /curl |mysql|mariadb|docker login|podman login|redis-cli|sqlplus|ldap|sqlcmd|ConvertTo-Secure/g;
var PROGRAMS = [
  `curl ${OPTIONS}??(?:-u|--user|-U|--proxy-user)[ =]{0,3}["']?[^\\s:'"<>]{0,100}:["']?([^\\s'"<>]{4,200})`,
  `mysql\\w{0,10}(?:\\.exe)?${OPTIONS}-p(?!ort|rotocol|lugin|ager|rompt|ipe)(?=[^\\s-])${WORD2}`,
  `mariadb(?:-dump|-admin)?${OPTIONS}-p(?=[^\\s-])${WORD2}`,
  `(?:docker|podman) login${OPTIONS}-p[ =]?${WORD2}`,
  `redis-cli${OPTIONS}(?:-a|--pass)[ =]${WORD2}`,
  `sqlplus\\s${OPTIONS}??[\\w.$]{1,64}/["']?([^\\s"'@]{4,200})@`,
  `ldap(?:search|add|modify|delete|whoami|passwd)${OPTIONS}-w ?${WORD2}`,
  `sqlcmd${OPTIONS}-P ?${WORD2}`,
  `ConvertTo-SecureString (?:-String )?["']([^"'\\n]{4,200})["']`
].map((source) => new RegExp(source, "y"));
var SQL = /(?:identified(?:\s{1,4}with\s{1,4}\w{1,40})?\s{1,4}by\s{1,4}(?:password\s{1,4})?|set\s{1,4}password\s{1,4}for\s{1,4}\S{1,100}\s{0,4}=\s{0,4}(?:password\()?)['"]([^'"\n]{4,200})['"]/gi;
var ACCOUNT = /(?:\b(?:user|to)\s[^;]{1,150}|set )$/i;
function commands(text) {
  const spans = [];
  PROGRAM.lastIndex = 0;
  for (let match2 = PROGRAM.exec(text); match2; match2 = PROGRAM.exec(text)) {
    const found = first2(PROGRAMS, text, match2.index);
    if (!found) continue;
    spans.push(found);
    PROGRAM.lastIndex = found.end;
  }
  for (const match2 of text.matchAll(SQL)) {
    const found = ACCOUNT.test(text.slice(Math.max(0, match2.index - 160), match2.index + 4)) && valueIn(match2, match2.index);
    if (found) spans.push(found);
  }
  return spans;
}
var LINE_END = "[ \\t]{0,4}\\r?\\n";
var PHRASES = [
  // sshpass -p …
  `pass -p ?${WORD2}`,
  // openssl … -passin pass:…
  `pass(?:in|out) pass:${WORD2}`,
  // redis.conf
  `pass(?<=requirepass)\\s{1,8}${WORD2}`,
  // .netrc, on one line or on several
  `password[ \\t]{1,8}(?<=(?:login|machine)\\s{1,8}[\\w.@+-]{1,100}\\s{1,12}password[ \\t]{1,8})([^\\s"'\`]{4,200})`,
  // What a server says when it is first started
  `password is generated for [^\\s:]{1,100}: (\\S{6,100})`
].map((source) => new RegExp(source, "y"));
var NEXT_LINE = [new RegExp(`password[^\\n:]{0,80}:(?:${LINE_END}){1,3}[ \\t]{0,8}([^\\s:<>(){}]{12,64})(?=${LINE_END}|\\s*$)`, "iy")];
var PHRASE = /pass(?:word[ \t:]|in |out | -p|[ \t])/iy;
function passPhrase(text, at) {
  if (!stick(PHRASE, text, at)) return { spans: [], end: at };
  const random = first2(NEXT_LINE, text, at);
  const found = first2(PHRASES, text, at) ?? (random && isMixed(random.value) ? random : null);
  return found ? { spans: [found], end: found.end } : { spans: [], end: at };
}
function first2(patterns, text, at) {
  for (const pattern3 of patterns) {
    const match2 = stick(pattern3, text, at);
    const found = match2 && valueIn(match2, at);
    if (found) return found;
  }
  return null;
}
function valueIn(match2, at) {
  const value = match2[1];
  if (isStandIn(value)) return null;
  const start = at + match2[0].lastIndexOf(value);
  return { start, end: start + value.length, family: "password", value };
}

// src/filters/secrets/starts.ts
function startsHere(text, at) {
  return isApart(text, at) || ESCAPE.test(text.slice(Math.max(0, at - 16), at));
}
var ESCAPE = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[\d;]{0,12}m|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})$/;
var MAX_ESCAPE = 5;
var isApart = (text, at) => !isAlphanumeric(text.charCodeAt(at - 1)) || !isAlphanumeric(text.charCodeAt(at));
function isGlued(text, at) {
  let start = at;
  while (start > 0 && at - start <= MOST_GLUE && isAlphanumeric(text.charCodeAt(start - 1))) start--;
  return at - start > 0 && at - start <= MOST_GLUE && !"+/".includes(text[start - 1] ?? " ");
}
var MOST_GLUE = 24;
var isAlphanumeric = (code) => code >= 48 && code <= 57 || code >= 65 && code <= 90 || code >= 97 && code <= 122;

// src/filters/secrets/wrap.ts
var NARROW = 72;
var MAX_INCOMPLETE = 3;
var MAX_LINES = 64;
var REST_OF_LINE = /[^\s"'`<>]{0,300}(?=\r?\n)/y;
var NEXT_LINE2 = /\r?\n[ \t]{0,40}([A-Za-z0-9_\-.+/=~%]{1,300})/y;
function unwrapped2(text, at, pattern3) {
  const here = stick(pattern3, text, at);
  const whole3 = here && { end: at + here[0].length, value: here[0] };
  if (whole3 && !isLineEnd(text, whole3.end)) return whole3;
  const line = stick(REST_OF_LINE, text, at)?.[0];
  return line === void 0 ? whole3 : goOn(text, at, line, pattern3, whole3);
}
function goOn(text, at, line, pattern3, whole3) {
  let best = whole3;
  let joined3 = line;
  let end = at + line.length;
  for (let lines = 1; lines < MAX_LINES; lines++) {
    const next = stick(NEXT_LINE2, text, end);
    if (!next || (best ? !isFull(text, end) || startsAnew(next[1], best.value) : lines > MAX_INCOMPLETE)) return best;
    joined3 += next[1];
    end += next[0].length;
    const value = stick(pattern3, joined3, 0)?.[0];
    const left = value === void 0 ? 0 : joined3.length - value.length;
    if (left >= next[1].length) return best;
    if (value !== void 0) best = { end: end - left, value };
    if (left > 0 || !isLineEnd(text, end)) return best;
  }
  return best;
}
var startsAnew = (line, value) => line.startsWith(value.slice(0, 4)) || isWordy(line);
function isFull(text, lineEnd3) {
  return lineEnd3 >= NARROW && !text.slice(lineEnd3 - NARROW, lineEnd3).includes("\n");
}
var isLineEnd = (text, at) => text[at] === "\n" || text[at] === "\r" && text[at + 1] === "\n";

// src/filters/secrets/format.ts
function prepared({ family, prefix, body, doubtful }) {
  const whole3 = new RegExp(`${quoted3(prefix)}${body}(?![A-Za-z0-9])`, "y");
  const shown = isAddress(prefix) ? prefix.length : 0;
  return {
    prefix,
    distinct: distinctness(prefix, { doubtful, shown }),
    find(text, at) {
      const found = unwrapped2(text, at, whole3);
      if (!found) return null;
      const secret = found.value.slice(prefix.length);
      if (isSample(secret) || HASH.test(text.slice(Math.max(0, at - 80), at))) return null;
      if (doubtful && (isByChance(text, at) || !isRandom(secret) || !isOpen2(text.slice(at + prefix.length, found.end)))) return null;
      return { start: at + shown, end: found.end, family, value: found.value.slice(shown) };
    }
  };
}
function distinctness(prefix, { doubtful, shown }) {
  if (SHORT_END.test(prefix) && (!doubtful || WIDESPREAD.has(prefix))) return "unless a word";
  return doubtful || prefix.length < 4 || shown > 0 || WORD_END.test(prefix) ? "never" : "always";
}
var WIDESPREAD = /* @__PURE__ */ new Set(["sk-", "hf_"]);
var WORD_END = /^(?:key|api|sdk|mob|pul|pat|sat)[-.]$/;
var SHORT_END = /^[a-z]{1,2}[-_]/;
var quoted3 = (literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
var isAddress = (prefix) => /^[/.]|\.[a-z]+\/|[=:]$/.test(prefix);
var HASH = /sha\d{1,3}[=:-][\w+/-]{0,72}$/;
function isByChance(text, at) {
  const before2 = /[\w+/-]{1,64}[_+/-]$/.exec(text.slice(Math.max(0, at - 65), at))?.[0];
  return before2 !== void 0 && (/[+/]$/.test(before2) || before2.length < 4 || !isWordy(before2));
}
function isOpen2(value) {
  const line = value.indexOf("\n");
  return line < 6 || !isWordy(value.slice(0, line));
}
function around(text, at, { family, head, tail }) {
  const first3 = head.exec(text.slice(Math.max(0, at - 16), at))?.[0];
  if (first3 === void 0 || !startsHere(text, at - first3.length)) return null;
  const found = unwrapped2(text, at, tail);
  if (!found || isFiller(found.value)) return null;
  return { start: at - first3.length, end: found.end, family, value: first3 + found.value };
}
var PART = "[A-Za-z0-9_-]";
var MAX_HEADER = 2048;
var JWT = new RegExp(
  `eyJ${PART}{8,${MAX_HEADER}}\\.(?:eyJ${PART}{2,8192}(?:\\.${PART}{0,2048})?|${PART}{2,8192}(?:\\.${PART}{0,8192}){1,3})`,
  "y"
);
function jsonWebToken(text, at, end) {
  if (end - at > MAX_HEADER || !/[.\r\n]/.test(text[end] ?? "")) return null;
  const found = unwrapped2(text, at, JWT);
  if (!found || !/"(?:alg|typ|kid|enc|cty|jku|x5t)"/.test(decoded(found.value.slice(0, found.value.indexOf("."))))) return null;
  return { start: at, end: found.end, family: "bearer", value: found.value };
}

// src/filters/secrets/pem.ts
var HEADER2 = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
var MAX_BODY = 65536;
function privateKey(text, at, nextEnd) {
  const header = stick(HEADER2, text, at);
  if (!header) return null;
  const from = at + header[0].length;
  const end = nextEnd(from);
  const region = text.slice(from, Math.min(end < 0 ? text.length : end, from + MAX_BODY));
  const whole3 = end >= 0 && end - from <= MAX_BODY && !region.includes("-----BEGIN") && isBody2(region);
  const prefix = lineStart(text, at);
  return bodySpan(from, whole3 ? region : region.slice(0, cutBody(region, prefix)), prefix);
}
function lineStart(text, at) {
  const before2 = text.slice(Math.max(0, at - MAX_PREFIX), at);
  return before2.slice(before2.lastIndexOf("\n") + 1);
}
var MAX_PREFIX = 80;
function isBody2(region) {
  const solid = region.replace(/\\[nrt]|\s/g, "");
  const base642 = solid.replace(/[^A-Za-z0-9+/=]/g, "");
  return /[A-Za-z0-9+/=]{16}/.test(base642) && base642.length >= solid.length * 0.6;
}
function cutBody(region, prefix) {
  const inline2 = /^(?:\\{1,2}[nr]|[A-Za-z0-9+/=])+/.exec(region)?.[0].length ?? 0;
  if (inline2 > 0 && region[inline2] !== "\n" && region[inline2] !== "\r") return inline2;
  let at = 0;
  while (at < region.length) {
    const end = region.indexOf("\n", at);
    const next = end < 0 ? region.length : end + 1;
    if (at > 0 && !isBodyLine(region.slice(at, next), prefix)) break;
    at = next;
  }
  return at;
}
var MAX_LINE3 = 200;
function isBodyLine(line, prefix) {
  if (line.length > MAX_LINE3) return false;
  const own = line.startsWith(prefix) ? line.slice(prefix.length) : line;
  const bare5 = own.replace(/^[\s"'`+|>-]+|(?:\\[nr]|[\s"'`+,;\\])+$/g, "");
  if (/^[A-Za-z0-9+/]{8,100}={0,2}$/.test(bare5)) return bare5.length >= 40 || !isWordy(bare5);
  return /^(?:|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]{3,20}: .*)$/.test(bare5);
}
function bodySpan(from, text, prefix) {
  const body = text.replace(/^(?:\s{0,80}[A-Z][A-Za-z0-9-]{2,30}: [^\n]{0,200}\n){1,8}/, (headers) => " ".repeat(headers.length)).replace(prefix.endsWith("+") ? /(?<=\n)[ \t]{0,8}\+/g : /(?!)/g, (sign) => " ".repeat(sign.length));
  const runs = [...body.matchAll(/(?<=\\[nr])[A-Za-z0-9+/=]{8,}|(?<!\\)[A-Za-z0-9+/=]{8,}/g)].filter(([run]) => !isWordy(run));
  const last2 = runs.at(-1);
  if (!last2 || !runs.some(([run]) => run.length >= 16)) return null;
  const value = runs.filter((run) => run === last2 || run[0].length >= 16).join("\n");
  return { start: from + runs[0].index, end: from + last2.index + last2[0].length, family: "private-key", value };
}
var STARTS = /(?:MII[BCEJ][A-Za-z0-9+/]{1,3}IBA(?:A[JK]|DANBgkqhkiG9w0BAQEFAASC)|M(?:HcCAQEEI|HQCAQEEI|C4CAQAwBQYDK2VwBCIEI|IG[HT]AgEAM))[A-Za-z0-9+/]{16,}={0,2}/y;
function bareKey(text, at) {
  if (!stick(STARTS, text, at)) return null;
  const region = text.slice(at, at + MAX_BODY);
  return bodySpan(at, region.slice(0, cutBody(region, lineStart(text, at))), lineStart(text, at));
}
var ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2}/y;
function encodedKey(text, at) {
  const found = stick(ENCODED, text, at);
  if (!found || !decoded(found[0].slice(0, 80)).includes("PRIVATE KEY")) return null;
  return { start: at, end: at + found[0].length, family: "private-key", value: found[0] };
}
var PUTTY = /Private-Lines: ?\d{1,3}\r?\n/y;
function puttyKey(text, at) {
  const header = stick(PUTTY, text, at);
  if (!header) return null;
  const from = at + header[0].length;
  const body = /^(?:[A-Za-z0-9+/]{1,100}={0,2}\r?\n?){1,200}/.exec(text.slice(from, from + MAX_BODY));
  return body && bodySpan(from, body[0], "");
}

// src/filters/secrets/runs.ts
var IN_RUN = new Uint8Array(65536);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") IN_RUN[char.charCodeAt(0)] = 1;
var LONG4 = 16;
function longRuns(text, visit) {
  const { length: length2 } = text;
  let from = 0;
  while (from + LONG4 <= length2) {
    let at = from + LONG4 - 1;
    while (at >= from && IN_RUN[text.charCodeAt(at)] === 1) at--;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let end = from + LONG4;
    while (end < length2 && IN_RUN[text.charCodeAt(end)] === 1) end++;
    visit(from, end);
    from = end + 1;
  }
}
function brokenRuns(text, visit) {
  for (let line = text.indexOf("\n"); line >= 0; line = text.indexOf("\n", line + 1)) {
    const end = text.charCodeAt(line - 1) === 13 ? line - 1 : line;
    let start = end;
    while (start > 0 && end - start < LONG4 && IN_RUN[text.charCodeAt(start - 1)] === 1) start--;
    if (start < end && end - start < LONG4) visit(start, end);
  }
}

// src/filters/secrets/tokens.ts
var W = "[A-Za-z0-9]";
var U = "[A-Za-z0-9_-]";
var H = "[a-fA-F0-9]";
var B = "[A-Za-z0-9+/]";
var UUID = `${H}{8}-${H}{4}-${H}{4}-${H}{4}-${H}{12}`;
var CLOUD = [
  ["AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"],
  ["A3T", "[A-Z0-9]{17}", "doubtful"],
  ["AIza", `${U}{35}`],
  ["ya29.", `${U}{20,}`],
  ["1//", `0${U}{40,}`],
  ["GOCSPX-", `${U}{24,}`],
  ["AQ.", `Ab${U}{30,}`],
  ["LTAI", `${W}{12,26}`, "doubtful"],
  ["AKID", `${W}{32}`, "doubtful"],
  ["AKLT", `${U}{30,}`, "doubtful"],
  ["AQVN", `${U}{35,38}`, "doubtful"],
  ["dop_v1_ doo_v1_ dor_v1_", `${H}{40,}`],
  ["HRKU-", `${U}{30,}`],
  ["fo1_", `${U}{40,}`],
  ["v1.", `0-${H}{24}-${H}{100,}`],
  ["hvs. hvb. hvr.", `${U}{20,}`],
  ["s.", `(?=[A-Za-z]{0,23}\\d)${W}{24}`, "doubtful"],
  ["sbp_", `${H}{40}`],
  ["sb_secret_", `${U}{20,}`],
  ["pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w=.-]{32,64}"],
  ["dapi", `${H}{32}(?:-\\d)?`],
  ["tskey-", `${U}{20,}`],
  ["scw-secret-key:", UUID],
  ["pul-", `${H}{40}`],
  ["dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", `${W}{40,}`],
  ["sha256~", `${U}{43}`]
];
var ACCESS = [
  ["ghp_ gho_ ghu_ ghs_ ghr_", `${W}{30,}`],
  ["github_pat_", "[A-Za-z0-9_]{36,}"],
  ["glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glffct- glagent- gloas- glimt- glwt-", `${U}{20,}(?:\\.[0-9a-z]{2,16}){0,2}`],
  ["GR1348941", `${U}{20,}`],
  ["_gitlab_session=", `${W}{32,}`],
  ["ATATT3 ATCTT3", `[A-Za-z0-9_=-]{60,}`],
  ["ATBB", `${W}{28,}`, "doubtful"],
  ["npm_", `${W}{36,}`],
  ["pypi-AgE", `${U}{40,}`],
  ["rubygems_", `${H}{48}`],
  ["cio", `${W}{32}`, "doubtful"],
  ["CLOJARS_", `${W}{60}`],
  ["oy2", "[a-z0-9]{43}", "doubtful"],
  ["dckr_pat_ dckr_oat_", `${U}{20,}`],
  ["AKCp", `${W}{60,}`],
  ["cmVmd", `${W}{59}`, "doubtful"],
  ["sqp_ squ_ sqa_", `${H}{40}`],
  ["xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc-", `(?:\\d{6,}-[A-Za-z0-9-]{10,}|\\d-[A-Za-z0-9-]{12,}|(?=[A-Za-z]{0,30}\\d)${W}{12,})`],
  ["xoxd-", "[A-Za-z0-9%]{40,}"],
  ["xapp-", "\\d-[A-Z0-9]+-\\d+-[a-z0-9]{8,}"],
  ["xwfp-", "[A-Za-z0-9-]{20,}", "doubtful"],
  ["sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", `${W}{10,}`],
  ["sk_", `${H}{48}`],
  ["sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or-v1- sk-lf-", `${U}{20,}`],
  ["sk-", `${U}{20,}`, "doubtful"],
  ["gsk_", `${W}{40,}`],
  ["hf_ api_org_", `${W}{30,}`, "doubtful"],
  ["pplx-", `${W}{40,}`],
  ["xai-", `${U}{60,}`],
  ["nvapi-", `${U}{50,}`],
  ["csk-", `${W}{40,}`, "doubtful"],
  ["r8_", `${W}{30,}`],
  ["tvly-", `${U}{24,}`],
  ["pcsk_", `${W}{5,}_${W}{40,}`],
  ["lsv2_pt_ lsv2_sk_", `${H}{32}_${H}{10}`],
  ["fw_", `${W}{22,}`, "doubtful"],
  ["ntn_", `${W}{40,}`],
  ["secret_", `${W}{43}`, "doubtful"],
  ["lin_api_ lin_oauth_", `${W}{32,}`],
  ["sntryu_", `${H}{40,}`],
  ["SG.", `${U}{16,32}\\.${U}{16,64}`],
  ["key-", `${H}{32}`],
  ["xkeysib- xsmtpsib-", `${H}{64}-${W}{16}`],
  ["SK", `${H}{32}`],
  ["shpat_ shpca_ shppa_ shpss_ shptka_", `${H}{32}`],
  ["sq0atp- sq0csp-", `${U}{22,}`],
  ["EAAA", `${U}{50,}`, "doubtful"],
  ["EAAM EAAC EAAG", `${W}{80,}`, "doubtful"],
  ["PMAK-", `${H}{24}-${H}{34}`],
  ["NRAK-", `[A-Z0-9]{27}`],
  ["NRII- NRIQ- NRRA-", `${U}{24,}`],
  ["NRJS-", `${H}{19}`],
  ["glsa_", `${W}{32}_${H}{8}`],
  ["eyJrIjoi", `${W}{60,}={0,2}`],
  ["hcaik_ hcbik_ hcxik_", `[a-z0-9]{50,}`],
  ["dt0c01. dt0s01. dt0s16.", `[A-Z0-9]{24}\\.[A-Z0-9]{64}`],
  ["figd_ figu_ figo_", `${U}{30,}`],
  ["nfp_ nfo_ nfc_ nfu_ nfb_", `${W}{36,}`],
  ["CCIPAT_ CCIPRJ_", `${W}{16,}_${H}{40}`],
  ["bkua_ bkct_", `${H}{40}`],
  ["CFPAT-", `${U}{40,}`],
  ["pat", `${W}{14}\\.${H}{64}`],
  ["pat. sat.", `${U}{22}\\.${W}{24}\\.${W}{20}`],
  ["tfp_", `[A-Za-z0-9_.=-]{40,}`],
  ["rdme_", "[a-z0-9]{70}"],
  ["pnu_", `${W}{36}`],
  ["ico-", `${W}{32}`, "doubtful"],
  ["API-", "[A-Z0-9]{26}", "doubtful"],
  ["EZAK EZTK", `${W}{54}`],
  ["duffel_live_ duffel_test_", `[A-Za-z0-9_=-]{43}`],
  ["shippo_live_ shippo_test_", `${H}{40}`],
  ["FLWSECK_TEST- FLWSECK-", `${W}{12,}(?:-X)?`],
  ["access_token$production$ access_token$sandbox$", `${W}{16}\\$${H}{32}`],
  ["access-sandbox- access-development- access-production-", UUID],
  ["rnd_", `${W}{28,}`, "doubtful"],
  ["re_", `${W}{8,}_${W}{20,}`, "doubtful"],
  ["waka_", UUID],
  ["A3-", "[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}"],
  ["p8e-", `${W}{32}`],
  ["sgp_", `(?:(?:${H}{16}|local)_)?${H}{40}`],
  ["fio-u-", `[A-Za-z0-9_=-]{64}`],
  ["dnkey-", `[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}`],
  ["s-s4t2ud- s-s4t2af-", `${H}{64}`],
  ["sm_aat_ sm_pat_ sm_sat_", `${W}{16}`],
  ["tk-us-", `${U}{48}`],
  ["sl.", `[A-Za-z0-9_=-]{100,}`, "doubtful"],
  ["vercel_blob_rw_", `[A-Za-z0-9_]{20,}`],
  ["vcp_ vci_ vca_ vcr_ vck_", `${W}{24,}`, "doubtful"],
  ["ddp_ ddw_", `${W}{36,}`],
  ["sdk- api- mob-", UUID],
  ["sec_ sct_", `${H}{64}`, "doubtful"]
];
var HOOKS = [
  ["discord.com/api/webhooks/ discordapp.com/api/webhooks/", `\\d{15,20}/${U}{20,}`],
  ["/webhooks/", `\\d{17,20}/${U}{60,}`],
  [".webhook.office.com/webhookb2/", "[A-Za-z0-9@/-]{36,}"],
  ["outlook.office.com/webhook/", "[A-Za-z0-9@/-]{36,}"],
  ["maker.ifttt.com/use/ /with/key/", `${U}{16,}`],
  ["/hooks/", "[a-z0-9]{26}"],
  ["/open-apis/bot/v2/hook/", UUID],
  ["qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", UUID]
];
var CLOUD_BASE64 = [
  ["ABSK", `${B}{60,}={0,2}`, "doubtful"],
  ["fm1a_ fm1r_ fm2_", `${B}{60,}={0,3}`]
];
var ACCESS_BASE64 = [
  ["sntrys_", "[A-Za-z0-9+/=_-]{40,}"],
  ["glc_", `${B}{32,}={0,2}`],
  ["ops_eyJ", `${B}{100,}={0,3}`],
  ["whsec_", `${B}{24,}={0,2}`]
];
var PATHS = [
  ["hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}"],
  ["hooks.zapier.com/hooks/catch/", `\\d{3,12}/${W}{5,}`]
];
var KEYS2 = [["AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{40,}"]];
var formats = (family, rows) => rows.flatMap(
  ([prefixes, body, doubtful]) => prefixes.split(" ").map((prefix) => ({ family, prefix, body, doubtful: doubtful !== void 0 }))
);
var BASE64 = [...formats("cloud-key", CLOUD_BASE64), ...formats("access-token", ACCESS_BASE64)];
var FORMATS3 = [
  ...formats("cloud-key", CLOUD),
  ...formats("access-token", ACCESS),
  ...formats("webhook", HOOKS),
  ...formats("private-key", KEYS2),
  ...BASE64
];
var MARKED2 = [...formats("webhook", PATHS), ...formats("cloud-key", [["dp.st.", `${U}{1,40}\\.${W}{40,}`]])];
var ENTRA = {
  family: "cloud-key",
  middle: "Q~",
  head: /[A-Za-z0-9_~.-]{3}\d$/,
  tail: /Q~[A-Za-z0-9_~.-]{31,34}(?![\w~-])/y
};
var INFIXES = [
  { family: "cloud-key", middle: ".atlasv1.", head: /[A-Za-z0-9]{14}$/, tail: /\.atlasv1\.[A-Za-z0-9_=-]{40,}/y },
  { family: "access-token", middle: ":", head: /\d{6,12}$/, tail: /:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])/y }
];
var SHAPES2 = [
  {
    ending: (text, end) => text[end] === ".",
    first: /[MNO]/,
    whole: /[MNO][TDjzQAgw][A-Za-z0-9_-]{20,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{25,45}(?![\w-])/y
  },
  {
    ending: (text, end) => text.startsWith("_mmk", end - 4),
    first: /[A-Za-z0-9]/,
    whole: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/y
  }
];

// src/filters/secrets/prefixed.ts
function prefixed(text) {
  const spans = [];
  let done = 0;
  const add = (span) => {
    if (!span) return false;
    spans.push(span);
    done = span.end;
    const beside = span.family === "cloud-key" ? secretBeside(text, span) : null;
    if (beside) spans.push(beside);
    return true;
  };
  longRuns(text, (start, end) => {
    if (end > done && !add(before(text, start, end)) && !add(shaped(text, start, end))) within(text, Math.max(start, done), end, add);
  });
  brokenRuns(text, (start, end) => {
    if (!add(before(text, start, end)) && !add(broken(text, start, end))) within(text, start, end, add);
  });
  return spans;
}
var ALL = [
  ...FORMATS3.map(prepared),
  ...INFIXES.map((infix) => ({
    prefix: infix.middle,
    distinct: "never",
    find: (text, at) => around(text, at, infix)
  })),
  // What it says when it is decoded is distinct enough.
  { prefix: "eyJ", distinct: "always", find: jsonWebToken },
  { prefix: "LS0tLS1CRUdJTi", distinct: "always", find: encodedKey },
  ...["MII", "MHcCAQEEI", "MHQCAQEEI", "MC4CAQAwBQYDK2VwBCIEI", "MIG"].map((prefix) => ({
    prefix,
    distinct: "never",
    find: bareKey
  }))
].sort((a, b) => b.prefix.length - a.prefix.length);
var isInRun = (char) => /[\w-]/.test(char);
var STARTS2 = index((prefix) => isInRun(prefix.at(-1)) ? [prefix.slice(0, 2)] : []);
var BEFORE3 = index((prefix) => isInRun(prefix.at(-1)) ? [] : [prefix.at(-1)]);
var BROKEN2 = index((prefix) => Array.from({ length: Math.max(0, prefix.length - 3) }, (_, i) => prefix.slice(0, i + 3)));
function index(keysOf2) {
  const by = /* @__PURE__ */ new Map();
  for (const format of ALL) for (const key of keysOf2(format.prefix)) by.set(key, [...by.get(key) ?? [], format]);
  return by;
}
var PAIRS = new Uint8Array(65536);
for (const pair2 of STARTS2.keys()) PAIRS[pair2.charCodeAt(0) << 8 | pair2.charCodeAt(1)] = 1;
function before(text, start, end) {
  const last2 = text[start - 1] ?? "";
  if (last2 === "/" || last2 === "+") {
    const span = base64(text, start);
    if (span) return span;
  }
  for (const { prefix, distinct, find: find2 } of BEFORE3.get(last2) ?? []) {
    const at = start - prefix.length;
    const span = text.startsWith(prefix, at) && (startsHere(text, at) || mayBeGlued(text, at, distinct)) ? find2(text, at, end) : null;
    if (span) return span;
  }
  return null;
}
var BASE64_START = new RegExp(`(?:${BASE64.map(({ prefix }) => prefix).join("|")})[A-Za-z0-9+/=_-]{0,120}$`);
function base64(text, start) {
  const from = Math.max(0, start - 128);
  const found = BASE64_START.exec(text.slice(from, start));
  if (!found) return null;
  const at = from + found.index;
  return startsHere(text, at) ? starting(text, at, start) : isGlued(text, at) ? starting(text, at, start, "glued") : null;
}
function shaped(text, start, end) {
  for (const { ending, first: first3, whole: whole3 } of SHAPES2) {
    if (!ending(text, end)) continue;
    for (let at = start; at <= start + MAX_ESCAPE; at++) {
      const found = first3.test(text[at] ?? "") && startsHere(text, at) ? unwrapped2(text, at, whole3) : null;
      if (found && !isFiller(found.value)) return { start: at, end: found.end, family: "access-token", value: found.value };
    }
  }
  return null;
}
function broken(text, start, end) {
  for (const { find: find2 } of BROKEN2.get(text.slice(start, end)) ?? []) {
    const span = find2(text, start, end);
    if (span) return span;
  }
  return null;
}
function within(text, start, end, add) {
  for (let at = start; at < end - 2; at++) {
    const pair2 = text.charCodeAt(at) << 8 | text.charCodeAt(at + 1);
    if (PAIRS[pair2] !== 1) continue;
    const isStart = at - start <= MAX_ESCAPE ? startsHere(text, at) : isApart(text, at);
    const span = isStart ? starting(text, at, end) : starting(text, at, end, "glued");
    if (add(span)) at = span.end - 1;
  }
}
function starting(text, at, end, how = "apart") {
  for (const { prefix, distinct, find: find2 } of STARTS2.get(text.slice(at, at + 2)) ?? []) {
    const span = text.startsWith(prefix, at) && (how === "apart" || mayBeGlued(text, at, distinct)) ? find2(text, at, end) : null;
    if (span) return span;
  }
  return null;
}
var mayBeGlued = (text, at, distinct) => distinct !== "never" && isGlued(text, at) && (distinct === "always" || !/[aeiou]/i.test(text[at - 1]));
var BESIDE3 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g;
var REACH = 200;
function secretBeside(text, { start, end }) {
  if (end - start !== 20) return null;
  const from = Math.max(0, start - REACH);
  let nearest = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const { 0: value, index: index2 } of text.slice(from, end + REACH).matchAll(BESIDE3)) {
    const at = from + index2;
    const away = at >= end ? at - end : start - at - value.length;
    if (away < 0 || away >= distance || !isMixed(value) || /^(?:[a-f0-9]+|[A-F0-9]+)$/.test(value)) continue;
    nearest = { start: at, end: at + value.length, family: "cloud-key", value };
    distance = away;
  }
  return nearest;
}

// src/filters/secrets/formatted.ts
function formatted(text) {
  const spans = [...prefixed(text), ...entra(text), ...pgpass(text), ...marked(text)];
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return spans.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}
function entra(text) {
  const spans = [];
  for (let at = text.indexOf(ENTRA.middle); at >= 0; at = text.indexOf(ENTRA.middle, at + 1)) {
    const span = around(text, at, ENTRA);
    if (span) spans.push(span);
  }
  return spans;
}
var PGPASS = /(:(?:54\d\d|6432|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)([^\s:*'"`(][^\s:'"`()]{3,200})(?=\s|$)/g;
function pgpass(text) {
  const spans = [];
  PGPASS.lastIndex = 0;
  for (let match2 = PGPASS.exec(text); match2; match2 = PGPASS.exec(text)) {
    const [, before2 = "", value = ""] = match2;
    const start = match2.index + before2.length;
    if (!isStandIn(value) && /\d|\W/.test(value)) spans.push({ start, end: start + value.length, family: "password", value });
  }
  return spans;
}
var MARKS2 = new Map([
  ["-----BEGIN ", privateKey],
  ["Private-Lines:", puttyKey],
  ...MARKED2.map(prepared).map(({ prefix, find: find2 }) => [
    prefix,
    (text, at) => startsHere(text, at) ? find2(text, at, at) : null
  ])
]);
var MARK3 = new RegExp([...MARKS2.keys()].map(quoted3).join("|"), "g");
function marked(text) {
  const spans = [];
  const nextEnd = forward(text, "-----END");
  MARK3.lastIndex = 0;
  for (let match2 = MARK3.exec(text); match2; match2 = MARK3.exec(text)) {
    const span = MARKS2.get(match2[0])(text, match2.index, nextEnd);
    if (span) spans.push(span);
  }
  return spans;
}
function forward(text, marker) {
  let known2 = -2;
  return (from) => {
    if (known2 !== -1 && known2 < from) known2 = text.indexOf(marker, from);
    return known2;
  };
}

// src/filters/secrets/headers.ts
var TIE2 = /\\{0,3}["'`]?[ \t]{0,8}(?:=>|[:=,])?[ \t]{0,8}[rbf]?\\{0,3}["'`]?/y;
var SCHEME = /(?:bearer|basic|token|apikey|api-key|api-token|negotiate|ntlm|key|jwt|digest|hawk|aws4-hmac-sha256)[ \t]{1,8}(?:(?:token|key)=)?["']?/iy;
var CREDENTIAL = /[A-Za-z0-9._~+/=:|@-]{6,4096}/y;
var NAME2 = /authorization/iy;
function authorization(text, start) {
  const name = stick(NAME2, text, start);
  const after = start + (name?.[0].length ?? 0);
  const tie = name && stick(TIE2, text, after);
  if (!tie || tie[0] === "") return { spans: [], end: after };
  const at = after + tie[0].length;
  const scheme = stick(SCHEME, text, at);
  if (!scheme) return credential(text, at, "bare");
  return credential(text, at + scheme[0].length, /^basic/i.test(scheme[0]) ? "basic" : "token");
}
var BEARER_SPACE = /[ \t]{1,4}["']?/y;
function bearer(text, start) {
  const after = start + "bearer".length;
  const space = stick(BEARER_SPACE, text, after);
  return space ? credential(text, after + space[0].length, "token") : { spans: [], end: after };
}
function credential(text, at, scheme) {
  const value = stick(CREDENTIAL, text, at)?.[0].replace(/[.:]+$/, "") ?? "";
  const none = { spans: [], end: value.length > 100 ? at + value.length : at };
  if (value === "" || isStandIn(value) || /^[a-z_]+=/i.test(value)) return none;
  const span = { start: at, end: at + value.length, family: "bearer", value };
  if (scheme === "basic") {
    const password = passwordIn(value);
    if (password !== null) return { spans: [{ ...span, also: password }], end: span.end };
    if (decoded(value) === "") return none;
  }
  const long = scheme === "bare" ? 20 : 12;
  if (value.length < long || isWordy(value)) return none;
  return /\d/.test(value) || isMixed(value) ? { spans: [span], end: span.end } : none;
}
var COOKIE_TIE = /\\{0,3}["'`]?[ \t]{0,8}[:=,][ \t]{0,8}\\{0,3}["'`]?(?=[\w.$-]{1,100}=)/y;
var COOKIE = /([\w.$-]{1,100})=("?)([^\s;,"'`\\=]{0,4096}={0,2})"?(;[ \t]{0,4})?/y;
var SESSION = /sess|sid$|auth|token|jwt|login|remember|identity|ticket|secret|credential/i;
var ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|priority|version|comment)$/i;
function cookies(text, start) {
  const after = start + "cookie".length;
  const tie = stick(COOKIE_TIE, text, after);
  if (!tie) return { spans: [], end: after };
  const spans = [];
  let at = after + tie[0].length;
  for (let pair2 = stick(COOKIE, text, at); pair2; pair2 = stick(COOKIE, text, at)) {
    const [all, name = "", quote = "", value = "", more2] = pair2;
    const start2 = at + name.length + 1 + quote.length;
    at += all.length;
    if (isCookieSecret(name, value)) spans.push({ start: start2, end: start2 + value.length, family: "bearer", value });
    if (!more2) break;
  }
  return { spans, end: at };
}
function isCookieSecret(name, value) {
  if (ATTRIBUTE.test(name) || /csrf|xsrf/i.test(name) || value.length < 6 || isStandIn(value)) return false;
  if (SESSION.test(name)) return /\d/.test(value) || isMixed(value);
  return value.length >= 20 && isMixed(value);
}

// src/filters/secrets/kubernetes.ts
var REACH2 = 16384;
var KIND = /kind\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?$/;
var BLOCK5 = /^([ \t]*)(?:- )?(data|stringData):[ \t]*\r?\n((?:\1[ \t]+\S.*\r?\n?)+)/gm;
var LINE2 = /^[ \t]+([\w.-]{1,253}):[ \t]*(?:[|>][+-]?[ \t]*\r?\n[ \t]+)?(["']?)([^\s"']{1,8192})\2[ \t]*\r?$/gm;
var OBJECT = /\\{0,3}"(data|stringData)\\{0,3}"\s{0,4}:\s{0,4}\{([^{}]{0,16384})\}/g;
var ENTRY2 = /\\{0,3}"([\w.-]{1,253})\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([^"\\]{1,8192})\\{0,3}"/g;
function kubernetesSecret(text) {
  let done = 0;
  return (at) => {
    if (at + REACH2 / 2 < done || /\w/.test(text[at + 6] ?? "") || !KIND.test(text.slice(Math.max(0, at - 24), at))) return [];
    const before2 = text.slice(Math.max(0, at - REACH2), at);
    const after = text.slice(at, at + REACH2);
    const from = Math.max(done, at - before2.length + Math.max(0, before2.lastIndexOf("\n---")));
    const to = at + (after.includes("\n---") ? after.indexOf("\n---") : after.length);
    if (to <= from) return [];
    done = to;
    return dataOf(text.slice(from, to), from);
  };
}
function dataOf(text, offset) {
  const spans = [];
  const add = (field, name, value, start) => {
    if (value.length < 4 || /\.(?:crt|pub)$|^namespace$/.test(name) || isStandIn(value)) return;
    if (field === "data" && (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value))) return;
    const plain = field === "data" ? decoded(value) : "";
    if (plain.startsWith("-----BEGIN CERTIFICATE")) return;
    const also = /^[\x20-\x7e]{6,}$/.test(plain) ? { also: plain } : {};
    spans.push({ start: offset + start, end: offset + start + value.length, family: "password", value, ...also });
  };
  for (const [block, , field = "", lines = ""] of matches(BLOCK5, text))
    for (const [line, name = "", quote = "", value = ""] of matches(LINE2, lines))
      add(field, name, value, block.at + block.text.length - lines.length + line.at + line.text.lastIndexOf(value + quote));
  for (const [object, field = "", entries2 = ""] of matches(OBJECT, text))
    for (const [entry3, name = "", value = ""] of matches(ENTRY2, entries2))
      add(field, name, value, object.at + object.text.length - 1 - entries2.length + entry3.at + entry3.text.lastIndexOf(value));
  return spans;
}
function* matches(pattern3, text) {
  for (const match2 of text.matchAll(pattern3)) yield [{ at: match2.index, text: match2[0] }, ...match2.slice(1)];
}

// src/filters/secrets/urls.ts
var MIN_PASSWORD = 4;
var USER_INFO = /([^\s/:@?#"'`<>\\]{0,256}):([^\s/?#"'`<>\\]{1,256})@(?=[\w[.$%{-])/y;
var RAW_INFO = /([^\s/:@?#"'`<>\\]{0,256}):([^\s"'`<>\\@]{1,256})@(?=[\w.-]{1,253}(?::\d{1,5})?(?:[/?"'\s]|$))/y;
var DATABASE = /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse|oracle)$/;
var USER_ONLY = /([^\s/:@?#"'`<>\\]{16,256})@(?=[\w[.-])/y;
function signature(text, at) {
  const address = stick(ADDRESS2, text, at)?.[0] ?? "";
  const end = at + address.length;
  const value = address.includes("ig") ? SIGNED.exec(address)?.[1] : void 0;
  if (value === void 0) return { span: null, end };
  const start = at + address.lastIndexOf(value);
  return { span: { start, end: start + value.length, family: "cloud-key", value }, end };
}
var ADDRESS2 = /[^\s"'`<>\\]{1,4096}/y;
var SIGNED = /[?&](?:(?:X-Amz-|X-Goog-)?[sS]ignature|sig)=([A-Za-z0-9%+/_~=-]{40,1024})/;
function userInfo(text, at) {
  const found = stick(USER_INFO, text, at) ?? (isDatabase(text, at) ? stick(RAW_INFO, text, at) : null);
  if (found) {
    const [, user2 = "", password = ""] = found;
    const start = at + user2.length + 1;
    if (password.length < MIN_PASSWORD || user2.startsWith("[") || /^\d{1,5}\//.test(password) || isPlaceholder(user2, password)) return null;
    return { start, end: start + password.length, family: "password", value: password };
  }
  const user = stick(USER_ONLY, text, at)?.[1];
  return user && isStrong(user) && !isStandIn(user) ? { start: at, end: at + user.length, family: "access-token", value: user } : null;
}
var isDatabase = (text, at) => DATABASE.test(text.slice(Math.max(0, at - 20), at - 3));
function isPlaceholder(user, password) {
  if (/^[$%{<*]/.test(password)) return isStandIn(password);
  if (/^[$%{<*]/.test(user) && isStandIn(user) && isStandIn(password)) return true;
  return /^(?:user(?:name)?|usr|me|foo|<.*)$/i.test(user) && isStandIn(password) ? true : isFiller(password) || /^(?:pass(?:word|wd)?|pwd|x{3,}|\*+|secret|token|redacted|your.*)$/i.test(password);
}

// src/filters/secrets/scan.ts
function scan(text) {
  const known2 = formatted(text);
  const others = [...named2(text), ...inUrls(text), ...commands(text)].sort((a, b) => a.start - b.start);
  return [...known2, ...outside(others, known2)];
}
function outside(others, known2) {
  let at = 0;
  return others.filter((span) => {
    while (at < known2.length && known2[at].end <= span.start) at++;
    const over = known2[at];
    return !over || over.start > span.start || over.end < span.end;
  });
}
var NAMING = /pass|pwd|secret|token|key|auth|cred|cookie|bearer|jwt|mnemonic|[-_]p(?:at|w)/gi;
function named2(text) {
  const spans = [];
  const secretObjects = kubernetesSecret(text);
  NAMING.lastIndex = 0;
  for (let match2 = NAMING.exec(text); match2; match2 = NAMING.exec(text)) {
    const [word] = match2;
    const at = match2.index;
    const found = holder(text, at, word.toLowerCase());
    for (const span of found.spans) spans.push(span);
    if (/^secret$/i.test(word)) for (const span of secretObjects(at)) spans.push(span);
    NAMING.lastIndex = Math.max(found.end, at + word.length);
  }
  return spans;
}
var HOLDERS = /* @__PURE__ */ new Map([
  ["pass", passPhrase],
  ["auth", authorization],
  ["bearer", bearer],
  ["cookie", cookies]
]);
function holder(text, at, word) {
  const found = HOLDERS.get(word)?.(text, at);
  return found && (found.spans.length > 0 || found.end > at + MAX_WORD) ? found : assignment(text, at);
}
var MAX_WORD = 100;
function inUrls(text) {
  const spans = [];
  let seen = 0;
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const password = userInfo(text, at + 3);
    if (password) spans.push(password);
    if (at < seen) continue;
    const query = signature(text, at + 3);
    if (query.span) spans.push(query.span);
    seen = query.end;
  }
  return spans;
}

// src/filters/secrets/span.ts
function apart(spans) {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept = [];
  for (const span of spans) {
    const last2 = kept.at(-1);
    if (!last2 || span.start >= last2.end) kept.push(span);
    else if (span.end > last2.end) kept[kept.length - 1] = { ...last2, end: span.end };
  }
  return kept;
}

// src/filters/secrets/secrets.ts
var NONE5 = { custom: { find: () => [] }, warnings: [] };
var MAX_VALUES = 1e3;
function secrets({ custom, warnings } = NONE5, own = /* @__PURE__ */ new Set()) {
  const spansOf = (text) => [...scan(text), ...custom.find(text), ...ownKeys(text, own)];
  return { secrets: { find: (raw) => find(raw, spansOf), redact: (text, found) => redact(text, found, spansOf) }, warnings };
}
function* ownKeys(text, own) {
  for (const value of own)
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + value.length))
      yield { start, end: start + value.length, family: "access-token" };
}
function warningLine(found) {
  const counts2 = /* @__PURE__ */ new Map();
  for (const { family } of found) counts2.set(family, (counts2.get(family) ?? 0) + 1);
  const families = [...counts2].sort((a, b) => b[1] - a[1]).map(([family, count3]) => count3 > 1 ? `${family} \xD7${count3}` : family);
  const named3 = families.length > 3 ? [...families.slice(0, 2), "others"] : families;
  const count2 = found.length >= MAX_VALUES ? `${MAX_VALUES}+` : found.length;
  return `[security] ${count2} secret${found.length === 1 ? "" : "s"} redacted: ${named3.join(", ")}`;
}
var SEARCHED = /* @__PURE__ */ new WeakMap();
var PREPARED = /* @__PURE__ */ new WeakMap();
var search = (text, spansOf) => views(text).map((plain) => ({ plain, spans: spansOf(plain.text) }));
function find(raw, spansOf) {
  const families = /* @__PURE__ */ new Map();
  const seen = search(raw, spansOf);
  for (const { plain, spans } of seen) {
    for (const span of spans) {
      for (const value of [span.value ?? plain.text.slice(span.start, span.end), span.also]) {
        if (value && families.size < MAX_VALUES && !families.has(value)) families.set(value, span.family);
      }
    }
  }
  const found = [...families].map(([value, family]) => ({ family, value }));
  if (found.length > 0) SEARCHED.set(found, { text: raw, seen });
  return found;
}
function redact(text, found, spansOf) {
  const known2 = PREPARED.get(found) ?? knownValues(found);
  PREPARED.set(found, known2);
  const before2 = SEARCHED.get(found);
  const spans = [];
  for (const seen of before2?.text === text ? before2.seen : search(text, spansOf)) {
    const all = [...seen.spans, ...known2(seen.plain.text)];
    for (const { start, end, family } of apart(all))
      spans.push({ start: seen.plain.origin(start), end: seen.plain.origin(end - 1) + 1, family });
  }
  return replaced2(text, apart(spans));
}
function replaced2(text, spans) {
  const parts = [];
  let from = 0;
  for (const { start, end, family } of spans) {
    const codes = text.slice(start, end).match(/\x1b\[[\d;]{0,32}[mK]/g);
    parts.push(text.slice(from, start), `[redacted:${family}]`, ...codes ?? []);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

// src/filters/output.ts
function filterOutput({ command, raw, exitCode, filters = {} }) {
  const filter2 = outputFilter(filtersConfig.parse(filters), null);
  const { left: _left, ...result } = filter2.shorten({ command, raw, exitCode });
  return { ...result, secrets: result.secrets.map(({ family }) => ({ family })), warnings: filter2.warnings };
}
function outputFilter(config, file, { secrets: known2, warnings } = secrets(customPatterns(config.security.extra_patterns))) {
  const own = config.rules_toml === "" ? file : { name: "rules_toml", text: config.rules_toml };
  const given = own ? rulesWith(own.name, own.text) : null;
  const rules = () => config.enabled ? given?.rules ?? builtInRules() : [];
  return {
    warnings: [...given?.warnings ?? [], ...warnings],
    secrets: known2,
    rules,
    shorten(printed, mark) {
      const found = config.security.enabled ? known2.find(printed.raw) : [];
      const safe = { ...printed, raw: escapeMarkers(printed.raw) };
      const result = config.enabled ? filterText(safe, rules(), mark) : asItIs2(safe.raw);
      const text = found.length > 0 ? `${known2.redact(result.text, found).trimEnd()}
${warningLine(found)}` : result.text;
      return { ...result, text, rawChars: printed.raw.length, chars: text.length, secrets: found };
    }
  };
}
function asItIs2(raw) {
  const lines = raw === "" ? 0 : raw.replace(/\n$/, "").split("\n").length;
  return { text: raw, rule: null, confidence: "Fallback", rawLines: lines, lines, steps: [], left: null };
}

// src/host/texts/serve.ts
import { parentPort } from "node:worker_threads";

// src/core/pace.ts
var SLICE_MS = 6;
function createPace(sliceMs = SLICE_MS) {
  let until3 = performance.now() + sliceMs;
  return {
    step() {
      if (performance.now() < until3) return void 0;
      return new Promise(
        (resolve) => setImmediate(() => {
          until3 = performance.now() + sliceMs;
          resolve();
        })
      );
    }
  };
}

// src/host/texts/pieces.ts
var MOST2 = 512 * 1024;
function* piecesOf(texts) {
  let lengths = new Uint32Array(texts.length);
  for (let n = 0; n < texts.length; n++) lengths[n] = texts[n].length;
  let parts = [];
  let size = 0;
  const piece = (last2) => {
    const text = parts.length === 1 ? parts[0] : parts.join("");
    const made = { text, ...lengths && { lengths }, last: last2 };
    lengths = void 0;
    parts = [];
    size = 0;
    return made;
  };
  for (const text of texts) {
    for (let from = 0; from < text.length; ) {
      const part2 = text.slice(from, from + MOST2 - size);
      parts.push(part2);
      from += part2.length;
      size += part2.length;
      if (size === MOST2) yield piece(false);
    }
  }
  yield piece(true);
}
async function textsOf(pieces) {
  const pace = createPace();
  const lengths = pieces[0].lengths;
  const texts = [];
  let at = 0;
  let from = 0;
  for (const length2 of lengths) {
    const parts = [];
    for (let left = length2; left > 0; ) {
      const piece = pieces[at].text;
      const part2 = piece.slice(from, from + left);
      parts.push(part2);
      left -= part2.length;
      from += part2.length;
      if (from === piece.length) {
        at++;
        from = 0;
      }
    }
    texts.push(parts.length === 1 ? parts[0] : parts.join(""));
    if (texts.length % 1e3 === 0) await pace.step();
  }
  return texts;
}

// src/host/texts/serve.ts
function serveTexts(work) {
  const port = parentPort;
  const say = (reply) => port.postMessage(reply);
  let job = null;
  let pieces = [];
  let answers = null;
  const finish = async () => {
    const [asked, texts] = [job, await textsOf(pieces)];
    job = null;
    pieces = [];
    let worked;
    try {
      worked = work(asked, texts);
    } catch (error) {
      return say({ failed: error instanceof Error ? error.message : String(error) });
    }
    answers = piecesOf(worked.texts);
    say({ answer: worked.answer });
  };
  port.on("message", (message) => {
    if (message === "more") {
      const { value } = answers.next();
      if (value.last) answers = null;
      return say({ piece: value });
    }
    if ("job" in message) {
      job = message.job;
      return say("more");
    }
    pieces.push(message.piece);
    if (message.piece.last) return void finish();
    say("more");
  });
}

// src/pipeline/redact.ts
function redactStrings({ text, others, message }, secrets2, known2) {
  const fresh = [text.slice(known2.looked), ...others.filter((value) => !isSame(value, known2.from))];
  const found = merged(known2.secrets, findIn2(fresh, secrets2));
  const all = message === null ? found : merged(found, secrets2.find(message));
  if (all.length === 0) return { text, others, message };
  const done = /* @__PURE__ */ new Map();
  const clean = (value) => {
    const end = endOf3(value);
    const body = value.slice(0, end);
    if (body.length > LONG5 && !done.has(body)) done.set(body, secrets2.redact(body, found));
    return (done.get(body) ?? secrets2.redact(body, found)) + value.slice(end);
  };
  const shown = known2.looked > 0 ? text.slice(0, known2.looked) + clean(text.slice(known2.looked)) : clean(text);
  return {
    text: shown === text || known2.secrets.length > 0 || found.length === 0 ? shown : `${shown}
${warningLine(found)}`,
    others: others.map(clean),
    message: message === null ? null : secrets2.redact(message, all)
  };
}
var LONG5 = 1e5;
var isSame = (value, from) => from !== null && value.length >= from.length && endOf3(value) === endOf3(from) && value.startsWith(from.slice(0, endOf3(from)));
function endOf3(text) {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return end;
}
function findIn2(strings, secrets2) {
  const short2 = strings.filter(({ length: length2 }) => length2 <= LONG5);
  const long = strings.filter(({ length: length2 }) => length2 > LONG5);
  return [short2.length === 1 ? short2[0] : short2.join("\n"), ...long].reduce(
    (found, text) => merged(found, secrets2.find(text)),
    []
  );
}
var merged = (known2, more2) => {
  if (known2.length === 0) return more2;
  const values = new Set(known2.map(({ value }) => value));
  const fresh = more2.filter(({ value }) => !values.has(value));
  return fresh.length === 0 ? known2 : [...known2, ...fresh];
};

// src/pipeline/clean.ts
function cleanStrings(strings, { printed, handle, nonce }, { filter: filter2, secrets: secrets2 }) {
  if (!printed || !filter2) {
    const text2 = escapeMarkers(strings.text);
    return { ...secrets2 ? redactStrings({ ...strings, text: text2 }, secrets2, NOTHING6) : { ...strings, text: text2 }, filter: null, raw: null };
  }
  const raw = strings.text.slice(0, printed.length);
  const made = filter2.shorten(
    { command: printed.command, raw, exitCode: printed.exitCode },
    (left) => omission({ ...left, handle, nonce })
  );
  const text = made.text + strings.text.slice(printed.length);
  const known2 = { secrets: made.secrets, looked: made.text === raw || made.secrets.length > 0 ? made.text.length : 0, from: raw };
  return {
    ...secrets2 ? redactStrings({ ...strings, text }, secrets2, known2) : { ...strings, text },
    filter: reportOf(made),
    raw: made.left === null ? null : made.secrets.length > 0 ? filter2.secrets.redact(raw, made.secrets) : raw
  };
}
var NOTHING6 = { secrets: [], looked: 0, from: null };
var reportOf = ({ rule, confidence, rawLines, lines, rawChars, chars, secrets: secrets2 }) => ({
  rule,
  confidence,
  rawLines,
  lines,
  rawChars,
  chars,
  secrets: [...new Set(secrets2.map(({ family }) => family))]
});

// src/pipeline/clean-long.ts
var listOf2 = ({ text, others, message }) => [text, ...others, ...message === null ? [] : [message]];
var stringsFrom = (list2, hasMessage) => ({
  text: list2[0],
  others: list2.slice(1, hasMessage ? -1 : void 0),
  message: hasMessage ? list2.at(-1) : null
});

// src/pipeline/clean-thread.ts
function cleanTexts(job, texts) {
  const { settings, options, hasMessage, repeated } = job;
  const before2 = [...texts];
  const printed = before2[0].slice(0, options.printed?.length ?? 0);
  for (const { at, rest: rest2 } of repeated) before2[at] = printed + rest2;
  const filter2 = filterFor(settings);
  const known2 = settings.config.security.enabled ? filter2.secrets : null;
  const made = cleanStrings(stringsFrom(before2, hasMessage), options, { filter: filter2, secrets: known2 });
  const after = listOf2(made);
  const back = [];
  const places = /* @__PURE__ */ new Map();
  const placeOf2 = (text) => {
    const place = places.get(text) ?? back.push(text) - 1;
    places.set(text, place);
    return place;
  };
  const changed2 = { at: [], text: [], lineEnds: [] };
  for (const [at, text] of after.entries()) {
    if (text === before2[at]) continue;
    const body = text.replace(/\n{1,1000}$/, "");
    changed2.at.push(at);
    changed2.text.push(placeOf2(body));
    changed2.lineEnds.push(text.length - body.length);
  }
  const raw = made.raw === null ? null : made.raw === printed ? -1 : placeOf2(made.raw);
  const inRows = { at: Uint32Array.from(changed2.at), text: Uint32Array.from(changed2.text), lineEnds: Uint32Array.from(changed2.lineEnds) };
  return { answer: { changed: inRows, raw, filter: made.filter }, texts: back };
}
var last = null;
function filterFor(settings) {
  const key = JSON.stringify(settings);
  if (last?.key !== key) {
    const { config, file, own } = settings;
    const patterns = config.security.extra_patterns;
    const known2 = secrets(patterns.length > 0 ? customPatterns(patterns) : void 0, new Set(own));
    last = { key, filter: outputFilter(config, file, known2) };
  }
  return last.filter;
}

// src/app/text-worker.ts
serveTexts((job, texts) => WORK[job.kind](job, texts));
var WORK = { clean: cleanTexts, filter };
function filter(job, [raw = ""]) {
  const { text, ...answer } = filterOutput({ ...job.request, raw });
  return { answer, texts: [text] };
}
