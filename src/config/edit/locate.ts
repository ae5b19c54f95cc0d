import { scanToml, type TomlMark, type TomlPath } from "./scan.ts";

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns a function that finds keys in this TOML text. Undefined when neither the key nor anything around it is written there. The text is scanned
 * once for all keys, because a text may have ten thousand.
 */
export function locator(text: string): (path: TomlPath) => TextPlace | undefined {
  let index: Index | undefined;
  let lines: readonly number[] | undefined;
  return (path) => {
    index ??= indexOf(scanToml(text));
    const mark = nearestMark(index, path);
    lines ??= lineStarts(text);
    return mark && placeAt(text, lines, mark.start);
  };
}

/** One part of a path: the first thing written for it, and the first written for it or anything below it. */
interface Index {
  readonly below: Map<string | number, Index>;
  exact: TomlMark | undefined;
  first: TomlMark | undefined;
}

const emptyIndex = (): Index => ({ below: new Map(), exact: undefined, first: undefined });

function indexOf(marks: readonly TomlMark[]): Index {
  const top = emptyIndex();
  for (const mark of marks) {
    let at = top;
    for (const part of mark.path) {
      const next = at.below.get(part) ?? emptyIndex();
      at.below.set(part, next);
      next.first ??= mark;
      at = next;
    }
    at.exact ??= mark;
  }
  return top;
}

/** The key itself; else the first thing below it (`[a.b]` also writes `a`); else what is around it. */
function nearestMark(index: Index, path: TomlPath): TomlMark | undefined {
  let found: TomlMark | undefined;
  let at: Index | undefined = index;
  for (const part of path) {
    at = at.below.get(part);
    if (!at) break;
    found = at.exact ?? at.first;
  }
  return found;
}

export const startsWith = (path: TomlPath, start: TomlPath): boolean => start.every((part, i) => path[i] === part);

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeAt(text: string, lines: readonly number[], offset: number): TextPlace {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  const bom = low === 0 && text.startsWith("\ufeff") ? 1 : 0;
  return { line: low + 1, column: offset - lines[low]! + 1 - bom };
}
