import type { Config } from "../../config/schema.ts";
import type { ToolCall } from "../../core/call.ts";
import type { Gate, Rules } from "../../core/gate/gate.ts";
import type { OwnGate } from "../../core/gate/own-gate.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { PersonQuota } from "../../core/ports/fleet/govern.ts";
import type { StrangerWrites } from "../../core/ports/store.ts";
import type { WallsFacts } from "../../core/ports/walls.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { type AdversarialParts, createAdversarialGate } from "../../gates/adversarial/adversarial.ts";
import { type AnomalyGate, createAnomalyGate } from "../../gates/anomaly.ts";
import { createDependenciesGate, type Requirements } from "../../gates/dependencies.ts";
import { assertDistinct, createOwnGates } from "../../gates/own.ts";
import { identityPlaces } from "../../gates/permissions/identity.ts";
import { createMode, createPermissionsGate, type PermissionRule, type Permissions } from "../../gates/permissions/permissions.ts";
import { createProtectedGate, type ProtectedGate, withProtected } from "../../gates/permissions/protected.ts";
import { policies } from "../../gates/policy/policy.ts";
import { createQuotaGate } from "../../gates/quota.ts";
import { createScopeGate } from "../../gates/scope.ts";
import { createScopedGate, type ScopedGate } from "../../gates/scoped/scoped.ts";
import { type SentinelGate, type SentinelParts, sentinel } from "../../gates/sentinel/sentinel.ts";
import { createStrangerFilesGate } from "../../gates/stranger-files.ts";
import { createTrustGate, type TrustGate, type TrustOrigin } from "../../gates/trust.ts";
import { createUtilityGate, type UtilityGate } from "../../gates/utility/utility.ts";
import { createVerifiersGate, type Verifiers } from "../../gates/verifiers.ts";
import { createWallsGate } from "../../gates/walls.ts";
import { HOME_INSIDE } from "../../host/sandbox/policy.ts";
import { createAlarm } from "./alarm.ts";
import type { createAllowedCommands } from "./allowed-commands.ts";
import { commandBlocklist } from "./blocklist.ts";
import { createFactCache } from "./fact-cache.ts";
import { createFirstGates } from "./first-gates.ts";
import { type GateMemory, gateMemory } from "./gate-memory.ts";
import type { LiveRules } from "./live-rules.ts";
import type { Rulebook } from "./rulebook.ts";
import { rulesByTool } from "./rules.ts";

export interface GateParts {
  readonly facts: Facts & WallsFacts;
  /** Files that belong to Zeph itself. */
  readonly own: readonly string[];
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  /** Who brought a tool. */
  readonly originOf: (tool: string) => TrustOrigin | undefined;
  readonly kept: ReturnType<typeof createAllowedCommands>;
  /** What tools have to wait for; null when nothing does. */
  readonly requirements: Requirements | null;
  readonly sandbox: Config["tools"]["sandbox"];
  readonly ask: AdversarialParts["ask"];
  /** Whether the model that asks for calls is one that thinks first. */
  readonly reasons: () => boolean;
  readonly redact: (text: string) => string;
  /** `namesOpen`: whether a command could reach a name of the internet without a question. */
  readonly sentinel: Pick<SentinelParts, "trajectories" | "embedder" | "warn"> & { readonly namesOpen: () => boolean };
  /** When files were written that may hold a stranger's text. */
  readonly strangerWrites: StrangerWrites;
  /** What a fleet allows the person behind the runtime. */
  readonly people?: PersonQuota | undefined;
  /** Gates of the program's own, which come after all others. */
  readonly program?: readonly OwnGate[] | undefined;
  /** The time as gates tell it, in milliseconds. Default: this machine's. */
  readonly now?: () => number;
  /** Writes into the audit log what a gate did on its own. */
  readonly note: (text: string) => void;
  /** Said while calls are made; what is said while rules are read goes to whoever reads them. */
  readonly warn: (message: string) => void;
  /** Other rules count from now on, so other tools may be hidden. */
  readonly changed?: () => void;
}

