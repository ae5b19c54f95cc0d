import { escapeInNote, escapeMarkers, omission } from "../core/marker.ts";
import type { Filtering } from "../core/tool.ts";
import type { Omission } from "../filters/filter.ts";
import type { OutputFilter, Shortening } from "../filters/output.ts";
import type { SecretFinder } from "../filters/secrets/secrets.ts";
import { type KnownSecrets, type OutcomeTexts, type RedactedTexts, redactTexts } from "./redact-texts.ts";

/** Which of the texts a command printed, and how it ended. */
export interface PrintedAt {
  readonly at: number;
  readonly command: string;
  readonly exitCode: number;
  /** The same command printed before in this turn. */
  readonly again?: true;
}

export interface CleanOptions {
  /** Null shows every text as it came, markers escaped. */
  readonly printed: PrintedAt | null;
  /** Which of the texts are notes of ours. */
  readonly notes: readonly number[];
  /** The number of the handle, should something be left out. */
  readonly handle: number;
  readonly nonce: string;
}

export interface CleanedTexts extends RedactedTexts {
  readonly filter: Filtering | null;
  /** What is not shown of what was printed, and all of it, redacted. */
  readonly omitted: OmittedText | null;
}
export interface OmittedText extends Omission {
  readonly whole: string;
}

/** Shortens what a command printed, escapes what looks like our notes, and takes the secrets out of all texts. `secrets` null shows them. */
export function cleanTexts(
  strings: OutcomeTexts,
  { printed, notes, handle, nonce }: CleanOptions,
  { filter, secrets }: { readonly filter: OutputFilter | null; readonly secrets: SecretFinder | null },
): CleanedTexts {
  const redacted = (texts: readonly string[], known: KnownSecrets): RedactedTexts =>
    secrets ? redactTexts({ ...strings, texts }, secrets, known) : { ...strings, texts, warning: null };
  const escaped = (text: string, n: number): string => (notes.includes(n) ? escapeInNote(text) : escapeMarkers(text));
  if (!printed || !filter) return { filter: null, omitted: null, ...redacted(strings.texts.map(escaped), NOTHING) };
  const { at, command, exitCode, again } = printed;
  const raw = strings.texts[at]!;
  const made = filter.shorten({ command, raw, exitCode, ...(again && { again }) }, (left) => omission({ ...left, handle, nonce }));
  const texts = strings.texts.map((text, n) => (n === at ? made.body : escaped(text, n)));
  const isClean = made.body === raw || made.secrets.length > 0;
  const clean = redacted(texts, { secrets: made.secrets, looked: isClean ? at : null, from: raw });
  const whole = () => (made.secrets.length > 0 ? filter.secrets.redact(raw, made.secrets) : raw);
  return {
    ...clean,
    warning: made.warning ?? clean.warning,
    filter: again && !made.left ? null : reportOf(made),
    omitted: made.left && { ...made.left, whole: whole() },
  };
}

const NOTHING: KnownSecrets = { secrets: [], looked: null, from: null };

const reportOf = ({ rule, confidence, rawLines, lines, rawChars, chars, secrets }: Shortening): Filtering => ({
  rule,
  confidence,
  rawLines,
  lines,
  rawChars,
  chars,
  secrets: [...new Set(secrets.map(({ family }) => family))],
});
