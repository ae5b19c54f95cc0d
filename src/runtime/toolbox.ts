import type { Dependencies } from "../catalog/dependencies.ts";
import type { Serve } from "../core/ports/served.ts";
import { createRegistry, type Registry } from "../core/registry.ts";
import { createLocalWatch } from "../host/files/watch.ts";
import { background } from "../tools/background.ts";
import { ALIASES, TOOLS } from "../tools/index.ts";
import { type Chosen, openParts, type Parts } from "./agent/features.ts";
import { createLateEmbedder, type LateEmbedder } from "./agent/late-embedder.ts";
import { createLentModelSlot, type LentModelSlot } from "./agent/lent-model.ts";
import { createLentSampling } from "./agent/lent-sampling.ts";
import { type Answers, createAnswers } from "./answers.ts";
import type { Closers } from "./close.ts";
import { describe } from "./describe.ts";
import { createListeners, type Listeners } from "./events/listeners.ts";
import type { Machine } from "./machine.ts";
import { type Mcp, openMcp } from "./mcp.ts";
import type { ToolInfo } from "./runtime.ts";
import { modelVariables } from "./settings/keys.ts";

/** Every tool a runtime has, where each comes from, and what becomes of its answers. */
export interface Toolbox {
  readonly registry: Registry;
  readonly changes: Listeners;
  /** The tools a model would be shown. */
  shown(): readonly ToolInfo[];
  readonly catalogue: Chosen["catalogue"];
  readonly openCatalogue: Chosen["openCatalogue"];
  readonly dependencies: Dependencies | null;
  readonly parts: Parts;
  readonly answers: Answers;
  readonly mcp: Mcp;
  readonly mind: LentModelSlot;
  readonly embedder: LateEmbedder;
}

export async function openToolbox(machine: Machine, closers: Closers): Promise<Toolbox> {
  const { options, settings, isWhole, warn, filter, keys, facts, door, rules } = machine;
  const { config, store, at } = settings;
  const mind = createLentModelSlot(machine.scopes.current);
  const embedder = createLateEmbedder({ llm: config.llm, keys, env: modelVariables(isWhole), warn });
  const parts = openParts({
    config,
    store,
    workspace: facts.cwd,
    home: at.home,
    mind: mind.current,
    embedder,
    redact: filter.redact,
    emit: machine.emit,
    warn,
    ownSkills: isWhole ? null : undefined,
    isHidden: (path) => (facts.protection?.hidden(path) ?? null) !== null,
  });
  const answers = createAnswers({
    config: config.tools,
    store,
    texts: machine.texts,
    filter,
    session: machine.session,
    // A buffer changes without its file.
    watch: options.host || options.editor?.buffers?.read ? null : createLocalWatch(facts),
    goalOf: parts.goalText,
    embedder,
    async ask(prompt, signal) {
      const lent = mind.current();
      if (!lent) return null;
      const note = "a summary of an output too long to show is made";
      machine.log.append({ kind: "note", ts: new Date().toISOString(), session_id: machine.session.id, phase: "autonomous", note });
      return lent.ask(prompt, signal);
    },
  });
  const changes = createListeners();
  const registry = createRegistry({
    builtIn: [machine.bash, background, answers.tool, ...TOOLS, ...parts.tools],
    aliases: ALIASES,
    warn,
    above: options.above?.brought,
    changed: changes.tell,
  });
  const shown = () =>
    rules.book.live.tools.enabled
      ? registry
          .list()
          .filter((tool) => !door.hides(tool))
          .map(describe)
      : [];
  const { catalogue, openCatalogue, dependencies, finders } = parts.choose(
    shown,
    () => registry.list().map(({ name }) => name),
    (tool) => registry.origin(tool) === undefined,
    machine.scopes.current,
  );
  registry.add(finders);
  if (options.above) closers.add(options.above.onChanged(registry.refresh));
  for (const toolset of options.toolsets ?? []) {
    registry.assertFree(toolset);
    registry.add(toolset);
  }
  const mcp = await openMcp({
    servers: options.above ? [] : config.mcp.servers,
    register: registry.add,
    serve: redactLastWords(machine.unwalled.served(machine.serve), filter.redact),
    pins: store.pins,
    elicit: options.elicit ?? null,
    sampling: createLentSampling({ limits: config.mcp.sampling, mind, redact: filter.redact, log: machine.log }),
    roots: [facts.cwd],
    // A store that keeps nothing keeps no login, either.
    tokens: options.store === "memory" ? null : at.tokens,
    retry: config.tools.retry,
    tracing: machine.tracing,
    keys,
    warn,
  });
  closers.add(mcp.close);
  parts.addServers(mcp);
  closers.add(parts.close);
  return { registry, changes, shown, catalogue, openCatalogue, dependencies, parts, answers, mcp, mind, embedder };
}

/** What a program said last is told to people and kept in states, without going through the filters of answers. */
const redactLastWords =
  (serve: Serve, redact: (text: string) => string): Serve =>
  async (program) => {
    const served = await serve(program);
    return Object.assign(served, { ended: served.ended.then((end) => ({ ...end, said: redact(end.said) })) });
  };
