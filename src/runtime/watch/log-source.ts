import type { LogCheck, LogSource } from "../../front/watch/watch-sources.ts";
import { followLog } from "../../store/audit-index/follow-log.ts";
import type { AuditIndex } from "../../store/audit-index/open-index.ts";
import type { Desk } from "../settings/stores.ts";
import type { PastJudges } from "./judge-past.ts";

export interface LogParts {
  readonly desk: Pick<Desk, "audit" | "overflow" | "at" | "loaded">;
  readonly index: AuditIndex;
  readonly past: Pick<PastJudges, "judge">;
}

const MOST_KEPT = 20;

/** The log by its index; the chain is checked when somebody asks. */
export function openLogSource({ desk, index, past }: LogParts): LogSource & { close(): void } {
  const following = new Set<() => void>();
  let last: LogCheck | null = null;
  let checking: Promise<LogCheck> | null = null;

  const check = async (): Promise<LogCheck> => {
    const at = Date.now();
    const started = performance.now();
    const files = await desk.audit.verify();
    last = { files, intact: files.every(({ intact }) => intact), at, ms: Math.round(performance.now() - started) };
    return last;
  };
  return {
    find: index.find,
    async call(callId) {
      const found = await index.call(callId);
      return found && { ...found, kept: await desk.overflow.list({ callId, limit: MOST_KEPT }) };
    },
    totals: index.totals,
    choices: index.choices,
    session: index.session,
    verify() {
      checking ??= check().finally(() => {
        checking = null;
      });
      return checking;
    },
    lastCheck: () => last,
    async judge(entry) {
      // The workspace of a session is where its first call was made: later ones may have been made where a `cd` led.
      const [first] = entry.session_id === undefined ? [] : await index.session(entry.session_id, 1);
      const workspace = first?.entry.cwd ?? entry.cwd;
      return workspace === undefined ? { problem: "The log does not say in which folder it was made." } : past.judge(entry, workspace);
    },
    follow(listener) {
      const stop = followLog(index, desk.at.audit, listener);
      following.add(stop);
      return () => {
        following.delete(stop);
        stop();
      };
    },
    close() {
      for (const stop of following) stop();
      following.clear();
    },
  };
}
