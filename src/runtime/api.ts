import { randomUUID } from "node:crypto";
import { createLedger, type Ledger } from "../agent/budget.ts";
import { takesNothing } from "../catalog/think-fields.ts";
import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Answered } from "../core/event.ts";
import { facetsOf } from "../core/facets.ts";
import { assertFunctions, assertKnownOptions } from "../core/inputs/options.ts";
import type { Outcome } from "../core/layer.ts";
import { ConversationError } from "../core/ports/conversation-error.ts";
import { ToolRequest } from "../core/request.ts";
import { type AnyTool, type CallContext, isOwnTool, NEVER } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import type { CallerRights } from "../core/turn.ts";
import { UNJUDGED } from "../pipeline/decision.ts";
import { judge, judgeInput } from "../pipeline/run.ts";
import { whileHeld } from "../text/abort.ts";
import { ranOutput } from "../tools/command-output.ts";
import { aiSdkTools } from "./ai-sdk-tools.ts";
import { createCallerView } from "./callers/caller-view.ts";
import { createSharedGovernance, type OpenBelow, openCallerWorkspaces, reloadBelow } from "./callers/caller-workspaces.ts";
import { rememberOpened } from "./callers/opened-runtimes.ts";
import { inFlight, listenedTo, requestOf } from "./calls.ts";
import type { Closers } from "./close.ts";
import { describe } from "./describe.ts";
import { ANEW } from "./governance/governance.ts";
import { createClientDecisions } from "./hook/client-decisions.ts";
import { isInnerCall } from "./inner-calls.ts";
import type { Judges } from "./judges.ts";
import { ANSWER_OPTIONS, CALL_OPTIONS } from "./library/option-names.ts";
import type { Machine } from "./machine.ts";
import type { CallPath } from "./path.ts";
import { takeQuestion } from "./questions/take-question.ts";
import { createConversationListener } from "./rules/conversation-listener.ts";
import type { CallOptions, RuntimeInternals, Zeph } from "./runtime.ts";
import type { Toolbox } from "./toolbox.ts";
import { wallsReach } from "./walls-reach.ts";

