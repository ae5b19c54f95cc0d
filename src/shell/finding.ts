import type { ShellWord } from "./options.ts";

/** What a program would do with its arguments, in the few words the walk understands. */
export type ProgramFinding =
  /** Runs another program with these words. */
  | { readonly kind: "run"; readonly argv: readonly ShellWord[]; readonly via: string }
  /** Hands this text to a shell. */
  | { readonly kind: "script"; readonly text: ShellWord; readonly via: string; readonly args?: readonly ShellWord[] }
  /** Sets a variable for what it runs. */
  | { readonly kind: "set"; readonly name: string; readonly value: ShellWord }
  | { readonly kind: "unknown"; readonly why: string; readonly confined?: true }
  | { readonly kind: "path"; readonly access: "read" | "write" | "delete"; readonly path: ShellWord; readonly tree?: true }
  | { readonly kind: "url"; readonly url: string };

/** What is known besides the words. */
export interface Circumstances {
  /** The text on standard input; null when there is input nobody can read here, undefined when there is none. */
  readonly stdin: ShellWord | undefined;
}

export type ProgramReader = (args: readonly ShellWord[], program: string, around: Circumstances) => readonly ProgramFinding[];

export const runsProgram = (argv: readonly ShellWord[], via: string): ProgramFinding[] =>
  argv.length > 0 ? [{ kind: "run", argv, via }] : [];
export const script = (text: ShellWord, via: string): ProgramFinding[] => [{ kind: "script", text, via }];
export const unknownEffect = (why: string): ProgramFinding[] => [{ kind: "unknown", why }];
/** As `unknownEffect`, where it is known which program does it. */
export const confinedEffect = (why: string): ProgramFinding[] => [{ kind: "unknown", why, confined: true }];
export const reads = (path: ShellWord): ProgramFinding => ({ kind: "path", access: "read", path });
export const writes = (path: ShellWord, tree?: true): ProgramFinding => ({ kind: "path", access: "write", path, ...(tree && { tree }) });
export const deletes = (path: ShellWord, tree?: true): ProgramFinding => ({ kind: "path", access: "delete", path, ...(tree && { tree }) });

/** Words put back together with blanks, as `eval` and `ssh` do; null when one of them is not known. */
export const joinedWords = (words: readonly ShellWord[]): ShellWord => (words.includes(null) ? null : words.join(" "));
