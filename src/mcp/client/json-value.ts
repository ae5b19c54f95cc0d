/** An object as JSON has them; anything else is an empty one. */
export const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is nested deeper than this, without going down into it: a deep one must not end the process. */
export function deeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    const next: unknown[] = [];
    for (const one of level) if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) next.push(inner);
    level = next;
  }
  return false;
}
