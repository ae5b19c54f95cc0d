import { dirname, resolve } from "node:path";
import * as z from "zod";
import { locator } from "../../../config/edit/locate.ts";
import { ConfigError, type Problem } from "../../../config/problem.ts";
import { parseConfigToml, readConfigText } from "../../../config/read.ts";
import { OwnFileError, readOwnFile } from "../../../files/own-file.ts";
import { makeOnce } from "../../../text/make-once.ts";

const exampleSchema = makeOnce(() =>
  z
    .strictObject({
      rule: z.string().min(1),
      command: z.string().min(1),
      exit_code: z.int().min(0).max(255).default(0),
      input: z.string().optional(),
      input_file: z.string().min(1).optional(),
      expect: z.string().optional(),
      keeps: z.array(z.string().min(1)).default([]),
      drops: z.array(z.string().min(1)).default([]),
    })
    .refine(({ input, input_file }) => (input === undefined) !== (input_file === undefined), "set either input or input_file")
    .refine(
      ({ expect, keeps, drops }) => expect !== undefined || keeps.length + drops.length > 0,
      "set expect, keeps or drops: it checks nothing",
    ),
);

/** An example beside a rule: an output, and the text that the rule should make of it. */
export interface Example {
  readonly rule: string;
  readonly command: string;
  readonly exitCode: number;
  readonly input: string;
  readonly expect: string | null;
  readonly keeps: readonly string[];
  readonly drops: readonly string[];
  /** Where it begins in the file. */
  readonly line: number;
}

/** A rule file and its examples. Throws a ConfigError with everything that cannot be read. */
export function readExamples(file: string): { readonly text: string; readonly examples: readonly Example[] } {
  const text = readConfigText(file);
  if (text === null) throw new ConfigError([{ file, message: "This file does not exist." }]);
  const { examples = [] } = parseConfigToml(file, text.replace(/^\ufeff/, ""));
  if (!Array.isArray(examples))
    throw new ConfigError([{ file, message: '"examples" is not a list of tables; begin each one with [[examples]].' }]);
  const locate = locator(text);
  const problems: Problem[] = [];
  const read = examples.flatMap((entry, n): Example[] => {
    const { line = 1 } = locate(["examples", n]) ?? {};
    try {
      return [exampleOf(entry, line, dirname(file))];
    } catch (error) {
      problems.push({ file, line, message: `Example ${n + 1}: ${(error as Error).message}.` });
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { text, examples: read };
}

function exampleOf(entry: unknown, line: number, folder: string): Example {
  const parsed = exampleSchema().safeParse(entry);
  if (!parsed.success) throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
  const { exit_code, input, input_file, expect = null, ...rest } = parsed.data;
  return { ...rest, exitCode: exit_code, input: input ?? readInput(resolve(folder, input_file!)), expect, line };
}

const MOST = 16 * 1024 * 1024;

/** Bytes that are no UTF-8 are read as a command's output would be. */
function readInput(path: string): string {
  try {
    return readOwnFile(path, { maxBytes: MOST }).bytes.toString("utf8");
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    throw new Error(`${path}: ${error.message.replace(/\.$/, "")}`);
  }
}
