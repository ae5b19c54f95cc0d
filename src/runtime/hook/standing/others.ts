import { join } from "node:path";
import type { ClientRule, ClientRules, RuleAction } from "../../../neighbours/rules/client-rule.ts";
import { foldersAbove } from "./client-files.ts";
import { hasOption, rulesIn, valuesOf } from "./client-options.ts";
import { type AskingClient, type ClientStand, NO_RULES } from "./client-stand.ts";

/** pi has no rules and asks nobody: Zeph is all there is. */
export const readPiStand = (): ClientStand => ({ ...NO_RULES, promptsNobody: true });

/** Copilot's rules stand on its command line. What its files say about denials is its own to read. */
export function readCopilotStand({ call, home, env, words, files }: AskingClient): ClientStand {
  const own = env.COPILOT_HOME || join(env.XDG_CONFIG_HOME || home, ".copilot");
  const folders = [own, join(home, ".copilot"), ...foldersAbove(call.cwd).map((folder) => join(folder, ".github/copilot"))];
  const unsure = folders
    .flatMap((folder) =>
      ["config.json", "settings.json", "settings.local.json", "permissions-config.json"].map((name) => join(folder, name)),
    )
    .flatMap((path) => {
      const found = files.text(path);
      const isStrict = found.kind === "unread" || (found.kind === "read" && /den(y|ied)/i.test(found.value));
      return isStrict ? [`${path} has rules that only copilot reads`] : [];
    });
  const rules = [
    ...rulesOf("deny", valuesOf(words, ["--deny-tool", "--excluded-tools"], "several").flatMap(rulesIn)),
    ...rulesOf("allow", valuesOf(words, ["--allow-tool"], "several").flatMap(rulesIn)),
  ];
  const list: ClientRules = { client: "copilot", decides: "strictest", rules, unread: [] };
  const asksNobody = hasOption(words, ["--allow-all-tools", "--allow-all", "--yolo"]) || env.COPILOT_ALLOW_ALL === "true";
  return { lists: [list], unsure, promptsNobody: asksNobody };
}

const SHELLS: readonly string[] = ["shell", "bash"];

/** `shell`, `shell(git push)`, `shell(git:*)`; rules about other tools leave commands alone. */
const rulesOf = (action: RuleAction, written: readonly string[]): readonly ClientRule[] =>
  written.flatMap((text, n): ClientRule[] => {
    const [, tool, what] = /^(\w+)(?:\((.*)\))?$/s.exec(text) ?? [];
    if (text !== "*" && !SHELLS.includes(tool ?? "")) return [];
    const words = (what ?? "").replace(/:\*$/, "").trim();
    const isAny = words === "" || words === "*";
    const pattern = isAny ? ({ kind: "any" } as const) : ({ kind: "prefix", words: words.split(/\s+/) } as const);
    return [{ at: [n], written: `${text} on its command line`, action, target: { kind: "command", pattern } }];
  });
