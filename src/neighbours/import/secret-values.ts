import { createSecretFinder } from "../../filters/secrets/secrets.ts";

/** Names whose values nobody else should read. */
const SECRET_NAME =
  /(?:^|[_-])(?:api|auth|access|private|secret|token|key|pass|passwd|password|credential|credentials|pat|jwt|cookie|session|bearer|dsn)(?:$|[_-])|token$|secret$|apikey$|password$|key$/i;
/** A reference to a variable, and nothing that is a value itself. */
const REFERENCE = /\$\{[^}]*\}/g;
/** What a value is that is no secret whatever its name is. */
const HARMLESS = /^(?:true|false|on|off|yes|no|\d{1,6}|)$/i;

export interface SecretValues {
  /** Whether a text holds something that looks like a secret. */
  holdsSecret(text: string): boolean;
  /** Whether a value is one, or could be by its name. */
  isSecret(name: string, value: string): boolean;
}

export function createSecretValues(): SecretValues {
  const { secrets } = createSecretFinder();
  const holdsSecret = (text: string): boolean => secrets.find(text).length > 0;
  return {
    holdsSecret,
    isSecret: (name, value) => {
      const rest = value
        .replace(REFERENCE, "")
        .replace(/^(?:Bearer|Basic|Token)\s*/i, "")
        .trim();
      if (HARMLESS.test(rest)) return false;
      return SECRET_NAME.test(name) || name.toLowerCase() === "authorization" || holdsSecret(`${name}=${value}`) || holdsSecret(value);
    },
  };
}

/** The name of the variable that stands in place of a value. */
export const variableName = (...parts: readonly string[]): string =>
  parts
    .join("_")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
