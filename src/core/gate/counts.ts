import type { Count, Opinion, Review } from "./verdict.ts";

/** How often each gate has spoken, by its name. */
export interface GateCounts {
  add(review: Review, which: (one: Opinion) => boolean): void;
  all(): ReadonlyMap<string, Count>;
}

export function createCounts(): GateCounts {
  const counts = new Map<string, { passed: number; asked: number; denied: number }>();
  return {
    add({ trace }, which) {
      // The blocklist speaks only when it bars.
      const passed: readonly Opinion[] = trace[0]?.gate === "blocklist" ? [] : [{ kind: "pass", gate: "blocklist" }];
      for (const one of [...passed, ...trace]) {
        if (!which(one)) continue;
        const count = counts.get(one.gate) ?? { passed: 0, asked: 0, denied: 0 };
        counts.set(one.gate, count);
        count[COUNTED[one.kind]] += 1;
      }
    },
    all: () => counts,
  };
}

const COUNTED = { pass: "passed", ask: "asked", deny: "denied" } as const;
