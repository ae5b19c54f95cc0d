import type { AuditLog } from "../../core/ports/audit.ts";
import type { Sampling, SamplingLimits } from "../../core/ports/mcp/sampling.ts";
import type { LentModelSlot } from "./lent-model.ts";

export interface LentSamplingParts {
  readonly limits: SamplingLimits;
  readonly mind: Pick<LentModelSlot, "current">;
  readonly redact: (text: string) => string;
  readonly log: AuditLog;
}

/** The model of the agent that works at the moment, for MCP servers that may ask it. */
export const createLentSampling = ({ limits, mind, redact, log }: LentSamplingParts): Sampling => ({
  limits,
  get answer(): Sampling["answer"] {
    const lent = mind.current();
    return lent && ((wish, signal) => lent.sample(wish, signal));
  },
  redact,
  note: (text) => log.append({ kind: "note", ts: new Date().toISOString(), note: text }),
});
