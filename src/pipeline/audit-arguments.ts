import { redactNamed } from "../filters/secrets/redact-values.ts";
import { maskUrl } from "../text/url.ts";

/** Masks what must not be written down. Works on one string at a time. */
export type Redact = (text: string) => string;

const MAX_TEXT = 500;
/** A secret may straddle the cut, so more is looked at than kept. */
const LOOKED_AT = 4 * MAX_TEXT;
const MAX_ITEMS = 50;
const MAX_DEPTH = 5;
const MAX_VALUES = 1000;

/** Arguments as the audit log keeps them: redacted, and short whatever was sent. */
export function summariseArguments(value: unknown, redact: Redact, depth = 0, budget = { left: MAX_VALUES }, under = ""): unknown {
  // Lists of lists of lists: each is short, and all of them together are not.
  if (--budget.left < 0) return "(more)";
  if (typeof value === "string") return shorten(value, (text) => (under === "" ? redact(text) : redactNamed(under, text, redact)));
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return value === undefined ? undefined : `(${typeof value})`;
  if (depth === MAX_DEPTH) return "(deeper)";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => summariseArguments(item, redact, depth + 1, budget, under));
    return value.length > MAX_ITEMS ? [...items, `(${value.length - MAX_ITEMS} more)`] : items;
  }
  // Thoughts are taken off the top before a call exists; one hidden deeper is refused by the schema, and not written down.
  const names = Object.keys(value).filter((name) => !name.toLowerCase().startsWith("_tafc_think"));
  const kept = names
    .slice(0, MAX_ITEMS)
    .map((name) => [shorten(name, redact), summariseArguments(Reflect.get(value, name), redact, depth + 1, budget, name)]);
  if (names.length > MAX_ITEMS) kept.push(["(more)", names.length - MAX_ITEMS]);
  return Object.fromEntries(kept);
}

/** An address with parameters may be a key to something. */
const masked = (text: string): string => (/^\s*https?:[^?]*\?/i.test(text) && URL.canParse(text) ? maskUrl(new URL(text)) : text);

function shorten(text: string, redact: Redact): string {
  const clean = redact(masked(text.slice(0, LOOKED_AT)));
  if (text.length <= LOOKED_AT && clean.length <= MAX_TEXT) return clean;
  return `${clean.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}