/** The gates that others have to do with, as they are now. */
export interface GatesInForce {
  readonly verify: Verifiers;
  readonly trusting: TrustGate;
  readonly scoping: ScopedGate;
  readonly watching: SentinelGate;
  readonly failures: AnomalyGate;
  readonly worth: UtilityGate;
}

export interface Gates extends GatesInForce {
  readonly book: Rulebook;
  readonly rules: Rules;
  /** Adds commands to those that are never run; given again, it replaces what was added. */
  block(names: readonly string[]): Rules;
  /** From now on these rules. What the gates remember stays: counts, grants, sequences. */
  adopt(book: Rulebook, warn: (message: string) => void): Rules;
  /** In place of the configuration's autonomy, whatever is read again; null gives it back its say. */
  steer(autonomy: Config["autonomy"] | null): Rules;
  readonly autonomy: Config["autonomy"];
  /** A yes that is meant for longer than one call. */
  grant(call: ToolCall, turn: TurnContext, until: "session" | "edits" | "always"): void;
  /** Whether the call only edits files of the workspace. */
  isEdit(call: ToolCall): boolean;
  /** The rules that "always" writes for this call: each names one thing, a protected file by its own name. */
  narrowest(call: ToolCall, turn: TurnContext): readonly PermissionRule[];
  /** Counts, sequences and session grants begin anew. */
  reset(): void;
}

/** Everybody who has a say, in the order they are asked. */
export function createGates(parts: GateParts, live: LiveRules, warn: (message: string) => void, memory = gateMemory()): Gates {
  const program = createOwnGates(parts.program ?? [], parts.facts, parts.now ?? Date.now);
  let extra: readonly string[] = [];
  let steered: Config["autonomy"] | null = null;
  const as = (book: Rulebook): Rulebook => (steered === null ? book : { ...book, live: { ...book.live, autonomy: steered } });
  /** As it was read, before anybody steered. */
  let read = live.book;
  let now = build(parts, memory, read, { extra, program }, warn);
  assertDistinct(now.rules.gates);
  const rebuild = (book: Rulebook, warn: (message: string) => void): Rules => {
    now = build(parts, memory, book, { extra, program }, warn);
    live.replace(book);
    parts.changed?.();
    return now.rules;
  };
  return {
    get book() {
      return live.book;
    },
    get rules() {
      return now.rules;
    },
    get verify() {
      return now.verify;
    },
    get trusting() {
      return now.trusting;
    },
    get scoping() {
      return now.scoping;
    },
    get watching() {
      return now.watching;
    },
    get failures() {
      return now.failures;
    },
    get worth() {
      return now.worth;
    },
    block(names: readonly string[]) {
      extra = [...names];
      return rebuild(live.book, () => {});
    },
    adopt(book: Rulebook, warn: (message: string) => void) {
      read = book;
      return rebuild(as(book), warn);
    },
    get autonomy() {
      return live.book.live.autonomy;
    },
    steer(autonomy: Config["autonomy"] | null) {
      steered = autonomy;
      return rebuild(as(read), () => {});
    },
    isEdit: (call: ToolCall) => now.permission.isEdit(call),
    grant(call: ToolCall, turn: TurnContext, until: "session" | "edits" | "always") {
      now.permission.grant(call, turn, until);
      now.protecting.grant(call, until);
      now.trusting.grant(call);
      now.watching.grant(call);
    },
    narrowest(call: ToolCall, turn: TurnContext) {
      const rules = [...now.permission.narrowest(call, turn), ...now.protecting.narrowest(call, turn)];
      return rules.filter(({ pattern }, n) => rules.findIndex((one) => one.pattern === pattern) === n);
    },
    reset() {
      for (const gate of now.rules.gates) gate.reset?.();
    },
  };
}

