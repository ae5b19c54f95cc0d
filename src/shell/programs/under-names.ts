/** One entry of a table under several names, which stand in a text with blanks between them. */
export const underNames = <T>(names: string, entry: T): Record<string, T> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, entry]));
