import fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * Any code point but a lone surrogate, as the unit of a string. It makes the same texts as the unit "binary" of fast-check,
 * which first builds a table of all of them: a second of work and a hundred megabytes for each worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES })
  .map(characterAt, (character) => indexOf(character));

function characterAt(index: number): string {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES);
}

function indexOf(character: unknown): number {
  if (typeof character !== "string" || [...character].length !== 1 || !character.isWellFormed()) throw new Error("not one character");
  const code = character.codePointAt(0)!;
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
