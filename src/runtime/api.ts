import { randomUUID } from "node:crypto";
import { takesNothing } from "../catalog/think-fields.ts";
import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import { facetsOf } from "../core/facets.ts";
import type { Outcome } from "../core/layer.ts";
import { ToolRequest } from "../core/request.ts";
import { type CallContext, NEVER } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import { UNJUDGED } from "../pipeline/decision.ts";
import { judge } from "../pipeline/run.ts";
import { whileHeld } from "../text/abort.ts";
import { ranOutput } from "../tools/command-output.ts";
import { aiSdkTools } from "./ai-sdk-tools.ts";
import { inFlight, listenedTo, requestOf } from "./calls.ts";
import type { Closers } from "./close.ts";
import { describe } from "./describe.ts";
import { ANEW } from "./governance/governance.ts";
import type { Judges } from "./judges.ts";
import type { Machine } from "./machine.ts";
import type { CallPath } from "./path.ts";
import { createConversationListener } from "./rules/conversation-listener.ts";
import type { RuntimeInternals, Zeph } from "./runtime.ts";
import type { Toolbox } from "./toolbox.ts";
import { wallsReach } from "./walls-reach.ts";

/** What a runtime offers: `zeph` to everybody, the rest to an agent around it. */
export function createApi(machine: Machine, toolbox: Toolbox, judges: Judges, path: CallPath, closers: Closers): RuntimeInternals {
  const { options, settings, session, filter, facts, commands, door, log, warn } = machine;
  const { registry, catalogue, mcp, parts, answers } = toolbox;
  const { gates } = judges;
  const withoutParameters = (name: string) => {
    const tool = registry.tools().get(name);
    return tool !== undefined && takesNothing(describe(tool).parameters);
  };
  /** A tool of a server that nobody has met yet is worth waiting for. */
  const meetServerOf = async (tool: string) => {
    const [prefix, server] = tool.split("__");
    if (prefix === "mcp" && server && !registry.tools().has(tool)) await mcp.meet(server);
  };
  const running = inFlight();
  let isOpen = true;
  closers.add(running.settled);
  /** Never throws: a runtime that was closed answers, too. */
  const enter = async (step: CallPath["run"], request: ToolRequest, ctx: CallContext): Promise<Outcome> => {
    if (!isOpen) return closed(request.id);
    const work = async () => {
      await meetServerOf(request.name);
      return whileHeld(listenedTo(ctx.signal), () => step(request, ctx));
    };
    return running.track(work());
  };
  const zeph: Zeph = {
    session: { id: session.id, nonce: session.nonce },
    warnings: [...settings.warnings, ...judges.warnings],
    async call(tool, args, { signal = NEVER, ...caller } = {}) {
      const id = randomUUID();
      const request = requestOf(id, tool, args, withoutParameters);
      if (request) return enter(path.run, request, { signal, turn: session.current(caller) });
      return isOpen ? onlyThought(id, String(tool)) : closed(id);
    },
    async dryRun(command, { signal = NEVER, ...caller } = {}) {
      const request = ToolRequest.from({ id: randomUUID(), name: "bash", args: { command, dry_run: true } })!;
      return enter(path.dryRun, request, { signal, turn: session.current(caller) });
    },
    async judge(tool, args, caller = {}) {
      const request = ToolRequest.from({ id: randomUUID(), name: String(tool), args }, withoutParameters);
      if (!request) throw new ToolError("invalid_parameters", `${tool} was given only a thought.`);
      await meetServerOf(request.name);
      const turn = session.current(caller);
      const call = ToolCall.parse(request, registry.tools(), path.standing(turn));
      if (call instanceof ToolError) throw call;
      return judge(door, call, turn);
    },
    tools: toolbox.shown,
    toAiSdkTools: () => aiSdkTools(zeph),
    turn: session.turn,
    addToolset: registry.add,
    onToolsChanged: toolbox.changes.add,
    takeCompletions: commands.background.takeCompletions,
    blockCommands: (names) => door.replace(gates.block(names)),
    redact: filter.redact,
    reach: async (caller = {}) => (options.host ? null : wallsReach(await machine.plan(path.standing(session.current(caller))))),
    governance: judges.governance,
    mcp,
    stats: answers.stats,
    clear() {
      try {
        log.append({ kind: "note", ts: new Date().toISOString(), session_id: session.id, note: ANEW });
      } catch (error) {
        warn(`The start of a new session could not be recorded: ${(error as Error).message}`);
      }
      answers.clear();
      gates.reset();
      toolbox.dependencies?.clear();
      catalogue.restart();
    },
    async close() {
      isOpen = false;
      await closers.close();
    },
  };
  return {
    zeph,
    config: settings.config,
    isWhole: machine.isWhole,
    parts,
    catalogue,
    lend: toolbox.mind.lend,
    store: settings.store,
    session,
    cwd: facts.cwd,
    home: settings.at.home,
    tracing: machine.tracing,
    background: commands.background,
    facets: (name) => facetsOf(registry.tools().get(name) ?? { name }),
    warn,
    redact: filter.redact,
    hide: filter.hide,
    examples: judges.examples,
    bench: judges.bench,
    call: (request, turn, signal) => enter(path.run, request, { signal, turn }),
    intended(request, turn) {
      const call = ToolCall.parse(request, registry.tools(), path.standing(turn));
      // A call that cannot be made disturbs nobody.
      if (call instanceof ToolError) return { effect: "reads", touches: [] };
      const canonical = (touch: Touch) => (touch.kind === "path" ? { ...touch, path: facts.canonical(touch.path) } : touch);
      return { effect: call.tool.effect, touches: call.touches.map(canonical) };
    },
    ...createConversationListener({ session, tools: registry.tools, catalogue, skills: parts.skills, gates }),
    shown: ({ command, ran }, turn) => answers.shown(ranOutput(ran, command), turn),
  };
}

const failure = (callId: string, error: ToolError): Outcome => ({ ok: false, callId, error, decision: UNJUDGED });
const closed = (callId: string) => failure(callId, new ToolError("permanent_failure", "This runtime was closed."));
/** Nothing was asked for, so nothing is run and nothing is recorded. */
const onlyThought = (callId: string, tool: string) =>
  failure(callId, new ToolError("invalid_parameters", `${tool} was given a thought and no arguments. Nothing was run.`));
