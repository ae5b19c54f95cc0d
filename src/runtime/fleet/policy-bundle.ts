import { isAbsolute, join, resolve } from "node:path";
import { POLICY_MAIN_FILE, readCentral } from "../../config/central.ts";
import { ConfigError, type Problem } from "../../config/problem.ts";
import { parseConfigToml, readConfigText } from "../../config/read.ts";
import { valueAtPath } from "../../config/shape.ts";
import type { PolicyBundle } from "../../fleet/govern/policies.ts";
import { openRuntime } from "../create.ts";
import { tryRules, unwritten } from "../rules/policy-trial.ts";

export interface CheckedBundle {
  readonly bundle: PolicyBundle;
  /** How many examples there are beside the rules; all of them hold. */
  readonly examples: number;
  readonly warnings: readonly string[];
}

/** Reads a folder as a policy and checks it as every runtime will: its form, its rules, and the examples beside them. Throws a ConfigError that lists everything wrong. */
export async function checkBundleFolder(folder: string, version: number): Promise<CheckedBundle> {
  const at = resolve(folder);
  const files = readBundleFiles(at);
  readCentral({ version, files });
  const { failures, total, warnings } = await tryRules(join(at, POLICY_MAIN_FILE), at);
  if (failures.length > 0) throw new ConfigError([...failures]);
  await tryBundle(files, version, at);
  return { bundle: { format: 1, files }, examples: total, warnings };
}

/** What a runtime says that has nothing but this policy. */
async function tryBundle(files: PolicyBundle["files"], version: number, cwd: string): Promise<void> {
  const policy = { current: () => ({ version, files }), onChange: () => () => {} };
  const { zeph } = await openRuntime({ cwd, config: {}, store: "memory", servers: "later", log: unwritten, fleet: { policy } });
  await zeph.close();
}

function readBundleFiles(folder: string): Record<string, string> {
  const main = readConfigText(join(folder, POLICY_MAIN_FILE), { inside: folder });
  if (main === null)
    throw new ConfigError([{ file: join(folder, POLICY_MAIN_FILE), message: "A policy is a folder with this file, and there is none." }]);
  const files: Record<string, string> = { [POLICY_MAIN_FILE]: main };
  const problems: Problem[] = [];
  for (const path of NAMED) {
    const name = valueAtPath(parseConfigToml(join(folder, POLICY_MAIN_FILE), main), path);
    if (typeof name !== "string" || name === "") continue;
    const text = isAbsolute(name) || /(?:^|\/)\.\.(?:\/|$)|^~/.test(name) ? null : readConfigText(join(folder, name), { inside: folder });
    if (text === null)
      problems.push({ file: join(folder, POLICY_MAIN_FILE), message: `"${path.join(".")}" has to name a file in the folder.` });
    else files[name] = text;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return files;
}

const NAMED = [
  ["tools", "policy", "policy_file"],
  ["tools", "adversarial_policy", "policy_file"],
];