function build(
  {
    facts: world,
    own,
    tools,
    originOf,
    kept,
    requirements,
    sandbox,
    ask,
    reasons,
    redact,
    sentinel: learnt,
    strangerWrites,
    people,
    note,
    now = Date.now,
    warn: say,
  }: GateParts,
  memory: GateMemory,
  book: Rulebook,
  { extra, program }: { readonly extra: readonly string[]; readonly program: readonly Gate[] },
  warn: (message: string) => void,
): GatesInForce & { readonly rules: Rules; readonly permission: Permissions; readonly protecting: ProtectedGate } {
  const { facts, begin } = createFactCache(world);
  const { live: config } = book;
  const { shell } = config.tools;
  // A folder that no wall may open is the gate's to speak of.
  const wallsWork = async () => sandbox.enabled && (await facts.walls().catch(() => null))?.backend !== "none";
  const permission = createPermissionsGate(
    rulesByTool(config.tools.permissions, tools(), warn),
    createMode(config, originOf),
    facts,
    {
      confirm: shell.confirm_patterns,
      constructs: shell.constructs === "ask" ? "ask" : "look",
      walls: wallsWork,
      inside: ["~", HOME_INSIDE, "/tmp"],
      kept,
    },
    memory.permissions,
  );
  const protecting = createProtectedGate(
    { rules: rulesByTool(config.tools.permissions, tools(), () => {}), autonomy: config.autonomy, facts },
    memory.protected,
  );
  const { hallucination_detection, reasoning_model_detection } = config.agent;
  const suspects = () => hallucination_detection && (reasoning_model_detection || reasons());
  const strangers = createStrangerFilesGate(
    {
      workspace: facts.cwd,
      facts,
      writes: strangerWrites,
      backgroundMs: shell.background_timeout_secs * 1000,
      now,
      warn: say,
    },
    memory.strangerFiles,
  );
  const verify = createVerifiersGate(
    config.autonomy,
    memory.verifiers,
    { suspects, facts, warn: (message) => say(redact(message)) },
    { files: facts, strangers, now },
  );
  const trusting = createTrustGate(config.autonomy, memory.trust, originOf, now, (call) => identityPlaces(call, facts));
  const scoping = createScopedGate(config.tools.scoped, facts, memory.scoped);
  const { policy, authorization } = policies(book, facts, process.env);
  const networkOpen = async () => sandbox.allow_network || learnt.namesOpen() || !(await wallsWork());
  const watching = sentinel(
    config.tools.governance,
    { ...learnt, facts, tools, workspace: facts.cwd, redact, networkOpen },
    memory.sentinel,
  );
  const failures = createAnomalyGate(
    config.tools.anomaly,
    {
      from: (tool) => (originOf(tool) ? "brought" : "built in"),
      block: (tool, until) => trusting.set(tool, "untrusted", until),
      warn: createAlarm(say, note),
      now,
    },
    memory.anomaly,
  );
  const worth = createUtilityGate(config.tools.utility, memory.utility);
  const gates: readonly Gate[] = [
    ...createFirstGates(facts, config.clients),
    createScopeGate(config.tools.scope, trusting.effective),
    scoping,
    createDependenciesGate(requirements),
    createQuotaGate(config.tools.max_tool_calls_per_session, memory.quota, people),
    policy,
    authorization,
    createAdversarialGate(book.adversarial, { ask, redact, toolNamed: (name) => tools().get(name)?.name ?? name }),
    trusting,
    withProtected(permission, protecting),
    createWallsGate(sandbox, facts),
    verify,
    watching,
    failures,
    worth,
  ];
  const mine = [...own, ...book.files];
  const blocklist = commandBlocklist({
    facts,
    own: [...new Set(mine.flatMap((file) => [file, facts.canonical(file), facts.entry(file)]))],
    blocked: [...shell.blocked_commands, ...extra],
    network: sandbox.allow_network,
    constructs: shell.constructs,
    wallsWork,
  });
  const rules: Rules = {
    blocklist(call) {
      begin();
      return blocklist(call);
    },
    gates: [...gates, ...program],
  };
  return { rules, permission, protecting, verify, trusting, scoping, watching, failures, worth };
}
