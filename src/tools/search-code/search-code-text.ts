import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { SearchMatch } from "../../core/ports/host.ts";
import type { RunContext } from "../../core/tool.ts";
import { type CodeSection, definedIn, sectionsOf } from "./search-code-symbols.ts";

/** A file with lines that may answer. */
export interface Candidate {
  readonly path: string;
  readonly matches: readonly SearchMatch[];
  readonly score: number;
}
/** A file that may hold an answer. */
export interface Text {
  readonly file: Candidate;
  readonly sections: readonly CodeSection[];
  /** Empty for a line that is not at hand. */
  at(line: number): string;
}

/** Most lines of one file that are looked at for what surrounds a match. */
const MOST_LINES = 5000;
/** Most letters of all files together. */
const MOST_TEXT = 2 * 1024 * 1024;

/** Reads the files a query most likely means. One that cannot be read as text is known by what the search showed of it. */
export async function textsOf(permit: ApprovedCall, files: readonly Candidate[], { host, signal }: RunContext): Promise<readonly Text[]> {
  const texts: Text[] = [];
  let room = MOST_TEXT;
  for (const file of files) {
    const lines = room > 0 ? await linesOf(file.path) : [];
    room -= lines.reduce((sum, line) => sum + line.length, 0);
    texts.push(textOf(file, lines));
    // Others want their turn between two files.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return texts;

  async function linesOf(path: string): Promise<readonly string[]> {
    try {
      return (await host.files.lines(permit, path, { offset: 1, limit: MOST_LINES }, signal)).lines;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) return [];
      throw error;
    }
  }
}

function textOf(file: Candidate, lines: readonly string[]): Text {
  const further = new Map(file.matches.filter(({ line }) => line > lines.length).map(({ line, text }) => [line, text]));
  const alone = [...further].map(([line, text]): CodeSection => {
    const name = definedIn(text);
    return { symbol: name, name, line: name === null ? 0 : line, lines: [line] };
  });
  return {
    file,
    sections: [...sectionsOf(lines, file.path), ...alone],
    at: (line) => lines[line - 1] ?? further.get(line) ?? "",
  };
}

export const byPath = (matches: readonly SearchMatch[]): ReadonlyMap<string, readonly SearchMatch[]> => {
  const groups = new Map<string, SearchMatch[]>();
  for (const match of matches) {
    const group = groups.get(match.path);
    if (group) group.push(match);
    else groups.set(match.path, [match]);
  }
  return groups;
};
