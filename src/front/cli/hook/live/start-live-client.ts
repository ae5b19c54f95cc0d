import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientPlan } from "../../../../hook/install/client-plan.ts";
import { hookCommands } from "../../../../hook/install/edit-text.ts";
import { createInstallStep, type InstallWish } from "../../../../hook/install/install-hooks.ts";
import { OWN_SESSION, recordedCalls, verdictIn } from "../../../../hook/install/probe-inputs.ts";
import type { ScriptedStep } from "../../../../hook/live/choose-tool.ts";
import { CLOSED_WAYS, type LiveClient } from "../../../../hook/live/live-clients.ts";
import { haveCodexTrust } from "../codex-trust.ts";
import { judgingLines } from "../examine.ts";
import { runBounded, runShellLine } from "../run-line.ts";
import { openPrivatePlace, type PrivatePlace } from "./private-place.ts";
import { LIVE_PROMPT, openScriptedModel } from "./scripted-model.ts";

/** One start of a client: with which hooks and rules, and what its model wants. */
export interface LiveStart {
  readonly plan: ClientPlan;
  readonly client: LiveClient;
  /** The client's own program. */
  readonly program: string;
  readonly path: string;
  /** The hooks, as they are installed. The program may be one of the place. */
  wish(place: PrivatePlace): InstallWish;
  readonly rules: string;
  /** Files of the workspace. */
  files(place: PrivatePlace): Readonly<Record<string, string>>;
  readonly steps: readonly ScriptedStep[];
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface LiveEnd {
  /** Whether the file is in the workspace, or outside of it. */
  isThere(name: string, where?: "work" | "outside"): boolean;
  /** What the model read back of the n-th call; null where it read nothing. */
  read(n: number): string | null;
  readonly audit: readonly Readonly<Record<string, unknown>>[];
  /** Why there is nothing to see; null where the client asked its model. */
  readonly failed: string | null;
}

/** A hookd that is started on a busy machine may take longer than a first call waits. */
const TRIES = 5;
const PROBE_MS = 30_000;

/** Starts the client in a home of its own, lets it talk to its scripted model to the end, and takes everything away again. */
export async function startLiveClient(start: LiveStart): Promise<LiveEnd> {
  const place = openPrivatePlace(start.path);
  const model = await openScriptedModel(start.steps);
  // Whatever ends this process, the folders go with it.
  process.once("exit", place.close);
  try {
    const failed = (await prepare(start, place, model.url)) ?? (await run(start, place, model.url));
    const seen = { asked: model.asked(), read: start.steps.map((_, n) => model.read(n) ?? null), audit: place.audit() };
    const there = new Set(
      (["work", "outside"] as const).flatMap((where) =>
        NAMES.filter((name) => existsSync(join(place[where], name))).map((name) => `${where}/${name}`),
      ),
    );
    return {
      isThere: (name, where = "work") => there.has(`${where}/${name}`),
      read: (n) => seen.read[n] ?? null,
      audit: seen.audit,
      failed: seen.asked > 0 ? null : (failed ?? "it ended without asking its model anything"),
    };
  } finally {
    process.off("exit", place.close);
    await model.close();
    place.close();
  }
}

/** The files by which it is seen what ran. */
export const LIVE_MARK = { denied: "zeph-denied", allowed: "zeph-allowed", crashed: "zeph-crashed", gone: "zeph-gone" } as const;
const NAMES: readonly string[] = Object.values(LIVE_MARK);

/** Why the client cannot be started; null where everything stands. */
async function prepare(start: LiveStart, place: PrivatePlace, url: string): Promise<string | null> {
  const { plan, client, rules } = start;
  for (const [path, content] of Object.entries(client.files({ work: place.work, url }))) place.put(path, content);
  for (const [name, text] of Object.entries(start.files(place))) writeFileSync(join(place.work, name), text);
  place.put(".config/zeph/config.toml", rules);
  const at = { state: join(place.home, ".local/state/zeph"), home: place.home, cwd: place.work, env: {} };
  const step = createInstallStep(plan, start.wish(place), at);
  step.apply(plan.name === "codex" ? {} : undefined);
  const env = envOf(start, place, url);
  if (plan.name === "codex") {
    const trusted = await haveCodexTrust({ program: start.program, cwd: place.work, env }, step.file, () => {}).catch(
      (error: Error) => error.message,
    );
    if (trusted !== true) return `Codex did not trust the hooks in its private home${trusted === false ? "" : `: ${trusted}`}`;
  }
  return probe(judgingLines([{ own: hookCommands(plan, step.after) }]), start, place, env);
}

const envOf = ({ client }: LiveStart, { env }: PrivatePlace, url: string): Record<string, string> => ({
  ...env,
  ...CLOSED_WAYS,
  ...client.env(url),
});

/** Starts hookd by a question that no client put. A hook that is meant to fail is not asked. */
async function probe(
  lines: readonly string[],
  { plan, wish, signal }: LiveStart,
  place: PrivatePlace,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  if (wish(place).program[0]?.startsWith(place.home)) return null;
  const input = JSON.stringify(recordedCalls(plan.name, { cwd: place.work, session: `${OWN_SESSION}live` }).allowed);
  for (const line of lines) {
    for (let tries = 1; ; tries++) {
      const end = await runShellLine(line, { input, cwd: place.work, env, limitMs: PROBE_MS, signal });
      const verdict = verdictIn(end);
      if (verdict === "pass" || verdict === "ask") break;
      if (signal.aborted || tries === TRIES)
        return `Zeph itself does not answer: ${end.stderr.trim().split("\n")[0] || `exit ${end.code ?? "never"}`}`;
    }
  }
  return null;
}

const MOST_SAID = 500;

/** Why the client did not come to its end by itself; null where it did. */
async function run(start: LiveStart, place: PrivatePlace, url: string): Promise<string | null> {
  const { client, program, limitMs, signal } = start;
  const words = [program, ...client.words(LIVE_PROMPT)] as const;
  const end = await runBounded(words, { input: "", cwd: place.work, env: envOf(start, place, url), limitMs, signal });
  if (end.code === 0) return null;
  const said = (end.stderr.trim() || end.stdout.trim()).slice(-MOST_SAID);
  return `${end.code === null ? `it was not done after ${Math.round(end.ms / 1000)} s` : `it ended with ${end.code}`}${said === "" ? "" : `: ${said}`}`;
}
