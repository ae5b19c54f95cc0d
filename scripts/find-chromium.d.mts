/** The path of the system's browser; null where there is none. */
export function findChromium(): string | null;
