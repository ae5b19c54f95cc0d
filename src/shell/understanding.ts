import type { Touch } from "../core/touch.ts";

/** What a command means, as far as its text tells. A reader must treat `unknown` as "could be anything". */
export interface Understanding {
  /** Every simple command at any depth: what wrappers run comes after the wrapper. */
  readonly commands: readonly SimpleCommand[];
  readonly constructs: readonly Construct[];
  readonly unknown: readonly Unknown[];
  /** Functions or scripts that start themselves over and over. */
  readonly bombs: readonly CommandPlace[];
  readonly touches: readonly Touch[];
  /** It was not read, or not as bash would read it: what is listed is only good for refusing. */
  readonly isUnread: boolean;
}

/** One program with its arguments. */
export interface SimpleCommand {
  /** Quotes removed, constants filled in; null is a word only known at run time. Globs stay as written; `~` and `$HOME` are `~`. */
  readonly argv: readonly (string | null)[];
  readonly text: string;
  readonly assignments: readonly Variable[];
  readonly redirections: readonly Redirection[];
  readonly where: CommandPlace;
  /** The folder it starts in, relative to where the whole command started ("." there); null when that is unknown. */
  readonly cwd: string | null;
  /** The text on its standard input, where the command itself says it: a here-document, or what another command prints. */
  readonly stdin?: string;
}

/** A variable that a command sets; null is a value only known at run time. */
export interface Variable {
  readonly name: string;
  readonly value: string | null;
}

/** A file that a command reads from or writes to. */
export interface Redirection {
  readonly operator: string;
  readonly access: "read" | "write";
  /** null is a name only known at run time. */
  readonly path: string | null;
}

/** Half-open range in the command as it was given, and the way down to what is meant: "inside $(…) inside sh -c". */
export interface CommandPlace {
  readonly start: number;
  readonly end: number;
  readonly inside: string;
}

/** The kinds of such parts, as they are written. */
export type ConstructKind = "$()" | "``" | "<()" | ">()" | "<<<" | "eval" | "source" | ".";

/** A part of a command that makes commands out of text. */
export interface Construct {
  readonly kind: ConstructKind;
  readonly where: CommandPlace;
}

/** Something in a command that could not be understood. */
export interface Unknown {
  readonly why: string;
  readonly where: CommandPlace;
  /** All commands were read; only what one of them does is not known, as with any program of the project. Walls hold it like one. */
  readonly confined?: true;
  /** What is not known is the file that a known program would write to. */
  readonly target?: true;
}
