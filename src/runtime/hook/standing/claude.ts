import { basename, dirname, join } from "node:path";
import type { CachedFile } from "../../../files/cached-file.ts";
import { realPlace } from "../../../files/working-folder.ts";
import { readClaudeRules } from "../../../neighbours/rules/claude.ts";
import { type ClientRules, valueIn } from "../../../neighbours/rules/client-rule.ts";
import { leavesFolder, mayNamePath, type PathRule } from "../../../neighbours/rules/suspect-path.ts";
import { foldersAbove, tableIn } from "./client-files.ts";
import { hasOption, rulesIn, valuesOf } from "./client-options.ts";
import { type AskingClient, type ClientStand, fromFile, joined, withoutAllows } from "./client-stand.ts";

/** In any other mode something else than rules decides: a plan, or a model that reads the text of the command. */
const MODES: readonly string[] = ["default", "acceptEdits", "bypassPermissions", "dontAsk"];

interface Source {
  readonly list: ClientRules;
  readonly data: unknown;
  /** The folder that `/path` in a rule begins at. */
  readonly root: string;
  readonly isManaged: boolean;
}

/** All rules of Claude Code: the machine's, the person's, the project's, and those on its command line. */
export function readClaudeStand(side: AskingClient): ClientStand {
  const { call, home, system, env, words, files } = side;
  const unsure: string[] = [];
  const sources: Source[] = [];
  const take = (path: string, root: string, found: CachedFile<unknown>, how: { readonly managed?: true; readonly denials?: true } = {}) => {
    if (found.kind === "unread") unsure.push(`${path} cannot be read: ${found.why}`);
    if (found.kind !== "read") return;
    const list = fromFile(readClaudeRules(found.value), path);
    sources.push({ list: how.denials ? withoutAllows(list) : list, data: found.value, root, isManaged: how.managed === true });
  };
  const own = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  for (const folder of [join(system, "etc/claude-code"), join(system, "Library/Application Support/ClaudeCode")])
    for (const path of [join(folder, "managed-settings.json"), ...files.list(join(folder, "managed-settings.d"), ".json")])
      take(path, folder, files.json(path), { managed: true });
  for (const name of ["remote-settings.json", "settings.json"]) take(join(own, name), own, files.json(join(own, name)));
  for (const folder of foldersAbove(call.cwd)) {
    // What another folder allows is not allowed here: the client read the files of the one that it was started in.
    const how = isStartedIn(folder, call.transcript) ? {} : { denials: true as const };
    for (const name of ["settings.json", "settings.local.json"]) {
      const path = join(folder, ".claude", name);
      if (folder !== home || own !== join(home, ".claude") || name !== "settings.json") take(path, folder, files.json(path, folder), how);
    }
  }
  for (const value of valuesOf(words, ["--settings"])) {
    if (value.trim().startsWith("{")) take("--settings", call.cwd, inline(value));
    else if (value.startsWith("/")) take(value, call.cwd, files.json(value));
    else unsure.push("it was started with --settings and a path that is relative");
  }
  const flagged = {
    permissions: {
      deny: valuesOf(words, ["--disallowedTools", "--disallowed-tools"], "several").flatMap(rulesIn),
      allow: valuesOf(words, ["--allowedTools", "--allowed-tools"], "several").flatMap(rulesIn),
    },
  };
  sources.push({ list: fromFile(readClaudeRules(flagged), "its command line"), data: flagged, root: call.cwd, isManaged: false });
  if (hasOption(words, ["--setting-sources", "--managed-settings"])) unsure.push("it was started with other sources of settings");
  if (sources.some(({ data }) => valueIn(data, "sandbox", "enabled") === true)) unsure.push("its own sandbox is on");
  const mode = call.permissionMode ?? "";
  if (!MODES.includes(mode)) unsure.push(`what it does in mode ${mode || "unknown"} is its own to decide`);
  const onlyManaged = sources.some(({ data, isManaged }) => isManaged && valueIn(data, "allowManagedPermissionRulesOnly") === true);
  const lists = sources.map(({ list, isManaged }) => (onlyManaged && !isManaged ? withoutAllows(list) : list));
  return {
    lists: [joined(lists, "claude")],
    unsure,
    promptsNobody: mode === "bypassPermissions",
    // What lies outside of its folders it asks about, whatever rules allow.
    asksAnyway: (command) => leavesFolder(command, call.cwd, realPlace),
    besides: (command) => {
      const rules = sources.flatMap(({ list, root }) => pathRules(list, { workspace: call.cwd, settings: root, home }));
      const rule = mayNamePath(rules, command, call.cwd, realPlace);
      return rule === null ? null : `its rule ${rule} might speak of a file of this command`;
    },
  };
}

/** Rules about files bind the commands that Claude Code knows to read and write files, too. */
const pathRules = (list: ClientRules, roots: PathRule["roots"]): readonly PathRule[] =>
  list.rules.flatMap(({ action, written, target }) =>
    action !== "allow" && target.kind === "path" ? [{ written, pattern: target.pattern, roots }] : [],
  );

/** The folder of a conversation is named after the one that the client was started in. */
const isStartedIn = (folder: string, transcript: string | undefined): boolean =>
  transcript !== undefined && basename(dirname(transcript)) === folder.replace(/[^a-zA-Z0-9]/g, "-");

function inline(text: string): CachedFile<unknown> {
  try {
    return { kind: "read", value: tableIn(text, "refused") };
  } catch (error) {
    return { kind: "unread", why: (error as Error).message };
  }
}
