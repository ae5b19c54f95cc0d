import { isRecord } from "../../text/json.ts";

/**
 * A value without its secrets, where it stands under a name: `password` says more about a value than the value does. The finder reads both as the
 * line of JSON that they would be.
 */
export function redactNamed(name: string, value: string, redact: (text: string) => string): string {
  const clean = redact(value);
  if (clean !== value) return clean;
  const line = JSON.stringify({ [name]: value });
  const found = redact(line);
  if (found === line) return value;
  try {
    const [other] = Object.values(JSON.parse(found) as object);
    if (typeof other === "string") return other;
  } catch {
    // What was taken out was more than the value.
  }
  return "[redacted]";
}

/** What lies deeper is not looked at, and not handed on. */
const DEEPEST = 60;
const MOST_TEXTS = 20_000;

/** An answer of any shape, with every text in it searched for secrets. Throws what `redact` throws. */
export function redactValues(value: unknown, redact: (text: string) => string, withheld: string): unknown {
  let texts = 0;
  const clean = (one: unknown, name: string, depth: number): unknown => {
    if (typeof one === "string") return ++texts > MOST_TEXTS ? withheld : name === "" ? redact(one) : redactNamed(name, one, redact);
    if (typeof one !== "object" || one === null) return one;
    if (depth === DEEPEST) return withheld;
    if (Array.isArray(one)) return one.map((item) => clean(item, name, depth + 1));
    return isRecord(one) ? Object.fromEntries(Object.entries(one).map(([key, item]) => [key, clean(item, key, depth + 1)])) : withheld;
  };
  return clean(value, "", 0);
}