/** What a runtime offers: `zeph` to everybody, the rest to an agent around it. */
export function createApi(
  machine: Machine,
  toolbox: Toolbox,
  judges: Judges,
  path: CallPath,
  closers: Closers,
  openBelow: OpenBelow,
): RuntimeInternals {
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
  const workspaces = openCallerWorkspaces(machine, toolbox, openBelow);
  machine.listen((event) => {
    if (options.watch && event.type === "reload" && event.problem === undefined)
      void workspaces.follow("rules", (below) => reloadBelow(below));
  });
  const ledgers = new Map<string, Ledger>();
  const ledgerOf = (caller: string): Ledger => {
    const known = ledgers.get(caller) ?? createLedger();
    ledgers.set(caller, known);
    return known;
  };
  const running = inFlight();
  const decisions = createClientDecisions({ door, session, tools: registry.tools, path, sessions: machine.sessions });
  let isOpen = true;
  closers.add(running.settled);
  /** Never throws: a runtime that was closed answers, too. */
  const enter = async (step: CallPath["run"], request: ToolRequest, ctx: CallContext): Promise<Outcome> => {
    if (!isOpen) return closed(request.id);
    if (isInnerCall(settings.store)) return failure(request.id, calledInside(request.name, "called"));
    const work = async () => {
      await meetServerOf(request.name);
      return ctx.signal === NEVER ? step(request, ctx) : whileHeld(listenedTo(ctx.signal), () => step(request, ctx));
    };
    return running.track(work());
  };
  const take = (callId: string, answer: Answered, rights?: CallerRights) =>
    takeQuestion(settings.store.openQuestions, {
      callId,
      answer,
      workspace: facts.cwd,
      fourEyes: machine.rules.book.live.tools.four_eyes,
      rights,
    });
  const zeph: Zeph = {
    session: { id: session.id, nonce: session.nonce },
    warnings: [...settings.warnings, ...judges.warnings],
    call: (async (tool: string | AnyTool, args: unknown, options?: CallOptions) => {
      const other = typeof tool === "object" && registry.tools().get(tool?.name);
      // Whoever hands over a tool means that one.
      if (other && other !== tool && isOwnTool(other)) return failure(randomUUID(), anotherTool(other.name));
      return zeph.callAny(typeof tool === "object" ? tool?.name : tool, args, options);
    }) as Zeph["call"],
    async callAny(tool, args, options = {}) {
      const id = randomUUID();
      const wrong = optionProblem("A call", options, CALL_OPTIONS);
      if (wrong) return failure(id, wrong);
      const { signal = NEVER, requestId, confirm, ...caller } = options;
      const request = requestOf(id, tool, args, withoutParameters);
      const ctx = { signal, turn: session.current(caller), ...(requestId !== undefined && { requestId }), ...(confirm && { confirm }) };
      if (request) return enter(path.run, request, ctx);
      return isOpen ? onlyThought(id, String(tool)) : closed(id);
    },
    async answer(callId, answer, options = {}) {
      const wrong = optionProblem("An answer", options, ANSWER_OPTIONS);
      if (wrong) return failure(callId, wrong);
      const { signal = NEVER, rights, trust } = options;
      if (!isOpen) return closed(callId);
      // Before the question is taken: it stays for a person.
      if (isInnerCall(settings.store)) return failure(callId, calledInside(`The question ${callId}`, "answered"));
      const taken = await take(callId, answer, rights);
      if (taken instanceof ToolError) return failure(callId, taken);
      if ("waits" in taken) return { ...failure(callId, new ToolError("confirmation_required", taken.waits)), waiting: true };
      const { request, caller, untrusted, ...rest } = taken;
      const turn = session.current({ ...caller, ...(rights && trust && { trust }) });
      if (untrusted) turn.seen.untrusted = true;
      return enter(path.run, request, { signal, turn, ...rest });
    },
    openQuestions: () => settings.store.openQuestions.list({ workspace: facts.cwd }),
    async dryRun(command, options = {}) {
      const id = randomUUID();
      const wrong = optionProblem("dryRun(command, options)", options, CALL_OPTIONS);
      if (wrong) return failure(id, wrong);
      const { signal = NEVER, requestId: _id, confirm: _confirm, ...caller } = options;
      const request = ToolRequest.from({ id, name: "bash", args: { command, dry_run: true } })!;
      return enter(path.dryRun, request, { signal, turn: session.current(caller) }) as ReturnType<Zeph["dryRun"]>;
    },
    async judge(tool, args, caller = {}) {
      assertKnownOptions("judge", caller, CALL_OPTIONS);
      const request = ToolRequest.from({ id: randomUUID(), name: String(tool), args }, withoutParameters);
      if (!request) throw new ToolError("invalid_parameters", `${tool} was given only a thought.`);
      const unfit = judgeInput(request);
      if (unfit) return unfit;

      await meetServerOf(request.name);
      const turn = session.current(caller);
      const call = ToolCall.parse(request, registry.tools(), path.standing(turn), "ignore");
      if (call instanceof ToolError) throw call;
      return judge(door, call, turn);
    },
    decide: (tool, args, options) => running.track(decisions.decide(tool, args, options)),
    settle: (tool, args, ended, options) => running.track(decisions.settle(tool, args, ended, options)),
    tools: toolbox.shown,
    toAiSdkTools: (chosen) => aiSdkTools(zeph, chosen),
    turn: session.turn,
    as: (caller) => createCallerView({ inside, listen: machine.listen, emit: machine.emit, ledgerOf, workspaces }, caller),
    addToolset(toolset) {
      registry.assertFree(toolset);
      return registry.add(toolset);
    },
    onToolsChanged: toolbox.changes.add,
    takeCompletions: commands.background.takeCompletions,
    blockCommands(names) {
      door.replace(gates.block(names));
      void workspaces.follow("commands", (below) => below.blockCommands(names));
    },
    redact: filter.redact,
    reach: async (caller = {}) =>
      options.host ? null : wallsReach(await machine.plan(path.standing(session.current(caller))), gates.book.live.tools.file),
    governance: createSharedGovernance(judges.governance, workspaces),
    mcp,
    stats: () => ({ ...answers.stats(), egress: machine.sentOut.counts() }),
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
      commands.restart();
      workspaces.each((below) => below.clear());
    },
    async close() {
      isOpen = false;
      await machine.scopes.end();
      await workspaces.close();
      await closers.close();
    },
    [Symbol.asyncDispose]: () => zeph.close(),
  };
  const inside: RuntimeInternals = {
    zeph,
    live: machine.live,
    scopes: machine.scopes,
    confirm: options.confirm,
    openCatalogue: toolbox.openCatalogue,
    config: settings.config,
    refresh: judges.reload.refresh,
    liveConfig: () => gates.book.live,
    isWhole: machine.isWhole,
    parts,
    catalogue,
    lend: toolbox.mind.lend,
    store: settings.store,
    session,
    sessions: machine.sessions,
    isOpen: () => isOpen,
    cwd: facts.cwd,
    walls: facts.walls,
    home: settings.at.home,
    tracing: machine.tracing,
    background: commands.background,
    undoing: machine.undoing,
    readBytes: machine.readBytes,
    egress: machine.sentOut.counts,
    facets: (name) => facetsOf(registry.tools().get(name) ?? { name }),
    warn,
    note: (text, phase) =>
      log.append({
        kind: "note",
        ts: new Date().toISOString(),
        session_id: session.id,
        ...(phase && { phase }),
        note: filter.redact(text),
      }),
    redact: filter.redact,
    hide: filter.hide,
    examples: judges.examples,
    bench: judges.bench,
    call: (request, ctx) => enter(path.run, request, ctx),
    async answer(callId, answer, ctx) {
      const taken = await take(callId, answer, ctx.turn.rights);
      if (taken instanceof ToolError) throw new ConversationError(taken.message);
      if ("waits" in taken) throw new ConversationError(taken.waits);
      const { request, kept, requestId = "" } = taken;
      return { outcome: await enter(path.run, request, { ...ctx, kept, requestId }), requestId };
    },
    standing: path.standing,
    intended(request, turn) {
      const call = ToolCall.parse(request, registry.tools(), path.standing(turn), "ignore");
      // A call that cannot be made disturbs nobody.
      if (call instanceof ToolError) return { effect: "reads", touches: [] };
      const canonical = (touch: Touch) => (touch.kind === "path" ? { ...touch, path: facts.canonical(touch.path) } : touch);
      return { effect: call.tool.effect, touches: call.touches.map(canonical) };
    },
    ...createConversationListener({ session, tools: registry.tools, catalogue, skills: parts.skills, gates }),
    outputFilter: filter.load,
    shown: ({ command, ran }, turn) => answers.shown(ranOutput(ran, command), turn),
  };
  rememberOpened(zeph, { open: async () => inside });
  return inside;
}

