import { createSecretFinder, redactText, type Secret } from "../../filters/secrets/secrets.ts";

/** What is looked for besides what looks like a secret. */
export interface SecretOptions {
  /** Values that must never be shown, whatever they look like: keys the program itself uses. */
  readonly known?: Iterable<string>;
}

/** Every secret in a text: keys, tokens, passwords, as they are printed, wrapped or coloured. */
export const findSecrets = (text: string, options: SecretOptions = {}): readonly Secret[] => finderOf(options).find(text);

/** The text with `[redacted:<family>]` in place of every secret. Never throws: a text that cannot be searched is left out as a whole. */
export const redactSecrets = (text: string, options: SecretOptions = {}): string => redactText(text, finderOf(options));

const finderOf = ({ known = [] }: SecretOptions) => createSecretFinder(undefined, new Set([...known].filter(Boolean))).secrets;
