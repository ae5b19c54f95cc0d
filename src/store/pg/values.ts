import type { CustomTypesConfig, TypeParsers } from "./pg-types.ts";

const BYTES = 17;
const BIGINT = 20;

/** What a row holds, as the code above expects it: whole numbers as numbers, bytes in memory of their own. */
export function readTypes(types: TypeParsers): CustomTypesConfig {
  return {
    getTypeParser(oid, format) {
      if (oid === BIGINT) return Number;
      const parse = types.getTypeParser(oid, format as "text");
      // A Buffer's slice() shares its memory with other rows, a Uint8Array's copies.
      return oid === BYTES ? (value: string) => Uint8Array.from(parse(value) as Buffer) : parse;
    },
  };
}

/** Names and texts of statements, by what was written: each is prepared once on every connection. */
const statements = new Map<string, { readonly name: string; readonly text: string }>();

export function prepared(sql: string): { readonly name: string; readonly text: string } {
  const known = statements.get(sql);
  if (known) return known;
  let place = 0;
  const text = sql.replace(/\?(\d*)/g, (_, number: string) => `$${number === "" ? ++place : number}`);
  const made = { name: `z${statements.size}`, text };
  statements.set(sql, made);
  return made;
}

/** A text with a NUL is refused, as SQLite's is; half a surrogate pair cannot be sent. */
export function sendable(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.includes("\0")) throw new TypeError("Text with a NUL character cannot be stored. Remove it first.");
    return value.toWellFormed();
  }
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(sendable);
  throw new TypeError(`A value of type ${typeof value} cannot be stored.`);
}
