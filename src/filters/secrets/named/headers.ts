import { decoded, passwordIn } from "../base64.ts";
import { matchAt } from "../match-at.ts";
import { isPlaceholderValue } from "../placeholder.ts";
import { isMixed, isWordy } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";
import type { FoundAssignment } from "./assignment.ts";

/** `Authorization: Bearer …`, `"Authorization": "Basic …"`, `-H authorization:token …` */
const TIE = /\\{0,3}["'`]?[ \t]{0,8}(?:=>|[:=,])?[ \t]{0,8}[rbf]?\\{0,3}["'`]?/y;
const SCHEME =
  /(?:bearer|basic|token|apikey|api-key|api-token|negotiate|ntlm|key|jwt|digest|hawk|aws4-hmac-sha256)[ \t]{1,8}(?:(?:token|key)=)?["']?/iy;
const CREDENTIAL = /[A-Za-z0-9._~+/=:|@-]{6,4096}/y;

const NAME = /authorization/iy;
export function authorization(text: string, start: number): FoundAssignment {
  const name = matchAt(NAME, text, start);
  const after = start + (name?.[0].length ?? 0);
  const tie = name && matchAt(TIE, text, after);
  if (!tie || tie[0] === "") return { spans: [], end: after };
  const at = after + tie[0].length;
  const scheme = matchAt(SCHEME, text, at);
  if (!scheme) return credential(text, at, "bare");
  return credential(text, at + scheme[0].length, /^basic/i.test(scheme[0]) ? "basic" : "token");
}

/** `Bearer …` wherever it stands. */
const BEARER_SPACE = /[ \t]{1,4}["']?/y;
export function bearer(text: string, start: number): FoundAssignment {
  const after = start + "bearer".length;
  const space = matchAt(BEARER_SPACE, text, after);
  return space ? credential(text, after + space[0].length, "token") : { spans: [], end: after };
}

function credential(text: string, at: number, scheme: "basic" | "token" | "bare"): FoundAssignment {
  const value = matchAt(CREDENTIAL, text, at)?.[0].replace(/[.:]+$/, "") ?? "";
  // A long one that is none is not looked at again.
  const none = { spans: [], end: value.length > 100 ? at + value.length : at };
  if (value === "" || isPlaceholderValue(value) || /^[a-z_]+=/i.test(value)) return none;
  const span: SecretSpan = { start: at, end: at + value.length, family: "bearer", value };
  if (scheme === "basic") {
    const password = passwordIn(value);
    if (password !== null) return { spans: [{ ...span, also: password }], end: span.end };
    if (decoded(value) === "") return none;
  }
  const long = scheme === "bare" ? 20 : 12;
  if (value.length < long || isWordy(value)) return none;
  return /\d/.test(value) || isMixed(value) ? { spans: [span], end: span.end } : none;
}

/** `Cookie: a=1; session=…`, `Set-Cookie: sid=…; Path=/` */
const COOKIE_TIE = /\\{0,3}["'`]?[ \t]{0,8}[:=,][ \t]{0,8}\\{0,3}["'`]?(?=[\w.$-]{1,100}=)/y;
const COOKIE = /([\w.$-]{1,100})=("?)([^\s;,"'`\\=]{0,4096}={0,2})"?(;[ \t]{0,4})?/y;
const SESSION = /sess|sid$|auth|token|jwt|login|remember|identity|ticket|secret|credential/i;
const ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|priority|version|comment)$/i;

export function cookies(text: string, start: number): FoundAssignment {
  const after = start + "cookie".length;
  const tie = matchAt(COOKIE_TIE, text, after);
  if (!tie) return { spans: [], end: after };
  const spans: SecretSpan[] = [];
  let at = after + tie[0].length;
  for (let pair = matchAt(COOKIE, text, at); pair; pair = matchAt(COOKIE, text, at)) {
    const [all, name = "", quote = "", value = "", more] = pair;
    const start = at + name.length + 1 + quote.length;
    at += all.length;
    if (isCookieSecret(name, value)) spans.push({ start, end: start + value.length, family: "bearer", value });
    if (!more) break;
  }
  return { spans, end: at };
}

function isCookieSecret(name: string, value: string): boolean {
  if (ATTRIBUTE.test(name) || /csrf|xsrf/i.test(name) || value.length < 6 || isPlaceholderValue(value)) return false;
  if (SESSION.test(name)) return /\d/.test(value) || isMixed(value);
  return value.length >= 20 && isMixed(value);
}
