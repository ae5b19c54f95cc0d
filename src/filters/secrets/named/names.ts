import { wordSet } from "../../../text/words.ts";
import type { Family } from "../span.ts";

/**
 * How much a name promises. `password`: any value a person may choose. `token`: something a machine made.
 * `perhaps`: only what is random beyond doubt. `pair`: base64 of `user:password`.
 */
export interface Meaning {
  readonly kind: "password" | "token" | "perhaps" | "pair";
  readonly family: Family;
}

/** What a name says about its value; null when it speaks of no secret. `DB_PASSWORD`, `apiKey`, `x-auth-token`, `PGPASSWORD`. */
export function meaningOfName(name: string): Meaning | null {
  // A longer name would keep the whole text it was cut from in memory.
  if (name.length > MAX_REMEMBERED) return judged(name);
  const known = REMEMBERED.get(name);
  if (known !== undefined) return known;
  if (REMEMBERED.size >= 1000) REMEMBERED.clear();
  const means = judged(name);
  REMEMBERED.set(name, means);
  return means;
}
/** The same few names come again and again. */
const REMEMBERED = new Map<string, Meaning | null>();
const MAX_REMEMBERED = 12;

function judged(name: string): Meaning | null {
  const words = wordsOf(name);
  const at = words.findLastIndex((word) => HEADS.has(word));
  if (at < 0) return null;
  const head = words[at]!;
  const before = words.slice(0, at);
  const after = words.slice(at + 1);
  if (after.some((word) => ABOUT.has(word)) || before.some((word) => UNLIKE.has(word))) return null;
  const kind = kindOf(head, before, after);
  return kind && { kind, family: familyOf(head, words) };
}

function kindOf(head: string, before: readonly string[], after: readonly string[]): Meaning["kind"] | null {
  const own = HEADS.get(head)!;
  if (own === "pair") return after.length > 0 ? null : before.every((word) => word === "basic" || word === "registry") ? "pair" : "perhaps";
  if (own === "key" && before.length === 0) return null;
  // Tests pass, and so do arguments.
  if (head === "pass" && before.length === 0) return "token";
  if (after.some((word) => !FURTHER.test(word))) return "perhaps";
  if (own === "key") return KEYS.has(before.at(-1)!) ? "token" : "perhaps";
  return own;
}

function familyOf(head: string, words: readonly string[]): Family {
  if (words.some((word) => CLOUDS.has(word)) || words.join(" ").includes("secret access key")) return "cloud-key";
  if (head === "key" && (words.includes("account") || words.includes("shared"))) return "cloud-key";
  if (head === "key" && words.includes("private")) return "private-key";
  return /^pa(?:ir|ssword)$/.test(HEADS.get(head)!) || head.startsWith("secret") || head.startsWith("cred") ? "password" : "access-token";
}

/** camelCase, snake_case, kebab-case and dotted names; a secret word glued to others is cut off. */
function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.flatMap((word) => unglued(word.toLowerCase()));
}

function unglued(word: string): string[] {
  const key = GLUED_KEY.exec(word);
  if (key) return key.slice(1).filter(Boolean);
  const tail = GLUED.find((ending) => word.length > ending.length && word.endsWith(ending));
  return tail ? [word.slice(0, -tail.length), tail] : [word];
}
const GLUED_KEY = /^([a-z]{0,24}?)(api|access|secret|private|auth|account|encryption|signing|shared|master)(key|token)$/;
const GLUED = ["password", "passwd", "passphrase", "passcode", "secret", "token", "credentials", "pwd"];

const HEADS: ReadonlyMap<string, Meaning["kind"] | "key"> = new Map<string, Meaning["kind"] | "key">([
  ...list("password", "password passwd passwort passphrase passcode pass pwd pw dbpass sshpass userpass rootpass adminpass mnemonic"),
  ...list("token", "secret token jwt pat bearer credential credentials cred creds"),
  ...list("perhaps", "passwords secrets tokens keys"),
  ...list("key", "key"),
  ...list("pair", "auth"),
]);
function list<K extends string>(kind: K, words: string): [string, K][] {
  return words.split(" ").map((word) => [word, kind]);
}

/** The word before a name that is written as two: `API key: …` */
export const goesBeforeKey = (word: string): boolean => KEYS.has(word.toLowerCase());

/** A key of these is a secret; any other key may be a name, an index, a place in a table. */
const KEYS = wordSet(
  "api access secret private encryption encrypt decryption decrypt signing sign auth account shared master admin root license licence service deploy session app application client subscription storage function functions write read ingest ingestion insert integration webhook hmac aes jwt cookie personal server live prod user org organization project preshared psk",
);

/** Words after the secret word that make it a name for something else: `token_url`, `password_policy`, `secretName`. */
const ABOUT = wordSet(
  "id ids name names file files filename path paths dir directory url uri urls endpoint type types kind length len size count counts limit max min hash hashed policy policies expiry expires expiration expired exp ttl age timeout lifetime interval date time at on status state valid validity validation validator invalid field fields label title hint placeholder message messages error errors prompt help description desc header headers prefix suffix regex pattern format version alias index idx algorithm algo method mode env var vars variable ref reference arn provider providers manager service services store host port user username email enabled disabled required optional exists present found missing changed updated created reset strength score rules rule config configuration settings options option class component handler helper util utils spec page form input button view screen route controller model schema table column list set map cache bucket generator factory builder parser lexer counter usage budget window rate cost price per fingerprint checksum digest sha sha1 sha256 md5 vault ring chain board word press down up stroke frame frames scope scopes audience issuer source scanning rotation encrypted auth json yaml yml toml txt csv js ts py go rs java xml html css md lock",
);
/** Words before it that take the secret away: `public_key`, `csrf-token`, `nextPageToken`, `invalidToken`. */
const UNLIKE = wordSet(
  "public pub publishable csrf xsrf authenticity antiforgery non not no without has is skip hide show forgot invalid fake dummy mock example sample wrong next page continuation continue pagination paging cursor cancellation cancel sync resume idempotency cache primary foreign sort partition shard routing lookup object bucket row index map hot arrow natural schema sequence unexpected",
);
/** Words after it that change nothing: `password2`, `token_prod`, `SECRET_KEY_BASE`. */
const FURTHER =
  /^(?:\d+|prod|production|dev|development|stage|staging|test|testing|live|main|default|base|value|val|string|str|plain|plaintext|raw|old|new|current|previous|prev|primary|secondary|backup|admin|root|master|local|remote|base64|b64|encoded|confirm|confirmation|again|repeat|[a-d])$/;
const CLOUDS = wordSet("aws azure gcp google cloudflare digitalocean alibaba aliyun tencent oci yandex s3 amz");
