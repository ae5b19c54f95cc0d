import type { Catalogue } from "../../catalog/catalogue.ts";
import type { Confirm, ZephEvent } from "../../core/event.ts";
import type { TurnContext } from "../../core/turn.ts";
import { createAmbient } from "../../text/ambient.ts";
import type { LentModel } from "../agent/lent-model.ts";

/** One of several agents over one runtime: what the parts of the runtime have to know of it while it works. */
export interface AgentScope {
  readonly id: string;
  readonly mind: () => LentModel;
  readonly catalogue: Catalogue;
  /** Puts the questions of its calls. */
  readonly confirm: Confirm;
  /** Receives the events of its calls. */
  tell(event: ZephEvent): void;
  /** The runtime ends, and the agent before it. */
  end(): Promise<void>;
}

/** The agents over a runtime that was there before them. */
export interface AgentScopes {
  /** The agent on whose behalf something happens now; undefined for whoever opened the runtime. */
  current(): AgentScope | undefined;
  /** Who puts the questions of a turn; undefined for whoever opened the runtime. */
  confirmOf(turn: TurnContext): Confirm | undefined;
  /** What happens inside, and after it, happens on the agent's behalf. */
  within<T>(scope: AgentScope, work: () => T): T;
  /** Tells the agent that the event is about. */
  tell(event: ZephEvent): void;
  add(scope: AgentScope): void;
  remove(scope: AgentScope): void;
  end(): Promise<void>;
}

export function createAgentScopes(): AgentScopes {
  const all = new Map<string, AgentScope>();
  const running = createAmbient<AgentScope>();
  /** A connection or a server that says something about a call does not know for whom. */
  const calls = new Map<string, AgentScope>();
  return {
    current: running.current,
    confirmOf: ({ agent }) => (agent === undefined ? undefined : all.get(agent)?.confirm),
    within: (scope, work) => running.run(scope, work),
    tell(event) {
      const id = callOf(event);
      const scope = (id === undefined ? undefined : calls.get(id)) ?? running.current();
      if (scope && event.type === "tool_start") calls.set(event.request.id, scope);
      if (event.type === "tool_end") calls.delete(event.request.id);
      scope?.tell(event);
    },
    add: (scope) => void all.set(scope.id, scope),
    remove: (scope) => void all.delete(scope.id),
    async end() {
      await Promise.allSettled([...all.values()].map((scope) => scope.end()));
    },
  };
}

/** The call that an event is about. */
export function callOf(event: ZephEvent): string | undefined {
  if (event.type === "tool_start" || event.type === "tool_end") return event.request.id;
  if (event.type === "question") return event.call_id;
  if (event.type === "answered") return event.callId;
  return event.type === "progress" || event.type === "rollback" || event.type === "without_walls" || event.type === "egress"
    ? event.callId
    : undefined;
}
