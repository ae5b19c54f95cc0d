import { keyFiles } from "../../config/api-keys.ts";
import type { LiveSource, WatchFacts, WatchSources } from "../../front/watch/watch-sources.ts";
import { openAuditIndex } from "../../store/audit-index/open-index.ts";
import { secretsIn } from "../../store/pg/place.ts";
import { auditIndexPath } from "../../store/state-paths.ts";
import { plural } from "../../text/words.ts";
import { openFilter } from "../filter/filter.ts";
import { keyNames } from "../settings/key-names.ts";
import { type Desk, type FileSettings, openDesk } from "../settings/stores.ts";
import { openPastJudges } from "./judge-past.ts";
import { openLogSource } from "./log-source.ts";
import { redactMessage } from "./redact-message.ts";

export interface WatchSourcesOptions {
  readonly cwd: string;
  readonly settings?: Pick<FileSettings, "config" | "set">;
  /** What runs now. */
  readonly live: LiveSource & { close?(): Promise<void> };
  isFolder(path: string): boolean;
}

/** What the pages show: the log by its index, the store, and runtimes only for what has to be judged. */
export async function openWatchSources({ cwd, settings = {}, live, isFolder }: WatchSourcesOptions): Promise<WatchSources> {
  const desk = openDesk(cwd, settings);
  try {
    const { config, userFile } = desk.loaded;
    const filter = await openFilter(config.tools.filters, { userFile, home: desk.at.home });
    for (const name of keyNames(config.llm)) if (process.env[name]) filter.hide(process.env[name]);
    for (const secret of secretsIn(config.store.url)) filter.hide(secret);
    const index = openAuditIndex(auditIndexPath(desk.at), desk.at.audit);
    const past = openPastJudges({ desk, settings, isFolder });
    const log = openLogSource({ desk, index, past });
    let facts: Promise<WatchFacts> | null = null;
    return {
      facts: () => {
        facts ??= factsOf(cwd, desk);
        return facts;
      },
      log,
      live,
      rules: {
        async gates() {
          const counts = await index.gates();
          const gates = await past.gates(cwd);
          return gates.map(({ gate, state }) => ({ gate, state, ...(counts.get(gate) ?? { asked: 0, denied: 0 }) }));
        },
        async tryRules(toml, signal) {
          const { tryTypedRules } = await import("./try-rules.ts");
          return tryTypedRules(toml, { desk, settings, cwd, isFolder, signal });
        },
      },
      kept: {
        list: (filter) => desk.overflow.list(filter),
        totals: () => desk.overflow.totals(),
        async text(id) {
          const kept = await desk.overflow.find(id);
          if (!kept) return null;
          const [entry] = await desk.overflow.list({ id: kept.id, limit: 1 });
          return entry ? { entry, text: kept.text } : null;
        },
      },
      conversations: {
        list: (limit) => desk.conversations.list({ limit }),
        get: (id) => desk.conversations.get(id),
        messages: async (id, window) =>
          (await desk.conversations.messages(id, window)).map((one) => ({ ...one, message: redactMessage(one.message, filter.redact) })),
      },
      async report(id, signal) {
        const { reportSession } = await import("../report/report-session.ts");
        return reportSession(id, desk, signal, filter.redact);
      },
      async note(text) {
        const writer = desk.openLog();
        try {
          await writer.record({ kind: "note", ts: new Date().toISOString(), note: filter.redact(text) });
        } finally {
          writer.close();
        }
      },
      redact: filter.redact,
      async close() {
        log.close();
        await live.close?.();
        await past.close();
        index.close();
        await desk.close();
      },
    };
  } catch (error) {
    await desk.close();
    throw error;
  }
}

async function factsOf(cwd: string, desk: Desk): Promise<WatchFacts> {
  const { autonomy, tools } = desk.loaded.config;
  const { policy } = tools;
  const rules = `${plural(policy.rules.length, "rule")}${policy.policy_file === "" ? "" : " and a file"}`;
  return {
    workspace: cwd,
    // Where they cannot even be planned, no command runs behind any.
    walls: tools.sandbox.enabled ? await wallsOf(cwd, desk).catch(() => "none") : "none",
    autonomy,
    policy: policy.enabled ? `${rules}, else ${policy.default_effect}` : "off",
  };
}

/** The walls are tried as a command would get them; that takes a moment and is done once. */
async function wallsOf(cwd: string, { loaded: { config, userFile }, at }: Desk): Promise<string> {
  const { sandbox, shell } = config.tools;
  const [{ policyFor }, { probe }] = await Promise.all([import("../../host/sandbox/policy.ts"), import("../../host/sandbox/probe.ts")]);
  const own = [at.store, at.audit, at.notes, userFile];
  const keys = keyFiles({ home: at.home, env: process.env });
  const where = { cwd, home: at.home, own, keys, allowedPaths: shell.allowed_paths, env: process.env };
  return (await probe({ policy: policyFor(sandbox, where) })).backend;
}
