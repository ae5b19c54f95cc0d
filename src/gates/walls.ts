import { ToolError } from "../core/error.ts";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS } from "../core/gate/verdict.ts";
import type { WallsFacts } from "../core/ports/walls.ts";

export interface WallsMode {
  readonly enabled: boolean;
  readonly fallback: "ask" | "deny" | "noop";
}

/** Turns the probe's answer into pass, ask or deny for everything that runs a program. The host refuses by itself; this says so beforehand. */
export const createWallsGate = ({ enabled, fallback }: WallsMode, facts: WallsFacts): Gate => ({
  name: "walls",
  alsoJudges: ONLY_CALLS,
  state: () => (enabled ? `where no sandbox works: ${fallback === "noop" ? "run" : fallback}` : "off"),
  async judge({ tool }) {
    if (tool.effect !== "runs" || !enabled) return PASS;
    const found = await facts.walls().catch(refused);
    // The configuration names a folder no wall may open. The host would refuse it too.
    if (found instanceof ToolError) return { kind: "deny", rule: "tools.sandbox", why: found.message };
    if (found.backend !== "none" || fallback === "noop") return PASS;
    const why = `No sandbox works here, so the command would run with all your rights: ${found.reason ?? "no reason is known"}`;
    return { kind: fallback, rule: `tools.sandbox.fallback = ${fallback}`, why };
  },
});

function refused(thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown;
  throw thrown;
}
