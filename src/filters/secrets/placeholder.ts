import { isMixed } from "./randomness.ts";

/** Only the first characters of a value are looked at, so that a long one costs no more. */
const LOOKED_AT = 256;

/** Certainly no secret, whatever it is called. */
export function isPlaceholderValue(value: string): boolean {
  const text = value.slice(0, LOOKED_AT);
  if (NO_SECRET.some((pattern) => pattern.test(text))) return true;
  if (PATH.test(text) && !isMixed(text.replace(/[\\/.]/g, ""))) return true;
  return isFiller(text);
}

/** A key of a known form that is an example and opens nothing. */
export function isSample(value: string): boolean {
  // What somebody typed behind a key does not make it an example.
  const key = value.slice(0, LOOKED_AT).replace(/(.)\1{5,}$/s, "");
  return isFiller(value) || SAYS_SO.test(key.length >= 16 ? key : value.slice(0, LOOKED_AT));
}

/** `xxxxxxxx`, `0000-0000`, `abcdefghijklmnopqrstuvwxyz`: typed, not drawn. */
export function isFiller(value: string): boolean {
  const text = value.slice(0, LOOKED_AT).toLowerCase();
  if (text.length >= 6 && !hasKinds(text, 3)) return true;
  return text.length >= 10 && longestRise(text) >= Math.min(16, text.length * 0.6);
}

/** One of these words. */
const any = (words: string): string => `(?:${words.split(" ").join("|")})`;

/** Something else goes here: `<your token>`, `${VAR}`, `{{ var }}`, `%VAR%`, `***`, `[redacted]`, `...`, `(sensitive value)`. */
const SLOT =
  /^(?:<[^<>]*>?|&(?:lt|#x3[cC]|#60);.*|\$(?:\{.*|\(.*|\w+)|\{.*|%[A-Za-z_]\w*%|@[A-Za-z_]\w*@|\[.*|\(.*|[*•●.…_#?-]+|.*(?:\*{3}|•{3}|\.{3}|…).*)$/s;
/** `%s:%s` */
const VERBS = /^(?:%(?:\(\w+\))?[-+#0]?\d{0,2}[sdvqxr][:/@, -]?){1,4}$/;
const NOTHING = /^(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|unset|default|n\/?a|tbd|todo|fixme|void|0|0x[0-9a-f]{1,16})$/i;

const SECRET = any("here me it this pass password passwd passphrase pwd pw secret token key value string");
/** Words that ask for a value: `your-secret-key`, `enter_password_here`, `the secret`. */
const ASKS = new RegExp(
  `^(?:${any("your my enter insert replace change paste provide specify")}[-_ ]?|${any("the some any a an put use add set type")}[-_ ])[a-z_ -]*${SECRET}\\d{0,3}$`,
  "i",
);
/** Words that name one: `changeme`, `password1`, `dummy-token`. */
const NAMES = new RegExp(
  `^(?:x{3,}|change(?:me|it|this)\\d{0,4}|(?:some|any)thing|${any(
    "foo bar baz test dummy example sample fake mock stub placeholder redacted hidden masked censored omitted removed sensitive encrypted secret password passwd passphrase pass pwd token credentials? api[-_\\s]?key key user username string value text",
  )}[-_ ]?${SECRET}?\\d{0,2})$`,
  "i",
);
const SAYS_SO =
  /(?:^|[-_ .<])your[-_ .>]|example|placeholder|redacted|changeme|change[-_]me|insert[-_]|replace[-_]|x{6}|(?:[-_ ]|token|string|key|secret)here$/i;

/** A pointer to where the secret is kept, or the secret in a sealed form. */
const POINTERS = [
  /^(?:process|os|import\.meta|System|Deno|Bun)\./,
  new RegExp(
    `^${any(
      "env ENV environ secrets? vars? local data module config conf cfg settings options opts args argv params? props self this req request res response ctx context event user creds credentials state steps github inputs matrix needs Fn Ref",
    )}[.[]`,
  ),
  /^!(?:vault|[Rr]ef|Sub|secret|GetAtt|ImportValue|Join|env|reference|encrypted)\b/,
  /^(?:ENC\[|projects\/|sha\d{1,3}-|(?:vault|op|arn|ssm|awssm|gcpsm|file|kms|keychain|data|sha\d{1,3}|md5):|[a-z][a-z0-9+.-]{1,20}:\/\/)/,
];
/** A package or an image with its version. */
const VERSIONED = /^[a-z][a-z0-9._/-]{1,60}[-:@]v?\d+(?:\.\d+){1,3}(?:[-.+][\w.]{1,40})?$/;
/** A length of time, a size, a date. */
const AMOUNT = /^(?:(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w|y|[KMGT]i?B?))+|\d{4}-\d\d-\d\d(?:[T ].*)?)$/i;
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\|\\\\)/;

const NO_SECRET: readonly RegExp[] = [SLOT, VERBS, NOTHING, ASKS, NAMES, SAYS_SO, ...POINTERS, VERSIONED, AMOUNT];

/** So many different characters, signs between them not counted. */
function hasKinds(text: string, least: number): boolean {
  let seen = "";
  for (let i = 0; i < text.length && seen.length < least; i++) if (!seen.includes(text[i]!) && !"-_.".includes(text[i]!)) seen += text[i];
  return seen.length >= least;
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
