/**
 * The model of another agent has no `read_overflow`. What it can run is told in the text itself: in mode filter its client runs the command, in mode
 * walls `zeph exec` answers it, for the session whose output it was.
 */
export const wholeOutputLine = (handle: string): string => `[whole output: zeph filter --raw ${handle}]`;

/** The handle that a command asks for; null for every other command. */
export const wholeOutputAsked = (command: string): string | null => /^\s*zeph filter --raw (raw#\d{1,9})\s*$/.exec(command)?.[1] ?? null;

/** Whether what a command prints was asked for as it is. */
export const printsWhole = (command: string): boolean => /^\s*zeph filter --raw\b/.test(command);
