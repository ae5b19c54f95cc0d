import type { ConnectionEnd } from "./connection.ts";

type RefusedEnd = Extract<ConnectionEnd, { verdict: "refused" }>;

/** Which refused connections of one command have a line of their own in the audit log. A loop must not fill it. */
export interface RefusalLines {
  /** Whether this one has; otherwise it is counted. */
  note(end: RefusedEnd): boolean;
  /** Refusals that were only counted, one for each name and port; the last one stands for all of them. */
  counted(): readonly RefusedEnd[];
}

/** Lines for the same name and port, and for all of them. */
const MOST_SAME = 10;
const MOST_LINES = 200;
const MOST_NAMES = 50;
const OTHERS = "other names";

export function createRefusalLines(): RefusalLines {
  const written = new Map<string, number>();
  const more = new Map<string, RefusedEnd & { readonly times: number }>();
  let lines = 0;
  return {
    note(end) {
      const key = `${end.host}:${end.port}`;
      const same = written.get(key) ?? 0;
      if (same < MOST_SAME && lines < MOST_LINES) {
        written.set(key, same + 1);
        lines++;
        return true;
      }
      const isNamed = more.has(key) || more.size < MOST_NAMES;
      const { unanswered: _unanswered, address: _address, ...told } = end;
      const one = isNamed ? told : { ...told, host: OTHERS, port: 0, why: "too many names to tell each" };
      const counted = isNamed ? key : OTHERS;
      more.set(counted, { ...one, times: (more.get(counted)?.times ?? 0) + 1 });
      return false;
    },
    counted: () => [...more.values()],
  };
}
