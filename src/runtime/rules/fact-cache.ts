import type { Facts } from "../../core/ports/facts.ts";

/** Far more than a call touches; a command that names more looks them up each time. */
const MOST = 64;

export interface FactCache<F extends Facts> {
  readonly facts: F;
  /** A judgement begins: what was looked up for the one before is forgotten. */
  begin(): void;
}

/** Where a path leads is looked up once for each judgement, so that all gates speak of the same place. Whoever acts on it looks again. */
export function createFactCache<F extends Facts>(facts: F): FactCache<F> {
  const [canonical, entry, exists] = [kept(facts.canonical), kept(facts.entry), kept(facts.exists)];
  let moment = 0;
  const looks = { canonical: canonical.look, entry: entry.look };
  const { protection } = facts;
  return {
    facts: {
      ...facts,
      ...looks,
      moment: () => moment,
      exists: exists.look,
      access: (touch) => facts.access(touch, looks),
      ...(protection && { protection: { ...protection, changedBy: (touches) => protection.changedBy(touches, looks) } }),
    },
    begin() {
      moment += 1;
      canonical.forget();
      entry.forget();
      exists.forget();
    },
  };
}

function kept<T>(look: (path: string) => T) {
  const known = new Map<string, T>();
  return {
    look(path: string): T {
      if (known.has(path)) return known.get(path)!;
      const found = look(path);
      if (known.size < MOST) known.set(path, found);
      return found;
    },
    forget: () => known.clear(),
  };
}
