import { createRequire } from "node:module";

/** Of this package, as servers and clients are told it. */
export const version = (): string => createRequire(import.meta.url)("zeph/package.json").version;
