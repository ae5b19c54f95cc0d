/** What a value tells about itself. Only its first characters are looked at, so that a long one costs no more. */
const LOOKED_AT = 256;

/** Something else goes here: `<your token>`, `${VAR}`, `{{ var }}`, `%VAR%`, `***`, `[redacted]`, `...`, `(sensitive value)`. */
const SLOT =
  /^(?:<[^<>]*>?|&(?:lt|#x3[cC]|#60);.*|\$(?:\{.*|\(.*|\w+)|\{.*|%[A-Za-z_]\w*%|(?:%(?:\(\w+\))?[-+#0]?\d{0,2}[sdvqxr][:/@, -]?){1,4}|@[A-Za-z_]\w*@|\[.*|\(.*|[*•●.…_#?-]+|.*(?:\*{3}|•{3}|\.{3}|…).*)$/s;
const NOTHING = /^(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|unset|default|n\/?a|tbd|todo|fixme|void|0|0x[0-9a-f]{1,16})$/i;
/** Words that ask for a value, or name one: `your-secret-key`, `changeme`, `password1`. */
const STAND_IN = new RegExp(
  `^(?:x{3,}|(?:(?:your|my|enter|insert|replace|change|paste|provide|specify)[-_ ]?|(?:the|some|any|an?|put|use|add|set|type)[-_ ])[a-z_ -]*${"(?:here|me|it|this|pass(?:word|wd|phrase)?|pwd?|secret|token|key|value)"}\\d{0,3}|change(?:me|it|this)\\d{0,4}|(?:some|any)thing|(?:${"foo|bar|baz|test|dummy|example|sample|fake|mock|stub|placeholder|redacted|hidden|masked|censored|omitted|removed|sensitive|encrypted|secret|password|passwd|passphrase|pass|pwd|token|credentials?|api[-_ ]?key|key|user|username|string|value|text"})[-_ ]?(?:pass(?:word)?|secret|token|key|value|string|here)?\\d{0,2})$`,
  "i",
);
const SAYS_SO = /(?:^|[^a-z])your[^a-z]|example|placeholder|redacted|changeme|change[-_]me|insert[-_]|replace[-_]|x{5}|_here$|-here$/i;
/** A pointer to where the secret is kept, or the secret in a sealed form. */
const POINTER = new RegExp(
  `^(?:(?:process|os|import\\.meta|System|Deno|Bun)\\.|(?:${"env|ENV|environ|secrets?|vars?|local|data|module|config|conf|cfg|settings|options|opts|args|argv|params?|props|self|this|req|request|res|response|ctx|context|event|user|creds|credentials|state|steps|github|inputs|matrix|needs|Fn|Ref"})[.[]|!(?:vault|[Rr]ef|Sub|secret|GetAtt|ImportValue|Join|env|reference|encrypted)\\b|ENC\\[|(?:vault|op|arn|ssm|awssm|gcpsm|file|kms|keychain|data|sha\\d{1,3}|md5):|projects/|sha\\d{1,3}-|[a-z][a-z0-9+.-]{1,20}://)`,
);
/** A package or an image with its version. */
const VERSIONED = /^[a-z][a-z0-9._/-]{1,60}[-:@]v?\d+(?:\.\d+){1,3}(?:[-.+][\w.]{1,40})?$/;
/** A length of time, a size, a date. */
const AMOUNT = /^(?:(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w|y|[KMGT]i?B?))+|\d{4}-\d\d-\d\d(?:[T ].*)?)$/i;
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\|\\\\)/;
const TYPE =
  /^(?:&?(?:mut )?str(?:ing)?|String|text|number|int(?:eger)?|bool(?:ean)?|any|object|bytes?|char|varchar|unknown|never|void|float|double|Buffer|Uint8Array|SecretStr|Optional|Option|required|optional|secretKeyRef|valueFrom)\b/;

/** Certainly no secret, whatever it is called. */
export function isStandIn(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
  if (
    SLOT.test(text) ||
    VERSIONED.test(text) ||
    AMOUNT.test(text) ||
    NOTHING.test(text) ||
    STAND_IN.test(text) ||
    SAYS_SO.test(text) ||
    POINTER.test(text)
  )
    return true;
  if (PATH.test(text) && !isMixed(text.replace(/[\\/.]/g, ""))) return true;
  return isFiller(text);
}

