import { isRecord } from "../text/json.ts";
import { complaints } from "./complain.ts";
import { locator } from "./edit/locate.ts";
import type { TomlPath } from "./edit/scan.ts";
import { parsePolicyFile, parsePolicyLines } from "./policy/policy-file.ts";
import { byLine, ConfigError, type Problem } from "./problem.ts";
import { parseConfigToml } from "./read.ts";
import { isAmong, RULE_SETTINGS } from "./rule-settings.ts";
import { allSettings, type ConfigSetting } from "./settings.ts";
import { setAtPath, valueAtPath } from "./shape.ts";
import { type Folders, type Tightened, tighten } from "./tighten.ts";
import { dotted } from "./type-words.ts";

/** The policy of a fleet as it was pushed: its files by their names. */
export interface PolicyFiles {
  readonly version: number;
  readonly files: Readonly<Record<string, string>>;
}

/** The policy of a fleet, read and found valid on its own. Files that it names are part of it. */
export interface CentralConfig {
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Tables that it speaks of, and settings that stand beside tables. */
  readonly tables: ReadonlySet<string>;
  /** Where a value stands. Nothing for what stands in a file that the policy names. */
  place(path: TomlPath): Pick<Problem, "file" | "line">;
}

export const POLICY_MAIN_FILE = "config.toml";

/** A policy says rules, all of which count as soon as they are read, in every runtime. */
export const isCentral = (key: string): boolean => isAmong(RULE_SETTINGS, key);

/** Throws a ConfigError that lists everything wrong with it. */
export function readCentral({ version, files }: PolicyFiles): CentralConfig {
  const named = (file: string) => `policy ${version}: ${file}`;
  const main = named(POLICY_MAIN_FILE);
  const text = Object.hasOwn(files, POLICY_MAIN_FILE) ? files[POLICY_MAIN_FILE]! : null;
  if (text === null) throw new ConfigError([{ file: main, message: "This file is missing." }]);
  const data = parseConfigToml(main, text);
  const locate = locator(text);
  const problems: Problem[] = complaints(data).map(({ path, message }) => ({ file: main, ...locate(path), key: dotted(path), message }));
  if (problems.length > 0) throw new ConfigError(problems.sort(byLine));
  for (const { key, path } of allSettings())
    if (!isCentral(key) && valueAtPath(data, path) !== undefined)
      problems.push({
        file: main,
        ...locate(path),
        key,
        message: `"${key}" is no rule, so a policy cannot set it. Set it on each machine.`,
      });
  const inline = <T>(section: "policy" | "adversarial_policy", list: string, read: (file: string, text: string) => readonly T[]) => {
    const table = valueAtPath(data, ["tools", section]);
    if (!isRecord(table)) return;
    const name = table.policy_file;
    // A file of the machine's own would add rules to those of the fleet.
    table.policy_file = "";
    if (typeof name !== "string" || name === "") return;
    const inner = Object.hasOwn(files, name) ? files[name]! : null;
    if (inner === null)
      problems.push({ file: main, ...locate(["tools", section, "policy_file"]), message: `${name} is not in the policy.` });
    else collect(problems, () => setAtPath(data, ["tools", section, list], [...listAt(table[list]), ...read(named(name), inner)]));
  };
  inline("policy", "rules", (file, inner) => {
    parsePolicyFile(file, inner);
    return listAt(parseConfigToml(file, inner).rules);
  });
  inline("adversarial_policy", "policies", (_file, inner) => parsePolicyLines(inner));
  if (problems.length > 0) throw new ConfigError(problems.sort(byLine));
  const tables = new Set(allSettings().flatMap((one) => (valueAtPath(data, one.path) === undefined ? [] : [tableOf(one)])));
  return { version, data, tables, place: (path) => placeIn(main, locate(path)) };
}

/**
 * The value of a setting below a policy; null where the policy says nothing of it. Whoever else sets it may only tighten. A table that the policy speaks
 * of is the policy's as a whole: rules that it did not write cannot allow what its own would not.
 */
export function valueUnder({ data, tables }: CentralConfig, setting: ConfigSetting, wish: unknown, folders: Folders): Tightened | null {
  if (!isCentral(setting.key) || !tables.has(tableOf(setting))) return null;
  const value = valueAtPath(data, setting.path) ?? setting.default;
  return wish === undefined ? { value, ignored: [] } : tighten(setting, wish, value, folders);
}

/** Both lists of rules are heard as one. Settings beside tables stand for themselves. */
function tableOf({ path }: ConfigSetting): string {
  const table = path.slice(0, 2).join(".");
  return table === "tools.authorization" ? "tools.policy" : table;
}

const placeIn = (file: string, found: { readonly line: number } | undefined) => ({ file, ...(found && { line: found.line }) });
const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function collect(problems: Problem[], read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
}
