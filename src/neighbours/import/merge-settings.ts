import { commentStart } from "../../config/edit/layout.ts";
import { addMarkedEntries, addMarkedSetting, addMarkedValue, dropMarked, type Origin } from "../../config/edit/marked.ts";
import { scanToml } from "../../config/edit/scan.ts";
import { ConfigError } from "../../config/problem.ts";
import { parseConfigToml } from "../../config/read.ts";
import { valueAtPath } from "../../config/shape.ts";
import { joinRules } from "./join-rules.ts";
import type { Piece } from "./piece.ts";

/** The settings with the pieces of a file in them, and the pieces that were left out, each with a reason. */
export interface Merged {
  readonly text: string;
  readonly left: ReadonlyMap<Piece, string>;
}

/** What stands there because of the same file is replaced. What the person wrote stays as it is, and wins. Throws a ConfigError where there is no safe place. */
export function mergeSettings(before: string, pieces: readonly Piece[], origin: Origin, into: "user" | "project"): Merged {
  const left = new Map<Piece, string>();
  let text = dropMarked(before, origin.file);
  const write = (edited: string | null, what: string) => {
    if (edited === null)
      throw new ConfigError([
        {
          message: `No safe place was found for ${what}, which comes from ${origin.file}. Write [tables] in place of { inline tables } and import again.`,
        },
      ]);
    text = edited;
  };
  const has = (key: string): unknown => valueAtPath(parseConfigToml(undefined, text), key.split("."));
  const scope = scopeProblems(has("tools.scoped"));
  const ownFolders = new Set(
    ["tools.file.allowed_paths", "tools.sandbox.allow_write"].filter((list) => (has(list) as unknown[] | undefined)?.length),
  );
  const once = new Set<string>();
  for (const piece of pieces) {
    if (piece.kind === "setting") {
      const now = has(piece.key);
      // Others may need it as well, so it is nobody's alone.
      const isShared = piece.key === "tools.scoped.enabled";
      if (isShared && scope.all !== null) left.set(piece, scope.all);
      else if (now === undefined) write(addMarkedSetting(text, piece.key.split("."), piece.value, isShared ? null : origin), piece.key);
      else if (now !== piece.value) left.set(piece, `${piece.key} is set already, to ${JSON.stringify(now)}`);
    }
    if (piece.kind === "value") {
      const key = `${piece.list} ${piece.value}`;
      if (once.has(key) || (piece.value === "." && ownFolders.has(piece.list))) continue;
      once.add(key);
      const problem = piece.list.startsWith("tools.scoped.")
        ? (scope.all ?? scope[piece.list.endsWith("allowed_tools") ? "allowed" : "denied"])
        : null;
      if (problem !== null) left.set(piece, problem);
      else write(addMarkedValue(text, piece.list.split("."), piece.value, origin), piece.list);
    }
    if (piece.kind === "server") {
      if (hasServer(has("mcp.servers"), piece.entry.name)) left.set(piece, "there is a server of this name already");
      else write(addMarkedEntries(text, ["mcp", "servers"], [piece.entry], origin, null), `the server ${piece.entry.name}`);
    }
  }
  const policies = pieces.filter((piece) => piece.kind === "policy");
  if (policies.length > 0) addPolicies(policies);
  const rules = pieces.filter((piece) => piece.kind === "rule").sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  for (const tool of new Set(rules.map((piece) => piece.tool))) {
    const mine = rules.filter((piece) => piece.tool === tool);
    const distinct = mine.filter((piece, n) => mine.findIndex((one) => one.pattern === piece.pattern && one.action === piece.action) === n);
    const joined = joinRules(text, tool, distinct, origin);
    write(joined.text, `the rules for ${tool}`);
    for (const piece of joined.left)
      left.set(piece, `rules for ${tool} from another file stand there, and no order of both lists is as strict as each`);
  }
  return { text, left };

  /** Denials are asked first. The list is switched on for them, with everything else allowed as before. */
  function addPolicies(policies: readonly Extract<Piece, { kind: "policy" }>[]): void {
    if (into === "project") {
      for (const piece of policies)
        left.set(piece, "a project cannot say that its policy allows everything else; import the file with --into user");
      return;
    }
    const now = has("tools.policy");
    const isOn = valueAtPath(now, ["enabled"]) === true;
    if (now !== undefined && !isOn && (valueAtPath(now, ["rules"]) !== undefined || valueAtPath(now, ["policy_file"]) !== undefined)) {
      for (const piece of policies) left.set(piece, "tools.policy is switched off, and holds rules of yours");
      return;
    }
    if (!isOn) {
      if (valueAtPath(now, ["enabled"]) === undefined)
        write(addMarkedSetting(text, ["tools", "policy", "enabled"], true, null), "tools.policy");
      else {
        for (const piece of policies) left.set(piece, "tools.policy is switched off");
        return;
      }
      if (valueAtPath(now, ["default_effect"]) === undefined)
        write(addMarkedSetting(text, ["tools", "policy", "default_effect"], "allow", null), "tools.policy");
    }
    const path = ["tools", "policy", "rules"];
    const first = scanToml(text).find(({ kind, path: at }) => kind === "list" && at.join(".") === "tools.policy.rules.0");
    const entries = policies.map(({ rule }) => ({ ...rule }));
    write(addMarkedEntries(text, path, entries, origin, first ? commentStart(text, first.start, 0) : null), "tools.policy.rules");
  }
}

/** Why nothing, or nothing of one of its lists, can be added to the limits of tools that are there. */
function scopeProblems(scope: unknown): { readonly all: string | null; readonly allowed: string | null; readonly denied: string | null } {
  const [allowed, denied] = ["allowed_tools", "denied_tools"].map((key) => {
    const list = valueAtPath(scope, [key]);
    return Array.isArray(list) && list.length > 0;
  });
  const isOff = valueAtPath(scope, ["enabled"]) !== true;
  return {
    all: isOff && (allowed || denied || valueAtPath(scope, ["enabled"]) === false) ? "tools.scoped is switched off" : null,
    allowed: allowed || denied ? "tools.scoped is set already, and both lists together would allow more than either" : null,
    denied: allowed ? "tools.scoped.allowed_tools is set, and no denied tool is looked at beside it" : null,
  };
}

const hasServer = (servers: unknown, name: string): boolean =>
  Array.isArray(servers) && servers.some((one) => String(valueAtPath(one, ["name"])).toLowerCase() === name.toLowerCase());
