import { attempt } from "../../text/attempt.ts";

const MAX_LENGTH = 4096;

/** Base64 as text; empty when it is none. */
export const decoded = (base64: string): string =>
  attempt(
    () =>
      atob(
        base64
          .replaceAll("-", "+")
          .replaceAll("_", "/")
          .replace(/={1,2}$/, ""),
      ),
    "",
  );

/** The password in base64 of `user:password`; null when that is not what it is. */
export function passwordIn(pair: string): string | null {
  if (pair.length < 8 || pair.length > MAX_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(pair)) return null;
  return /^[\x20-\x39\x3b-\x7e]{0,200}:([\x20-\x7e]+)$/.exec(decoded(pair))?.[1] ?? null;
}
