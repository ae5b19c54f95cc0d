import type { Facts } from "../core/facts.ts";

/** Far more than a call touches; a command that names more looks them up each time. */
const MOST = 64;

export interface Briefly<F extends Facts> {
  readonly facts: F;
  /** A judgement begins: what was looked up for the one before is forgotten. */
  begin(): void;
}

/** Where a path leads is looked up once for each judgement, so that all gates speak of the same place. Whoever acts on it looks again. */
export function briefly<F extends Facts>(facts: F): Briefly<F> {
  const canonical = new Map<string, string>();
  const entry = new Map<string, string>();
  const kept = (known: Map<string, string>, resolve: (path: string) => string) => (path: string) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = resolve(path);
    if (known.size < MOST) known.set(path, found);
    return found;
  };
  return {
    facts: { ...facts, canonical: kept(canonical, facts.canonical), entry: kept(entry, facts.entry) },
    begin() {
      canonical.clear();
      entry.clear();
    },
  };
}
