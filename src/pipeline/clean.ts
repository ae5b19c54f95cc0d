import { escapeMarkers, omission } from "../core/marker.ts";
import type { Filtering } from "../core/tool.ts";
import type { OutputFilter, Shortening } from "../filters/output.ts";
import type { Secrets } from "../filters/secrets/secrets.ts";
import { type Known, redactStrings, type Strings } from "./redact.ts";

/** What a command printed: so many characters at the beginning of the text. */
export interface Printing {
  readonly command: string;
  readonly length: number;
  readonly exitCode: number;
}

export interface CleanOptions {
  /** Null shows the text as it came, markers escaped. */
  readonly printed: Printing | null;
  /** The number of the handle, should something be left out. */
  readonly handle: number;
  readonly nonce: string;
}

export interface Cleaned extends Strings {
  readonly filter: Filtering | null;
  /** The whole text, redacted, when a part of it is not shown. */
  readonly raw: string | null;
}

/** Shortens what a command printed, escapes what looks like our notes, and takes the secrets out of all texts. `secrets` null shows them. */
export function cleanStrings(
  strings: Strings,
  { printed, handle, nonce }: CleanOptions,
  { filter, secrets }: { readonly filter: OutputFilter | null; readonly secrets: Secrets | null },
): Cleaned {
  if (!printed || !filter) {
    const text = escapeMarkers(strings.text);
    return { ...(secrets ? redactStrings({ ...strings, text }, secrets, NOTHING) : { ...strings, text }), filter: null, raw: null };
  }
  const raw = strings.text.slice(0, printed.length);
  const made = filter.shorten({ command: printed.command, raw, exitCode: printed.exitCode }, (left) =>
    omission({ ...left, handle, nonce }),
  );
  const text = made.text + strings.text.slice(printed.length);
  const known: Known = { secrets: made.secrets, looked: made.text === raw || made.secrets.length > 0 ? made.text.length : 0, from: raw };
  return {
    ...(secrets ? redactStrings({ ...strings, text }, secrets, known) : { ...strings, text }),
    filter: reportOf(made),
    raw: made.left === null ? null : made.secrets.length > 0 ? filter.secrets.redact(raw, made.secrets) : raw,
  };
}

const NOTHING: Known = { secrets: [], looked: 0, from: null };

const reportOf = ({ rule, confidence, rawLines, lines, rawChars, chars, secrets }: Shortening): Filtering => ({
  rule,
  confidence,
  rawLines,
  lines,
  rawChars,
  chars,
  secrets: [...new Set(secrets.map(({ family }) => family))],
});
