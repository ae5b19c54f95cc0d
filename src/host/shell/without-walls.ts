import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import { ESCALATION } from "../../core/gate/verdict.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** Null behind walls; else without them, when the person decided so: in the configuration, or by a yes to the question of the gate `walls`. */
export function withoutWalls(sandbox: SandboxConfig, found: Sandbox, { grant }: ApprovedCall): Walls | null {
  const open: Walls = {
    backend: "none",
    layers: [],
    network: "open",
    ...(found.walls.reason !== undefined && { reason: found.walls.reason }),
  };
  if (!sandbox.enabled) return { ...open, reason: "tools.sandbox.enabled is false" };
  const isEscalated = sandbox.escalation === "ask" && grant.kind === "confirmed" && grant.asked.some(({ rule }) => rule === ESCALATION);
  if (isEscalated) return { ...open, reason: "a person let it run without walls (tools.sandbox.escalation)" };
  if (found.backend !== "none") return null;
  const agreed = grant.kind === "confirmed" && grant.asked.some(({ gate }) => gate === "walls");
  if (sandbox.fallback === "noop" || (sandbox.fallback === "ask" && agreed)) return open;
  throw new ToolError("policy_blocked", found.walls.reason ?? "No sandbox works on this machine.");
}
