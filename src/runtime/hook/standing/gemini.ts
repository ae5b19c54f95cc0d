import { join } from "node:path";
import type { CachedFile } from "../../../files/cached-file.ts";
import { type ClientRules, valueIn } from "../../../neighbours/rules/client-rule.ts";
import { readGeminiPolicies, readGeminiRules } from "../../../neighbours/rules/gemini.ts";
import { foldersAbove } from "./client-files.ts";
import { hasOption, rulesIn, valuesOf } from "./client-options.ts";
import { type AskingClient, type ClientStand, fromFile, withoutAllows } from "./client-stand.ts";

const MORE_POLICIES = ["policyPaths", "adminPolicyPaths"];

/** All rules of Gemini: settings and policies of the machine, the person, the project and the extensions, each file by itself. */
export function readGeminiStand({ call, home: userHome, system, env, words, files }: AskingClient): ClientStand {
  const home = env.GEMINI_CLI_HOME || userHome;
  const own = join(home, ".gemini");
  const machine = join(system, "etc/gemini-cli");
  const unsure: string[] = [];
  const lists: ClientRules[] = [];
  const take = (path: string, found: CachedFile<unknown>, read: (data: unknown) => ClientRules) => {
    if (found.kind === "unread") unsure.push(`${path} cannot be read: ${found.why}`);
    if (found.kind !== "read") return;
    lists.push(fromFile(read(found.value), path));
    if (MORE_POLICIES.some((key) => valueIn(found.value, key) !== undefined)) unsure.push(`${path} names policies that lie elsewhere`);
  };
  const policiesIn = (folder: string, inside?: string) => {
    for (const path of files.list(folder, ".toml")) take(path, files.toml(path, inside), readGeminiPolicies);
  };
  const settings = [
    env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(machine, "system-defaults.json"),
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(machine, "settings.json"),
    join(own, "settings.json"),
  ];
  for (const path of settings) take(path, files.jsonc(path), (data) => readGeminiRules(data));
  for (const folder of [machine, own]) policiesIn(join(folder, "policies"));
  for (const folder of foldersAbove(call.cwd)) {
    if (join(folder, ".gemini") === own) continue;
    const path = join(folder, ".gemini/settings.json");
    const isHere = folder === call.cwd;
    take(path, files.jsonc(path, folder), (data) => (isHere ? readGeminiRules(data) : withoutAllows(readGeminiRules(data))));
    if (isHere) policiesIn(join(folder, ".gemini/policies"), folder);
  }
  for (const extension of files.list(join(own, "extensions"), "")) {
    const path = join(extension, "gemini-extension.json");
    take(path, files.jsonc(path), (data) => withoutAllows(readGeminiRules({ excludeTools: valueIn(data, "excludeTools") })));
    policiesIn(join(extension, "policies"));
  }
  const allowed = valuesOf(words, ["--allowed-tools"], "several").flatMap(rulesIn);
  lists.push(fromFile(readGeminiRules({ tools: { allowed } }), "its command line"));
  if (hasOption(words, ["--policy", "--admin-policy"])) unsure.push("it was started with policies that lie elsewhere");
  const isYolo = hasOption(words, ["-y", "--yolo"]) || valuesOf(words, ["--approval-mode"]).includes("yolo");
  return { lists, unsure, promptsNobody: isYolo };
}
