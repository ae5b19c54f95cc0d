import { isWordy } from "../randomness.ts";
import type { Name } from "./forms.ts";
import type { Value } from "./value.ts";

/**
 * Whether a word that names secrets says how something ended or what is spoken of: `PASS: name` of a test runner, `unexpected token: x` of a
 * parser, `secret "x" not found`. What follows is then a name, unless it is so random that it could be none.
 */
export function isSaidOf(text: string, name: Name, value: Value): boolean {
  if (/^pass$/i.test(name.text)) return isVerdict(text, name, value) && !isNoName(value);
  // The working directory.
  if (/^pwd$/i.test(name.text) && /^~?\//.test(value.text)) return true;
  const spokenOf = SPOKEN_OF.find(([ending]) => ending.test(name.text))?.[1];
  if (!spokenOf || value.text.length >= SHORTEST_MADE) return false;
  return spokenOf.test(text.slice(Math.max(0, name.start - 24), name.start)) || BECAME.test(text.slice(value.end, value.end + 40));
}

/** With such signs in it, or with so many changes between letters and digits, that nobody calls a test so. */
function isNoName({ text, quoted }: Value): boolean {
  if (quoted && /[^\w./: ,()[\]-]/.test(text) && !isWordy(text)) return true;
  return text.split(/[^A-Za-z0-9]/).some((part) => (part.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length >= FEWEST_CHANGES);
}
const FEWEST_CHANGES = 5;

/** What a machine makes to be secret is longer than the names people give. */
const SHORTEST_MADE = 16;
/** A parser speaks of tokens, and a cluster of secrets that have names; of a password nobody speaks so. */
const SPOKEN_OF: readonly (readonly [RegExp, RegExp])[] = [
  [/token$/i, /(?:^|[^\w-])(?:(?:un)?expected|got|found|invalid|unknown|illegal|missing|reserved|duplicate|undefined|near) $/i],
  [/secret$/i, /(?:^|[^\w-])(?:missing|no|unknown|invalid|duplicate|creat(?:ing|ed)|delet(?:ing|ed)|updat(?:ing|ed)|mount(?:ing|ed)) $/i],
];
const BECAME =
  /^["'`]? (?:(?:was |is |has been |already |does )?(?:not (?:found|exist|defined|set)|created|configured|unchanged|deleted|updated|exists|missing|required|undefined)\b|in namespace\b)/;

/** `PASS: name`, also between others of its kind, or with how long it took. Beside a user's name it is a password after all. */
function isVerdict(text: string, name: Name, value: Value): boolean {
  const before = text.slice(Math.max(0, name.start - NEAR), name.start);
  if (USER.test(before)) return false;
  const after = text.slice(value.end, value.end + NEAR);
  if (TOOK.test(after)) return true;
  const isShouted = name.text !== "pass" && /^[ \t]{0,20}:/.test(text.slice(name.end, name.end + 21));
  return isShouted || (text[name.end] === ":" && (OTHER_BEFORE.test(before) || OTHER_AFTER.test(after)));
}

const NEAR = 240;
const USER =
  /(?:^|[\n,;{])[ \t"'#*-]{0,12}(?:user(?:_?name)?|usr|login|e-?mail|account|host|server)["']?[ \t]{0,8}[:=][^\n]{0,100}\n?[^\n]{0,40}$/i;
const TOOK = /^["'`]?[ \t]{1,8}[([]?\d[\d.,]{0,12} ?(?:[mµun]?s|secs?|seconds?)\b/;
const OTHER_BEFORE = /(?:^|\n)[ \t]{0,12}(?:x?fail(?:ed)?|skip(?:ped)?|x?pass|todo): [^\n]{1,200}\n[ \t]{0,12}$/i;
const OTHER_AFTER = /^[^\n]{0,200}\n[ \t]{0,12}(?:x?fail(?:ed)?|skip(?:ped)?|x?pass|todo): \S/i;
