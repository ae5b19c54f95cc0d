import { matchAt } from "../match-at.ts";
import { isFiller, isPlaceholderValue } from "../placeholder.ts";
import { isStrong } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";

const MIN_PASSWORD = 4;

/** After `://`: the user, the password, and the last `@` before the path. */
const USER_INFO = /([^\s/:@?#"'`<>\\]{0,256}):([^\s/?#"'`<>\\]{1,256})@(?=[\w[.$%{-])/y;
/** A database password is often not encoded: `postgres://app:a/b#c@host` */
const RAW_INFO = /([^\s/:@?#"'`<>\\]{0,256}):([^\s"'`<>\\@]{1,256})@(?=[\w.-]{1,253}(?::\d{1,5})?(?:[/?"'\s]|$))/y;
const DATABASE = /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse|oracle)$/;
const USER_ONLY = /([^\s/:@?#"'`<>\\]{16,256})@(?=[\w[.-])/y;

/** A signature that opens the address to everybody who has it, and where the address ends. `at` is where `://` ends. */
export function signature(text: string, at: number): { readonly span: SecretSpan | null; readonly end: number } {
  const address = matchAt(ADDRESS, text, at)?.[0] ?? "";
  const end = at + address.length;
  const value = address.includes("ig") ? SIGNED.exec(address)?.[1] : undefined;
  if (value === undefined) return { span: null, end };
  const start = at + address.lastIndexOf(value);
  return { span: { start, end: start + value.length, family: "cloud-key", value }, end };
}
const ADDRESS = /[^\s"'`<>\\]{1,4096}/y;
const SIGNED = /[?&](?:(?:X-Amz-|X-Goog-)?[sS]ignature|sig)=([A-Za-z0-9%+/_~=-]{40,1024})/;

/** The password in `scheme://user:password@host`, or a token in the place of the user. `at` is where `://` ends. */
export function userInfo(text: string, at: number): SecretSpan | null {
  const found = matchAt(USER_INFO, text, at) ?? (isDatabase(text, at) ? matchAt(RAW_INFO, text, at) : null);
  if (found) {
    const [, user = "", password = ""] = found;
    const start = at + user.length + 1;
    // `http://[::1]:80/…` and `//host:80/@scope` are addresses.
    if (password.length < MIN_PASSWORD || user.startsWith("[") || /^\d{1,5}\//.test(password) || isPlaceholder(user, password)) return null;
    return { start, end: start + password.length, family: "password", value: password };
  }
  const user = matchAt(USER_ONLY, text, at)?.[1];
  return user && isStrong(user) && !isPlaceholderValue(user)
    ? { start: at, end: at + user.length, family: "access-token", value: user }
    : null;
}

const isDatabase = (text: string, at: number): boolean => DATABASE.test(text.slice(Math.max(0, at - 20), at - 3));

/** `user:password@`, `<user>:<password>@`, `$USER:$PASS@`, `user:***@` */
function isPlaceholder(user: string, password: string): boolean {
  if (/^[$%{<*]/.test(password)) return isPlaceholderValue(password);
  if (/^[$%{<*]/.test(user) && isPlaceholderValue(user) && isPlaceholderValue(password)) return true;
  return /^(?:user(?:name)?|usr|me|foo|<.*)$/i.test(user) && isPlaceholderValue(password)
    ? true
    : isFiller(password) || /^(?:pass(?:word|wd)?|pwd|x{3,}|\*+|secret|token|redacted|your.*)$/i.test(password);
}
