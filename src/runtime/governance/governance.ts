import { SHORTEST_CALL_ID } from "../../core/call-id.ts";
import type { Door } from "../../core/door.ts";
import type { ConfigInput } from "../../core/inputs/config-input.ts";
import type { AuditLog } from "../../core/ports/audit.ts";
import type { Registry } from "../../core/registry.ts";
import { canonicalJson } from "../../text/json.ts";
import { bounded } from "../../text/visible.ts";
import type { Gates } from "../rules/gates.ts";
import type { Reloaded, Reloader, Why } from "../rules/reload.ts";
import { type GovernedTool, governedTools } from "./tools.ts";

/** What the log says of a session that begins anew. */
export const ANEW = "a new session begins: counts, sequences and what was allowed for the old one are forgotten";

/** How one gate is set, and what it has said since the start. */
export interface GateStatus {
  readonly gate: string;
  /** `off`, or what is on. */
  readonly state: string;
  /** None where it is off: then nobody was asked. */
  readonly passed: number;
  readonly asked: number;
  readonly denied: number;
}

/** A call somebody spoke about. */
export interface Named {
  readonly callId: string;
  readonly tool: string;
}

/** A refusal that was lifted. */
export interface Lifted extends Named {
  /** It had been before, and an approval is good for one call. */
  readonly already?: true;
}

/** How much is done without a question. */
export type Autonomy = NonNullable<ConfigInput["autonomy"]>;

/** For the person who answers for the rules. Nothing here is for a model. What it changes is written into the audit log. */
export interface Governance {
  /** The blocklist, then every gate, in the order they are asked. */
  gates(): readonly GateStatus[];
  /** Every tool, also those of which every call is denied and which are therefore offered to nobody. */
  tools(): readonly GovernedTool[];
  /** Lifts the refusal of the gate `scoped` for exactly this call's tool and arguments, once. Null when it refused no such call. */
  approve(callId: string): Lifted | null;
  /** Refusals of the gate `scoped` that nobody has lifted, newest first, each with its arguments in a line without secrets. */
  refusals(): readonly (Named & { readonly args: string })[];
  /** A tool that failed too often is used again. False when it was not blocked. */
  unblock(tool: string): boolean;
  /** How much is done without asking: what the configuration says, or what was chosen for this session. */
  autonomy(): Autonomy;
  /** For this session, in place of the configuration; null gives that its say again. The person's to choose, never a model's. */
  chooseAutonomy(autonomy: Autonomy | null): void;
  /** Tools that are not used until somebody unblocks them. */
  blocked(): readonly string[];
  /** The files rules were read from besides the configuration's own. */
  files(): readonly string[];
  /** How a call ended, in a person's judgement. Null when no such call is known. */
  feedback(callId: string, word: "unacceptable" | "revoke" | "ok"): Promise<Named | null>;
  /** What the sentinel knows: a name, and what is so. */
  trajectory(): Promise<Readonly<Record<string, string>>>;
  /** The sentinel's current sequence begins anew. */
  forgetTrajectory(): void;
  /** Reads the rules again, all of them or none. Where the configuration was given as an object, another object. Never throws. */
  reload(config?: object, why?: Why): Promise<Reloaded>;
}

export function createGovernance(
  gates: Gates,
  door: Door,
  log: AuditLog,
  reloading: Pick<Reloader, "reload">,
  registry: Pick<Registry, "list" | "tools">,
  redact: (text: string) => string,
): Governance {
  const tools = registry.list;
  /** Refusals that were lifted, by the call's id. */
  const approved = new Map<string, Lifted>();
  const note = (text: string) => log.append({ kind: "note", ts: new Date().toISOString(), note: text });
  return {
    gates: () =>
      [{ name: "blocklist" }, ...gates.rules.gates].map((gate) => {
        const state = "state" in gate ? (gate.state?.() ?? "on") : "on";
        const counts = door.counts().get(gate.name) ?? NOTHING;
        // It may have spoken before it was switched off.
        return { gate: gate.name, state, ...counts, ...(/^off\b/.test(state) && { passed: 0 }) };
      }),
    tools: () => governedTools(gates, tools()),
    approve(callId) {
      const lifted = gates.scoping.approve(callId);
      if (!lifted) return approvedBefore(callId, approved);
      note(`the refusal of call ${lifted.callId} (${lifted.tool}) by the gate scoped was lifted, once, by the user`);
      approved.set(lifted.callId, { ...lifted, already: true });
      if (approved.size > MOST_APPROVED) approved.delete(approved.keys().next().value!);
      return lifted;
    },
    refusals: () =>
      gates.scoping
        .pending()
        .map(({ callId, tool, args }) => ({ callId, tool, args: bounded(redact(canonicalJson(args)), LONGEST_ARGUMENTS) })),
    blocked: () =>
      tools()
        .map(({ name }) => name)
        .filter((tool) => gates.trusting.levelOf(tool) === "untrusted"),
    files: () => gates.book.files,
    autonomy: () => gates.autonomy,
    chooseAutonomy(autonomy) {
      const before = gates.autonomy;
      door.replace(gates.steer(autonomy));
      if (gates.autonomy !== before) note(`autonomy is ${gates.autonomy} for this session, by the user; it was ${before}`);
    },
    unblock(name) {
      const tool = registry.tools().get(name)?.name ?? name;
      const wasBlocked = gates.trusting.levelOf(tool) === "untrusted";
      gates.failures.forget(tool);
      if (!wasBlocked) return false;
      gates.trusting.set(tool, "trusted");
      note(`the tool ${tool} was unblocked by the user`);
      return true;
    },
    async feedback(callId, word) {
      const judged = await gates.watching.feedback(callId, word);
      if (judged) note(`call ${judged.callId} (${judged.tool}) was judged ${word} by the user`);
      return judged;
    },
    trajectory: () => gates.watching.status(),
    forgetTrajectory: () => gates.watching.reset?.(),
    reload: (config, why = "asked for") => reloading.reload(why, config),
  };
}

const NOTHING = { passed: 0, asked: 0, denied: 0 } as const;
const MOST_APPROVED = 1000;
const LONGEST_ARGUMENTS = 100;

function approvedBefore(callId: string, approved: ReadonlyMap<string, Lifted>): Lifted | null {
  if (callId.length < SHORTEST_CALL_ID) return null;
  const found = [...approved.values()].filter((one) => one.callId.startsWith(callId));
  return found.length === 1 ? found[0]! : null;
}
