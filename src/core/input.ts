const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

/** Why this value may not enter at all, whatever the schema says; null when it may. Never recursive: a deep value must not end the process. */
export function unfit(value: unknown): string | null {
  const open: { value: unknown; depth: number; at: string }[] = [{ value, depth: 0, at: "" }];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_NODES) return `The arguments hold more than ${MAX_NODES} values.`;
    const { value: node, depth, at } = open.pop()!;
    if (typeof node === "string") {
      const why = unfitText(node);
      if (why) return `${at || "The argument"} ${why}.`;
      continue;
    }
    if (typeof node !== "object" || node === null) continue;
    if (depth >= MAX_DEPTH) return `The arguments are nested deeper than ${MAX_DEPTH} levels.`;
    if (seen + open.length + Object.keys(node).length > MAX_NODES) return `The arguments hold more than ${MAX_NODES} values.`;
    for (const key of Object.keys(node)) {
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
