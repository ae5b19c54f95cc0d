/** What a value tells about itself. Only its first characters are looked at, so that a long one costs no more. */
const LOOKED_AT = 256;

/** Code rather than a value: a call, an index, a member, a type. */
export function isCode(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
  if (TYPE.test(text) || OPERATORS.test(text) || SIGIL.test(text)) return true;
  if (/[([{]/.test(text) && /^[A-Za-z_$&*!@.][\w$.:>?!&*-]*[([{]/.test(text)) return true;
  return /^[!~&*-]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+;?$/.test(text) && isWordy(text);
}

const TYPE =
  /^(?:&?(?:mut )?str(?:ing)?|String|text|number|int(?:eger)?|bool(?:ean)?|any|object|bytes?|char|varchar|unknown|never|void|float|double|Buffer|Uint8Array|SecretStr|Optional|Option|required|optional|secretKeyRef|valueFrom)\b/;
/** A variable of Perl or PHP that something is done with, a quoted pattern. */
const SIGIL = /^(?:\$[A-Za-z_][\w:]*(?:-|\[|\{)|[$@%&]\w+::|qr\W)/;
const OPERATORS = /&&|\|\||=>|[!=]==?(?=[^=\s])|\w\(|[;{}](?:return\b|var\b|let\b|const\b|if\b|for\b|\w+[.(=[])|\]\.|\?[?.]/;

/** Made of words and numbers: `my-app-token-2`, `getUserToken`, `1.2.3-rc1`. */
export function isWordy(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
  if (/[^\w./:@ ,-]/.test(text)) return false;
  let words = 0;
  let all = 0;
  for (const part of text.split(/[^A-Za-z0-9]+/)) {
    all += part.length;
    if (WORD.test(part) && isSayable(part)) words += part.length;
  }
  return all === 0 || words / all > 0.75;
}
/** One word, several in camelCase, a number, a word with a number. Random text of some length passes for none of them. */
const WORD =
  /^(?:[a-z]{1,20}|[A-Z]{1,20}|\d{1,10}|[A-Z]{0,5}[a-z]{1,14}\d{0,5}(?:[A-Z][a-z]{2,14}\d{0,3}){0,8}(?:[A-Z]{1,2}[a-z]?)?|[a-z]{2,12}\d{1,3}[a-z]{2,12}|[A-Z]{2,12}\d{1,3}|[A-Z]\d{1,5}|\d{1,3}[a-z]{1,2}|[A-Z]\d(?:[A-Z][a-z]{2,14}){1,8})$/;

/** Each word has a vowel and no five consonants in a row, or is one of the short forms programmers use. There is one number at most. */
function isSayable(part: string): boolean {
  if (/\d[A-Za-z]+\d/.test(part)) return false;
  for (const word of part.match(/[A-Z]?[a-z]{2,}/g) ?? []) {
    if (/[b-df-hj-np-tv-xz]{5}/i.test(word) || !(/[aeiouy]/i.test(word) || SHORT_FORM.test(word))) return false;
  }
  return true;
}
const SHORT_FORM =
  /^(?:https?|html|xml|sql|kms|dns|ctx|cfg|msg|str|ptr|btn|cmd|pwd|tls|ssl|npm|jwt|grpc|rpc|ssh|src|dst|tmp|std|sdk|css|svg|png|pdf|pkg|mgr|vpn|vpc|gcp|fs|db|js|ts|md|pw|ip|cb|rm|ls|mb|kb|px|st|nd|rd|th|nth|pvt|prv|prd|stg|dflt|tkn|hmac|ldap|smtp|ftp|tcp|http2)$/i;

/** How often the kind of character changes. Random text changes all the time, words and numbers hardly ever. */
function mixing(value: string): number {
  const text = value.slice(0, LOOKED_AT);
  let changes = 0;
  for (let i = 1; i < text.length; i++) {
    const [a, b] = [kind(text.charCodeAt(i - 1)), kind(text.charCodeAt(i))];
    if (a === b || a === OTHER || b === OTHER) continue;
    // The capital that starts a word is part of it.
    if (a === UPPER && b === LOWER && (i < 2 || kind(text.charCodeAt(i - 2)) !== UPPER)) continue;
    changes++;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

/** Letters and digits, or capitals and small letters, that follow no rule. */
export function isMixed(value: string): boolean {
  return value.length >= 8 && new Set(value.slice(0, LOOKED_AT)).size >= 6 && mixing(value) >= 0.2 && !isWordy(value);
}

/** Not a word, although its prefix is the start of some. */
export function isRandom(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && new Set(value.slice(0, LOOKED_AT)).size >= 6 && !isWordy(value);
}

/** So random that a weak hint is enough. A hash or an id is not: it is random and no secret. */
export function isStrong(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && isMixed(value) && !HEX_OR_ID.test(value);
}
const HEX_OR_ID = /^(?:[a-f0-9-]+|[A-F0-9-]+)$/;

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const OTHER = 3;
function kind(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}
