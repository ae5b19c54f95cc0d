/** Names on one line, apart by blanks. One that could be read as two, or as something else, is quoted. */
export const joinNames = (names: readonly string[]): string => names.map(quoteListedName).join(" ");

export const quoteListedName = (name: string): string => (/[\s"']|:$|^…/.test(name) || name === "" ? JSON.stringify(name) : name);
