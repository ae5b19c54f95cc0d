import { dirname, isAbsolute, join } from "node:path";
import { type PolicyRule, ruleList } from "../../gates/policy/rule.ts";
import { didYouMean } from "../../text/nearest.ts";
import { complaints } from "../complain.ts";
import { locator } from "../edit/locate.ts";
import type { TomlPath } from "../edit/scan.ts";
import { byLine, ConfigError, type Problem } from "../problem.ts";
import { decodeUtf8, parseConfigToml, type ReadOptions, readBytes, refuseFile } from "../read.ts";

/** A file of rules that the configuration names, read and found valid on its own. */
export interface PolicyFile {
  readonly file: string;
  readonly rules: readonly PolicyRule[];
  /** Where something of it stands; the path begins with `rules`. */
  readonly placeOf: (path: TomlPath) => Pick<Problem, "file" | "line">;
}

/** Throws a ConfigError that lists everything wrong with it. */
export function readPolicyFile(file: string): PolicyFile {
  return parsePolicyFile(file, readNamedFile(file));
}

export function parsePolicyFile(file: string, text: string): PolicyFile {
  const { rules = [], ...others } = parseConfigToml(file, text);
  const locate = locator(text);
  const at = (path: TomlPath) => ({ file, ...locate(path) });
  const strange = Object.keys(others);
  const unknown = strange.slice(0, MOST_UNKNOWN).map((key): Problem => ({ ...at([key]), key, message: unknownKey(key) }));
  if (strange.length > MOST_UNKNOWN)
    unknown.push({ file, message: `And ${strange.length - MOST_UNKNOWN} more keys that do not belong here.` });
  // They are rules of the policy, so they are held against the same schema and get the same messages.
  const wrong = complaints({ tools: { policy: { rules } } }).map(
    ({ path, message }): Problem => ({ ...at(path.slice(2)), message: message.replaceAll("tools.policy.rules", "rules") }),
  );
  const problems = [...unknown, ...wrong];
  if (problems.length > 0) throw new ConfigError(problems.sort(byLine));
  return {
    file,
    rules: ruleList().parse(rules),
    placeOf(path) {
      const line = locate(path)?.line;
      return { file, ...(line !== undefined && { line }) };
    },
  };
}

/** Plain words, one policy a line. */
export const readPolicyLines = (file: string): string[] => parsePolicyLines(readNamedFile(file));

export const parsePolicyLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Relative to the file that names it, or to the workspace where no file does. */
export function namedPath(named: string, from: { readonly file?: string }, { cwd, home }: { cwd: string; home: string }): string {
  if (named === "~" || named.startsWith("~/")) return join(home, named.slice(1));
  return isAbsolute(named) ? named : join(from.file === undefined ? cwd : dirname(from.file), named);
}

const unknownKey = (key: string) => `"${key}" does not belong into a policy file, which holds only [[rules]].${didYouMean(key, ["rules"])}`;

const MOST_UNKNOWN = 25;

/** A file that the configuration names may lie anywhere. */
export function readNamedFile(file: string): string {
  return decodeUtf8(file, readBytes(file, RULES) ?? refuseFile(file, RULES.words.dangling!));
}

const NO_FILE = "This is not a file; rules were expected.";
const RULES: ReadOptions = {
  maxBytes: 256 * 1024,
  words: {
    dangling: "This file does not exist.",
    directory: NO_FILE,
    "not regular": NO_FILE,
    "too large": "This file is larger than 256 KiB.",
  },
};
