import type { Word } from "./options.ts";

/** What a program would do with its arguments, in the few words the walk understands. */
export type Finding =
  /** Runs another program with these words. */
  | { readonly kind: "run"; readonly argv: readonly Word[]; readonly via: string }
  /** Hands this text to a shell. */
  | { readonly kind: "script"; readonly text: Word; readonly via: string; readonly args?: readonly Word[] }
  /** Sets a variable for what it runs. */
  | { readonly kind: "set"; readonly name: string; readonly value: Word }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "path"; readonly access: "read" | "write" | "delete"; readonly path: Word; readonly tree?: true }
  | { readonly kind: "url"; readonly url: string };

/** What is known besides the words. */
export interface Circumstances {
  /** The text on standard input; null when there is input nobody can read here, undefined when there is none. */
  readonly stdin: Word | undefined;
}

export type Reader = (args: readonly Word[], program: string, around: Circumstances) => readonly Finding[];

export const run = (argv: readonly Word[], via: string): Finding[] => (argv.length > 0 ? [{ kind: "run", argv, via }] : []);
export const script = (text: Word, via: string): Finding[] => [{ kind: "script", text, via }];
export const unknown = (why: string): Finding[] => [{ kind: "unknown", why }];
export const reads = (path: Word): Finding => ({ kind: "path", access: "read", path });
export const writes = (path: Word, tree?: true): Finding => ({ kind: "path", access: "write", path, ...(tree && { tree }) });
export const deletes = (path: Word, tree?: true): Finding => ({ kind: "path", access: "delete", path, ...(tree && { tree }) });

/** Words put back together with blanks, as `eval` and `ssh` do; null when one of them is not known. */
export const joined = (words: readonly Word[]): Word => (words.includes(null) ? null : words.join(" "));
