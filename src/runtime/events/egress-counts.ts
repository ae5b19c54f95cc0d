import type { ZephEvent } from "../../core/event.ts";
import type { AuditLog } from "../../core/ports/audit.ts";
import type { Egress } from "../../core/ports/web.ts";
import type { ConnectionEnd } from "../../host/egress/connection.ts";
import type { EgressParts } from "../../host/egress/egress.ts";
import type { WebParts } from "../../host/web/web.ts";
import { connectionLine, egressLine } from "../../pipeline/audit.ts";

/** What went to one host, or was to go there. */
export interface HostCounts {
  readonly host: string;
  /** Requests and connections that went out. */
  readonly sent: number;
  /** Those that were allowed and did not arrive. */
  readonly failed: number;
  /** Those that a rule, a wall or a person held back. */
  readonly held: number;
}

/** What tools and commands sent to other machines. Requests to models and to MCP servers at an address are not among it. */
export interface EgressCounts {
  /** The host that was reached or wanted last comes first. At most 200. */
  readonly hosts: readonly HostCounts[];
  /** All hosts that are no longer listed, together. */
  readonly others: Omit<HostCounts, "host">;
}

export interface EgressWatch {
  readonly onEgress: WebParts["onEgress"];
  readonly onConnection: EgressParts["audit"];
  /** Of everybody, or of one caller. */
  counts(caller?: string): EgressCounts;
}

type Told = Omit<Extract<ZephEvent, { type: "egress" }>, "type">;

const MOST_HOSTS = 200;
const MOST_CALLERS = 1000;
const MOST_WHY = 500;

/** Writes the line of each hop and connection, counts it, and tells it. What cannot be written is not counted: it is not sent either. */
export function createEgressWatch(log: AuditLog, redact: (text: string) => string, emit: (event: ZephEvent) => void): EgressWatch {
  const writeHop = egressLine(log, redact);
  const writeConnection = connectionLine(log, redact);
  const all = createHostList();
  const callers = new Map<string, HostList>();
  const tell = ({ why, host, ...told }: Told) => {
    const shown = redact(host.slice(0, 300));
    all.add(shown, told.how, told.times);
    if (told.caller !== undefined) {
      const own = callers.get(told.caller) ?? createHostList();
      callers.delete(told.caller);
      callers.set(told.caller, own);
      own.add(shown, told.how, told.times);
      if (callers.size > MOST_CALLERS) callers.delete(callers.keys().next().value!);
    }
    emit({ type: "egress", host: shown, ...told, ...(why !== undefined && { why: redact(why.slice(0, MOST_WHY)) }) });
  };
  return {
    onEgress(egress, permit, ctx) {
      writeHop(egress, permit, ctx);
      const { callerId } = ctx.turn;
      const about = { tool: permit.call.tool.name, callId: permit.call.id, ...(callerId !== undefined && { caller: callerId }) };
      tell({ host: egress.host, ...hopEnd(egress), times: 1, ...about });
    },
    onConnection(end, commands, program) {
      const last = commands.at(-1);
      const isOnly = commands.length === 1;
      writeConnection(end, last ?? { program }, isOnly);
      const caller = last?.ctx.turn.callerId;
      const isOneCallers = caller !== undefined && commands.every(({ ctx }) => ctx.turn.callerId === caller);
      const tool = last?.permit.call.tool.name ?? program;
      tell({
        host: end.host,
        port: end.port,
        ...connectionEnd(end),
        ...(tool !== undefined && { tool }),
        ...(last && isOnly && { callId: last.permit.call.id }),
        ...(isOneCallers && { caller }),
      });
    },
    counts: (caller) => (caller === undefined ? all : (callers.get(caller) ?? createHostList())).counts(),
  };
}

function connectionEnd(end: ConnectionEnd): Pick<Told, "how" | "why" | "times"> {
  if (end.verdict === "refused") return { how: end.how === "closed" ? "held" : "failed", times: Math.max(1, end.times ?? 1), why: end.why };
  return end.failed === undefined ? { how: "sent", times: 1 } : { how: "failed", times: 1, why: end.failed };
}

function hopEnd({ blocked, failed }: Egress): Pick<Told, "how" | "why"> {
  if (blocked !== undefined) return { how: "held", why: blocked };
  return failed === undefined ? { how: "sent" } : { how: "failed", why: failed };
}

interface HostList {
  add(host: string, how: Told["how"], times: number): void;
  counts(): EgressCounts;
}

function createHostList(): HostList {
  const hosts = new Map<string, Record<Told["how"], number>>();
  const others = { sent: 0, failed: 0, held: 0 };
  return {
    add(host, how, times) {
      const count = hosts.get(host) ?? { sent: 0, failed: 0, held: 0 };
      count[how] += times;
      hosts.delete(host);
      hosts.set(host, count);
      if (hosts.size <= MOST_HOSTS) return;
      const [oldest, dropped] = hosts.entries().next().value!;
      hosts.delete(oldest);
      for (const each of ["sent", "failed", "held"] as const) others[each] += dropped[each];
    },
    counts: () => ({ hosts: [...hosts].reverse().map(([host, count]) => ({ host, ...count })), others: { ...others } }),
  };
}
