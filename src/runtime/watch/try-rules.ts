import { ConfigError } from "../../config/problem.ts";
import { type ConfigFile, readTypedConfig } from "../../config/read.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { TriedCall, TriedRules } from "../../front/watch/watch-sources.ts";
import { canonicalJson } from "../../text/json.ts";
import { openRuntime } from "../create.ts";
import type { Rejudge, Rejudged } from "../replay/rejudge.ts";
import { replay } from "../replay/replay.ts";
import type { ReplayWorkspace } from "../replay/workspaces.ts";
import { unwritten } from "../rules/policy-trial.ts";
import type { Desk, FileSettings } from "../settings/stores.ts";
import { readOnly } from "./judge-past.ts";

export interface TrialParts {
  readonly desk: Pick<Desk, "trust" | "audit">;
  readonly settings: Pick<FileSettings, "config" | "set">;
  readonly cwd: string;
  readonly signal: AbortSignal;
  isFolder(path: string): boolean;
}

/** Different calls that are told; more are counted. */
const MOST_CHANGED = 500;

/** Judges the log twice in one reading: by the rules of now, and by those with this text added. Tells where the two differ, so an answer of then looks like no change. */
export async function tryTypedRules(toml: string, parts: TrialParts): Promise<TriedRules | { readonly problem: string }> {
  const started = performance.now();
  try {
    const tried = readTypedConfig(toml);
    const found = createDifferences();
    const files = [...(await parts.desk.audit.tail(0)).ends.keys()];
    const open = async (workspace: string): Promise<ReplayWorkspace> => {
      const now = await openRules(workspace, parts);
      const then = await openRules(workspace, parts, tried).catch(async (error: unknown) => {
        await now.close();
        throw error;
      });
      return {
        bench: async () => pair(await now.bench(), await then.bench(), found.add),
        async close() {
          await now.close();
          await then.close();
        },
      };
    };
    const world = { open, isFolder: parts.isFolder, cwd: parts.cwd, each() {}, progress() {} };
    const { calls, notComparable, stopped } = await replay(files, world, parts.signal);
    if (stopped) return { problem: "It was stopped." };
    // Those were compared all the same: both times the same gates were asked.
    const left = Object.entries(notComparable).filter(([why]) => !why.startsWith("decided by "));
    return { calls, ...found.all(), notComparable: Object.fromEntries(left), ms: Math.round(performance.now() - started) };
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message };
    throw error;
  }
}

async function openRules(workspace: string, { settings, desk }: TrialParts, tried?: ConfigFile): Promise<ReplayWorkspace> {
  const trust = readOnly(desk.trust);
  const options = { ...settings, servers: "later", cwd: workspace, store: "memory", trust, log: unwritten } as const;
  const { zeph, bench } = await openRuntime({ ...options, ...(tried && { tried }) });
  return { bench, close: zeph.close };
}

type Judged = Exclude<Rejudged, { readonly unfit: string }>;

/** Two that are told the same. What only one of them cannot judge is not compared. */
const pair = (now: Rejudge, tried: Rejudge, add: (entry: AuditEntry, was: Judged, would: Judged) => void): Rejudge => ({
  async judge(entry, standing) {
    const was = await now.judge(entry, standing);
    const would = await tried.judge(entry, standing);
    if ("unfit" in was) return was;
    if (!("unfit" in would)) add(entry, was, would);
    return would;
  },
  missed(entry) {
    now.missed(entry);
    tried.missed(entry);
  },
  noted(text) {
    now.noted(text);
    tried.noted(text);
  },
});

/** Equal calls together. */
function createDifferences() {
  const changed = new Map<string, TriedCall & { times: number }>();
  let same = 0;
  return {
    add({ call_id = "", tool = "", args }: AuditEntry, was: Judged, would: Judged): void {
      if (was.answer === would.answer) {
        same += 1;
        return;
      }
      const key = canonicalJson([tool, args ?? null, was.answer, would.answer, would.gate, would.rule]);
      const known = changed.get(key);
      if (known) known.times += 1;
      else if (changed.size < MOST_CHANGED)
        changed.set(key, {
          callId: call_id,
          tool,
          args,
          times: 1,
          was: was.answer,
          would: would.answer,
          ...(would.gate !== null && { gate: would.gate }),
          ...(would.rule !== null && { rule: would.rule }),
        });
    },
    all: () => ({ same, changed: [...changed.values()].sort((a, b) => b.times - a.times) }),
  };
}
