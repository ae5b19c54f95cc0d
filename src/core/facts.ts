import type { PathTouch } from "./touch.ts";

/** What gates may know of the world without a permit. It only looks; `access` is the host's own check, so that judging and acting agree. */
export interface Facts {
  readonly cwd: string;
  readonly home: string;
  /** Every link followed as far as the path exists; the rest re-attached. */
  canonical(path: string): string;
  /** The entry itself: links are followed in its parents only. */
  entry(path: string): string;
  /** Whether there is an entry of that name, a link that leads nowhere included. It says nothing about whether one may open it. */
  exists(path: string): boolean;
  /** Another number for each judgement: what was worked out under one may be used again under the same. */
  moment?(): number;
  /** Patterns of files that nobody may read: searches leave them out. */
  readonly unreadable?: readonly string[];
  /** Why the host would refuse this touch; null when it would not. */
  access(touch: PathTouch): Refusal | null | Promise<Refusal | null>;
  /** The same for an address on the web, as far as it can be told without asking anybody. */
  address(url: string): Refusal | null | Promise<Refusal | null>;
}

export interface Refusal {
  readonly rule: string;
  readonly why: string;
}
