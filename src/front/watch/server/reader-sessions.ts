import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const LIFE_MS = 12 * 60 * 60_000;
/** Each was entered with a link of its own. Of more than so many the oldest ends. */
const MOST_SESSIONS = 16;

/** Somebody who came in. */
export interface ReaderSession {
  /** What every form of this reader carries. */
  readonly mark: string;
  isMark(given: string): boolean;
  /** What only a script of ours in the tab that came in knows. */
  readonly key: string;
  isKey(given: string): boolean;
}

export interface ReaderSessions {
  /** The id is for the cookie alone; it is not kept. */
  open(): string;
  find(id: string): ReaderSession | null;
}

/** Sessions end with the process, or after twelve hours. */
export function createReaderSessions(now: () => number): ReaderSessions {
  const secret = randomBytes(32);
  const until = new Map<string, number>();
  return {
    open() {
      const id = randomBytes(32).toString("base64url");
      until.set(nameOf(id), now() + LIFE_MS);
      for (const name of until.keys()) if (until.size > MOST_SESSIONS) until.delete(name);
      return id;
    },
    find(id) {
      const name = nameOf(id);
      const end = until.get(name);
      if (end === undefined) return null;
      if (now() >= end) {
        until.delete(name);
        return null;
      }
      const [mark, tab] = ["mark", "tab"].map((use) => createHmac("sha256", secret).update(`${use} ${id}`).digest("base64url"));
      return { mark: mark!, isMark: (given) => isSame(given, mark!), key: tab!, isKey: (given) => isSame(given, tab!) };
    },
  };
}

const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
/** Ids are looked up by their hash, so the time a look takes says nothing about an id. */
const nameOf = (id: string): string => digest(id).toString("base64url");
