import { didYouMean } from "../../text/nearest.ts";

/** Throws a TypeError for an option that does not exist: one that is ignored may be a rule somebody relies on. */
export function assertKnownOptions(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new TypeError(`${owner} takes an object with named options.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${owner} has no option "${unknown}".${didYouMean(unknown, known)} It has ${known.join(", ")}.`);
}
