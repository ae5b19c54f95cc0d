import type * as z from "zod";
import type { Confidence } from "../core/tool.ts";
import { makeOnce } from "../text/make-once.ts";
import type { Subject } from "./command.ts";
import type { Line } from "./line.ts";

/** What a strategy works on: clean lines of one command's output. */
export interface Source {
  readonly lines: readonly Line[];
  /** null: not known, since several programs printed. */
  readonly exitCode: number | null;
  readonly subject: Subject;
}

export interface Shortened {
  /** Lines taken over as they are, or `standFor` others. What is in neither is counted as left out. */
  readonly lines: readonly Line[];
  readonly confidence: Confidence;
  /** Of the lines left out, how many look like errors and are none: a passing test called "handles timeouts". */
  readonly harmless?: number;
}

/** null: the text is not built as expected, so it is left alone. */
export type Apply = (source: Source) => Shortened | null;

export type Test = (line: string) => boolean;

export interface Strategy<S extends z.ZodObject = z.ZodObject> {
  readonly options: S;
  /** It takes every line for its command's own: it must not see those of another. */
  readonly isBlind?: (options: z.output<S>) => boolean;
  /** `compile` turns a pattern into a test: of one line, never of the whole text. */
  build(options: z.output<S>, compile: (pattern: string) => Test): Apply;
}

/** A strategy whose options are built when they are first asked for. */
export function defineStrategy<S extends z.ZodObject>({
  options,
  ...strategy
}: Omit<Strategy<S>, "options"> & { readonly options: () => S }): Strategy<S> {
  const built = makeOnce(options);
  return {
    ...strategy,
    get options() {
      return built();
    },
  };
}
