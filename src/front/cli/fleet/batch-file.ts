import { createReadStream, statSync } from "node:fs";
import type { Readable } from "node:stream";
import type { BatchDefaults, KeyedBatchTask } from "../../../runtime/fleet/batches.ts";
import { attempt } from "../../../text/attempt.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { UsageError } from "../io.ts";
import { readInputLines } from "../stdin.ts";

export type ReadBatchTask = (text: string, defaults: BatchDefaults) => KeyedBatchTask;

const MB = 1024 * 1024;
const MOST_LINE = MB;
/** More mistakes than these are counted only. */
const MOST_SHOWN = 10;

export const openBatchFile = (file: string): Readable => {
  if (!attempt(() => statSync(file).isFile(), false)) throw new UsageError(`--file ${visible(file)}: there is no such file.`);
  return createReadStream(file);
};

/** The tasks of a file, one line each. Empty lines count as lines and are no tasks. Throws at the first mistake, with the number of its line. */
export async function* readBatchTasks(
  input: Readable,
  {
    name,
    signal,
    read,
    defaults,
  }: { readonly name: string; readonly signal: AbortSignal; readonly read: ReadBatchTask; readonly defaults: BatchDefaults },
): AsyncGenerator<KeyedBatchTask> {
  for await (const line of readNumbered(input, signal, read, defaults)) {
    if ("mistake" in line) throw new UsageError(placed(name, line));
    yield line.task;
  }
}

/** Looks at all lines before any is submitted, so that a mistake costs nothing. Returns how many tasks there are. */
export async function checkBatchFile(
  file: string,
  { signal, read, defaults }: { readonly signal: AbortSignal; readonly read: ReadBatchTask; readonly defaults: BatchDefaults },
): Promise<number> {
  let count = 0;
  let wrong = 0;
  const shown: string[] = [];
  for await (const line of readNumbered(openBatchFile(file), signal, read, defaults)) {
    if ("task" in line) count++;
    else if (++wrong <= MOST_SHOWN) shown.push(placed(file, line));
  }
  if (wrong > MOST_SHOWN) shown.push(`… and ${plural(wrong - MOST_SHOWN, "mistake")} more.`);
  if (wrong > 0) throw new UsageError(`${shown.join("\n")}\nNothing was submitted.`);
  if (count === 0 && !signal.aborted) throw new UsageError(`${visible(file)} holds no task.`);
  return count;
}

type NumberedLine = { readonly n: number } & ({ readonly task: KeyedBatchTask } | { readonly mistake: string });

async function* readNumbered(
  input: Readable,
  signal: AbortSignal,
  read: ReadBatchTask,
  defaults: BatchDefaults,
): AsyncGenerator<NumberedLine> {
  let n = 0;
  for await (const line of readInputLines(input, signal)) {
    n++;
    if ("problem" in line) yield { n, mistake: line.problem };
    else if (line.text.length > MOST_LINE) yield { n, mistake: `it is longer than ${MOST_LINE / MB} MB.` };
    else if (line.text.trim() !== "") yield { n, ...readTask(line.text, read, defaults) };
  }
}

function readTask(
  text: string,
  read: ReadBatchTask,
  defaults: BatchDefaults,
): { readonly task: KeyedBatchTask } | { readonly mistake: string } {
  try {
    return { task: read(text, defaults) };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

const placed = (name: string, { n, mistake }: { readonly n: number; readonly mistake: string }): string =>
  `${visible(name)}, line ${n}: ${visible(mistake)}`;
