import type { TrustRecords } from "../../core/ports/store.ts";
import { openRuntime } from "../create.ts";
import { unwritten } from "../rules/policy-trial.ts";
import { type FileSettings, openDesk } from "../settings/stores.ts";
import { type ReplayTotals, type ReplayWorld, replay } from "./replay.ts";

export interface ReplayOptions extends Omit<ReplayWorld, "open">, Pick<FileSettings, "set"> {
  /** The log to read; without it the one that is written now, and those beside it. */
  readonly audit?: string;
  /** The configuration to try, in full; a relative path would mean another file in each folder. */
  readonly config?: string;
  readonly signal: AbortSignal;
  warn(message: string): void;
}

/** Null when there is no log. Nothing is run, nothing is written down, and nothing of the person's is changed. */
export async function replayLog(options: ReplayOptions): Promise<(ReplayTotals & { readonly files: readonly string[] }) | null> {
  const { audit, config, set = [], cwd, signal, warn } = options;
  const settings = { set, ...(config !== undefined && { config }) };
  const desk = openDesk(cwd, settings);
  const said = new Set<string>();
  const once = (message: string) => {
    if (said.size < MOST_WARNINGS && !said.has(message)) warn(message);
    said.add(message);
  };
  try {
    const files = audit === undefined ? [...(await desk.audit.tail(0)).ends.keys()] : [audit];
    if (files.length === 0) return null;
    const trust = readOnly(desk.trust);
    const open = async (workspace: string) => {
      const { zeph, bench } = await openRuntime({ ...settings, servers: "later", cwd: workspace, store: "memory", trust, log: unwritten });
      for (const message of zeph.warnings) once(message);
      return { bench, close: zeph.close };
    };
    return { ...(await replay(files, { ...options, open }, signal)), files };
  } finally {
    await desk.close();
  }
}

const MOST_WARNINGS = 20;

/** What a person vouched for, to be read and never changed. */
const readOnly = ({ get, list }: TrustRecords): TrustRecords => ({ get, list, set: async () => {}, remove: async () => false });
