import type { Bus } from "../../core/ports/fleet/session.ts";

type Listener = Parameters<Bus["hear"]>[1];

/** Who listens for what, in one process. */
export interface SubjectListeners {
  /** Returns what ends it: true where it was the last one of its subject. */
  add(subject: string, listener: Listener): () => boolean;
  tell(subject: string, data: unknown): void;
  subjects(): readonly string[];
  has(subject: string): boolean;
}

export function createSubjectListeners(): SubjectListeners {
  const bySubject = new Map<string, Set<{ readonly listener: Listener }>>();
  return {
    add(subject, listener) {
      const entry = { listener };
      const all = bySubject.get(subject) ?? new Set();
      bySubject.set(subject, all.add(entry));
      return () => {
        if (!all.delete(entry) || all.size > 0) return false;
        bySubject.delete(subject);
        return true;
      };
    },
    tell(subject, data) {
      for (const { listener } of [...(bySubject.get(subject) ?? [])]) void call(listener, data, subject);
    },
    subjects: () => [...bySubject.keys()],
    has: (subject) => bySubject.has(subject),
  };
}

/** What a listener throws, at once or later, is its own affair: the others still hear. */
async function call(listener: Listener, data: unknown, subject: string): Promise<void> {
  try {
    await listener(data, subject);
  } catch {
    // See above.
  }
}
