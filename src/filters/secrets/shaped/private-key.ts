import { decoded } from "../base64.ts";
import { matchAt } from "../match-at.ts";
import { isWordy } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";

const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** More than any key has. */
const MAX_BODY = 65_536;

/**
 * The body of a private key, from its `-----BEGIN` to its `-----END`, or, when the end was cut off, as far as the lines look like one.
 * `ends` is where the next `-----END` stands.
 */
export function privateKey(text: string, at: number, nextEnd: (from: number) => number): SecretSpan | null {
  const header = matchAt(HEADER, text, at);
  if (!header) return null;
  const from = at + header[0].length;
  const end = nextEnd(from);
  const region = text.slice(from, Math.min(end < 0 ? text.length : end, from + MAX_BODY));
  const whole = end >= 0 && end - from <= MAX_BODY && !region.includes("-----BEGIN") && isBody(region);
  const prefix = lineStart(text, at);
  return bodySpan(from, whole ? region : region.slice(0, cutBody(region, prefix)), prefix);
}

/** What stands before `-----BEGIN` on its line: a diff's sign, a log's prefix. Each line of the key has it too. */
function lineStart(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_PREFIX), at);
  return before.slice(before.lastIndexOf("\n") + 1);
}
const MAX_PREFIX = 80;

/** Mostly base64, with one line of some length at least. */
function isBody(region: string): boolean {
  const solid = region.replace(/\\[nrt]|\s/g, "");
  const base64 = solid.replace(/[^A-Za-z0-9+/=]/g, "");
  return /[A-Za-z0-9+/=]{16}/.test(base64) && base64.length >= solid.length * 0.6;
}

/** How much of the text after the header is a body that was cut off. */
function cutBody(region: string, prefix: string): number {
  const inline = /^(?:\\{1,2}[nr]|[A-Za-z0-9+/=])+/.exec(region)?.[0].length ?? 0;
  if (inline > 0 && region[inline] !== "\n" && region[inline] !== "\r") return inline;
  let at = 0;
  while (at < region.length) {
    const end = region.indexOf("\n", at);
    const next = end < 0 ? region.length : end + 1;
    if (at > 0 && !isBodyLine(region.slice(at, next), prefix)) break;
    at = next;
  }
  return at;
}

const MAX_LINE = 200;
function isBodyLine(line: string, prefix: string): boolean {
  if (line.length > MAX_LINE) return false;
  const own = line.startsWith(prefix) ? line.slice(prefix.length) : line;
  const bare = own.replace(/^[\s"'`+|>-]+|(?:\\[nr]|[\s"'`+,;\\])+$/g, "");
  if (/^[A-Za-z0-9+/]{8,100}={0,2}$/.test(bare)) return bare.length >= 40 || !isWordy(bare);
  return /^(?:|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]{3,20}: .*)$/.test(bare);
}

/** From the first to the last character of the key. Its lines are the value, without what a log or a diff puts before them. */
function bodySpan(from: number, text: string, prefix: string): SecretSpan | null {
  // Headers stay, and so does the sign of a diff, which base64 has too. Blanks keep the places.
  const body = text
    .replace(/^(?:\s{0,80}[A-Z][A-Za-z0-9-]{2,30}: [^\n]{0,200}\n){1,8}/, (headers) => " ".repeat(headers.length))
    .replace(prefix.endsWith("+") ? /(?<=\n)[ \t]{0,8}\+/g : /(?!)/g, (sign) => " ".repeat(sign.length));
  const runs = [...body.matchAll(/(?<=\\[nr])[A-Za-z0-9+/=]{8,}|(?<!\\)[A-Za-z0-9+/=]{8,}/g)].filter(([run]) => !isWordy(run));
  const last = runs.at(-1);
  if (!last || !runs.some(([run]) => run.length >= 16)) return null;
  const value = runs.filter((run) => run === last || run[0].length >= 16).join("\n");
  return { start: from + runs[0]!.index, end: from + last.index + last[0].length, family: "private-key", value };
}

/** A key whose header was cut off: what its base64 starts with says which kind it is. */
const STARTS =
  /(?:MII[BCEJ][A-Za-z0-9+/]{1,3}IBA(?:A[JK]|DANBgkqhkiG9w0BAQEFAASC)|M(?:HcCAQEEI|HQCAQEEI|C4CAQAwBQYDK2VwBCIEI|IG[HT]AgEAM))[A-Za-z0-9+/]{16,}={0,2}/y;
export function bareKey(text: string, at: number): SecretSpan | null {
  if (!matchAt(STARTS, text, at)) return null;
  const region = text.slice(at, at + MAX_BODY);
  return bodySpan(at, region.slice(0, cutBody(region, lineStart(text, at))), lineStart(text, at));
}

/** Base64 of a whole key file, as in a kubeconfig. Certificates look alike up to their first words. */
const ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2}/y;
export function encodedKey(text: string, at: number): SecretSpan | null {
  const found = matchAt(ENCODED, text, at);
  if (!found || !decoded(found[0].slice(0, 80)).includes("PRIVATE KEY")) return null;
  return { start: at, end: at + found[0].length, family: "private-key", value: found[0] };
}

/** The body of a PuTTY key: a count of lines, then the lines. */
const PUTTY = /Private-Lines: ?\d{1,3}\r?\n/y;
export function puttyKey(text: string, at: number): SecretSpan | null {
  const header = matchAt(PUTTY, text, at);
  if (!header) return null;
  const from = at + header[0].length;
  const body = /^(?:[A-Za-z0-9+/]{1,100}={0,2}\r?\n?){1,200}/.exec(text.slice(from, from + MAX_BODY));
  return body && bodySpan(from, body[0], "");
}
