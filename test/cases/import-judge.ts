import { regexSearch } from "../../src/config/policy/regex.ts";
import { configSchema } from "../../src/config/schema.ts";
import { ToolCall } from "../../src/core/call.ts";
import type { Facts } from "../../src/core/ports/facts.ts";
import { ToolRequest } from "../../src/core/request.ts";
import { createSession } from "../../src/core/session.ts";
import { blocklist } from "../../src/gates/blocklist.ts";
import { createFilesGate } from "../../src/gates/files.ts";
import { understandFrom } from "../../src/gates/permissions/commands.ts";
import { createPermissionsGate } from "../../src/gates/permissions/permissions.ts";
import { firstPolicyMatch } from "../../src/gates/policy/match.ts";
import { createPathRules } from "../../src/host/files/paths.ts";
import { bash } from "../../src/tools/bash.ts";
import { TOOLS } from "../../src/tools/index.ts";

const tools = new Map([bash((command, at) => understandFrom(command, at).touches), ...TOOLS].map((tool) => [tool.name, tool]));

/** The gates that imported settings speak to, where no walls stand in for an answer: so whatever is not allowed is asked about. */
export function createImportJudge(settings: object, cwd: string, home: string) {
  const config = configSchema().parse(settings);
  const rules = createPathRules(cwd, config.tools.file, home);
  const { canonical, entry, exists, settled, changedAt, cwd: base } = rules;
  const access: Facts["access"] = (touch) => rules.judge(touch, rules.resolve(touch));
  const facts: Facts = { cwd: base, home, canonical, entry, exists, settled, changedAt, access, address: () => null };
  const { blocked_commands } = config.tools.shell;
  const blocked = blocklist({ facts, own: [], shell: { blocked: blocked_commands, allowNetwork: true, constructs: "look" } });
  const files = createFilesGate(facts);
  const permissions = createPermissionsGate(config.tools.permissions, { autonomy: config.autonomy, enabled: true }, facts, {
    confirm: [],
    constructs: "look",
    walls: () => false,
    kept: new Set(),
  });
  const policy = firstPolicyMatch(
    config.tools.policy.rules.map((rule) => ({ owner: "policy" as const, rule })),
    facts,
    {},
    regexSearch,
  );
  const turn = createSession().current({});
  return async (tool: string, args: object): Promise<"allow" | "ask" | "deny"> => {
    const call = ToolCall.parse(ToolRequest.from({ id: "judged", name: tool, args })!, tools);
    if (call instanceof Error) throw call;
    if (blocked(call)) return "deny";
    if (config.tools.policy.enabled && policy(call, turn)?.effect === "deny") return "deny";
    const said = [await files.judge(call, turn), await permissions.judge(call, turn)].map(({ kind }) => kind);
    return said.includes("deny") ? "deny" : said.includes("ask") ? "ask" : "allow";
  };
}
