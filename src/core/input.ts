import { attempt } from "../text/attempt.ts";

const MAX_DEPTH = 64;
const MAX_NODES = 100_000;
export const TOO_MANY_VALUES = `The arguments hold more than ${MAX_NODES} values.`;

/** The names in an object; null when there are too many. A million of them take a third of a second to list, in whatever way, so this is done once. */
function listNames(value: object): readonly string[] | null {
  const names = Object.keys(value);
  return names.length > MAX_NODES ? null : names;
}

/** The names of arguments; null when they hold too many values, at any depth that may enter. They are counted before anything else reads them. */
export function namesWithin(args: object): readonly string[] | null {
  const top = listNames(args);
  if (!top) return null;
  let left = MAX_NODES - top.length;
  const open = [{ node: args, names: top, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop())
    for (const name of next.names) {
      const node = attempt((): unknown => Reflect.get(next.node, name), null);
      if (typeof node !== "object" || node === null || next.depth >= MAX_DEPTH) continue;
      const names = attempt((): readonly string[] | null => listNames(node), []);
      if (!names || names.length > left) return null;
      left -= names.length;
      open.push({ node, names, depth: next.depth + 1 });
    }
  return top;
}

/** Why this value may not enter at all, whatever the schema says; null when it may. Never recursive: a deep value must not end the process. */
export function unfit(value: unknown): string | null {
  const open: { value: unknown; depth: number; at: string }[] = [{ value, depth: 0, at: "" }];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_NODES) return TOO_MANY_VALUES;
    const { value: node, depth, at } = open.pop()!;
    if (typeof node === "string") {
      const why = unfitText(node);
      if (why) return `${at || "The argument"} ${why}.`;
      continue;
    }
    if (typeof node !== "object" || node === null) continue;
    if (depth >= MAX_DEPTH) return `The arguments are nested deeper than ${MAX_DEPTH} levels.`;
    const names = listNames(node);
    if (!names || seen + open.length + names.length > MAX_NODES) return TOO_MANY_VALUES;
    for (const key of names) {
      if (key === "__proto__") return `"__proto__" is not allowed as a name.`;
      const why = unfitText(key);
      if (why) return `A name in the arguments ${why}.`;
      open.push({ value: (node as Record<string, unknown>)[key], depth: depth + 1, at: at ? `${at}.${key}` : key });
    }
  }
  return null;
}

function unfitText(text: string): string | null {
  if (text.includes("\0")) return "holds a NUL character";
  if (!text.isWellFormed()) return "holds half a character (a lone surrogate), which cannot be written as UTF-8";
  return null;
}
