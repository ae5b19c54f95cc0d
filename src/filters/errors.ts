/** Words that make a line worth keeping whatever a rule thinks of it. */
const WORDS =
  /\b(?:errors?|fail(?:ed|s|ure|ures|ing)?|fatal|panic(?:ked)?|exception|traceback|critical|emergency|abort(?:ed|ing)?|denied|refused|unauthorized|forbidden|conflicts?|cannot|can't|could ?n[o']t|unable to|not found|no such file|undefined|unresolved|unexpected|invalid|mismatch|killed|segfault|segmentation fault|core dumped|out of memory|oom|timed out|deadlock|corrupt(?:ed)?|unhandled|uncaught|rejected|vulnerabilit(?:y|ies))\b/i;
const SHAPES = /[a-z](?:Error|Exception)\b|\bE[A-Z]{4,}\b|^E {2,}|\b(?:ERR|SEVERE|CRIT|ALERT|EMERG|FAIL)\b|[✗✘✖❌]|^\s*not ok\b/;

/** Said by things that went well: "0 errors", "no failures", a passing test with "error" in its name. */
const FINE =
  /\b(?:0|no|zero|without) (?:errors?|failures?|failed|failing|fail|vulnerabilit|conflicts?)|\b(?:errors?|fail(?:ed|ures?)?)\s*[:=]\s*0\b|\.\.\. ok$|^\s*(?:[✓✔√]|ok \d+\b|PASS(?:ED)?\b|--- PASS|=== (?:RUN|PAUSE|CONT)\b|\[PASS)|\bPASSED(?:\s+\[\s*\d+%\])?$/i;

/** Whether a line looks as if something went wrong. Wide on purpose: it only keeps lines, it drops none. */
export function isErrorShaped(text: string): boolean {
  const looked = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  return (WORDS.test(looked) || SHAPES.test(looked)) && !FINE.test(looked);
}

const LOOKED_AT = 2000;
