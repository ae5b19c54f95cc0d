import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a link opens the page. */
const LIFE_MS = 60_000;
/** Nobody guesses 256 bits. Whoever tries so often is not the person with the link, and the link is void. */
const MOST_WRONG = 10;

/** The codes that stand in links. There is one at a time, it is good for one entry, and only its hash is kept. */
export interface EntryCodes {
  /** Makes a new code; the one before is void. */
  issue(): string;
  /** Whether it was the code. `worn`: too many were wrong, and only a new link helps. */
  take(given: string): "right" | "wrong" | "worn";
}

export function createEntryCodes(now: () => number): EntryCodes {
  let open: { readonly hash: Buffer; readonly until: number } | null = null;
  let wrong = 0;
  return {
    issue() {
      const code = randomBytes(32).toString("base64url");
      open = { hash: hashOf(code), until: now() + LIFE_MS };
      wrong = 0;
      return code;
    },
    take(given) {
      if (wrong >= MOST_WRONG) return "worn";
      // The comparison takes the same time whether there is a code or not.
      const isRight = timingSafeEqual(hashOf(given), open?.hash ?? hashOf(randomBytes(32).toString("base64url")));
      if (isRight && open !== null && now() < open.until) {
        open = null;
        return "right";
      }
      wrong += 1;
      return "wrong";
    },
  };
}

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();
