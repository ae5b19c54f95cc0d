/** What a call would touch: the one vocabulary every rule speaks. */
export type Touch = PathTouch | CommandTouch | UrlTouch | UnknownTouch;

/** A path that would be read, written or deleted. */
export interface PathTouch {
  readonly kind: "path";
  /** `delete` concerns the entry itself: a link that is deleted is not followed. */
  readonly access: "read" | "write" | "delete";
  /** As the caller wrote it; rules resolve it. */
  readonly path: string;
  /** Everything below the path too. */
  readonly tree?: true;
  /** It looks through everything below and shows what it finds there. Files that may not be read are left out of it. */
  readonly searches?: true;
}
/** A command that would be run. */
export interface CommandTouch {
  readonly kind: "command";
  /** null is a word only known at run time. */
  readonly argv: readonly (string | null)[];
  readonly text: string;
}
/** An address that would be asked. */
export interface UrlTouch {
  readonly kind: "url";
  readonly url: string;
}
/** Something that cannot be told from the input. Gates take it for anything. */
export interface UnknownTouch {
  readonly kind: "unknown";
  readonly why: string;
}
