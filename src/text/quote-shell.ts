/** A word as a shell takes it back: bare where every shell reads it as it stands, in single quotes elsewhere. */
export const quoteShell = (word: string): string => (BARE.test(word) ? word : quoteShellAlways(word));

/** For a command line that is read again: no word in quotes is an assignment, a keyword or an alias. */
export const quoteShellAlways = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** `HEAD~1` is bare, `~` is a home folder; `--name=value` is bare, `NAME=value` an assignment. */
const BARE = /^(?!\w+=)[\w@%+=:,./-][\w@%+=:,./~^-]*$/;
