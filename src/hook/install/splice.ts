/** Texts that were put into another text, one after the other; each place is one of the text as it was then. */
export interface Splice {
  readonly at: number;
  readonly text: string;
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let now = text;
  for (const { at, text: added } of splices) now = now.slice(0, at) + added + now.slice(at);
  return now;
}

/** The text before the splices; null where one of them does not stand where it was put. */
export function undoSplices(text: string, splices: readonly Splice[]): string | null {
  let now = text;
  for (const { at, text: added } of [...splices].reverse()) {
    if (!now.startsWith(added, at)) return null;
    now = now.slice(0, at) + now.slice(at + added.length);
  }
  return now;
}

/** The same in a text that somebody changed elsewhere; null where one of them is gone, changed, or stands there more than once. */
export function cutSplices(text: string, splices: readonly Splice[]): string | null {
  let now = text;
  for (const { text: added } of [...splices].reverse()) {
    const at = now.indexOf(added);
    if (at === -1 || now.indexOf(added, at + 1) !== -1) return null;
    now = now.slice(0, at) + now.slice(at + added.length);
  }
  return now;
}
