import type { NamedCall } from "./call-titles.ts";

const MOST_VALUES = 10_000;

/**
 * A call without the secrets in its arguments. Each text is looked at by itself and beside its name, because some secrets are known only by what
 * they are called. What has too many parts to look at all of them is not shown.
 */
export function redactCall({ name, args }: NamedCall, redact: (text: string) => string): NamedCall {
  let left = MOST_VALUES;
  const clean = (value: unknown, key: string): unknown => {
    if (--left < 0) return "[left out]";
    if (typeof value === "string") return cleanText(value, key, redact);
    if (Array.isArray(value)) return value.map((one) => clean(one, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([inner, one]) => [redact(inner), clean(one, inner)]));
  };
  return { name, args: clean(args, "") };
}

function cleanText(value: string, key: string, redact: (text: string) => string): string {
  const text = redact(value);
  if (text !== value || key === "" || /\s/.test(value)) return text;
  const beside = redact(`${key}=${value}`);
  return beside === `${key}=${value}` || !beside.startsWith(`${key}=`) ? text : beside.slice(key.length + 1);
}
