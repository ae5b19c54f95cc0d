import { type Secret, type SecretFinder, warningLine } from "../filters/secrets/secrets.ts";

/** The texts of an outcome, apart from what they belong to. */
export interface OutcomeTexts {
  /** What the model reads, part by part. */
  readonly texts: readonly string[];
  /** The texts in its data, in order. */
  readonly others: readonly string[];
  /** What an error says. */
  readonly message: string | null;
}

export interface RedactedTexts extends OutcomeTexts {
  /** Says that something was taken out of what the model reads; null when nothing was, or when it was said before. */
  readonly warning: string | null;
}

export interface KnownSecrets {
  /** Found before, with a warning that is already there. */
  readonly secrets: readonly Secret[];
  /** Which of the texts is clean already; null for none. */
  readonly looked: number | null;
  /** A text in which they were found; another that is the same, but for line ends behind it, is not looked at again. */
  readonly from: string | null;
}

/** Takes the secrets out of everything an outcome carries. What is found in one text is taken out of all of them. */
export function redactTexts({ texts, others, message }: OutcomeTexts, secrets: SecretFinder, known: KnownSecrets): RedactedTexts {
  const fresh = [...texts.filter((_, n) => n !== known.looked), ...others.filter((value) => !isSame(value, known.from))];
  const found = merged(known.secrets, findIn(fresh, secrets));
  const all = message === null ? found : merged(found, secrets.find(message));
  if (all.length === 0) return { texts, others, message, warning: null };
  const done = new Map<string, string>();
  const clean = (value: string): string => {
    const end = endOf(value);
    const body = value.slice(0, end);
    // A long text often comes twice: as what is shown, and as data.
    if (body.length > LONG && !done.has(body)) done.set(body, secrets.redact(body, found));
    return (done.get(body) ?? secrets.redact(body, found)) + value.slice(end);
  };
  const shown = texts.map((text, n) => (n === known.looked ? text : clean(text)));
  const isNews = known.secrets.length === 0 && shown.some((text, n) => text !== texts[n]);
  return {
    texts: shown,
    warning: isNews ? warningLine(found) : null,
    others: others.map(clean),
    message: message === null ? null : secrets.redact(message, all),
  };
}

const LONG = 100_000;

const isSame = (value: string, from: string | null): boolean =>
  from !== null && value.length >= from.length && endOf(value) === endOf(from) && value.startsWith(from.slice(0, endOf(from)));

/** Where the line ends behind a text begin. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return end;
}

/** Short texts are looked at together: a key may lie in several lines of data. Long ones one by one, so that nothing huge is copied. */
function findIn(strings: readonly string[], secrets: SecretFinder): readonly Secret[] {
  const short = strings.filter(({ length }) => length <= LONG);
  const long = strings.filter(({ length }) => length > LONG);
  return [short.length === 1 ? short[0]! : short.join("\n"), ...long].reduce<readonly Secret[]>(
    (found, text) => merged(found, secrets.find(text)),
    [],
  );
}

const merged = (known: readonly Secret[], more: readonly Secret[]): readonly Secret[] => {
  if (known.length === 0) return more;
  const values = new Set(known.map(({ value }) => value));
  const fresh = more.filter(({ value }) => !values.has(value));
  return fresh.length === 0 ? known : [...known, ...fresh];
};
