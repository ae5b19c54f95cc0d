import { redactNamed } from "../../filters/secrets/named-value.ts";
import { isRecord } from "../../text/json.ts";

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
