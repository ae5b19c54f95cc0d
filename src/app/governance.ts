import type { AuditLog } from "../core/audit.ts";
import type { Door } from "../core/door.ts";
import type { Gates } from "./gates.ts";
import type { Reloaded, Reloading, Why } from "./reload.ts";

/** What the log says of a session that begins anew. */
export const ANEW = "the session begins anew: counts, sequences and what was allowed for it are forgotten";

/** How one gate is set, and what it has said since the start. */
export interface GateStatus {
  readonly gate: string;
  /** `off`, or what is on. */
  readonly state: string;
  readonly passed: number;
  readonly asked: number;
  readonly denied: number;
}

/** A call somebody spoke about. */
export interface Named {
  readonly callId: string;
  readonly tool: string;
}

/** For the person who answers for the rules. Nothing here is for a model. What it changes is written into the audit log. */
export interface Governance {
  /** The blocklist, then every gate, in the order they are asked. */
  gates(): readonly GateStatus[];
  /** Lifts the refusal of the gate `scoped` for exactly this call's tool and arguments, once. Null when it refused no such call. */
  approve(callId: string): Named | null;
  /** A tool that failed too often is used again. False when it was not blocked. */
  unblock(tool: string): boolean;
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

export function governance(
  gates: Gates,
  door: Door,
  log: AuditLog,
  reloading: Pick<Reloading, "reload">,
  tools: () => readonly string[],
): Governance {
  const note = (text: string) => log.append({ kind: "note", ts: new Date().toISOString(), note: text });
  return {
    gates: () =>
      [{ name: "blocklist" }, ...gates.rules.gates].map((gate) => ({
        gate: gate.name,
        state: "state" in gate ? (gate.state?.() ?? "on") : "on",
        ...(door.counts().get(gate.name) ?? { passed: 0, asked: 0, denied: 0 }),
      })),
    approve(callId) {
      const lifted = gates.scoping.approve(callId);
      if (lifted) note(`the refusal of call ${lifted.callId} (${lifted.tool}) by the gate scoped was lifted, once, by the user`);
      return lifted;
    },
    blocked: () => tools().filter((tool) => gates.trusting.levelOf(tool) === "untrusted"),
    files: () => gates.book.files,
    unblock(tool) {
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
