/** A run of lines that belong together. `to` is not part of it. */
export interface Section {
  readonly from: number;
  readonly to: number;
  /** The file it is about, where the output says so. */
  readonly label?: string;
  /** A line without which it cannot be understood: the head of a file in a diff. */
  readonly head?: number;
}

export interface Cut {
  readonly sections: readonly Section[];
  /** `records`: every line says something of its own, as in a log or a list, so gaps need no mark. */
  readonly kind: "records" | "text";
}

const LOCATED = /^((?:[A-Za-z]:)?[^\s:]*[./][^\s:]*)[:-]\d+[:-]/;
const STAMPED =
  /^(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:|\[?(?:DEBUG|INFO|WARN|ERROR|TRACE|FATAL)\b|[-dlbcps][rwxsStT-]{9}|\{"|\S+ - - \[)/;
/** A path, a commit, a size and a name. */
const LISTED = /^(?:\S{1,300}$|[0-9a-f]{7,40} \S| *\d[\d.,]*[KMGT]?[ \t]+\S+$)/;
const NUMBER = /^ *\d+\t/;

const MOST_OF_A_FILE = 20;
const STAMPED_LINES = 3;
const LONGEST_BLOCK = 60;
const WINDOW = 20;

/** Cuts an output where one thing ends and another begins: at files, at hunks, at entries, at blank lines before something that is not indented. */
export function cutIntoSections(lines: readonly string[]): Cut {
  if (lines.some((line) => line.startsWith("diff --git "))) return { kind: "text", sections: hunks(lines) };
  const looks = lines.filter((line) => line.trim() !== "");
  const most = (shape: RegExp) => looks.filter((line) => shape.test(line)).length > looks.length * 0.6;
  if (most(LOCATED)) return { kind: "records", sections: byFile(lines) };
  if (most(STAMPED)) return { kind: "records", sections: windows(0, lines.length, STAMPED_LINES) };
  if (most(LISTED) && !most(NUMBER)) return { kind: "records", sections: windows(0, lines.length, 1) };
  return { kind: "text", sections: blocks(lines) };
}

function hunks(lines: readonly string[]): Section[] {
  const starts = lines.flatMap((line, n) => (n === 0 || /^(?:diff --git |@@ )/.test(line) ? [n] : []));
  let label: string | undefined;
  let head: number | undefined;
  return starts.flatMap((from, n) => {
    const to = starts[n + 1] ?? lines.length;
    if (lines[from]!.startsWith("diff --git ")) {
      label = lines[from]!.split(" ").at(-1)!.replace(/^b\//, "");
      head = from;
    }
    return windows(from, to, LONGEST_BLOCK).map((one) => ({
      ...one,
      ...(label !== undefined && { label }),
      ...(head !== undefined && { head }),
    }));
  });
}

function byFile(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let from = 0;
  let label: string | undefined;
  const end = (to: number) => {
    if (to > from) sections.push({ from, to, ...(label !== undefined && { label }) });
    from = to;
  };
  for (const [n, line] of lines.entries()) {
    const file = LOCATED.exec(line)?.[1];
    if (n > from && ((file !== undefined && file !== label) || n - from >= MOST_OF_A_FILE)) end(n);
    if (file !== undefined) label = file;
  }
  end(lines.length);
  return sections;
}

/** Paragraphs; functions with everything in them. */
function blocks(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let from = 0;
  let wasBlank = false;
  for (const [n, numbered] of lines.entries()) {
    const line = numbered.replace(NUMBER, "");
    const isBlank = line.trim() === "";
    if (wasBlank && !isBlank && !/^[\s})\]]/.test(line) && n > from) {
      sections.push(...within(lines, from, n));
      from = n;
    }
    wasBlank = isBlank;
  }
  if (lines.length > from) sections.push(...within(lines, from, lines.length));
  return sections;
}

/** A class that is too long is cut before each of its methods, and each is understood with the line that names the class. */
function within(lines: readonly string[], from: number, to: number): Section[] {
  if (to - from <= LONGEST_BLOCK) return [{ from, to }];
  const depths = lines.slice(from, to).map(depthOf);
  const shallowest = depths.slice(1).reduce((least, depth) => (depth > 0 && depth < least ? depth : least), Number.POSITIVE_INFINITY);
  const starts = depths.flatMap((depth, n) => (n === 0 || (depth === shallowest && depths[n - 1] === -1) ? [from + n] : []));
  let head: number | undefined;
  return starts.flatMap((start, n) => {
    const end = starts[n + 1] ?? to;
    const pieces = end - start > LONGEST_BLOCK ? windows(start, end, WINDOW) : [{ from: start, to: end }];
    const outer = depths.slice((starts[n - 1] ?? from) - from, start - from).lastIndexOf(0);
    if (outer !== -1) head = starts[n - 1]! + outer;
    return pieces.map((piece) => ({ ...piece, ...(head !== undefined && { head }) }));
  });
}

/** How far a line is indented, -1 for a blank one. */
const depthOf = (numbered: string): number => numbered.replace(NUMBER, "").search(/\S/);

const windows = (from: number, to: number, size: number): Section[] =>
  Array.from({ length: Math.ceil((to - from) / size) }, (_, n) => ({ from: from + n * size, to: Math.min(to, from + (n + 1) * size) }));
