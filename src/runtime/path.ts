import { randomUUID } from "node:crypto";
import { ToolCall } from "../core/call.ts";
import { outputOf } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import type { InnerLayer, Layer, Step } from "../core/layer.ts";
import { escapeMarkers } from "../core/marker.ts";
import { ToolRequest } from "../core/request.ts";
import type { TurnContext } from "../core/turn.ts";
import { identityPlaces, identitySight } from "../gates/permissions/identity.ts";
import { createAsker } from "../pipeline/ask/ask.ts";
import { audit, intent } from "../pipeline/audit.ts";
import { createLastLook, withCallLedger } from "../pipeline/call-ledger.ts";
import { type ClientCalls, createClientCalls } from "../pipeline/client-calls.ts";
import type { Explain } from "../pipeline/execute.ts";
import { preimages } from "../pipeline/preimages.ts";
import { report } from "../pipeline/report.ts";
import { reserveQuota } from "../pipeline/reserve-quota.ts";
import { createPipeline, type RunParts } from "../pipeline/run.ts";
import { trace } from "../pipeline/trace.ts";
import { makeOnce } from "../text/make-once.ts";
import { background } from "../tools/background.ts";
import { explainDoomed } from "../tools/doomed-call.ts";
import { previewChange } from "../tools/preview.ts";
import { read } from "../tools/read.ts";
import { rehearsed } from "../tools/rehearse.ts";
import { createAuditDetails, programsIn } from "./audit-details.ts";
import { explainMissing } from "./explain-missing.ts";
import { runProgramTool } from "./inner-calls.ts";
import type { Judges } from "./judges.ts";
import type { Machine } from "./machine.ts";
import { createQuestionHolder, createQuestionKeeper } from "./questions/keep-question.ts";
import { withSeveralFiles } from "./read-several.ts";
import { rememberFirst } from "./sessions/session-keeper.ts";
import type { Toolbox } from "./toolbox.ts";

/** The outer ring, outermost first: around every request, also one that is refused. */
export const OUTER_RING = ["trace", "report", "audit", "afterHooks"] as const;
/** The inner ring, outermost first: between a permit and the tool. */
export const INNER_RING = ["intent", "preimages", "changeHooks", "cache", "overflow", "compress", "filter"] as const;
/** The inner ring of a dry run: its result is dropped, so nothing is cached, and nothing is left out for a goal. */
export const DRY_RUN_RING = ["intent", "overflow", "filter"] as const satisfies readonly (typeof INNER_RING)[number][];

/** The way of a call through both rings and the door. */
export interface CallPath {
  readonly run: Step<ToolRequest>;
  /** The same for a command whose result is dropped. */
  readonly dryRun: Step<ToolRequest>;
  /** Where the turn's shell stands; null for the workspace itself. */
  standing(turn: TurnContext): string | null;
  /** Calls that another agent runs: judged, and written down, here. */
  readonly clientCalls: ClientCalls;
}

