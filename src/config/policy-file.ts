import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { didYouMean } from "../core/nearest.ts";
import { type PolicyRule, ruleList } from "../gates/policy-rule.ts";
import { complaints } from "./complain.ts";
import { locator } from "./locate.ts";
import { ConfigError, type Problem } from "./problem.ts";
import { parseToml } from "./read.ts";
import type { Path } from "./scan.ts";

/** A file of rules that the configuration names, read and found valid on its own. */
export interface PolicyFile {
  readonly file: string;
  readonly rules: readonly PolicyRule[];
  /** Where something of it stands; the path begins with `rules`. */
  readonly placeOf: (path: Path) => Pick<Problem, "file" | "line">;
}

/** Throws a ConfigError that lists everything wrong with it. */
export function readPolicyFile(file: string): PolicyFile {
  return parsePolicyFile(file, readNamedFile(file));
}

export function parsePolicyFile(file: string, text: string): PolicyFile {
  const { rules = [], ...others } = parseToml(file, text);
  const locate = locator(text);
  const at = (path: Path) => ({ file, ...locate(path) });
  const unknown = Object.keys(others).map((key): Problem => ({ ...at([key]), key, message: unknownKey(key) }));
  // They are rules of the policy, so they are held against the same schema and get the same messages.
  const wrong = complaints({ tools: { policy: { rules } } }).map(
    ({ path, message }): Problem => ({ ...at(path.slice(2)), message: message.replaceAll("tools.policy.rules", "rules") }),
  );
  const problems = [...unknown, ...wrong];
  if (problems.length > 0) throw new ConfigError(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  return {
    file,
    rules: ruleList.parse(rules),
    placeOf(path) {
      const line = locate(path)?.line;
      return { file, ...(line !== undefined && { line }) };
    },
  };
}

/** Plain words, one policy a line. */
export function readPolicyLines(file: string): string[] {
  return readNamedFile(file)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** Relative to the file that names it, or to the workspace where no file does. */
export function namedPath(named: string, from: { readonly file?: string }, { cwd, home }: { cwd: string; home: string }): string {
  if (named === "~" || named.startsWith("~/")) return join(home, named.slice(1));
  return isAbsolute(named) ? named : join(from.file === undefined ? cwd : dirname(from.file), named);
}

const unknownKey = (key: string) => `"${key}" does not belong into a policy file, which holds only [[rules]].${didYouMean(key, ["rules"])}`;

const MAX_BYTES = 256 * 1024;

/** A pipe must not be waited for, and a huge file not be read. */
export function readNamedFile(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(file, code === "ENOENT" || code === "ENOTDIR" ? "This file does not exist." : `This file cannot be opened (${code}).`);
  }
  try {
    if (!fstatSync(fd).isFile()) return refuse(file, "This is not a file; rules were expected.");
    const bytes = Buffer.allocUnsafe(MAX_BYTES + 1);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length; length += got) got = readSync(fd, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) return refuse(file, "This file is larger than 256 KiB.");
    return decode(file, bytes.subarray(0, length));
  } finally {
    closeSync(fd);
  }
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse(file, "This file is not UTF-8 text. Save it as UTF-8.");
  }
}

function refuse(file: string, message: string): never {
  throw new ConfigError([{ file, message }]);
}
