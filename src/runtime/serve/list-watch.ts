/** Looks whether a list is another than it was, and tells who wants to know. */
export interface ListWatch {
  look(): void;
  subscribe(changed: () => void): () => void;
}

export function createListWatch(list: () => readonly Listed[]): ListWatch {
  const listeners = new Set<() => void>();
  let seen = list();
  return {
    look() {
      const now = list();
      if (now.length === seen.length && now.every((tool, n) => isSame(tool, seen[n]!))) return;
      seen = now;
      for (const changed of listeners) changed();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** A schema is made once for each tool, so another one is another object. */
const isSame = (a: Listed, b: Listed) => a.name === b.name && a.description === b.description && a.parameters === b.parameters;
