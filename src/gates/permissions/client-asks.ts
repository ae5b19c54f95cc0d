import type { ToolCall } from "../../core/call.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { Touch } from "../../core/touch.ts";
import type { TurnContext } from "../../core/turn.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";

export interface ClientAsksParts {
  readonly facts: Facts;
  /** Whether the call only edits files of the workspace. */
  isEdit(call: ToolCall): boolean;
  /** Whether the call is a command of Zeph's own shell. Of what cannot be known about one the question has a rule. */
  isCommand(call: ToolCall): boolean;
  /** Whether walls stand around commands. */
  readonly walls: () => boolean | Promise<boolean>;
}

/**
 * The client in front of the session puts each call to its person (`zeph mcp --asked-by-client`), so they need not be asked twice. That answers one
 * question only: the one about an edit, or about a command behind walls, that no rule speaks of and that names nothing outside of the workspace.
 */
export async function askedByClient(
  call: ToolCall,
  verdict: Verdict,
  turn: TurnContext,
  { facts, isEdit, isCommand, walls }: ClientAsksParts,
): Promise<Verdict | null> {
  if (turn.asks !== "the client" || turn.unattended || verdict.kind !== "ask" || verdict.rule !== null) return null;
  if (!call.touches.every((touch) => isInside(touch, facts))) return null;
  if (!isEdit(call) && !(isCommand(call) && (await walls()))) return null;
  return { kind: "pass", rule: "asked by the client", noted: { grant: "client" } };
}

/** What a command runs is held by its walls; what it names is looked at here. */
function isInside(touch: Touch, facts: Facts): boolean {
  if (touch.kind === "command") return true;
  if (touch.kind !== "path") return false;
  const real = attempt(() => (touch.access === "delete" ? facts.entry : facts.canonical)(touch.path), null);
  return real !== null && isWithin(facts.cwd, real);
}
