import { attempt } from "./attempt.ts";

/** The same value always gives the same text: names sorted, nothing undefined. For rules, keys and hashes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** The value that a text stands for; undefined when it is no JSON. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object as JSON has them; anything else is an empty one. */
export const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

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
