import { randomUUID } from "node:crypto";
import { takesNothing } from "../catalog/think-fields.ts";
import { keyFiles } from "../config/api-keys.ts";
import type { PlaceOf } from "../config/load.ts";
import { userConfigPath } from "../config/paths.ts";
import type { Config } from "../config/schema.ts";
import { ToolCall } from "../core/call.ts";
import { Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { Tracing } from "../core/ports/span.ts";
import { createRegistry } from "../core/registry.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type CallContext, NEVER, type Progress } from "../core/tool.ts";
import { toolsetsOf, toolsOf } from "../core/toolset.ts";
import type { Touch } from "../core/touch.ts";
import type { TurnContext } from "../core/turn.ts";
import { understandFrom } from "../gates/permissions/commands.ts";
import { identityPlaces, identitySight } from "../gates/permissions/identity.ts";
import { createLocalWatch } from "../host/files/watch.ts";
import { createHooks } from "../host/hooks.ts";
import { openLocalHost } from "../host/local.ts";
import { createAsker } from "../pipeline/ask.ts";
import { audit, egressLine, intent } from "../pipeline/audit.ts";
import { UNJUDGED } from "../pipeline/decision.ts";
import { report } from "../pipeline/report.ts";
import { createPipeline, judge } from "../pipeline/run.ts";
import { trace } from "../pipeline/trace.ts";
import { openAuditFile } from "../store/audit/audit-file.ts";
import { ownFiles } from "../store/state-paths.ts";
import { background } from "../tools/background.ts";
import { bash } from "../tools/bash.ts";
import { ranOutput } from "../tools/command-output.ts";
import { ALIASES, TOOLS } from "../tools/index.ts";
import { rehearsed } from "../tools/rehearse.ts";
import { lateEmbedder } from "./agent/late-embedder.ts";
import type { Mind } from "./agent/mind.ts";
import { openParts } from "./agent/parts.ts";
import { aiSdkTools } from "./ai-sdk-tools.ts";
import { openAnswers } from "./answers.ts";
import { guarded, inFlight, listenedTo, requestOf } from "./calls.ts";
import { describe } from "./describe.ts";
import { ANEW, governance } from "./governance/governance.ts";
import { contextFor, hookLayers } from "./hooks.ts";
import { innerCommandRefusal } from "./inner-commands.ts";
import { keptCommands } from "./kept.ts";
import { keyNames } from "./key-names.ts";
import { keysFor, skillVariables } from "./keys.ts";
import { listeners } from "./listeners.ts";
import { openMcp } from "./mcp.ts";
import { openOrClose, openStores } from "./open.ts";
import { reachOf } from "./reach.ts";
import { programsIn, recorded } from "./recorded.ts";
import { redirectRefusal } from "./redirects.ts";
import { type GateParts, openGates } from "./rules/gates.ts";
import { hearing } from "./rules/hearing.ts";
import { reloading } from "./rules/reload.ts";
import { reviewer } from "./rules/reviewer.ts";
import { type Rulebook, readRulebook } from "./rules/rulebook.ts";
import { soundRulebook } from "./rules/rulebook-sound.ts";
import type { Inside, OpenOptions, RuntimeOptions, Zeph } from "./runtime.ts";
import { assertScopeUser } from "./scope-user.ts";
import { openTracing } from "./telemetry.ts";
import { openTextThreads } from "./texts.ts";
import { unwalled } from "./unwalled.ts";

export { scriptModel } from "../models/script.ts";
export { type Diagnosis, examine } from "./doctor.ts";
export { type Desk, openDesk } from "./open.ts";
export type { CallOptions, Inside, Judgement, RuntimeOptions, ToolInfo, Zeph } from "./runtime.ts";

export const createRuntime = async (options: RuntimeOptions = {}): Promise<Zeph> => (await openRuntime(options)).zeph;

/** The only place that knows every part. Order here is the order at run time. */
export async function openRuntime(options: OpenOptions = {}): Promise<Inside> {
  const cwd = options.cwd ?? process.cwd();
  // Before anything is opened that would have to be closed again.
  for (const toolset of toolsetsOf(options.toolsets)) toolsOf(toolset);
  const { config, userFile, warnings, placeOf, again, files, store, at } = openStores(options, cwd);
  const emit = guarded(options.onEvent);
  const tracing: Tracing = openTracing();
  const warn = (message: string) => emit({ type: "warning", message });
  const open = unwalled(emit);
  const log = options.log?.(at.audit) ?? openOrClose(store, () => openAuditFile(at.audit, store.anchors));
  const keys = [...keyFiles({ home: at.home, env: process.env }), at.tokens];
  const readBook = (config: Config, placeOf: PlaceOf) => readRulebook(config, { placeOf, cwd, home: at.home });
  const book = openOrClose(store, () => readBook(config, placeOf));
  // Where nothing is run, a file that is only tried may lie in the workspace.
  const own = ownFiles(at, [
    ...keys,
    log.path,
    userConfigPath({ home: at.home, env: process.env }),
    ...(userFile && !options.log ? [userFile] : []),
  ]);
  const { file, shell, sandbox, scope: limits } = config.tools;
  const {
    host,
    facts,
    commands,
    plan,
    serve,
    close: closeHost,
  } = openOrClose(store, () => {
    assertScopeUser(limits);
    return openLocalHost({
      cwd,
      file,
      shell,
      sandbox,
      scope: limits,
      notes: at.notes,
      own,
      rules: () => gates.book.files,
      keys,
      web: {
        config: config.tools.scrape,
        cache: { enabled: config.tools.result_cache.enabled, ttlSecs: config.tools.result_cache.ttl_secs },
        wires: options.web,
        onEgress: (...hop) => egressLine(log, redact)(...hop),
        mayFollow: (...redirect) => redirectRefusal(door)(...redirect),
      },
      diagnostics: config.tools.diagnostics,
      forbids: (command) => forbids(command),
      onCwdChanged: (from, to, ctx) => told.cwdChanged(from, to, ctx),
      onUnwalled: open.command,
      skillEnv: (skill) => skillVariables(config.skills.env, skill, keysOf),
      editor: options.editor,
      nested: options.nested,
    });
  });
  const session = createSession((id, seen) => {
    store.conversations
      .mark(id, seen)
      .catch((error) => warn(`What the conversation has seen could not be kept: ${(error as Error).message}`));
  });
  let mind: Mind | null = null;
  const texts = openTextThreads();
  const answers = await openAnswers({
    config: config.tools,
    store,
    texts,
    session,
    // A buffer changes without its file.
    watch: options.host || options.editor?.buffers?.read ? null : createLocalWatch(facts),
    where: { userFile, home: at.home },
    goalOf: (turn) => parts.goalText(turn),
    embedder: () => embedder(),
    ask: async (prompt, signal) => (mind ? mind.ask(prompt, signal) : null),
  });
  const isWhole = typeof options.config === "object";
  const keysOf = keysFor({ isWhole, home: at.home, hide: answers.hide });
  const embedder = lateEmbedder({ llm: config.llm, keys: keysOf, warn });
  const parts = openParts({
    config,
    store,
    workspace: facts.cwd,
    home: at.home,
    mind: () => mind,
    embedder,
    redact: answers.redact,
    emit,
    warn,
    ownSkills: isWhole ? null : undefined,
    mcp: () => mcp,
  });
  const shellTool = bash((command, at) => understandFrom(command, at).touches);
  const toolWatch = listeners();
  const registry = createRegistry({
    builtIn: [shellTool, background, answers.tool, ...TOOLS, ...parts.tools],
    aliases: ALIASES,
    warn,
    changed: toolWatch.tell,
  });
  const tools = () =>
    gates.book.config.tools.enabled
      ? registry
          .list()
          .filter((tool) => !gates.rules.gates.some((gate) => gate.hides?.(tool)))
          .map(describe)
      : [];
  const { catalogue, dependencies, finders } = parts.choose(tools, () => registry.list().map(({ name }) => name));
  registry.add(finders);
  for (const toolset of options.toolsets ?? []) registry.add(toolset);
  const told = hookLayers(
    createHooks(config.hooks, { cwd: facts.cwd, env: contextFor(shell.enable_execution_context), warn }),
    facts.cwd,
    commands,
  );

  for (const name of keyNames(config.llm)) if (process.env[name]) answers.hide(process.env[name]);
  const oddities: string[] = [...answers.warnings];
  const { redact } = answers;
  if (!sandbox.enabled) oddities.push("tools.sandbox.enabled is false: commands run with all your rights, without walls.");
  const sound = (book: Rulebook, placeOf: PlaceOf) => soundRulebook(book, placeOf, { tools: registry.tools(), facts });
  try {
    oddities.push(...sound(book, placeOf));
  } catch (error) {
    await closeHost();
    await texts.close();
    log.close();
    await store.close();
    throw error;
  }
  const gateParts: GateParts = {
    facts,
    // A workspace may hold these, and has to be written; for commands they are frozen in it.
    own: [...own, ...files],
    tools: registry.tools,
    originOf: registry.origin,
    kept: keptCommands(store.trust),
    requirements: dependencies,
    sandbox,
    ask: reviewer({
      llm: () => gates.book.config.llm,
      provider: () => gates.book.adversarial.provider,
      own: () => mind?.model ?? null,
      isWhole,
      keys: keysOf,
      warn,
      tracing,
      used: (usage, price) => mind?.spent(usage, price),
    }),
    reasons: () => mind?.model.reasoning === true,
    redact,
    sentinel: { trajectories: store.trajectories, embedder, warn },
    strangerWrites: store.strangerWrites,
    note: (text) => log.append({ kind: "note", ts: new Date().toISOString(), note: text }),
    warn,
    changed: toolWatch.tell,
  };
  const gates = openGates(gateParts, book, (message) => void oddities.push(message));
  const door = new Door(gates.rules.blocklist, gates.rules.gates, told.lastWord);
  const reload = reloading({
    again,
    read(config, placeOf, warn) {
      const book = readBook(config, placeOf);
      for (const message of sound(book, placeOf)) warn(message);
      return book;
    },
    gates,
    door,
    log,
    redact,
    emit,
    first: config,
    said: [...warnings, ...oddities],
    files: () => files,
    took: (before, now) => mcp.exchange(before.mcp.servers, now.mcp.servers),
  });
  const forbids = innerCommandRefusal(door, shellTool);
  const mcp = await openOrClose(store, () =>
    openMcp({
      servers: config.mcp.servers,
      register: registry.add,
      serve: open.served(serve),
      pins: store.pins,
      elicit: options.elicit ?? null,
      roots: [facts.cwd],
      // A store that keeps nothing keeps no login, either.
      tokens: options.store === "memory" ? null : at.tokens,
      retry: config.tools.retry,
      keys: keysOf,
      warn,
    }),
  );
  if (options.servers !== "later") await mcp.meet();
  const watched = options.watch ? reload.watch() : null;
  const closing = new AbortController();
  session.onTurnEnd((turnId) => {
    told.turnComplete(turnId);
    commands.endTurn(turnId);
  });
  const standing = ({ turnId }: TurnContext) => commands.standing(turnId);
  const inTheLog = recorded(
    { scope: limits, programs: () => programsIn(gates.book.config) },
    (turn) => standing(turn) ?? facts.cwd,
    gates,
    registry,
  );
  const steps = {
    standing,
    door,
    outer: [
      trace(tracing, (name) => registry.tools().has(name)),
      report(emit, ({ phase }) => phase === "executor" && config.tools.retry.parameter_reformat_provider !== ""),
      audit(log, redact, inTheLog),
      told.afterwards,
    ],
    inner: [intent(log, redact, inTheLog), told.changes, ...answers.layers],
    host: options.host ?? host,
    minder: background,
    retry: config.tools.retry,
    progress: (callId: string, progress: Progress) => emit({ type: "progress", callId, progress }),
    places: (call: ToolCall) => JSON.stringify(identityPlaces(call, facts)),
    sight: (call: ToolCall) => identitySight(call, facts),
  };
  const pipeline = createPipeline({
    ...steps,
    tools: registry.tools,
    ask: createAsker({
      confirm: options.confirm,
      by: options.confirmedBy ?? "user",
      grants: { grant: gates.grant, narrowest: gates.narrowest },
      saveRule: userFile === null ? null : async (tool, rule) => (await import("../config/edit/rules.ts")).saveRule(userFile, tool, rule),
      emit,
      closing: closing.signal,
    }),
  });

  // What is dropped needs no permission; whether there are walls to drop it behind is another question.
  const onlyRehearsed = new Map([["bash", rehearsed(shellTool)]]);
  const rehearsal = createPipeline({
    ...steps,
    inner: [intent(log, redact, inTheLog), ...answers.shortened],
    tools: () => onlyRehearsed,
    ask: async ({ call, asked }) => (asked.every(({ gate }) => gate === "permissions") ? { by: "dry run", callId: call.id } : null),
  });

  const withoutParameters = (name: string) => {
    const tool = registry.tools().get(name);
    return tool !== undefined && takesNothing(describe(tool).parameters);
  };
  /** A tool of a server that nobody has met yet is worth waiting for. */
  const met = async (tool: string) => {
    const [prefix, server] = tool.split("__");
    if (prefix === "mcp" && server && !registry.tools().has(tool)) await mcp.meet(server);
  };
  const entered = async (request: ToolRequest, ctx: CallContext): Promise<Outcome> => {
    await met(request.name);
    return pipeline(request, ctx);
  };
  const running = inFlight();
  let isOpen = true;
  const zeph: Zeph = {
    session: { id: session.id, nonce: session.nonce },
    warnings: [...warnings, ...oddities],
    async call(tool, args, { signal = NEVER, ...caller } = {}) {
      const id = randomUUID();
      if (!isOpen) return closed(id);
      const request = requestOf(id, tool, args, withoutParameters);
      if (!request) return onlyThought(id, String(tool));
      const ctx: CallContext = { signal: listenedTo(signal), turn: session.current(caller) };
      return running.track(entered(request, ctx));
    },
    async dryRun(command, { signal = NEVER, ...caller } = {}) {
      const id = randomUUID();
      if (!isOpen) return closed(id);
      const request = ToolRequest.from({ id, name: "bash", args: { command, dry_run: true } })!;
      return running.track(rehearsal(request, { signal: listenedTo(signal), turn: session.current(caller) }));
    },
    async judge(tool, args, caller = {}) {
      const request = ToolRequest.from({ id: randomUUID(), name: String(tool), args }, withoutParameters);
      if (!request) throw new ToolError("invalid_parameters", `${tool} was given only a thought.`);
      await met(request.name);
      const turn = session.current(caller);
      const call = ToolCall.parse(request, registry.tools(), standing(turn));
      if (call instanceof ToolError) throw call;
      return judge(door, call, turn);
    },
    tools,
    toAiSdkTools: () => aiSdkTools(zeph),
    turn: session.turn,
    addToolset: registry.add,
    onToolsChanged: toolWatch.add,
    takeCompletions: commands.background.takeCompletions,
    blockCommands: (names) => door.replace(gates.block(names)),
    redact,
    reach: async (caller = {}) => (options.host ? null : reachOf(await plan(standing(session.current(caller))))),
    governance: governance(gates, door, log, reload, registry, redact),
    mcp,
    stats: answers.stats,
    clear: () => {
      try {
        log.append({ kind: "note", ts: new Date().toISOString(), session_id: session.id, note: ANEW });
      } catch (error) {
        warn(`The start of a new session could not be recorded: ${(error as Error).message}`);
      }
      answers.clear();
      gates.reset();
      dependencies?.clear();
      catalogue.restart();
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      // Nobody is left to hear an answer; what runs already is waited for.
      closing.abort();
      watched?.close();
      await running.settled();
      parts.close();
      await mcp.close();
      await commands.background.close();
      await closeHost();
      await texts.close();
      log.close();
      await store.close();
    },
  };
  return {
    zeph,
    config,
    isWhole,
    parts,
    catalogue,
    lend(lent) {
      mind = lent;
    },
    store,
    session,
    cwd: facts.cwd,
    home: at.home,
    tracing,
    background: commands.background,
    warn,
    redact,
    hide: answers.hide,
    async examples(path) {
      const { policyTestFile } = await import("./rules/rulebook-test.ts");
      const { default_effect } = gates.book.config.tools.policy;
      return policyTestFile(path, { cwd: facts.cwd, home: at.home }, { facts, tools: registry.tools() }, default_effect);
    },
    async bench() {
      const { openBench } = await import("./replay/bench.ts");
      const alone = {
        ...gateParts,
        sentinel: { ...gateParts.sentinel, embedder: async () => null },
        strangerWrites: { add() {}, holds: () => false },
        note() {},
        warn() {},
        changed() {},
      };
      return openBench({
        book: gates.book,
        tools: registry.tools,
        gates: (requirements, now) => openGates({ ...alone, requirements, now }, gates.book, () => {}),
        door: ({ blocklist, gates }) => new Door(blocklist, gates),
      });
    },
    async call(request, turn, signal) {
      if (!isOpen) return closed(request.id);
      return running.track(entered(request, { signal: listenedTo(signal), turn }));
    },
    intended(request, turn) {
      const call = ToolCall.parse(request, registry.tools(), standing(turn));
      // A call that cannot be made disturbs nobody.
      if (call instanceof ToolError) return { effect: "reads", touches: [] };
      const canonical = (touch: Touch) => (touch.kind === "path" ? { ...touch, path: facts.canonical(touch.path) } : touch);
      return { effect: call.tool.effect, touches: call.touches.map(canonical) };
    },
    ...hearing({ session, tools: registry.tools, catalogue, skills: parts.skills, gates }),
    shown: ({ command, ran }, turn) => answers.shown(ranOutput(ran, command), turn),
  };
}

const failure = (callId: string, error: ToolError): Outcome => ({ ok: false, callId, error, decision: UNJUDGED });
const closed = (callId: string) => failure(callId, new ToolError("permanent_failure", "This runtime was closed."));
/** Nothing was asked for, so nothing is run and nothing is recorded. */
const onlyThought = (callId: string, tool: string) =>
  failure(callId, new ToolError("invalid_parameters", `${tool} was given a thought and no arguments. Nothing was run.`));
