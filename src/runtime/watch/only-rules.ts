import { ConfigError, type Problem } from "../../config/problem.ts";
import type { ConfigFile } from "../../config/read.ts";

/** Where the rules are. Nothing else decides about a past call. */
const TRIED = ["autonomy", "tools"];
/** `tools.policy.policy_file`, `tools.filters.filters_path`: what is wrong in such a file would be shown with the lines around it. */
const NAMES_FILE = /_(?:file|path)$/;

/** Throws a ConfigError for settings that no page may try: who types rules reads no file with them, and reaches nothing. */
export function assertOnlyRules({ data, locate }: ConfigFile): void {
  const others = Object.keys(data).filter((name) => !TRIED.includes(name));
  const problems = [
    ...others.map((name) => problemAt([name], `"${name}" cannot be tried here: only autonomy and tools hold rules.`)),
    ...filesIn(data, []).map((path) =>
      problemAt(path, `"${path.join(".")}" cannot be tried here, because it names a file. Type its rules.`),
    ),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  function problemAt(path: readonly string[], message: string): Problem {
    return { ...locate(path), key: path.join("."), message };
  }
}

function filesIn(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const here = [...path, name];
    return [...(NAMES_FILE.test(name) ? [here] : []), ...filesIn(one, here)];
  });
}
