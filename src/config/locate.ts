import { type Mark, type Path, scan } from "./scan.ts";

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a key stands in a TOML text. Undefined when neither it nor anything around it is written there. */
export const locate = (text: string, path: Path): Place | undefined => locator(text)(path);

/** The same for many keys of one text, which is read once. */
export function locator(text: string): (path: Path) => Place | undefined {
  let marks: readonly Mark[] | undefined;
  return (path) => {
    marks ??= scan(text);
    const mark = nearestMark(marks, path);
    return mark && placeAt(text, mark.start);
  };
}

/** The key itself; else the first thing below it (`[a.b]` also writes `a`); else what is around it. */
function nearestMark(marks: readonly Mark[], path: Path): Mark | undefined {
  if (path.length === 0) return undefined;
  return (
    marks.find((mark) => mark.path.length === path.length && startsWith(mark.path, path)) ??
    marks.find((mark) => startsWith(mark.path, path)) ??
    nearestMark(marks, path.slice(0, -1))
  );
}

export const startsWith = (path: Path, start: Path): boolean => start.every((part, i) => path[i] === part);

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const bom = before.startsWith("\ufeff") && !before.includes("\n") ? 1 : 0;
  return { line: before.split("\n").length, column: offset - (before.lastIndexOf("\n") + 1) + 1 - bom };
}