/** `xxxxxxxx`, `0000-0000`, `abcdefghijklmnopqrstuvwxyz`: typed, not drawn. */
export function isFiller(value: string): boolean {
  const text = value.slice(0, LOOKED_AT).toLowerCase();
  if (text.length >= 6 && !hasKinds(text, 3)) return true;
  return text.length >= 10 && longestRise(text) >= Math.min(16, text.length * 0.6);
}

/** So many different characters, signs between them not counted. */
function hasKinds(text: string, least: number): boolean {
  let seen = "";
  for (let i = 0; i < text.length && seen.length < least; i++) if (!seen.includes(text[i]!) && !"-_.".includes(text[i]!)) seen += text[i];
  return seen.length >= least;
}

/** A key of a known form that nobody was given. */
export const isSample = (value: string): boolean => isFiller(value) || SAYS_SO.test(value.slice(0, LOOKED_AT));

/** Code rather than a value: a call, an index, a member, a type. */
export function isCode(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
  if (TYPE.test(text) || OPERATORS.test(text) || SIGIL.test(text)) return true;
  if (/[([{]/.test(text) && /^[A-Za-z_$&*!@.][\w$.:>?!&*-]*[([{]/.test(text)) return true;
  return /^[!~&*-]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+;?$/.test(text) && isWordy(text);
}

/** A variable of Perl or PHP that something is done with, a quoted pattern. */
const SIGIL = /^(?:\$[A-Za-z_][\w:]*(?:-|\[|\{)|[$@%&]\w+::|qr\W)/;
const OPERATORS = /&&|\|\||=>|[!=]==?(?=[^=\s])|\w\(|[;{}](?:return\b|var\b|let\b|const\b|if\b|for\b|\w+[.(=[])|\]\.|\?[?.]/;

/** Made of words and numbers: `my-app-token-2`, `getUserToken`, `1.2.3-rc1`. */
export function isWordy(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
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
  /^(?:[a-z]{1,20}|[A-Z]{1,20}|\d{1,10}|[A-Z]{0,5}[a-z]{1,14}\d{0,5}(?:[A-Z][a-z]{2,14}\d{0,3}){0,8}(?:[A-Z]{1,2}[a-z]?)?|[a-z]{2,12}\d{1,3}[a-z]{2,12}|[A-Z]{2,12}\d{1,3}|[A-Z]\d{1,3}|\d{1,3}[a-z]{1,2}|[A-Z]\d(?:[A-Z][a-z]{2,14}){1,8})$/;

/** Each word has a vowel and no five consonants in a row, or is one of the short forms programmers use. */
function isSayable(part: string): boolean {
  for (const word of part.match(/[A-Z]?[a-z]{2,}/g) ?? []) {
    if (/[b-df-hj-np-tv-xz]{5}/i.test(word) || !(/[aeiouy]/i.test(word) || SHORT_FORM.test(word))) return false;
  }
  return true;
}
const SHORT_FORM =
  /^(?:https?|html|xml|sql|kms|dns|ctx|cfg|msg|str|ptr|btn|cmd|pwd|tls|ssl|npm|jwt|grpc|rpc|ssh|src|dst|tmp|std|sdk|css|svg|png|pdf|pkg|mgr|vpn|vpc|gcp|fs|db|js|ts|md|pw|ip|cb|rm|ls|mb|kb|px|st|nd|rd|th|nth|pvt|prv|prd|stg|dflt|tkn|hmac|ldap|smtp|ftp|tcp|http2)$/i;

/** How often the kind of character changes. Random text changes all the time, words and numbers hardly ever. */
export function mixing(value: string): number {
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
  return isMixed(value) || (/\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value.slice(0, LOOKED_AT)).size >= 6 && !isWordy(value));
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

/** The longest part where each character is the one after that before it. */
function longestRise(text: string): number {
  let longest = 1;
  let rise = 1;
  for (let i = 1; i < text.length; i++) {
    rise = text.charCodeAt(i) === text.charCodeAt(i - 1) + 1 ? rise + 1 : 1;
    longest = Math.max(longest, rise);
  }
  return longest;
}
