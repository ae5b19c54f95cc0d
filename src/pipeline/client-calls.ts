import { hash } from "node:crypto";
import { callKey, type ToolCall } from "../core/call.ts";
import { ApprovedCall, type Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Decision, Denied, Objection, Pending } from "../core/gate/verdict.ts";
import type { Outcome } from "../core/layer.ts";
import type { AuditEntry, AuditLog } from "../core/ports/audit.ts";
import type { CallContext } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import type { TurnContext } from "../core/turn.ts";
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

/** Calls of one owner that were decided and have not ended. More are forgotten, the oldest first. */
const MOST_OPEN = 200;
/** Owners whose calls are not kept anywhere else. */
const MOST_OWNERS = 1000;

/** A call that was decided and has not ended. */
export interface OpenCall {
  /** Whose call it is, and of what. */
  readonly about: string;
  /** Rises with each call of an owner. */
  readonly n: number;
  readonly kind: "allowed" | "asked" | "denied";
  /** Null for one that another process judged. */
  readonly call: ToolCall | null;
  /** What was asked; null where another process asked, or nothing was. */
  readonly pending: Pending | null;
  /** What is remembered of a call that another process judged. */
  readonly notes?: Readonly<Record<string, unknown>>;
}
/** By whose they are, and by their key. */
export type OpenCalls = Map<string, Map<string, OpenCall>>;

/** What is remembered from call to call, and where it is kept. */
export interface ClientMemory {
  readonly open: OpenCalls;
  /** Rejects where it cannot be kept: then the call is not answered. */
  keep(turn: TurnContext): Promise<void>;
  /** What was remembered of a call that another process judged counts for this one. */
  recallCall(call: ToolCall, notes: Readonly<Record<string, unknown>>): void;
}

export function createClientCalls({
  door,
  log,
  redact,
  about,
  memory,
}: {
  readonly door: Door;
  readonly log: AuditLog;
  readonly redact: Redact;
  readonly about: Pick<AuditSurroundings, "about">;
  readonly memory: ClientMemory;
}): ClientCalls {
  const inTurn = createQueue();
  const { open: calls, keep, recallCall } = memory;
  const addOpen = (call: ToolCall, ctx: CallContext, found: ApprovedCall | Pending | Denied) => {
    const open = keepRecent(calls, ownerOf(ctx), calls.get(ownerOf(ctx)) ?? new Map<string, OpenCall>(), MOST_OWNERS);
    const n = 1 + Math.max(0, ...[...open.values()].map((one) => one.n));
    const kind = found instanceof ApprovedCall ? "allowed" : found.kind === "denied" ? "denied" : "asked";
    const pending = found instanceof ApprovedCall || found.kind === "denied" ? null : found;
    keepRecent(open, keyOf(call, ctx), { about: aboutOf(call, ctx), n, kind, call, pending }, MOST_OPEN);
  };
  /** By its id; where a client has none for its calls, the newest of the same tool and arguments. */
  const takeOpen = (call: ToolCall, ctx: CallContext): OpenCall | undefined => {
    const open = calls.get(ownerOf(ctx));
    if (!open) return undefined;
    const [key] = [...open].findLast(([key, one]) => key === keyOf(call, ctx) || one.about === aboutOf(call, ctx)) ?? [];
    const known = key === undefined ? undefined : open.get(key);
    if (key !== undefined) open.delete(key);
    if (open.size === 0) calls.delete(ownerOf(ctx));
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
      addOpen(call, ctx, found);
      await keep(ctx.turn);
      await log.record(
        Object.assign(lineOf("call", call, ctx, args), redacted(fields, redact), judgedFields(decided, redact), door.noted(call)),
      );
      return decided;
    },
    async settle(given, ctx, args, ended, fields) {
      const found = takeOpen(given, ctx);
      const call = found?.call ?? given;
      if (found?.notes) recallCall(call, found.notes);
      const by = fields.toolset ?? "client";
      const note = found ? await inTurn(() => admitted(door, call, found, by, ctx)) : {};
      door.settled(call, outcomeOf(call, ended, found && found.kind !== "allowed" ? by : "rules"), ctx.turn);
      await keep(ctx.turn);
      await log.record(Object.assign(lineOf("settled", call, ctx, args), redacted(fields, redact), endedFields(ended), note));
    },
  };
}

/** Of the client's own id, which two clients may both have given. */
const keyOf = ({ id, tool }: ToolCall, { turn }: CallContext): string => JSON.stringify([turn.callerId, id, tool.name]);

const ownerOf = ({ turn }: CallContext): string => (turn.rights ? `caller ${turn.rights.id}` : (turn.callerId ?? ""));

const aboutOf = (call: ToolCall, { turn }: CallContext): string => hash("sha256", callKey(call, turn.callerId ?? null, call.cwd));

/** A person said yes to what was asked about, in the client: from here on it counts as let in. */
async function admitted(
  door: Door,
  call: ToolCall,
  { kind, pending }: OpenCall,
  by: string,
  { turn, signal }: CallContext,
): Promise<Pick<AuditEntry, "approved_by" | "note">> {
  if (kind === "allowed") return {};
  if (kind === "denied") return { note: "The client ran it although it was denied." };
  // Another process asked: what it asked is asked again, and answered with what was said there.
  const asked = pending ?? (await door.preapprove(call, turn, signal));
  if (!(asked instanceof ApprovedCall) && asked.kind === "denied") return { approved_by: by };
  const permit = asked instanceof ApprovedCall ? asked : await door.confirm(asked, { by, callId: asked.call.id }, turn, signal);
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
