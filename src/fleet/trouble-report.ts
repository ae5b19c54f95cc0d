/** Tells the operator once that questions to the database fail, and once that they are answered again. */
export interface TroubleReport {
  fails(what: string, error: unknown): void;
  isWell(): void;
}

export function createTroubleReport(warn: (words: string) => void): TroubleReport {
  let said: string | null = null;
  return {
    fails(what, error) {
      const words = `${what}: ${error instanceof Error ? error.message : String(error)}`;
      if (said !== words) warn(words);
      said = words;
    },
    isWell() {
      if (said !== null) warn("The database answers again.");
      said = null;
    },
  };
}
