import type { PathTouch } from "../touch.ts";

/** How what a call reads looks at one moment. The same state twice means the same content. */
export interface Look {
  readonly state: string;
  /** When the youngest of it was changed, in milliseconds, or a little later where the file system counts roughly. */
  readonly newest: number;
  /** Every change after this look will show in the next one, however soon it comes. Else only one that comes a moment later. */
  readonly sharp: boolean;
}

export interface TargetLook extends Look {
  /** A folder is among it, with what lies below. */
  readonly isTree: boolean;
}

/** What of a folder an answer depends on: which entries it has, the names of everything below it, or the contents too. A file is a file. */
export type WatchReach = "entries" | "names" | "contents";

/**
 * What leads to a path, step by step. Each step is seen in more than one way: where one of them has not changed, the step has not.
 * Something put in another's place and taken away again changes all of them.
 */
export type Way = readonly (readonly Look[])[];

/** Looks at files without opening them. */
export interface Watch {
  /** Null when it cannot be told, or only by looking at more than so many entries. */
  target(paths: readonly PathTouch[], reach: WatchReach, most: number): Promise<TargetLook | null>;
  /** The folders and links of the paths, and outside a folder what decides which of its files a search shows. Null when it cannot be told. */
  way(paths: readonly PathTouch[], reach: WatchReach): Way | null;
}
