import { bareOrQuoted } from "../type-words.ts";

/** A value as TOML writes it, on one line. */
export function tomlValue(value: unknown): string {
  if (typeof value === "string") return tomlString(value);
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${tomlKey([key])} = ${tomlValue(inner)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

export const tomlKey = (path: readonly string[]): string => path.map((part) => bareOrQuoted(part)).join(".");

function tomlString(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new Error("This text holds half a character (a lone surrogate) and cannot be written to a file.");
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
