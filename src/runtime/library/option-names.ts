import type { GovernOptions } from "../adapters/governed-calls.ts";
import type { OwnToolsParts } from "../adapters/own-tools.ts";
import type { AgentOptions } from "../agent/agent-types.ts";
import type { FleetOptions } from "../fleet/fleet-types.ts";
import type { DecideOptions } from "../hook/client-decisions.ts";
import type { CallOptions, RuntimeOptions, Zeph } from "../runtime.ts";

/** The names of all options, as values: a compiler says when one is missing here. */
const namesOf = <O>(names: { readonly [name in keyof Required<O>]: true }): readonly string[] => Object.keys(names);

export const RUNTIME_OPTIONS = namesOf<RuntimeOptions>({
  cwd: true,
  config: true,
  set: true,
  confirm: true,
  confirmedBy: true,
  store: true,
  host: true,
  toolsets: true,
  gates: true,
  audit: true,
  editor: true,
  servers: true,
  elicit: true,
  web: true,
  onEvent: true,
  watch: true,
});

/** Of one call. */
export const CALL_OPTIONS = namesOf<CallOptions>({
  signal: true,
  requestId: true,
  confirm: true,
  callerId: true,
  phase: true,
  trust: true,
  conversationId: true,
  goalId: true,
  skillName: true,
  unattended: true,
  front: true,
  typed: true,
  asks: true,
  rights: true,
  agent: true,
  client: true,
});

/** Of a decision about a call that somebody else runs. */
export const DECIDE_OPTIONS = namesOf<DecideOptions>({
  record: true,
  callId: true,
  signal: true,
  clientTool: true,
  note: true,
  rewritten: true,
  callerId: true,
  phase: true,
  trust: true,
  conversationId: true,
  goalId: true,
  skillName: true,
  unattended: true,
  front: true,
  typed: true,
  asks: true,
  rights: true,
  agent: true,
  client: true,
});

/** Of a program's own tools behind the door, and of Zeph's in the loop of another library. */
export const GOVERN_OPTIONS = namesOf<GovernOptions>({ as: true, session: true, onAsk: true });
export const ADAPTER_OPTIONS = namesOf<OwnToolsParts>({ only: true, approval: true, approvedBy: true, onAsk: true, elsewhere: true });

/** Of an answer that comes later. */
export const ANSWER_OPTIONS = namesOf<NonNullable<Parameters<Zeph["answer"]>[2]>>({ signal: true, rights: true, trust: true });

/** Those an agent has besides. */
export const AGENT_OPTIONS = namesOf<Omit<AgentOptions, keyof RuntimeOptions>>({
  runtime: true,
  model: true,
  middleware: true,
  conversation: true,
  newConversation: true,
  system: true,
  onEventBetweenTurns: true,
  callerId: true,
  limits: true,
});

export const FLEET_OPTIONS = namesOf<FleetOptions>({ store: true, bus: true, tenant: true, person: true, onTrouble: true });
