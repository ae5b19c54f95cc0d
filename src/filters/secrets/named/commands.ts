import { matchAt } from "../match-at.ts";
import { isPlaceholderValue } from "../placeholder.ts";
import { isMixed } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";
import type { FoundAssignment } from "./assignment.ts";

/** A value between `"'` and the next quote or space. */
const WORD = `["']?([^\\s"'<>]{4,200})`;
/** The options and arguments before the one that counts, also on lines that a backslash joins. */
const OPTIONS = "(?:\\\\\\r?\\n|[^\\n|;&]){0,300}?\\s";
const PROGRAM = /curl |mysql|mariadb|docker login|podman login|redis-cli|sqlplus|ldap|sqlcmd|ConvertTo-Secure/g;

/** Programs that take a password without calling it one. */
const PROGRAMS: readonly RegExp[] = [
  `curl ${OPTIONS}??(?:-u|--user|-U|--proxy-user)[ =]{0,3}["']?[^\\s:'"<>]{0,100}:["']?([^\\s'"<>]{4,200})`,
  `mysql\\w{0,10}(?:\\.exe)?${OPTIONS}-p(?!ort|rotocol|lugin|ager|rompt|ipe)(?=[^\\s-])${WORD}`,
  `mariadb(?:-dump|-admin)?${OPTIONS}-p(?=[^\\s-])${WORD}`,
  `(?:docker|podman) login${OPTIONS}-p[ =]?${WORD}`,
  `redis-cli${OPTIONS}(?:-a|--pass)[ =]${WORD}`,
  `sqlplus\\s${OPTIONS}??[\\w.$]{1,64}/["']?([^\\s"'@]{4,200})@`,
  `ldap(?:search|add|modify|delete|whoami|passwd)${OPTIONS}-w ?${WORD}`,
  `sqlcmd${OPTIONS}-P ?${WORD}`,
  `ConvertTo-SecureString (?:-String )?["']([^"'\\n]{4,200})["']`,
].map((source) => new RegExp(source, "y"));

/** `CREATE USER … IDENTIFIED BY '…'`, `SET PASSWORD FOR … = '…'` */
const SQL =
  /(?:identified(?:\s{1,4}with\s{1,4}\w{1,40})?\s{1,4}by\s{1,4}(?:password\s{1,4})?|set\s{1,4}password\s{1,4}for\s{1,4}\S{1,100}\s{0,4}=\s{0,4}(?:password\()?)['"]([^'"\n]{4,200})['"]/gi;

const ACCOUNT = /(?:\b(?:user|to)\s[^;]{1,150}|set )$/i;

/** Passwords in command lines. */
export function commands(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  PROGRAM.lastIndex = 0;
  for (let match = PROGRAM.exec(text); match; match = PROGRAM.exec(text)) {
    const found = first(PROGRAMS, text, match.index);
    if (!found) continue;
    spans.push(found);
    PROGRAM.lastIndex = found.end;
  }
  SQL.lastIndex = 0;
  // Not `matchAll`, which makes a regular expression of its own each time.
  for (let match = SQL.exec(text); match; match = SQL.exec(text)) {
    const found = ACCOUNT.test(text.slice(Math.max(0, match.index - 160), match.index + 4)) && valueIn(match, match.index);
    if (found) spans.push(found);
  }
  return spans;
}

const LINE_END = "[ \\t]{0,4}\\r?\\n";
/** Phrases around the word `pass`, which `at` is the start of. */
const PHRASES: readonly RegExp[] = [
  // sshpass -p …
  `pass -p ?${WORD}`,
  // openssl … -passin pass:…
  `pass(?:in|out) pass:${WORD}`,
  // redis.conf
  `pass(?<=requirepass)\\s{1,8}${WORD}`,
  // .netrc, on one line or on several
  `password[ \\t]{1,8}(?<=(?:login|machine)\\s{1,8}[\\w.@+-]{1,100}\\s{1,12}password[ \\t]{1,8})([^\\s"'\`]{4,200})`,
  // What a server says when it is first started
  `password is generated for [^\\s:]{1,100}: (\\S{6,100})`,
].map((source) => new RegExp(source, "y"));
/** "… password is:" and the next line. So little says that it is one that it must look like it. */
const NEXT_LINE = [new RegExp(`password[^\\n:]{0,80}:(?:${LINE_END}){1,3}[ \\t]{0,8}([^\\s:<>(){}]{12,64})(?=${LINE_END}|\\s*$)`, "iy")];

const PHRASE = /pass(?:word[ \t:]|in |out | -p|[ \t])/iy;
export function passPhrase(text: string, at: number): FoundAssignment {
  if (!matchAt(PHRASE, text, at)) return { spans: [], end: at };
  const random = first(NEXT_LINE, text, at);
  const found = first(PHRASES, text, at) ?? (random && isMixed(random.value!) ? random : null);
  return found ? { spans: [found], end: found.end } : { spans: [], end: at };
}

function first(patterns: readonly RegExp[], text: string, at: number): SecretSpan | null {
  for (const pattern of patterns) {
    const match = matchAt(pattern, text, at);
    const found = match && valueIn(match, at);
    if (found) return found;
  }
  return null;
}

function valueIn(match: RegExpMatchArray, at: number): SecretSpan | null {
  const value = match[1]!;
  if (isPlaceholderValue(value)) return null;
  const start = at + match[0].lastIndexOf(value);
  return { start, end: start + value.length, family: "password", value };
}
