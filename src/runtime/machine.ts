import { type KeyReader, keyFiles } from "../config/api-keys.ts";
import { userConfigPath } from "../config/paths.ts";
import type { Door } from "../core/door.ts";
import type { ZephEvent } from "../core/event.ts";
import type { Tracing } from "../core/ports/span.ts";
import type { Texts } from "../core/ports/texts.ts";
import { createSession, type OpenSession } from "../core/session.ts";
import type { AnyTool } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { beginSecuring } from "../files/own-place.ts";
import { workingFolder } from "../files/working-folder.ts";
import { understandFrom } from "../gates/permissions/commands.ts";
import { createHooks } from "../host/hooks.ts";
import { type LocalHost, openLocalHost } from "../host/local.ts";
import { openOwnHost } from "../host/own/own-host.ts";
import { keptRoots } from "../host/serving/server-folders.ts";
import { createOpenedSkills } from "../host/skills/opened-skills.ts";
import type { ClientMemory } from "../pipeline/client-calls.ts";
import { type AuditFile, openAuditFile } from "../store/audit/audit-file.ts";
import { secretsIn } from "../store/pg/place.ts";
import { ownFiles } from "../store/state-paths.ts";
import { bash } from "../tools/bash.ts";
import { type AgentScopes, createAgentScopes } from "./callers/agent-scopes.ts";
import { guarded } from "./calls.ts";
import type { Closers } from "./close.ts";
import { createShutDoor } from "./doors.ts";
import { withAuditSink } from "./events/audit-sink.ts";
import { createEgressWatch, type EgressWatch } from "./events/egress-counts.ts";
import { contextFor, createHookLayers, type HookLayers } from "./events/hooks.ts";
import { createWallsWarning, type WallsWarning } from "./events/missing-walls.ts";
import { otlpSecrets } from "./events/otlp-headers.ts";
import { shippingOf } from "./events/shipping-of.ts";
import { createTracing } from "./events/telemetry.ts";
import { openSkills, ownSkillFolders } from "./features/skill-folders.ts";
import { type OpenFilter, openFilter } from "./filter/filter.ts";
import { innerCommandRefusal } from "./inner-commands.ts";
import { type LiveSide, openLiveSide, UNSEEN_RUNTIME } from "./live/live-side.ts";
import { openWallsNote } from "./live/walls-note.ts";
import { createEgressAsk, NOBODY_TO_ASK } from "./questions/egress-questions.ts";
import { createRepositoryAsk } from "./questions/repository-question.ts";
import { redirectRefusal } from "./redirects.ts";
import { type CentralRules, createCentralRules } from "./rules/central-rules.ts";
import { hookFolders } from "./rules/first-gates.ts";
import { createLiveRules, type LiveRules } from "./rules/live-rules.ts";
import { readRulebook } from "./rules/rulebook.ts";
import type { OpenOptions } from "./runtime.ts";
import { restoreCall } from "./sessions/kept-parts.ts";
import { createRuntimeMemory, type RuntimeMemory } from "./sessions/runtime-memory.ts";
import { createSessionKeeper, type SessionKeeper } from "./sessions/session-keeper.ts";
import { keyNames } from "./settings/key-names.ts";
import { keysFor, skillVariables } from "./settings/keys.ts";
import { settingsBeside } from "./settings/own-host.ts";
import { assertScopeUser } from "./settings/scope-user.ts";
import { sharedUrlOf } from "./settings/shared-url.ts";
import { type Opened, openOrClose, openStores } from "./settings/stores.ts";
import { openTextThreads } from "./texts.ts";

/** What lives as long as a runtime and needs no judge: settings, store, log, secrets, the host, and a door that is still shut. */
export interface Machine extends Omit<LocalHost, "close"> {
  readonly options: OpenOptions;
  readonly settings: Opened;
  /** The configuration was given as an object, so it is all there is. */
  readonly isWhole: boolean;
  readonly emit: (event: ZephEvent) => void;
  /** Every event goes to the listener, until the function that is returned is called. */
  listen(listener: (event: ZephEvent) => void): () => void;
  /** The agents over this runtime. */
  readonly scopes: AgentScopes;
  readonly warn: (message: string) => void;
  /** What other processes of this user see of the runtime. */
  readonly live: LiveSide;
  readonly tracing: Tracing;
  readonly log: AuditFile;
  /** What went to other machines. */
  readonly sentOut: EgressWatch;
  /** The rules in force: read by now, not yet checked. */
  readonly rules: LiveRules;
  /** The policy of the fleet that the rules are read below. */
  readonly central: CentralRules;
  readonly door: Door;
  readonly filter: OpenFilter;
  readonly keys: KeyReader;
  /** Files that belong to Zeph itself. */
  readonly own: readonly string[];
  readonly bash: AnyTool;
  readonly hooks: HookLayers;
  readonly unwalled: WallsWarning;
  readonly session: OpenSession;
  readonly memory: RuntimeMemory;
  readonly sessions: SessionKeeper;
  readonly clientMemory: ClientMemory;
  readonly texts: Texts;
}

