import { randomUUID } from "node:crypto";
import { alwaysOnOf } from "../../catalog/config.ts";
import { createDependencies, type Dependencies } from "../../catalog/dependencies.ts";
import { callKey, ToolCall } from "../../core/call.ts";
import type { Door } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { Rules } from "../../core/gate/gate.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { ToolRequest } from "../../core/request.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { findClient } from "../../hook/find-client.ts";
import { ANEW } from "../governance/governance.ts";
import type { GateParts, Gates } from "../rules/gates.ts";
import type { Rulebook } from "../rules/rulebook.ts";
import { type Answer, isCut, outcomeOf, pastAnswer, wasAdmitted } from "./audit-line.ts";

/** What the rules say of a past call now; or why it cannot be told. */
export type Rejudged =
  | { readonly answer: Answer; readonly gate: string | null; readonly rule: string | null; readonly why: string | null }
  | { readonly unfit: string };

/** One past session, told call by call. Nothing is run, written down or asked. */
export interface Rejudge {
  /** `standing`: where the turn's shell stood, when that was not the workspace itself. */
  judge(entry: AuditEntry, standing: string | null): Promise<Rejudged>;
  /** A call that never reached the door. */
  missed(entry: AuditEntry): void;
  /** What a person did about a refusal, as the log notes it. */
  noted(text: string): void;
}

/** They decide by what no log holds: addresses a model was given, the answer of another model. */
export const UNHEARD: readonly string[] = ["verifiers", "adversarial"];

export interface BenchParts {
  readonly book: Rulebook;
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  /** Gates that remember nothing yet. */
  readonly gates: (requirements: GateParts["requirements"], now: () => number) => Gates;
  /** Decides as the real one does; it is asked and never passed. */
  readonly door: (rules: Rules) => Pick<Door, "review">;
}

const MOST_ANSWERED = 10_000;

/** Gates of its own, that learn only what the log says has happened. */
export function createRejudge({ book, tools, gates: open, door: build }: BenchParts): Rejudge {
  const requirements = requirementsOf(book, tools);
  /** The gates live in the time of the log. */
  let moment = 0;
  const at = ({ ts }: AuditEntry) => {
    moment = Date.parse(ts) || moment;
  };
  const gates = open(requirements, () => moment);
  const heard = gates.rules.gates.filter(({ name }) => !UNHEARD.includes(name));
  const door = build({ blocklist: gates.rules.blocklist, gates: heard });
  /** What a person said yes to: the same call again may have been granted for the session. */
  const answered = new Set<string>();
  return {
    async judge(entry, standing) {
      at(entry);
      if ((entry.args as { dry_run?: unknown } | undefined)?.dry_run === true) return { unfit: "it was a dry run" };
      const request = ToolRequest.from({ id: entry.call_id ?? randomUUID(), name: String(entry.tool), args: entry.args });
      const call = request && ToolCall.parse(request, tools(), standing, "ignore");
      if (!call || call instanceof ToolError) return { unfit: misfit(entry, call) };
      const turn = turnOf(entry);
      const about = callKey(call, call.cwd);
      let review = await door.review(call, turn);
      if (review.verdict === "ask" && pastAnswer(entry) === "allow" && (entry.grant !== undefined || answered.has(about))) {
        // Never for good: a person's own list of commands is not written to here.
        gates.grant(call, turn, entry.grant === "edits" ? "edits" : "session");
        review = await door.review(call, turn);
      }
      if (wasAdmitted(entry)) for (const gate of heard) gate.admitted?.(call, turn);
      // How a call of another agent ended stands in a line of its own, if anywhere.
      if (entry.outcome !== undefined) for (const gate of heard) gate.settled?.(call, outcomeOf(entry), turn);
      if (wasAdmitted(entry) && entry.approved_by !== "rules" && answered.size < MOST_ANSWERED) answered.add(about);
      const [first] = review.spoke;
      return { answer: review.verdict, gate: first?.gate ?? null, rule: first?.rule ?? null, why: first?.why ?? null };
    },
    missed(entry) {
      at(entry);
      const tool = tools().get(String(entry.tool));
      if (tool) gates.failures.missed(tool.name, outcomeOf(entry));
    },
    noted(text) {
      if (text === ANEW) {
        gates.reset();
        answered.clear();
        return requirements?.clear();
      }
      const [, lifted] = LIFTED.exec(text) ?? [];
      if (lifted !== undefined) gates.scoping.approve(lifted);
      const [, tool] = UNBLOCKED.exec(text) ?? [];
      if (tool === undefined) return;
      gates.failures.forget(tool);
      gates.trusting.set(tool, "trusted");
    },
  };
}

/** The words of governance.ts. */
const LIFTED = /^the refusal of call (\S+) \(.*\) by the gate scoped was lifted/;
const UNBLOCKED = /^the tool (\S+) was unblocked by the user$/;

/** What has succeeded counts within a session. */
function requirementsOf({ live: config }: Rulebook, tools: BenchParts["tools"]): Dependencies | null {
  const { dependencies } = config.tools;
  if (!dependencies.enabled) return null;
  const alwaysOn = alwaysOnOf(config.agent.tool_filter);
  const names = () => [...new Set([...tools().values()].map(({ name }) => name))];
  return createDependencies({ config: dependencies, alwaysOn, tools: names, nameOf: (name) => tools().get(name)?.name ?? name, warn() {} });
}

function misfit({ args }: AuditEntry, error: ToolError | null): string {
  if (error?.category === "tool_not_found") return "there is no such tool here";
  return isCut(args) ? "the log holds too little of the arguments" : "the tool does not take these arguments any more";
}

/** Whose texts had been read is not in the log; how far the caller was believed is, unless it was the tool that was not. */
function turnOf({ session_id = "", turn_id = "", phase = "planner", ...rest }: AuditEntry): TurnContext {
  const { caller_id, goal_id, skill_name, ts, rule } = rest;
  const trust = rule === "untrusted tool" ? "trusted" : (rest.trust ?? "trusted");
  return {
    sessionId: session_id,
    turnId: turn_id,
    phase,
    trust,
    timestampMs: Date.parse(ts) || 0,
    seen: { untrusted: false },
    ...(caller_id !== undefined && { callerId: caller_id }),
    ...(goal_id !== undefined && { goalId: goal_id }),
    ...(skill_name !== undefined && { skillName: skill_name }),
    ...clientOf({ session_id, ...rest }),
  };
}

/** A call of another agent is judged as one. */
function clientOf({ session_id: session = "", toolset = "", rewritten }: AuditEntry): Pick<TurnContext, "client" | "rights"> {
  const [, name] = /^client:(.+)$/.exec(toolset) ?? [];
  if (name === undefined) return {};
  const unruled = findClient(name)?.can.asksItself === false ? "asked about" : "left to it";
  return { client: { name, session, walls: rewritten ? "ours" : "none", unruled }, rights: { id: `client:${name} ${session}` } };
}
