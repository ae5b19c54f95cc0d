import { ToolError } from "../../core/error.ts";
import type { LastWord } from "../../core/gate/gate.ts";
import type { Drafted, InnerLayer, Layer, Outcome } from "../../core/layer.ts";
import type { ToolRequest } from "../../core/request.ts";
import type { CallContext } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { HOOK_EVENTS, type HookPayload, type Hooks } from "../../host/hooks.ts";
import { createTurnValues } from "./turn-values.ts";

/** Where in the path of a call the person's hooks are told. */
export interface HookLayers {
  /** Before the permit: it may deny. */
  readonly lastWord?: LastWord;
  /** After a call that changed files. */
  readonly changes: InnerLayer;
  /** After everything, refused calls included. */
  readonly afterwards: Layer<ToolRequest>;
  cwdChanged(from: string, to: string, ctx: CallContext): void;
  turnComplete(turnId: string): void;
}

export function createHookLayers(hooks: Hooks, cwd: string, commands: { history(turnId: string): readonly string[] }): HookLayers {
  const values = createTurnValues();
  const isHeard = HOOK_EVENTS.some((event) => hooks.has(event));
  const about = (turn: TurnContext): HookPayload => ({
    turn_id: turn.turnId,
    ...(turn.goalId !== undefined && { goal_id: turn.goalId }),
    ...(turn.skillName !== undefined && { skill_name: turn.skillName }),
    timestamp_ms: turn.timestampMs,
    cwd,
    history: commands.history(turn.turnId),
    parsed: values.of(turn.turnId),
  });
  return {
    ...(hooks.has("pre_tool") && {
      lastWord: (call, turn) => hooks.run("pre_tool", { ...about(turn), tool: call.tool.name, args: call.input, touches: call.touches }),
    }),
    async changes({ call }, { turn }, next) {
      if (!hooks.has("file_changed")) return next();
      const outcome = await next();
      const changed = call.touches.flatMap((touch) => (touch.kind === "path" && touch.access !== "read" ? [touch.path] : []));
      if (!outcome.ok || changed.length === 0) return outcome;
      return keptBack(outcome, await hooks.run("file_changed", { ...about(turn), tool: call.tool.name, paths: changed }));
    },
    async afterwards(request, { turn }, next) {
      if (!isHeard) return next();
      const outcome = await next();
      if (outcome.output) values.add(turn.turnId, outcome.output.text);
      const told = { ...about(turn), tool: request.name, args: request.args, decision: outcome.decision };
      if (outcome.decision.verdict === "deny") await hooks.run("permission_denied", told);
      else if (hooks.has("post_tool")) {
        const output = outcome.output && { text: outcome.output.text, exit_code: outcome.output.exitCode };
        return keptBack(outcome, await hooks.run("post_tool", { ...told, ok: outcome.ok, ...output }));
      }
      return outcome;
    },
    cwdChanged: (from, to, { turn }) => void hooks.run("cwd_changed", { ...about(turn), from, to }),
    turnComplete(turnId) {
      void hooks.run("turn_complete", { turn_id: turnId, cwd, parsed: values.of(turnId) });
      values.end(turnId);
    },
  };
}

/** What was run cannot be undone; what came of it is not handed on when a hook that should have been told was not. */
function keptBack<O extends Outcome | Drafted>(outcome: O, problem: string | null): O | Omit<Extract<Outcome, { ok: false }>, "output"> {
  if (problem === null) return outcome;
  const message = `The call was run, but its result is withheld: ${problem}`;
  return { ok: false, callId: outcome.callId, error: new ToolError("policy_blocked", message), decision: outcome.decision };
}

/** `ZEPH_TURN_ID` and its like, for those who asked for them. Absent ids are left out. */
export const contextFor =
  (enabled: boolean) =>
  ({ turn_id, goal_id, skill_name }: HookPayload): Record<string, string> => {
    if (!enabled) return {};
    const named = { ZEPH_TURN_ID: turn_id, ZEPH_GOAL_ID: goal_id, ZEPH_SKILL_NAME: skill_name };
    return Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  };