/** `closing` aborts when nobody is left to answer a question. */
export function createPath(machine: Machine, { registry, answers }: Toolbox, { gates }: Judges, closing: AbortSignal): CallPath {
  const { options, settings, door, log, filter, facts, commands, hooks, emit, rules } = machine;
  const { config, userFile } = settings;
  const { retry, scope } = config.tools;
  const quota = options.fleet?.quota;
  const { standing } = commands;
  const about = createAuditDetails(
    { scope, programs: () => programsIn(rules.book.live), policyVersion: () => machine.central.current()?.version ?? null },
    (turn) => standing(turn) ?? facts.cwd,
    gates,
    registry,
  );
  const outer: Record<(typeof OUTER_RING)[number], Layer<ToolRequest>> = {
    trace: trace(machine.tracing, (name) => registry.tools().has(name)),
    report: report(emit, ({ phase }) => phase === "executor" && retry.parameter_reformat_provider !== ""),
    audit: audit(log, filter.redact, about),
    afterHooks: hooks.afterwards,
  };
  const announced = rememberFirst(intent(log, filter.redact, about), machine.sessions);
  const inner: Record<(typeof INNER_RING)[number], InnerLayer> = {
    intent: options.held ? withCallLedger(announced, options.held.ledger) : announced,
    preimages: machine.keeper
      ? preimages({ cwd: facts.cwd, keep: machine.keeper.keep, settle: machine.keeper.settle })
      : (_permit, _ctx, next) => next(),
    changeHooks: hooks.changes,
    ...answers.layers,
  };
  /** Whether the turn might read the path without a question. */
  const mayReadAlone = async (path: string, turn: TurnContext): Promise<boolean> => {
    const request = ToolRequest.from({ id: randomUUID(), name: read.name, args: { path } });
    const call = request && ToolCall.parse(request, registry.tools(), standing(turn));
    return call instanceof ToolCall && (await door.review(call, turn)).verdict === "allow";
  };
  const explain: Explain = (call, error, turn) => explainMissing(call, error, facts, (path) => mayReadAlone(path, turn));
  const steps: Omit<RunParts, "tools" | "ask" | "inner"> = {
    standing,
    door,
    // What a person may use of a fleet is asked for inside of all that tells of a call, and before the door.
    outer: [...OUTER_RING.map((name) => outer[name]), ...(quota ? [reserveQuota(quota, () => rules.book.live.fleet.quota)] : [])],
    host: machine.host,
    minder: background,
    retry,
    tracing: machine.tracing,
    progress: (callId, progress) => emit({ type: "progress", callId, progress }),
    carry: (turnId, tool, work) => runProgramTool(settings.store, tool, () => machine.session.carry(turnId, work)),
    // The files of another host are not those of this machine.
    doom: async (call, turn) => {
      const doomed = options.host ? null : await explainDoomed(call, facts, (path) => mayReadAlone(path, turn));
      if (!doomed) return null;
      const found = await explain(call, doomed, turn);
      const shown = found.output && outputOf(found.output).text;
      return {
        error: new ToolError(found.category, filter.redact(found.message), { ...(found.advice && { advice: found.advice }) }),
        ...(shown !== undefined && { output: { text: escapeMarkers(filter.redact(shown)) } }),
      };
    },
    explain,
    places: (call: ToolCall) => JSON.stringify(identityPlaces(call, facts)),
    sight: (call: ToolCall) => identitySight(call, facts),
  };
  // Nothing stands between it and the tool.
  const last = options.held ? [createLastLook(options.held.ledger)] : [];
  const onlyRehearsed = makeOnce(() => new Map([["bash", rehearsed(machine.bash)]]));
  return {
    standing,
    clientCalls: createClientCalls({ door, log, redact: filter.redact, about, memory: machine.clientMemory }),
    run: withSeveralFiles(
      createPipeline({
        ...steps,
        inner: [...INNER_RING.map((name) => inner[name]), ...last],
        tools: registry.tools,
        ask: createAsker({
          confirm: options.confirm,
          beside: machine.live.beside,
          by: options.confirmedBy ?? "user",
          grants: { grant: gates.grant, isEdit: gates.isEdit, narrowest: gates.narrowest },
          saveRule:
            userFile === null ? null : async (tool, rule) => (await import("../config/edit/rules.ts")).saveRule(userFile, tool, rule),
          emit,
          closing,
          // The files of another host are not those of this machine.
          preview: async (call) => (options.host || !facts.peek ? {} : previewChange(call, facts.peek, filter.redact)),
          walls: facts.walls,
          fourEyes: () => rules.book.live.tools.four_eyes,
        }),
        holdQuestion: createQuestionHolder(settings.store.openQuestions, facts.cwd),
        keepQuestion: createQuestionKeeper(settings.store.openQuestions, facts.cwd),
      }),
      config.tools.overflow.threshold,
    ),
    // The result of a dry run is dropped, so no permission is needed. The gate `walls` still decides whether the command may run.
    dryRun: createPipeline({
      ...steps,
      inner: [...DRY_RUN_RING.map((name) => inner[name]), ...last],
      tools: onlyRehearsed,
      ask: async ({ call, asked }) => (asked.every(({ gate }) => gate === "permissions") ? { by: "dry run", callId: call.id } : null),
    }),
  };
}
