import { passwordIn } from "../base64.ts";
import { isPlaceholderValue } from "../placeholder.ts";
import { isCode, isMixed, isStrong, isWordy } from "../randomness.ts";
import type { NamedForm } from "./forms.ts";
import type { Meaning } from "./names.ts";
import type { Value } from "./value.ts";

/** Whether a value is what its name promises, and not a placeholder, a piece of code or a word of a sentence. */
export function fitsName({ text, quoted }: Value, means: Meaning, form: NamedForm): boolean {
  if (text.length < 4 || isPlaceholderValue(text) || (!quoted && isCode(text))) return false;
  if (!isEnvironment(form) && NAMES_ITSELF.test(text)) return false;
  // A registry's may be a token in place of a name and a password.
  if (means.kind === "pair") return passwordIn(text) !== null || (quoted && text.length >= 32 && isStrong(text));
  if (means.kind === "perhaps") return isStrong(text);
  if (form.kind === "loose" && !isChosen(text) && !isNoWord(text)) return false;
  if (means.kind === "password") return isPassword(text, form, quoted);
  return isToken(text, form, quoted) && (means.family === "password" || TOKEN.test(text));
}
const TOKEN = /^[\w.~+/=:@%!#$&*^-]+$/;

/** `challengePassword`, `not_a_secret`: what it is called, not what it is. */
const NAMES_ITSELF = /^[A-Za-z_. -]{0,40}(?:password|passwd|passphrase|secret|token|credential|private_?key|api_?key)[A-Za-z_. -]{0,20}$/i;

/** Made by a machine: letters and digits that are no words, or a long mix of capitals and small letters. */
function isToken(value: string, form: NamedForm, quoted: boolean): boolean {
  if (value.length < 8 || /\s/.test(value)) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value) && !isWordy(value)) return true;
  if (value.length >= 12 && (isMixed(value) || (quoted && /[a-z]/.test(value) && /[A-Z]/.test(value) && !isWordy(value)))) return true;
  // A word as a secret: only where a program could not mean anything else by it.
  return isEnvironment(form) && !/[-_./]/.test(value) && (quoted || value.length >= 10);
}

/** Chosen by a person. A bare word counts only where code and prose cannot stand. */
function isPassword(value: string, form: NamedForm, quoted: boolean): boolean {
  if (/\s/.test(value)) return false;
  if (/^\d+$/.test(value)) return value.length >= 6 && (quoted || isEnvironment(form));
  if (isEnvironment(form) || form.kind === "mark") return true;
  if (/^[A-Za-z]+$/.test(value)) return isNoWord(value) || (quoted && value.length >= 6 && !/^[A-Z][a-z]+$/.test(value));
  return isChosen(value) || isNoWord(value) || (quoted && /[^\w.-]/.test(value)) || (/[!@#$%^&*+=?~]/.test(value) && value.length >= 6);
}

const isEnvironment = ({ kind }: NamedForm): boolean => kind === "env" || kind === "line";

const isNoWord = (value: string): boolean => value.length >= 8 && !isWordy(value);

/** Letters with digits in them, but no version and no name made of several words. */
const isChosen = (value: string): boolean =>
  value.length >= 4 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^v?\d+(?:[.-]\w+)*$/.test(value) &&
  !(/[-_./].*[-_./]/.test(value) && isWordy(value));
