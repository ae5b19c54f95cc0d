import { didYouMean } from "../../text/nearest.ts";

/** Throws a TypeError for an option that does not exist: one that is ignored may be a rule somebody relies on. */
export function assertKnownOptions(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new TypeError(`${owner} takes an object with named options.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${owner} has no option "${unknown}".${didYouMean(unknown, known)} It has ${known.join(", ")}.`);
}

/** Throws a TypeError for an option that has to be a function and is none: it would fail only when it is needed. */
export function assertFunctions<O extends object>(options: O, names: readonly (keyof O & string)[]): void {
  const wrong = names.find((name) => options[name] !== undefined && typeof options[name] !== "function");
  if (wrong !== undefined)
    throw new TypeError(`${wrong} must be a function, not ${options[wrong] === null ? "null" : `a ${typeof options[wrong]}`}.`);
}
