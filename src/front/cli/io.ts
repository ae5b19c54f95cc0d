import { parseArgs } from "node:util";
import { ConfigError } from "../../config/problem.ts";
import { visible } from "../../text/visible.ts";
import { EXIT } from "./exit.ts";

/** The world of a command. Handed in, so that tests need no process. */
export interface Io {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Something the person typed was wrong; the message says what to type. */
export class UsageError extends Error {}

/** Runs a command; what a person can put right is told in words, with exit code 2. */
export async function withUsageErrors(io: Pick<Io, "stderr">, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof UsageError || isFileTrouble(error))) throw error;
    io.stderr.write(`${visible((error as Error).message)}\n`);
    return EXIT.usage;
  }
}

type Flags = Readonly<Record<string, { readonly type: "boolean" | "string"; readonly multiple?: boolean; readonly short?: string }>>;

/** The words and flags of a command. `words` is how many words it takes at most. */
export function readArgs<F extends Flags>(args: readonly string[], usage: string, words: number, options: F) {
  try {
    const parsed = parseArgs({ args: [...args], allowPositionals: true, options });
    if (parsed.positionals.length > words) throw new Error(`"${parsed.positionals[words]}" is one word too many.`);
    return parsed;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

export const json = (value: unknown): string => `${visible(JSON.stringify(value, null, 2))}\n`;

/** No permission, no space and the like: nothing a stack trace would help with. */
const isFileTrouble = (error: unknown): boolean => error instanceof Error && "syscall" in error && "path" in error;
