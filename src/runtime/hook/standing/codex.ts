import { join } from "node:path";
import type { CachedFile } from "../../../files/cached-file.ts";
import { type ClientRules, valueIn } from "../../../neighbours/rules/client-rule.ts";
import { type CodexStatement, readCodexRequirements, readCodexRules } from "../../../neighbours/rules/codex.ts";
import { foldersAbove } from "./client-files.ts";
import { hasOption, valuesOf } from "./client-options.ts";
import { type AskingClient, type ClientStand, fromFile, joined, withoutAllows } from "./client-stand.ts";

const NO_SANDBOX = "danger-full-access";
const BYPASS = ["--dangerously-bypass-approvals-and-sandbox", "--yolo"];

/** All rules of Codex: files of statements, what the machine requires, and whether Codex has a sandbox of its own around commands. */
export function readCodexStand(side: AskingClient): ClientStand {
  const { call, home, system, env, files } = side;
  const unsure: string[] = [];
  const lists: ClientRules[] = [];
  const take = <T>(path: string, found: CachedFile<T>, read: (value: T) => ClientRules) => {
    if (found.kind === "unread") unsure.push(`${path} cannot be read: ${found.why}`);
    if (found.kind === "read") lists.push(fromFile(read(found.value), path));
  };
  const own = env.CODEX_HOME || join(home, ".codex");
  const machine = join(system, "etc/codex");
  const denials = (statements: readonly CodexStatement[]) => withoutAllows(readCodexRules(statements));
  for (const folder of [own, machine])
    for (const path of files.list(join(folder, "rules"), ".rules")) take(path, files.statements(path), readCodexRules);
  // Whether Codex trusts a project is its own memory, so nothing that a project allows is counted on.
  for (const folder of foldersAbove(call.cwd))
    if (join(folder, ".codex") !== own)
      for (const path of files.list(join(folder, ".codex/rules"), ".rules")) take(path, files.statements(path, folder), denials);
  const required = join(machine, "requirements.toml");
  take(required, files.toml(required), readCodexRequirements);
  for (const name of ["cloud-requirements-cache.json", "cloud-requirements.toml"])
    if (files.text(join(own, name)).kind !== "missing") unsure.push(`${join(own, name)} is only Codex's to read`);
  if (hasSandbox(side, own, machine)) unsure.push("Codex has its own sandbox around commands, and nothing in there reaches Zeph");
  return { lists: [joined(lists, "codex")], unsure, promptsNobody: call.permissionMode === "bypassPermissions" };
}

/** Whether Codex itself puts walls around commands. In doubt it does. */
function hasSandbox({ call, words, files }: AskingClient, own: string, machine: string): boolean {
  if (hasOption(words, BYPASS)) return false;
  const given = [
    ...valuesOf(words, ["-s", "--sandbox"]),
    ...valuesOf(words, ["-c", "--config"]).flatMap((text) => /^\s*sandbox_mode\s*=\s*"?([\w-]+)"?\s*$/.exec(text)?.[1] ?? []),
  ];
  if (given.length > 0) return given.some((mode) => mode !== NO_SANDBOX);
  if (hasOption(words, ["-p", "--profile", "--full-auto"])) return true;
  const data = [join(machine, "managed_config.toml"), join(machine, "config.toml"), join(own, "config.toml")].map((path) =>
    files.toml(path),
  );
  const inside = foldersAbove(call.cwd).map((folder) => files.toml(join(folder, ".codex/config.toml"), folder));
  const all = [...data, ...inside];
  if (all.some(({ kind }) => kind === "unread")) return true;
  const read = all.flatMap((found) => (found.kind === "read" ? [found.value] : []));
  const modes = read.map((one) => valueIn(one, "sandbox_mode")).filter((mode) => mode !== undefined);
  const isProfiled = read.some((one) => valueIn(one, "profile") !== undefined || valueIn(one, "default_permissions") !== undefined);
  return isProfiled || modes.length === 0 || modes.some((mode) => mode !== NO_SANDBOX);
}
