import { keepRecent } from "../../text/keep-recent.ts";

const MOST_SEEN = 1000;

/** Says once for each session that it is the first time. */
export function createSessionsSeen(): (session: string) => boolean {
  const seen = new Map<string, true>();
  return (session) => {
    const isFirst = !seen.has(session);
    keepRecent(seen, session, true, MOST_SEEN);
    return isFirst;
  };
}
