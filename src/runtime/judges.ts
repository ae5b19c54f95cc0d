import type { PlaceOf } from "../config/load.ts";
import { createTrialDoor } from "./doors.ts";
import { createGovernance, type Governance } from "./governance/governance.ts";
import type { Machine } from "./machine.ts";
import type { Rejudge } from "./replay/rejudge.ts";
import { createAllowedCommands } from "./rules/allowed-commands.ts";
import { createGates, type GateParts, type Gates } from "./rules/gates.ts";
import { createLiveRules } from "./rules/live-rules.ts";
import { createReloader, type Reloader } from "./rules/reload.ts";
import { createReviewer } from "./rules/reviewer.ts";
import { type Rulebook, readRulebook } from "./rules/rulebook.ts";
import { assertRulebook } from "./rules/rulebook-assert.ts";
import type { Tested } from "./rules/rulebook-test.ts";
import type { Toolbox } from "./toolbox.ts";

/** Everything that decides about calls, and the one way to exchange it. */
export interface Judges {
  readonly gates: Gates;
  readonly reload: Reloader;
  readonly governance: Governance;
  /** What is odd about the rules, though nothing is wrong. */
  readonly warnings: readonly string[];
  /** Runs the examples beside the rules of a file: of rules, or a whole configuration. Throws a ConfigError when it is malformed. */
  examples(path: string): Promise<Tested>;
  /** Judges past calls by the rules of now, as a session of its own that remembers nothing yet. */
  bench(): Promise<Rejudge>;
}

/** Checks the rules, builds the gates from them and opens the door. Throws a ConfigError that lists all that is wrong. */
export function createJudges(machine: Machine, toolbox: Toolbox): Judges {
  const { settings, rules, door, log, facts, warn, emit, filter } = machine;
  const { config, files, placeOf, store, at } = settings;
  const { registry, mind, embedder, changes, mcp } = toolbox;
  const check = (book: Rulebook, placeOf: PlaceOf) => assertRulebook(book, placeOf, { tools: registry.tools(), facts });
  const warnings = [...filter.warnings];
  if (!config.tools.sandbox.enabled) warnings.push("tools.sandbox.enabled is false: commands run with all your rights, without walls.");
  warnings.push(...check(rules.book, placeOf));
  const parts: GateParts = {
    facts,
    // A workspace may hold these, and has to be written; for commands they are frozen in it.
    own: [...machine.own, ...files],
    tools: registry.tools,
    originOf: registry.origin,
    kept: createAllowedCommands(store.trust),
    requirements: toolbox.dependencies,
    sandbox: config.tools.sandbox,
    ask: createReviewer({
      llm: () => rules.book.live.llm,
      provider: () => rules.book.adversarial.provider,
      own: () => mind.current()?.model ?? null,
      isWhole: machine.isWhole,
      keys: machine.keys,
      warn,
      tracing: machine.tracing,
      used: (usage, price) => mind.current()?.spent(usage, price),
    }),
    reasons: () => mind.current()?.model.reasoning === true,
    redact: filter.redact,
    sentinel: { trajectories: store.trajectories, embedder, warn, namesOpen: machine.egress.isAnyOpen },
    strangerWrites: store.strangerWrites,
    note: (text) => log.append({ kind: "note", ts: new Date().toISOString(), note: text }),
    warn,
    people: machine.options.fleet?.quota,
    program: machine.options.gates,
    changed: changes.tell,
  };
  const gates = createGates(parts, rules, (message) => void warnings.push(message), machine.memory.gates);
  door.open(gates.rules, machine.hooks.lastWord);
  const reload = createReloader({
    again: settings.again,
    read(live, placeOf, warn) {
      const book = readRulebook(live, { placeOf, cwd: machine.options.cwd ?? machine.facts.cwd, home: at.home });
      for (const message of check(book, placeOf)) warn(message);
      return book;
    },
    gates,
    door,
    log,
    redact: filter.redact,
    emit,
    first: config,
    said: [...settings.warnings, ...warnings],
    files: () => files,
    took: (before, now) => (machine.options.above ? undefined : mcp.exchange(before.mcp.servers, now.mcp.servers)),
  });
  return {
    gates,
    reload,
    governance: createGovernance(gates, door, log, reload, registry, filter.redact),
    warnings,
    async examples(path) {
      const { policyTestFile } = await import("./rules/rulebook-test.ts");
      const { default_effect } = rules.book.live.tools.policy;
      return policyTestFile(path, { cwd: facts.cwd, home: at.home }, { facts, tools: registry.tools() }, default_effect);
    },
    async bench() {
      const { createRejudge } = await import("./replay/rejudge.ts");
      const apart = { ...parts, sentinel: { ...parts.sentinel, embedder: async () => null }, ...SILENT };
      return createRejudge({
        book: rules.book,
        tools: registry.tools,
        gates: (requirements, now) => createGates({ ...apart, requirements, now }, createLiveRules(rules.book), () => {}),
        door: createTrialDoor,
      });
    },
  };
}

/** Past calls that are judged again leave no trace. */
const SILENT = {
  people: undefined,
  strangerWrites: { add() {}, holds: () => false },
  note() {},
  warn() {},
  changed() {},
};