export async function openMachine(options: OpenOptions, closers: Closers): Promise<Machine> {
  // Of another machine only that one can tell.
  const cwd = options.host ? (options.cwd ?? "/") : workingFolder(options.cwd);
  const central = createCentralRules(options.fleet?.policy, options.fleet?.repo);
  const opened = openStores({ ...options, central: central.current }, cwd);
  const settings = options.host ? openOrClose(opened.store, () => settingsBeside(options, opened)) : opened;
  const { config, userFile, placeOf, store, at } = settings;
  closers.add(store.close);
  const listeners = new Set<(event: ZephEvent) => void>();
  const tell = guarded(options.onEvent);
  const scopes = createAgentScopes();
  let live = UNSEEN_RUNTIME;
  const emit = (event: ZephEvent) => {
    live.event(event);
    scopes.tell(event);
    tell(event);
    for (const listener of listeners) listener(event);
  };
  const warn = (message: string) => emit({ type: "warning", message });
  const kept = options.log?.(at.audit) ?? openAuditFile(at.audit, store.anchors);
  closers.add(() => kept.close());
  const sink = options.audit && withAuditSink(kept, options.audit, warn);
  if (sink) closers.add(sink.close);
  const shipping = options.log ? null : options.ship === undefined ? shippingOf(config, options.store) : options.ship;
  const shipped = shipping && (await import("./events/ship-audit.ts")).withShipping(sink?.log ?? kept, at.audit, shipping, warn);
  if (shipped) closers.add(shipped.close);
  const log = shipped?.log ?? sink?.log ?? kept;
  const rules = createLiveRules(readRulebook(config, { placeOf, cwd, home: at.home }));

  const filter = await openFilter(config.tools.filters, { userFile, home: at.home });
  for (const name of keyNames(config.llm)) if (process.env[name]) filter.hide(process.env[name]);
  for (const secret of otlpSecrets(process.env)) filter.hide(secret);
  for (const url of [sharedUrlOf(options.store, config.store.url), options.ship?.url ?? ""])
    for (const secret of secretsIn(url)) filter.hide(secret);
  const by = options.confirmedBy ?? "user";
  if (options.live) {
    const fourEyes = () => rules.book.live.tools.four_eyes;
    live = openLiveSide(options.live, { folder: at.live, workspace: cwd, log: log.path, redact: filter.redact, emit, by, fourEyes });
    closers.add(live.close);
  }
  const isWhole = typeof options.config === "object";
  const keys = keysFor({ isWhole, home: at.home, hide: filter.hide });
  const texts = openTextThreads();
  closers.add(texts.close);

  const keyPlaces = [...keyFiles({ home: at.home, env: process.env }), at.tokens];
  const own = ownFiles(at, [
    ...keyPlaces,
    // Wherever it lies: a workspace may hold the folder of the socket that hooks are answered at.
    ...hookFolders(process.env, at.home),
    log.path,
    userConfigPath({ home: at.home, env: process.env }),
    // Where nothing is run, a file that is only tried may lie in the workspace.
    ...(userFile && !options.log ? [userFile] : []),
  ]);
  const { timeout, max_timeout } = config.tools.shell;
  const bashTool = bash((command, at) => understandFrom(command, at).touches, { usual: timeout, most: Math.max(timeout, max_timeout) });
  const door = createShutDoor();
  const noted = openWallsNote(at.live, warn);
  closers.add(noted.close);
  const walls = createWallsWarning(emit, noted.write);
  const { file, shell, sandbox, scope, scrape, result_cache, diagnostics } = config.tools;
  assertScopeUser(scope);
  const sentOut = createEgressWatch(log, filter.redact, emit);
  const closing = new AbortController();
  const confirmFor = (turn: TurnContext) => live.beside(scopes.confirmOf(turn) ?? options.confirm);
  const web = {
    config: scrape,
    cache: { enabled: result_cache.enabled, ttlSecs: result_cache.ttl_secs },
    wires: options.web,
    onEgress: sentOut.onEgress,
    mayFollow: redirectRefusal(door),
  };
  const mine = isWhole ? null : ownSkillFolders({ home: at.home, env: process.env });
  const skills = openSkills({ config, workspace: cwd, home: at.home, trust: store.trust, own: mine });
  const memory = options.memory ?? createRuntimeMemory();
  const openThisMachine = () =>
    openLocalHost({
      cwd,
      file,
      shell,
      sandbox,
      scope,
      notes: at.notes,
      preimages: at.preimages,
      quarantine: at.quarantine,
      // A store that keeps nothing has servers that keep nothing.
      ...(options.store !== "memory" && { kept: keptRoots(at.store, at.home, process.env) }),
      own,
      rules: () => rules.book.files,
      keys: keyPlaces,
      web,
      egress: {
        session: memory.names,
        rules: () => ({ allow: rules.book.live.tools.sandbox.allow_domains, deny: rules.book.live.tools.sandbox.deny_domains }),
        nobody: (commands) => (commands.some(({ ctx }) => confirmFor(ctx.turn)) || options.confirm ? null : NOBODY_TO_ASK),
        ask: createEgressAsk({
          confirmFor,
          by,
          emit,
          save: userFile === null ? null : async (name) => (await import("../config/edit/domains.ts")).saveDomain(userFile, name),
          note: (text) => log.append({ kind: "note", ts: new Date().toISOString(), note: text }),
          closing: closing.signal,
        }),
        audit(end, commands, program) {
          for (const { ctx } of commands) if (end.verdict === "ok") ctx.turn.seen.untrusted = true;
          sentOut.onConnection(end, commands, program);
        },
        ...(options.egress && options.egress),
      },
      repository: createRepositoryAsk({
        confirmFor,
        by,
        emit,
        note: (text) => log.append({ kind: "note", ts: new Date().toISOString(), note: text }),
        closing: closing.signal,
      }),
      diagnostics,
      forbids: innerCommandRefusal(door, bashTool),
      onUnwalled: walls.command,
      onServing: walls.serving,
      skillEnv: (skill) => skillVariables(config.skills.env, skill, keys),
      editor: options.editor,
      nested: options.nested,
      skills: createOpenedSkills({ trusted: skills.trusted, home: at.home, own }),
    });
  const { close: closeHost, ...local } = options.host
    ? await openOwnHost({ machine: options.host, cwd, file, shell, sandbox, web })
    : openThisMachine();
  closers.add(closeHost);
  beginSecuring([]);
  closers.add(() => closing.abort());
  const { facts, commands } = local;
  closers.add(commands.background.close);
  commands.background.watch((change, run, caller) =>
    emit({ type: change === "started" ? "run_start" : "run_end", run, ...(caller !== undefined && { caller }) }),
  );
  const told = createHooks(config.hooks, { cwd: facts.cwd, env: contextFor(shell.enable_execution_context), warn });
  const hooks = createHookLayers(told, facts.cwd, commands);
  commands.onCwdChanged(hooks.cwdChanged);
  const session = createSession((id, seen) => {
    store.conversations
      .mark(id, seen)
      .catch((error) => warn(`What the conversation has seen could not be kept: ${(error as Error).message}`));
  }, memory.marks);
  const sessions = createSessionKeeper({ store: store.sessionMemory, workspace: facts.cwd, memory, redact: filter.redact });
  session.onTurnEnd((turnId) => {
    hooks.turnComplete(turnId);
    commands.endTurn(turnId);
    local.keeper?.endTurn(turnId);
  });
  return {
    ...local,
    options,
    settings,
    isWhole,
    emit,
    listen(listener) {
      const own = guarded(listener);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    scopes,
    warn,
    live,
    tracing: createTracing(filter.redact),
    log,
    sentOut,
    rules,
    central,
    door,
    filter,
    keys,
    own,
    bash: bashTool,
    hooks,
    unwalled: walls,
    session,
    memory,
    sessions,
    clientMemory: { open: memory.open, keep: sessions.sync, recallCall: (call, notes) => restoreCall(memory, call, notes) },
    texts,
  };
}
