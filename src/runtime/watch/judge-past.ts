import type { AuditEntry } from "../../core/ports/audit.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import type { JudgedNow } from "../../front/watch/watch-sources.ts";
import type { GateStatus } from "../governance/governance.ts";
import { isCut } from "../replay/audit-line.ts";
import type { Zeph } from "../runtime.ts";
import type { Desk, FileSettings } from "../settings/stores.ts";

export interface PastParts {
  readonly desk: Pick<Desk, "trust">;
  readonly settings: Pick<FileSettings, "config" | "set">;
  isFolder(path: string): boolean;
}

/** Judges past calls by the rules of now. */
export interface PastJudges {
  judge(entry: AuditEntry, workspace: string): Promise<JudgedNow | { readonly problem: string }>;
  gates(workspace: string): Promise<readonly GateStatus[]>;
  close(): Promise<void>;
}

const MOST_OPEN = 2;
const IDLE_MS = 5 * 60 * 1000;

/** A runtime for each workspace, opened when somebody asks and closed when nobody has for a while. Nothing is run in it, and no server is started. */
export function openPastJudges({ desk, settings, isFolder }: PastParts): PastJudges {
  const open = new Map<string, { readonly zeph: Promise<Zeph>; timer: NodeJS.Timeout }>();
  const leave = async (workspace: string) => {
    const gone = open.get(workspace);
    if (!gone) return;
    open.delete(workspace);
    clearTimeout(gone.timer);
    await gone.zeph.then((zeph) => zeph.close()).catch(() => {});
  };
  const inUse = (workspace: string) => {
    const timer = setTimeout(() => void leave(workspace), IDLE_MS);
    timer.unref();
    return timer;
  };
  const runtimeOf = async (workspace: string): Promise<Zeph> => {
    const known = open.get(workspace);
    if (known) clearTimeout(known.timer);
    const zeph = known?.zeph ?? openQuiet(workspace, settings, readOnly(desk.trust));
    open.delete(workspace);
    open.set(workspace, { zeph, timer: inUse(workspace) });
    for (const name of [...open.keys()].slice(0, -MOST_OPEN)) await leave(name);
    return zeph.catch(async (error: unknown) => {
      await leave(workspace);
      throw error;
    });
  };
  return {
    async judge(entry, workspace) {
      if (entry.toolset?.startsWith("mcp:"))
        return { problem: "It is a tool of an MCP server, and no server is started to look at a call." };
      if (isCut(entry.args)) return { problem: "The log holds too little of the arguments." };
      if (!isFolder(workspace)) return { problem: `Its folder is not there any more: ${workspace}` };
      try {
        const zeph = await runtimeOf(workspace);
        const found = await zeph.judge(String(entry.tool), entry.args as never);
        const { gateViews } = await import("../rules/gate-views.ts");
        return {
          verdict: found.verdict,
          gates: gateViews(found, zeph.governance.gates()).map(({ kind, ...rest }) => ({ ...rest, said: kind })),
        };
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    },
    gates: async (workspace) => (await runtimeOf(workspace)).governance.gates(),
    async close() {
      for (const workspace of [...open.keys()]) await leave(workspace);
    },
  };
}

async function openQuiet(workspace: string, settings: PastParts["settings"], trust: TrustRecords): Promise<Zeph> {
  const [{ openRuntime }, { unwritten }] = await Promise.all([import("../create.ts"), import("../rules/policy-trial.ts")]);
  return (await openRuntime({ ...settings, servers: "later", cwd: workspace, store: "memory", trust, log: unwritten })).zeph;
}

/** What a person vouched for, to be read and never changed. */
export const readOnly = ({ get, list }: TrustRecords): TrustRecords => ({ get, list, set: async () => {}, remove: async () => false });
