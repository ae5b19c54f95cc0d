import type { Registry } from "../core/registry.ts";
import type { TurnContext } from "../core/turn.ts";
import { commandUserName } from "../host/sandbox/user.ts";
import type { AuditSurroundings } from "../pipeline/audit.ts";
import type { Gates } from "./rules/gates.ts";
import type { LiveConfig, StartConfig } from "./rules/live-config.ts";

export interface Acting {
  readonly scope: StartConfig["tools"]["scope"];
  /** The version of the fleet's policy in force; null without one. */
  policyVersion(): number | null;
  /** Toolsets whose tools are carried out by a program of ours: MCP servers that are no address. */
  programs(): ReadonlySet<string>;
}

/** What is done by the helper process, or by a command: it is done as the other user. All else is done by Zeph itself. */
const AS_OTHER: ReadonlySet<string> = new Set([
  ...["bash", "read", "write", "edit", "list_directory", "find_path", "grep", "search_code"],
  ...["create_directory", "delete_path", "move_path", "copy_path", "diagnostics"],
]);

/** The toolsets of MCP servers that are programs. */
export const programsIn = ({ mcp }: LiveConfig): ReadonlySet<string> =>
  new Set(mcp.servers.flatMap(({ name, ...server }) => ("url" in server && server.url !== undefined ? [] : [`mcp:${name}`])));

/** What every line of the audit log says besides the call: where it was made and, where tools are scoped, as whom. */
export function createAuditDetails(
  { scope: { enabled, run_as_user, audit_all_invocations }, programs, policyVersion }: Acting,
  where: (turn: TurnContext) => string,
  gates: Gates,
  registry: Pick<Registry, "tools" | "origin">,
): AuditSurroundings {
  const { tools, origin } = registry;
  const scopeInForce = () => (gates.book.live.tools.scope.require_capability ? "trusted" : "everyone");
  const isOther = (name: string, toolset: string | undefined) => (toolset === undefined ? AS_OTHER.has(name) : programs().has(toolset));
  const scoped = (name: string, toolset: string | undefined) =>
    enabled ? { user: commandUserName(isOther(name, toolset) ? run_as_user : ""), scope: scopeInForce() } : {};
  return {
    announces: (effect) => effect !== "reads" || (enabled && audit_all_invocations),
    about(name, { turn }) {
      const toolset = origin(name)?.id;
      const known = tools().get(name)?.name ?? name;
      const version = policyVersion();
      return {
        trust: gates.trusting.effective(known, turn),
        cwd: where(turn),
        ...(toolset !== undefined && { toolset }),
        ...(version !== null && { policy_version: version }),
        ...scoped(known, toolset),
      };
    },
    missed({ name, problem }, outcome) {
      const tool = tools().get(name);
      // What could not be read, or came too often, was never held against the tool's schema.
      if (tool && problem === undefined) gates.failures.missed(tool.name, outcome);
    },
  };
}
