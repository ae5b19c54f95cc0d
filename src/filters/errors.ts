/** What makes a line worth keeping whatever a rule thinks of it. `error-ex` and `src/error.ts` are names, not words. */
const WORDS = [
  // Words for errors, in some languages.
  String.raw`err|errno|errors?(?![-./\\][a-z])|exceptions?|erreur|errore|fehler|fehlgeschlagen|fallo|traceback|uncaught|unhandled`,
  // How bad it is.
  String.raw`fail(?:ed|s|ure|ures|ing)?(?![-./\\][a-z])|fatal|crit(?:ical)?|severe|emerg(?:ency)?|alert|panic(?:s|ked)?`,
  "violat(?:ed|ions?)|vulnerabilit(?:y|ies)",
  // How processes end.
  "abort(?:ed|ing)?|kill(?:ed|ing)|sig(?:segv|abrt|kill|bus|ill|fpe|term|quit)|core dumped|segfault|segmentation fault",
  "bus error|stack (?:overflow|smashing)|buffer overflow|overflowed|oom(?:killed)?|deadlock|assert(?:ion)?",
  // What was not let through, or not in time.
  "denied|forbidden|refused|rejected|unauthori[sz]ed|reset by peer|broken pipe|unreachable|timed ?out",
  "timeout (?:exceeded|of|expired|after|waiting)|bail out",
  // What is not there, or cannot be done.
  "can(?:not|'t| not)|could ?n[o']t|unable to|did(?:n't| not) (?:match|complete|exist|work|start)",
  "does(?:n't| not) exist",
  "not (?:found|allowed|permitted|recogni[sz]ed|supported|implemented|running|exist|available|responding|defined|installed|valid|assignable|ok)",
  "no such|missing (?:required|argument|dependency|module|file)|unknown (?:option|command|argument|flag|type|host)",
  "undefined|unexpected|unresolved",
  // What does not fit.
  "invalid|illegal|incompatible|unsupported|mismatch(?:ed)?|conflict(?:s|ing)?|corrupt(?:ed|ion)?",
  "bad (?:request|gateway|credentials|substitution|interpreter)",
  // What is used up.
  "no space left|disk full|out of (?:memory|range|bounds|space|disk)|quota exceeded|too many",
  // What programs and servers answer.
  String.raw`exit(?:ed)?(?: with)?(?: status| code)?[ :=]+[1-9]\d*|non-?zero exit|http/[\d.]+"? 5\d\d`,
  String.raw`status(?:_?code)?["']?[ =:]+5\d\d`,
];
const SPOKEN = new RegExp(`\\b(?:${WORDS.join("|")})\\b`, "i");
/** `TypeError`; `ECONNREFUSED`; what is said in capitals, even where it might be a name; a server's own failure in its access log. */
const SHAPES = /[a-z](?:Error|Exception|Failure)\b|\b(?:E[A-Z]{4,}|FAIL(?:ED|URES?)?)\b|" 5\d\d\b/;
/** What only the beginning of a line tells: klog's level, what make, pytest, Jest and TeX put there. */
const LINE_START = /^(?:[EF]\d{4} \d\d:\d\d|E {2,}\S|\w{0,20}make(?:\[\d+\])?: \*\*\* |\s*(?:● |[×⨯] |! [A-Z]))/;
const FOREIGN = /[✗✘✖❌]|エラー|失敗|例外|異常|错误|錯誤|失败|异常|오류|실패|에러|[Оо]шибка|ОШИБКА|[Сс]бой|[éÉ]chec|échoué|błąd|falló/;
/** A letter of each, which is found faster than the words. */
const FOREIGN_LETTER = /[✗✘✖❌ー敗外常误誤败오패에шбШéÉłó]/;

/** A whole line said by something that went well: a passing test with "error" in its name. */
const PASSES =
  /^\s*(?:[✓✔√☑]|ok \d+\b|ok\s+\S+\s+[\d.]+s\b|PASS(?:ED)?\b|--- PASS|=== (?:RUN|PAUSE|CONT|NAME)\b|\[PASS|\[ {7}OK \]|\[ RUN {6}\])|\.\.\. ?(?:ok|pass(?:ed)?|skipped)$|\bPASSED(?:\s+\[\s*\d+%\])?$|\.{2,}\s*Passed\s+[\d.]+ sec$/;
/** Parts of a line that say nothing went wrong: "0 errors", "Failures: 0". What stands beside them still counts. */
const NOTHING = new RegExp(
  [
    String.raw`(?<![\d.,\w-])(?:0|no|zero|without(?: any)?)(?: of \d+)? (?:[a-z]+ )?(?:error\(s\)|(?:errors|failures|vulnerabilities|conflicts|exceptions|violations)\b)`,
    // Behind a comma it is a count; in "worker 0 failed" it is a name.
    String.raw`(?:^|[,;:(|[/]\s*|\band )(?:0|no|none) (?:failed|failing|fail|errored|error|aborted|timed out|killed)\b`,
    String.raw`\b(?:no|without(?: an)?) (?:error|failure|exception|conflict)\b`,
    String.raw`\b(?:err(?:ors?|ored|no)?|fail(?:ed|ures?|s)?|exceptions?|unreachable|timed.?out|killed|vulnerabilities)["']?\s*[:=]\s*["']?(?:0\b(?![.,]\d)|null\b|nil\b|none\b|false\b|<nil>)`,
    String.raw`(?:^|\s)(?:fail|failed|errors?|failures) 0$`,
    String.raw`(?:失敗|失败|エラー|错误|실패|오류)[:：\s]*0(?!\d)`,
    String.raw`\berror[- ]free\b`,
  ].join("|"),
  "gi",
);

/** Whether a line looks as if something went wrong. Wide on purpose: it only keeps lines, it drops none. */
export function isErrorShaped(text: string): boolean {
  const looked = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  // A test that fails takes half the time of a search that finds nothing.
  const spoken = SPOKEN.test(looked) ? SPOKEN.exec(looked) : null;
  if (!spoken && !hasBadShape(looked)) return false;
  if (PASSES.test(looked)) return false;
  if (looked.includes("/") || looked.includes(".")) {
    const words = looked.replace(FILES, " ");
    if (words !== looked && !SPOKEN.test(words) && !hasBadShape(words)) return false;
  }
  // Most words are not taken back by what stands beside them; only then the whole line is read again.
  if (spoken && !NOTHING_HERE.test(looked.slice(Math.max(0, spoken.index - BESIDE), spoken.index + BESIDE))) return true;
  const rest = looked.replace(NOTHING, " ");
  return rest === looked || SPOKEN.test(rest) || hasBadShape(rest);
}

/** Files and folders are called what they like: `lib/http-errors/invalid.js`. */
const FILES =
  /(?<![\w./@+-])(?:[\w@.+-]{0,80}\/){0,40}[\w@+.-]{1,100}\.(?:[cm]?[jt]sx?|json|py|rb|go|rs|java|kt|cc?|cpp|h|hpp|md|txt|html?|css|ya?ml|toml|map|snap|php|cs|sh|xml)(?![\w/-])|(?<![\w./@+-])(?:[\w@.+-]{0,80}\/){2,40}[\w@+.-]{0,100}/g;

const LOOKED_AT = 2000;
const BESIDE = 40;
const NOTHING_HERE = new RegExp(NOTHING.source, "i");

function hasBadShape(text: string): boolean {
  return SHAPES.test(text) || LINE_START.test(text) || (FOREIGN_LETTER.test(text) && FOREIGN.test(text));
}
