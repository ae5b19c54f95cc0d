/** Whoever wants to know that something changed. They are told after it has, and several changes at once are one. */
export interface Listeners {
  add(listener: () => void): () => void;
  tell(): void;
}

export function createListeners(): Listeners {
  const all = new Set<() => void>();
  let isWaiting = false;
  return {
    add(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell() {
      if (isWaiting || all.size === 0) return;
      isWaiting = true;
      queueMicrotask(() => {
        isWaiting = false;
        for (const listener of [...all]) {
          try {
            listener();
          } catch {
            // A listener that throws harms nobody.
          }
        }
      });
    },
  };
}
