import { callKey, type ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { ESCALATION, PASS, type Verdict } from "../core/gate/verdict.ts";
import type { WallsFacts } from "../core/ports/walls.ts";

export interface WallsMode {
  readonly enabled: boolean;
  readonly fallback: "ask" | "deny" | "noop";
  readonly escalation?: "never" | "ask";
}

/** Commands that failed at a wall and may be asked about. */
const MOST_FAILED = 100;

/** Turns the probe's answer into pass, ask or deny for everything that runs a program. The host refuses by itself; this says so beforehand. */
export const createWallsGate = (mode: WallsMode, facts: WallsFacts): Gate => ({
  ...judging(mode, facts, new Set()),
  name: "walls",
  alsoJudges: ONLY_CALLS,
  state: () => (mode.enabled ? `where no sandbox works: ${mode.fallback === "noop" ? "run" : mode.fallback}` : "off"),
});

const judging = (
  { enabled, fallback, escalation = "never" }: WallsMode,
  facts: WallsFacts,
  failed: Set<string>,
): Pick<Gate, "judge" | "settled"> => ({
  judge(call, turn) {
    if (call.tool.effect !== "runs" || !enabled) return PASS;
    // It is not we who run it.
    if (turn.client?.walls === "none") return PASS;
    return facts
      .walls()
      .catch(refused)
      .then((found) => {
        // The configuration names a folder no wall may open. The host would refuse it too.
        if (found instanceof ToolError) return { kind: "deny", rule: "tools.sandbox", why: found.message };
        if (found.backend !== "none" && failed.size > 0 && failed.has(keyOf(call)) && !turn.unattended) return ESCALATED;
        if (found.backend !== "none" || fallback === "noop") return PASS;
        const why = `No sandbox works here, so the command would run with all your rights: ${found.reason ?? "no reason is known"}`;
        return { kind: fallback, rule: `tools.sandbox.fallback = ${fallback}`, why };
      });
  },
  /** A person who said no, or whose command was run, is asked again only after it failed again. */
  settled(call, { output }) {
    if (escalation !== "ask" || call.tool.effect !== "runs") return;
    const isWalled = output?.walls !== undefined && output.walls.backend !== "none";
    const hasFailed = isWalled && output?.hint !== undefined;
    // The key of a long command takes a while to write.
    if (failed.size === 0 && !hasFailed) return;
    const key = keyOf(call);
    failed.delete(key);
    if (hasFailed && failed.size < MOST_FAILED) failed.add(key);
  },
});

const ESCALATED: Verdict = {
  kind: "ask",
  rule: ESCALATION,
  why: "This command failed at a wall. May it run once without walls, with all your rights and the network open?",
};

const keyOf = (call: ToolCall): string => callKey(call, call.cwd);

function refused(thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown;
  throw thrown;
}
