/** Lines for the audit log that had nobody to write them when they came up. */
export interface LateNotes {
  add(text: string): void;
  /** Writes what is kept. What cannot be written stays for the next time. */
  write(note: (text: string) => void): void;
}

const MOST_KEPT = 100;

export function createLateNotes(): LateNotes {
  const kept: string[] = [];
  return {
    add(text) {
      if (kept.length < MOST_KEPT) kept.push(text);
    },
    write(note) {
      while (kept.length > 0) {
        try {
          note(kept[0]!);
          kept.shift();
        } catch {
          return;
        }
      }
    },
  };
}
