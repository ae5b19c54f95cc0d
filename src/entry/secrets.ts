// zeph/secrets: secrets in a text.

export type { Family, Secret } from "../filters/secrets/span.ts";
export type { SecretOptions } from "../runtime/alone/secrets.ts";
export { findSecrets, redactSecrets } from "../runtime/alone/secrets.ts";
