import type { Config } from "../config/schema.ts";
import type { Gate } from "../core/door.ts";
import type { Facts } from "../core/facts.ts";
import type { AnyTool } from "../core/tool.ts";
import type { WallsFacts } from "../core/walls.ts";
import { type Replaceable, replaceable } from "../gates/blocklist.ts";
import { dependencies, type Requirements } from "../gates/dependencies.ts";
import { files } from "../gates/files.ts";
import { type Permissions, permissions } from "../gates/permissions.ts";
import { quota } from "../gates/quota.ts";
import { scope } from "../gates/scope.ts";
import { type TrustGate, trust } from "../gates/trust.ts";
import { type Verifiers, verifiers } from "../gates/verifiers.ts";
import { walls } from "../gates/walls.ts";
import { commandBlocklist } from "./blocklist.ts";
import type { keptCommands } from "./kept.ts";
import { rulesByTool } from "./rules.ts";

export interface GateParts {
  readonly config: Config;
  readonly facts: Facts & WallsFacts;
  /** Files that belong to Zeph itself. */
  readonly own: readonly string[];
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly kept: ReturnType<typeof keptCommands>;
  /** What tools have to wait for; null when nothing does. */
  readonly requirements: Requirements | null;
  readonly warn: (message: string) => void;
}

export interface Gates {
  readonly blocklist: Replaceable;
  readonly inOrder: readonly Gate[];
  readonly permission: Permissions;
  readonly verify: Verifiers;
  readonly trusting: TrustGate;
  /** Adds commands to those that are never run; given again, it replaces what was added. */
  block(names: readonly string[]): void;
  /** Quota and session grants begin anew. */
  reset(): void;
}

/** Everybody who has a say, in the order they are asked. */
export function openGates({ config, facts, own, tools, kept, requirements, warn }: GateParts): Gates {
  const { shell, sandbox, scope: limits } = config.tools;
  // A folder that no wall may open is the gate's to speak of.
  const wallsWork = async () => sandbox.enabled && (await facts.walls().catch(() => null))?.backend !== "none";
  const permission = permissions(
    rulesByTool(config.tools.permissions, tools, warn),
    { autonomy: config.autonomy, enabled: config.tools.enabled },
    facts,
    { confirm: shell.confirm_patterns, constructs: shell.constructs === "ask" ? "ask" : "look", walls: wallsWork, kept },
  );
  const limit = quota(config.tools.max_tool_calls_per_session);
  const verify = verifiers(config.autonomy);
  const trusting = trust(config.autonomy);
  const listFor = (blocked: readonly string[]) =>
    commandBlocklist({
      facts,
      own: [...new Set([...own, ...own.map(facts.canonical), ...own.map(facts.entry)])],
      blocked,
      network: sandbox.allow_network,
      constructs: shell.constructs,
      wallsWork,
    });
  const blocklist = replaceable(listFor(shell.blocked_commands));
  return {
    blocklist,
    // files → scope → scoped → dependencies → quota → policy → authorization → adversarial → trust → permissions → walls → verifiers → sentinel → anomaly → utility
    inOrder: [files(facts), scope(limits), dependencies(requirements), limit, trusting, permission, walls(sandbox, facts), verify],
    permission,
    verify,
    trusting,
    block: (names) => blocklist.replace(listFor([...shell.blocked_commands, ...names])),
    reset() {
      limit.reset();
      permission.reset();
      trusting.reset();
    },
  };
}
