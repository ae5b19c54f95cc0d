import { visible } from "../text/visible.ts";
/** One thing wrong with the configuration, and where it is written. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  readonly message: string;
}

/** Everything that is wrong, at once: nobody should have to start the program five times to find five mistakes. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(show).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }

  toJSON(): object {
    const { name, message, problems } = this;
    return { name, message, problems };
  }
}

/** Orders problems by line. One without a line speaks of the whole file, and comes last. */
export const byLine = (a: Problem, b: Problem): number => (a.line ?? Number.MAX_SAFE_INTEGER) - (b.line ?? Number.MAX_SAFE_INTEGER);

export const placeText = ({ file, line, column }: Pick<Problem, "file" | "line" | "column">): string =>
  visible([file, line, column].filter((part) => part !== undefined).join(":")).replaceAll("\n", "\\n");

function show(problem: Problem): string {
  const where = placeText(problem);
  return where ? `${where}: ${visible(problem.message)}` : visible(problem.message);
}
