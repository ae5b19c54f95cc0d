import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { OwnHost } from "../../core/ports/own-host.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { SandboxConfig } from "../sandbox/config.ts";

/** The walls of a program's own machine, as results and the audit log name them. */
export function wallsOf({ name, walls }: OwnHost, { enabled }: SandboxConfig): Walls {
  if (!enabled) return { backend: "none", layers: [], network: "open", reason: "tools.sandbox.enabled is false" };
  if (walls) return { backend: "host", layers: [`${name}: ${walls.name}`], network: walls.network };
  return { backend: "none", layers: [], network: "open", reason: `nothing is known to stand around commands on ${name}` };
}

/** Throws where no walls stand and nobody decided so: in the configuration, or by a yes to the question of the gate `walls`. */
export function assertWalls({ backend, reason }: Walls, { enabled, fallback }: SandboxConfig, { grant }: ApprovedCall): void {
  if (backend !== "none" || !enabled || fallback === "noop") return;
  const isAgreed = grant.kind === "confirmed" && grant.asked.some(({ gate }) => gate === "walls");
  if (fallback !== "ask" || !isAgreed) throw new ToolError("policy_blocked", reason ?? "No walls stand around commands there.");
}
