/** Names on one line, apart by blanks. One that could be read as two, or as something else, is quoted. */
export const joined = (names: readonly string[]): string => names.map(quoted).join(" ");

export const quoted = (name: string): string => (/[\s"']|:$|^…/.test(name) || name === "" ? JSON.stringify(name) : name);
