import { join } from "node:path";
import { realPlace } from "../../../files/working-folder.ts";
import { type ClientRules, valueIn } from "../../../neighbours/rules/client-rule.ts";
import { judgeClientCall } from "../../../neighbours/rules/judge-call.ts";
import { readOpencodeRules } from "../../../neighbours/rules/opencode.ts";
import { suspicionInOrder } from "../../../neighbours/rules/suspect-command.ts";
import { leavesFolder } from "../../../neighbours/rules/suspect-path.ts";
import { isRecord } from "../../../text/json.ts";
import { foldersAbove, tableIn } from "./client-files.ts";
import { type AskingClient, type ClientStand, fromFile } from "./client-stand.ts";

type Data = Readonly<Record<string, unknown>>;
const NAMES = ["opencode.json", "opencode.jsonc"];
const AGENT_FOLDERS = ["agent", "agents", "mode", "modes"];
const ROOTS = { workspace: "/", settings: "/", home: "/" };

/** All rules of opencode: its files in the order in which it lays them over each other, and those of its agents. */
export function readOpencodeStand(side: AskingClient): ClientStand {
  const { call, home, env, files } = side;
  const unsure: string[] = [];
  const found: { readonly path: string; readonly data: Data }[] = [];
  const take = (path: string, inside?: string) => {
    const read = files.jsonc(path, inside);
    if (read.kind === "unread") unsure.push(`${path} cannot be read: ${read.why}`);
    if (read.kind === "read") found.push({ path, data: read.value });
  };
  const inline = (name: string, wrap: (data: Data) => Data) => {
    try {
      if (env[name]) found.push({ path: name, data: wrap(tableIn(env[name], "allowed")) });
    } catch {
      unsure.push(`${name} cannot be read`);
    }
  };
  const { config, above, folders } = placesOf(side);
  for (const name of ["config.json", ...NAMES]) take(join(config, name));
  if (files.text(join(config, "config")).kind !== "missing") unsure.push(`${join(config, "config")} is of an older version`);
  if (env.OPENCODE_CONFIG) take(env.OPENCODE_CONFIG);
  for (const folder of above) for (const name of NAMES) take(join(folder, name), folder);
  for (const { folder, inside } of folders) for (const name of NAMES) take(join(folder, name), inside);
  inline("OPENCODE_CONFIG_CONTENT", (data) => data);
  for (const name of NAMES) take(join(side.system, "etc/opencode", name));
  inline("OPENCODE_PERMISSION", (permission) => ({ permission }));
  for (const folder of [config, ...folders.map((one) => one.folder)]) unsure.push(...strictAgentFiles(side, folder));
  const logins = join(env.XDG_DATA_HOME || join(home, ".local/share"), "opencode/auth.json");
  const known = files.text(logins);
  if (known.kind === "unread" || (known.kind === "read" && known.value.includes('"wellknown"')))
    unsure.push("an organisation gives it settings from elsewhere");
  const lists = found.map(({ path, data }) => fromFile(readOpencodeRules({ permission: permissionOf(data) }), path));
  const whole = readOpencodeRules({ permission: found.map(({ data }) => permissionOf(data)).reduce<Data>(laidOver, {}) });
  const named = found.length === 1 ? lists[0]! : whole;
  const agents = found.flatMap(({ path, data }) => agentLists(data, path));
  return {
    lists: [named],
    unsure,
    promptsNobody: false,
    besides(command) {
      if (leavesFolder(command, call.cwd, realPlace))
        return "it names something outside of the folder, about which opencode has rules of its own";
      // Which agent of opencode calls is not told.
      if ([...agents, ...(found.length > 1 ? lists : [])].some((list) => isStrict(list, command)))
        return "rules of one of its agents or files are stricter than the others";
      return null;
    },
  };
}

const isStrict = (list: ClientRules, command: string): boolean =>
  ["ask", "deny", "unsure"].includes(judgeClientCall(list, { kind: "command", command }, ROOTS)) ||
  suspicionInOrder(list, command) !== null;

function placesOf({ call, home, env }: AskingClient) {
  const config = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const above = [...foldersAbove(call.cwd)].reverse();
  const folders = [
    ...above.map((folder) => ({ folder: join(folder, ".opencode"), inside: folder })),
    { folder: join(home, ".opencode"), inside: home },
    ...(env.OPENCODE_CONFIG_DIR ? [{ folder: env.OPENCODE_CONFIG_DIR, inside: env.OPENCODE_CONFIG_DIR }] : []),
  ];
  return { config, above, folders };
}

/** Agents in files of their own: one that asks or denies anything might be the one that calls. */
const strictAgentFiles = ({ files }: AskingClient, folder: string): readonly string[] =>
  AGENT_FOLDERS.flatMap((name) => files.list(join(folder, name), ".md")).flatMap((path) => {
    const found = files.text(path);
    const [, head = ""] = found.kind === "read" ? (/^---\n([\s\S]*?)\n---/.exec(found.value) ?? []) : [];
    const isStrict = /^\s*(permission|tools)\b/m.test(head) && /\b(ask|deny|false)\b/.test(head);
    return found.kind === "unread" || isStrict ? [`the agent of ${path} has rules of its own`] : [];
  });

const agentLists = (data: Data, path: string): readonly ClientRules[] =>
  ["agent", "mode"].flatMap((key) => {
    const agents = valueIn(data, key);
    return Object.values(isRecord(agents) ? agents : {}).map((agent) =>
      fromFile(readOpencodeRules({ permission: permissionOf(isRecord(agent) ? agent : {}) }), path),
    );
  });

/** As older versions named them. */
const OLDER_NAMES: Readonly<Record<string, string>> = { write: "edit", patch: "edit" };

/** `permission`, with `tools` of older versions below it; a word speaks of every tool. */
function permissionOf(data: Data): Data {
  const { permission, tools } = data;
  const older = Object.fromEntries(
    Object.entries(isRecord(tools) ? tools : {}).map(([tool, on]) => [OLDER_NAMES[tool] ?? tool, on === false ? "deny" : "allow"]),
  );
  if (permission === undefined) return older;
  if (isRecord(permission)) return laidOver(older, permission);
  // Something else is read as a rule that nobody can read.
  return laidOver(older, { "*": permission });
}

/** Tables are laid over each other key by key; a key keeps its place. */
function laidOver(below: Data, above: Data): Data {
  const all: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = Object.hasOwn(all, key) ? all[key] : undefined;
    all[key] = isRecord(under) && isRecord(value) ? laidOver(under, value) : value;
  }
  return all;
}
