/** Where a line points to, and what it says there. */
export interface Point {
  readonly file: string;
  readonly line: number;
  /** 0: none is named. */
  readonly column: number;
  /** How the place is set apart from the rest. */
  readonly by: ":" | " -" | "";
  readonly rest: string;
}

/** The first line of a diagnostic. */
export interface Head extends Pick<Point, "file" | "line" | "column"> {
  /** What stands before the message: `error`, `error TS2322`. */
  readonly label: string;
  readonly message: string;
}

/** Which paths are believed. In an output that may hold anything, a colon ends a path; a program that writes places only may have one in it. */
export interface Paths {
  readonly colon: string;
  readonly paren: string;
  isPath(path: string): boolean;
}

export const ANY_PATH: Paths = { colon: String.raw`[^\s:](?:[^:]|:(?!\d{1,9}:))*`, paren: String.raw`\S.*?`, isPath: () => true };

export const sourcePath = (isSourceFile: (path: string) => boolean): Paths => ({
  colon: String.raw`(?:[A-Za-z]:[\\/])?[^\s:][^:]*`,
  paren: String.raw`(?:[A-Za-z]:[\\/])?[^\s:(][^:(]*|[^\s:][^:]*`,
  isPath: isSourceFile,
});

const SEVERITY =
  /^((?:fatal error|internal compiler error|error|warning|note|info|information|hint|remark|style|performance|portability|convention|refactor|Error|Warning|ERROR|WARNING|SEVERE|[CWEFRI])(?:\[[\w:-]{1,60}\]| [A-Z]{1,6}\d{1,5})?): ?(.*)$/;

export interface HeadReaders {
  /** `file:line:column: …`, `file:line:column - …` and `file:line …`. */
  point(text: string): Point | null;
  /** `file(line,column): error TS2322: message`: tsc, csc, msbuild, cl. */
  paren(text: string): Head | null;
}

export function createHeadReaders({ colon, paren, isPath }: Paths): HeadReaders {
  const point = new RegExp(`^(?:vet: )? {0,8}(${colon}):(\\d{1,7})(?::(\\d{1,6}))?(?:-\\d[\\d:]{0,12})?(:| -|) {1,4}(\\S.*)$`);
  const call = new RegExp(
    `^ {0,8}(?:\\d{1,3}>)?(${paren})\\((\\d{1,7})(?:,(\\d{1,6}))?(?:,\\d{1,7},\\d{1,6})?\\) ?: {1,2}((?:fatal error|error|warning|message|suggestion|info)(?: [A-Z]{1,10}\\d{1,6})?): (.+)$`,
  );
  return {
    point(text) {
      const [, file, line, column, by, rest] = point.exec(text) ?? [];
      if (file === undefined || !isPath(file)) return null;
      return { file, line: Number(line), column: Number(column ?? 0), by: by as Point["by"], rest: rest! };
    },
    paren(text) {
      const [, file, line, column, label, message] = call.exec(text) ?? [];
      if (file === undefined || !isPath(file)) return null;
      return { file, line: Number(line), column: Number(column ?? 0), label: label!, message: message! };
    },
  };
}

/** `file:line:column: error: message`: gcc, clang, javac, mypy, swiftc and many more. */
export function severityHead({ file, line, column, by, rest }: Point): Head | null {
  const [, label, message] = (by && SEVERITY.exec(rest)) || [];
  return label === undefined ? null : { file, line, column, label, message: message! };
}
