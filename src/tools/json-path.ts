/** A step into a JSON value: a name, a place (negative ones count from the end), or everything. */
type Step = { readonly name: string } | { readonly index: number } | "all";

export interface JsonPathResult {
  readonly values: readonly unknown[];
  /** When nothing was found: how far the path leads, and what is there. */
  readonly stopped: string | null;
}

/** A step and how it was written. */
export type JsonPath = readonly { readonly step: Step; readonly text: string }[];

export function selectJson(root: unknown, path: JsonPath): JsonPathResult {
  let values: readonly unknown[] = [root];
  let at = "$";
  for (const { step, text } of path) {
    const next = values.flatMap((value) => children(value, step));
    if (next.length === 0)
      return { values: next, stopped: `${at} is ${jsonShape(values[0])}${values.length > 1 ? " (the first of several)" : ""}` };
    values = next;
    at += text;
  }
  return { values, stopped: null };
}

const STEP = /\.([^.[\]\s'"*]+)|\.\*|\[\s*(?:(-?\d{1,9})|\*|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/y;

/** The part of JSONPath that names things: `$.a.b[0].c`, `$['a b']`, `[-1]` from the end, `[*]` and `.*` for all. Throws what is wrong with a path. */
export function parsePath(path: string): JsonPath {
  if (!path.startsWith("$")) throw new Error('a path begins with "$", as in $.items[0].name');
  const steps: { step: Step; text: string }[] = [];
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (!match)
      throw new Error(`not understood from ${JSON.stringify(path.slice(at, at + 40))}; known are .name, ['name'], [0], [-1], [*] and .*`);
    const [text, bare, index, single, double] = match;
    const name = bare ?? single?.replace(/\\(.)/g, "$1") ?? double?.replace(/\\(.)/g, "$1");
    steps.push({ text, step: name !== undefined ? { name } : index !== undefined ? { index: Number(index) } : "all" });
  }
  return steps;
}

function children(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === "all") return Object.values(value);
  if ("name" in step) return !Array.isArray(value) && Object.hasOwn(value, step.name) ? [Reflect.get(value, step.name)] : [];
  if (!Array.isArray(value)) return [];
  const index = step.index < 0 ? value.length + step.index : step.index;
  return index >= 0 && index < value.length ? [value[index]] : [];
}

const MOST_NAMES = 40;

/** The shape of a value, for a model that looks for the way on. */
export function jsonShape(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== "object" || value === null) return value === null ? "null" : `a ${typeof value}`;
  const names = Object.keys(value);
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return names.length === 0 ? "an empty object" : `an object with ${names.slice(0, MOST_NAMES).join(", ").slice(0, 1000)}${more}`;
}
