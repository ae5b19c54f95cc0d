import type { CustomPatterns } from "./custom-patterns.ts";
import { createValueFinder, type KnownValues } from "./known-values.ts";
import { scan } from "./scan.ts";
import { apart, type Family, type Secret, type SecretSpan } from "./span.ts";
import { type VisibleText, visibleTexts } from "./visible-text.ts";

export type { Family, Secret } from "./span.ts";

export interface SecretFinder {
  /** Every secret in a text as it was printed: colour codes, wrapped lines and all. */
  find(raw: string): readonly Secret[];
  /** Takes the values out of a text, which may be a shortened form of what was scanned: `[redacted:<family>]`. */
  redact(text: string, found: readonly Secret[]): string;
}

const NONE: CustomPatterns = { custom: { find: () => [] }, warnings: [] };

/** More different values are not kept. What is beyond is still taken out where it stands. */
const MAX_VALUES = 1000;

/** Patterns a person adds come compiled (custom.ts): the engine for them takes a moment to load, and few add any. */
export function createSecretFinder(
  { custom, warnings }: CustomPatterns = NONE,
  own: ReadonlySet<string> = new Set(),
): { readonly secrets: SecretFinder; readonly warnings: readonly string[] } {
  const spansOf = (text: string): SecretSpan[] => [...scan(text), ...custom.find(text), ...ownKeys(text, own)];
  return { secrets: { find: (raw) => find(raw, spansOf), redact: (text, found) => redact(text, found, spansOf) }, warnings };
}

/** Keys we use ourselves, whatever they look like. */
function* ownKeys(text: string, own: ReadonlySet<string>): Generator<SecretSpan> {
  for (const value of own)
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + value.length))
      yield { start, end: start + value.length, family: "access-token" };
}

/** What the audit log and every stored text go through: find and redact in one. Never throws. */
export function redactText(text: string, secrets: SecretFinder): string {
  try {
    const found = secrets.find(text);
    return found.length === 0 ? text : secrets.redact(text, found);
  } catch {
    // Nothing is better than a secret.
    return "[redacted: the text could not be searched for secrets]";
  }
}

/** The line appended when something was found. */
export function warningLine(found: readonly Secret[]): string {
  const counts = new Map<Family, number>();
  for (const { family } of found) counts.set(family, (counts.get(family) ?? 0) + 1);
  const families = [...counts].sort((a, b) => b[1] - a[1]).map(([family, count]) => (count > 1 ? `${family} ×${count}` : family));
  const named = families.length > 3 ? [...families.slice(0, 2), "others"] : families;
  const count = found.length >= MAX_VALUES ? `${MAX_VALUES}+` : found.length;
  return `[security] ${count} secret${found.length === 1 ? "" : "s"} redacted: ${named.join(", ")}`;
}

type SpansOf = (text: string) => SecretSpan[];
type Seen = readonly { readonly plain: VisibleText; readonly spans: readonly SecretSpan[] }[];

/** What was found in which text, for as long as the finding is held: a caller that finds and then redacts the same text searches it once. */
const SEARCHED = new WeakMap<readonly Secret[], { readonly text: string; readonly seen: Seen }>();
/** The values of a finding, ready to be found again in any number of texts. */
const PREPARED = new WeakMap<readonly Secret[], KnownValues>();

const search = (text: string, spansOf: SpansOf): Seen => visibleTexts(text).map((plain) => ({ plain, spans: spansOf(plain.text) }));

function find(raw: string, spansOf: SpansOf): Secret[] {
  const families = new Map<string, Family>();
  const seen = search(raw, spansOf);
  for (const { plain, spans } of seen) {
    for (const span of spans) {
      for (const value of [span.value ?? plain.text.slice(span.start, span.end), span.also]) {
        if (value && families.size < MAX_VALUES && !families.has(value)) families.set(value, span.family);
      }
    }
  }
  const found = [...families].map(([value, family]) => ({ family, value }));
  if (found.length > 0) SEARCHED.set(found, { text: raw, seen });
  return found;
}

/** By place as well as by value: what is found again in the text itself is taken out even where no value was kept. */
function redact(text: string, found: readonly Secret[], spansOf: SpansOf): string {
  const known = PREPARED.get(found) ?? createValueFinder(found);
  PREPARED.set(found, known);
  const before = SEARCHED.get(found);
  const spans: SecretSpan[] = [];
  for (const seen of before?.text === text ? before.seen : search(text, spansOf)) {
    const all = [...seen.spans, ...known(seen.plain.text)];
    for (const { start, end, family } of apart(all))
      spans.push({ start: seen.plain.origin(start), end: seen.plain.origin(end - 1) + 1, family });
  }
  return replaced(text, apart(spans));
}

/** Escape codes inside a value are kept behind it: a colour that ends there must end. */
function replaced(text: string, spans: readonly SecretSpan[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, family } of spans) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are made of them
    const codes = text.slice(start, end).match(/\x1b\[[\d;]{0,32}[mK]/g);
    parts.push(text.slice(from, start), `[redacted:${family}]`, ...(codes ?? []));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