/** Why a call with these options is not made; null when it is. One that is ignored may be a rule somebody relies on. */
function optionProblem(owner: string, options: CallOptions, known: readonly string[]): ToolError | null {
  try {
    assertKnownOptions(owner, options, known);
    assertFunctions(options, ["confirm"]);
    return null;
  } catch (error) {
    return new ToolError("invalid_parameters", (error as Error).message, { advice: "Nothing was run. Mend the program that called." });
  }
}

const failure = (callId: string, error: ToolError): Extract<Outcome<never>, { ok: false }> => ({
  ok: false,
  callId,
  error,
  decision: UNJUDGED,
});
const anotherTool = (name: string) =>
  new ToolError("tool_not_found", `The tool that was given is not here: "${name}" is the name of one of Zeph's own. Give it another name.`);
const calledInside = (what: string, did: "called" | "answered") =>
  new ToolError(
    "permanent_failure",
    `${what} was ${did} by a tool while that tool ran. Such a call would not have the rights of the caller whose call runs the tool, so it is refused.`,
    { advice: "Nothing was run. Return what the tool found, and let the model or the program make the next call." },
  );
const closed = (callId: string) => failure(callId, new ToolError("permanent_failure", "This runtime was closed."));
/** Nothing was asked for, so nothing is run and nothing is recorded. */
const onlyThought = (callId: string, tool: string) =>
  failure(callId, new ToolError("invalid_parameters", `${tool} was given a thought and no arguments. Nothing was run.`));
