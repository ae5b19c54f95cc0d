import { hash } from "node:crypto";
import { callKey, type ToolCall } from "../core/call.ts";
import { ApprovedCall, type Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Decision, Denied, Objection, Pending } from "../core/gate/verdict.ts";
import type { Outcome } from "../core/layer.ts";
import type { AuditEntry, AuditLog } from "../core/ports/audit.ts";
import type { CallContext } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import { keepRecent } from "../text/keep-recent.ts";
import { createQueue } from "../text/queue.ts";
import { type AuditSurroundings, callFields } from "./audit.ts";
import type { Redact } from "./audit-arguments.ts";
import { objected } from "./decision.ts";

/** What was decided about a call that somebody else runs. */
export interface ClientDecision {
  readonly callId: string;
  readonly verdict: "allow" | "ask" | "deny";
  /** The first gate that objected, and its rule; null when none did. */
  readonly gate: string | null;
  readonly rule: string | null;
  /** Every objection, in words for the person. */
  readonly why: string | null;
  /** The same for the model, which may be told less. */
  readonly told: string | null;
  readonly touches: readonly Touch[];
}

/** How a call ended that somebody else ran. */
export interface ClientCallEnd {
  readonly outcome: "ok" | "failed";
  /** What the model was shown. Gates look for private data in it; the log gets its size. */
  readonly text?: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** What the log says besides: who has the tool, by which name, and what else is to be known. */
export type ClientFields = Pick<AuditEntry, "toolset" | "client_tool" | "rewritten" | "note">;

export interface ClientCalls {
  /** Judges as a call is judged: whoever is consulted is, and what is let in is counted. Written down when it resolves; rejects when it cannot be. */
  decide(call: ToolCall, ctx: CallContext, args: unknown, fields: ClientFields): Promise<ClientDecision>;
  /** The call is over: gates that remember are told, and a line says how it ended. */
  settle(call: ToolCall, ctx: CallContext, args: unknown, ended: ClientCallEnd, fields: ClientFields): Promise<void>;
}

/** Calls that were decided and have not ended. More are forgotten, the oldest first. */
const MOST_OPEN = 200;

interface OpenCall {
  readonly call: ToolCall;
  readonly found: ApprovedCall | Pending | Denied;
  /** Whose call it is, and of what. */
  readonly about: string;
}

export function createClientCalls({
  door,
  log,
  redact,
  about,
}: {
  readonly door: Door;
  readonly log: AuditLog;
  readonly redact: Redact;
  readonly about: Pick<AuditSurroundings, "about">;
}): ClientCalls {
  const inTurn = createQueue();
  const open = new Map<string, OpenCall>();
  /** By its id; where a client has none for its calls, the newest of the same tool and arguments. */
  const takeOpen = (call: ToolCall, ctx: CallContext): OpenCall | undefined => {
    const [key] = [...open].findLast(([key, one]) => key === keyOf(call, ctx) || one.about === aboutOf(call, ctx)) ?? [];
    const known = key === undefined ? undefined : open.get(key);
    if (key !== undefined) open.delete(key);
    return known;
  };
  const lineOf = (kind: "call" | "settled", call: ToolCall, ctx: CallContext, args: unknown) =>
    Object.assign(callFields(kind, { id: call.id, name: call.tool.name, args }, ctx, redact), about.about(call.tool.name, ctx));
  return {
    async decide(call, ctx, args, fields) {
      const found = await inTurn(() => door.preapprove(call, ctx.turn, ctx.signal));
      // It opens nothing here: the call is made elsewhere.
      if (found instanceof ApprovedCall) door.retire(found);
      const decided = decidedOf(call, found);
      if (!(found instanceof ApprovedCall) && found.kind === "denied")
        door.settled(
          call,
          failedOutcome(call, new ToolError("policy_blocked", found.objection.why), objected("deny", found.objection)),
          ctx.turn,
        );
      keepRecent(open, keyOf(call, ctx), { call, found, about: aboutOf(call, ctx) }, MOST_OPEN);
      await log.record(
        Object.assign(lineOf("call", call, ctx, args), redacted(fields, redact), judgedFields(decided, redact), door.noted(call)),
      );
      return decided;
    },
    async settle(given, ctx, args, ended, fields) {
      const { call, found } = takeOpen(given, ctx) ?? { call: given, found: undefined };
      const by = fields.toolset ?? "client";
      const note = await admitted(door, found, by, ctx);
      door.settled(call, outcomeOf(call, ended, found instanceof ApprovedCall || !found ? "rules" : by), ctx.turn);
      await log.record(Object.assign(lineOf("settled", call, ctx, args), redacted(fields, redact), endedFields(ended), note));
    },
  };
}

/** Of the client's own id, which two clients may both have given. */
const keyOf = ({ id, tool }: ToolCall, { turn }: CallContext): string => JSON.stringify([turn.callerId, id, tool.name]);

const aboutOf = (call: ToolCall, { turn }: CallContext): string => hash("sha256", callKey(call, turn.callerId ?? null, call.cwd));

/** A person said yes to what was asked about, in the client: from here on it counts as let in. */
async function admitted(
  door: Door,
  found: ApprovedCall | Pending | Denied | undefined,
  by: string,
  { turn, signal }: CallContext,
): Promise<Pick<AuditEntry, "approved_by" | "note">> {
  if (!found || found instanceof ApprovedCall) return {};
  if (found.kind === "denied") return { note: "The client ran it although it was denied." };
  const permit = await door.confirm(found, { by, callId: found.call.id }, turn, signal);
  if (permit instanceof ApprovedCall) door.retire(permit);
  return { approved_by: by };
}

function decidedOf(call: ToolCall, found: ApprovedCall | Pending | Denied): ClientDecision {
  const { id: callId, touches } = call;
  if (found instanceof ApprovedCall) return { callId, touches, verdict: "allow", gate: null, rule: null, why: null, told: null };
  const spoke: readonly Objection[] = found.kind === "denied" ? [found.objection] : found.asked;
  return {
    callId,
    touches,
    verdict: found.kind === "denied" ? "deny" : "ask",
    gate: spoke[0]?.gate ?? null,
    rule: spoke[0]?.rule ?? null,
    why: spoke.map(({ why }) => why).join(" "),
    told: spoke.map(({ told, why }) => told ?? why).join(" "),
  };
}

const judgedFields = ({ verdict, gate, rule, why }: ClientDecision, redact: Redact): Partial<AuditEntry> => ({
  verdict,
  ...(verdict === "allow" ? { approved_by: "rules" } : { outcome: verdict === "deny" ? "denied" : "unanswered" }),
  ...(gate !== null && { gate }),
  ...(rule !== null && { rule: redact(rule) }),
  ...(why !== null && { why: redact(why).slice(0, 1000) }),
});

const endedFields = ({ outcome, text, exitCode, durationMs }: ClientCallEnd): Partial<AuditEntry> => ({
  outcome,
  ...(text !== undefined && { bytes: Buffer.byteLength(text) }),
  ...(exitCode !== undefined && { exit_code: exitCode }),
  ...(durationMs !== undefined && { duration_ms: Math.round(durationMs * 10) / 10 }),
});

const redacted = ({ note, client_tool, ...rest }: ClientFields, redact: Redact): ClientFields => ({
  ...rest,
  ...(client_tool !== undefined && { client_tool: redact(client_tool.slice(0, 200)) }),
  ...(note !== undefined && { note: redact(note.slice(0, 500)) }),
});

function outcomeOf(call: ToolCall, { outcome, text = "", exitCode }: ClientCallEnd, by: string): Outcome {
  const output = { text, ...(exitCode !== undefined && { exitCode }) };
  const decision = { verdict: "allow", by } as const;
  if (outcome === "ok") return { ok: true, callId: call.id, output, grant: { kind: "preapproved" }, decision, cached: false };
  return { ...failedOutcome(call, new ToolError("permanent_failure", "The client says that it failed."), decision), output };
}

const failedOutcome = (call: ToolCall, error: ToolError, decision: Decision): Extract<Outcome, { ok: false }> => ({
  ok: false,
  callId: call.id,
  error,
  decision,
});
