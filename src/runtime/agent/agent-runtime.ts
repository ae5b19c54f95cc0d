import { randomUUID } from "node:crypto";
import type { Confirm, ZephEvent } from "../../core/event.ts";
import type { Elicit } from "../../core/ports/elicitation.ts";
import { storedUnder } from "../../core/turn.ts";
import type { AgentScope } from "../callers/agent-scopes.ts";
import type { CallerView } from "../callers/caller-view.ts";
import { createCallerZeph } from "../callers/caller-zeph.ts";
import { findOpened } from "../callers/opened-runtimes.ts";
import { openRuntime } from "../create.ts";
import type { OpenOptions, RuntimeInternals, Zeph } from "../runtime.ts";
import type { AgentOptions } from "./agent-types.ts";
import type { LentModel } from "./lent-model.ts";
import type { Turns } from "./turn-loop.ts";

/** A runtime as one agent has it: its own, or one that was there before. */
export interface AgentRuntime {
  readonly inside: RuntimeInternals;
  /** What the program is given of it: of a caller's view nothing that reaches beyond the caller. */
  readonly given: Zeph;
  readonly isShared: boolean;
  readonly caller: Turns["caller"];
  /** Limits of its caller. */
  readonly accounts: Turns["accounts"];
  /** What its conversations are stored under: nobody goes on with those of another caller. */
  readonly workspace: string;
  /** What happens inside happens on the agent's behalf. */
  within<T>(work: () => T): T;
  lend(mind: LentModel): void;
  /** Another conversation begins. */
  restart(): void;
  close(): Promise<void>;
}

/** What a runtime needs of its agent. */
export interface AgentSide {
  tell(event: ZephEvent): void | Promise<void>;
  readonly mind: () => LentModel;
  /** Ends the agent, when its runtime ends before it. */
  close(): Promise<void>;
  /** The same, asked when the agent's reader is ready for it. */
  confirm(ask: Confirm): Confirm;
  readonly elicit: Elicit | undefined;
}

/** Throws a TypeError for options that a runtime which is open already cannot take any more. */
export function openAgentRuntime(options: AgentOptions & OpenOptions, agent: AgentSide): Promise<AgentRuntime> {
  return options.runtime === undefined ? openOwn(options, agent) : shareRuntime(options, options.runtime, agent);
}

async function openOwn(options: AgentOptions & OpenOptions, { tell, confirm, elicit }: AgentSide): Promise<AgentRuntime> {
  const { callerId, confirm: ask } = options;
  const inside = await openRuntime({
    ...options,
    servers: "later",
    ...(ask && { confirm: confirm(ask) }),
    ...(elicit && { elicit }),
    onEvent: (event) => void tell(event),
  });
  return {
    inside,
    given: inside.zeph,
    isShared: false,
    caller: callerId === undefined ? {} : { callerId },
    accounts: [],
    workspace: inside.cwd,
    within: (work) => work(),
    lend: inside.lend,
    restart: inside.zeph.clear,
    close: inside.zeph.close,
  };
}

const OWN = [
  "runtime",
  "model",
  "middleware",
  "conversation",
  "newConversation",
  "system",
  "onEvent",
  "onEventBetweenTurns",
  "callerId",
  "limits",
  "confirm",
];

async function shareRuntime(options: AgentOptions, outside: NonNullable<AgentOptions["runtime"]>, agent: AgentSide): Promise<AgentRuntime> {
  const { open, caller: viewed, account } = findOpened(outside);
  const other = Object.entries(options).find(([name, value]) => value !== undefined && !OWN.includes(name));
  if (other) throw new TypeError(`"${other[0]}" belongs to the runtime, which is open already. Give it to createRuntime.`);
  if (viewed && options.callerId !== undefined) throw new TypeError("The agent's caller is that of the view, so callerId cannot be given.");
  const id = randomUUID();
  const inside = await open();
  if (!inside.isOpen()) throw new TypeError("The runtime was closed, so no agent can work with it. Open another one with createRuntime.");
  const { scopes, zeph } = inside;
  const named = viewed ?? (options.callerId === undefined ? {} : { callerId: options.callerId });
  const ask = options.confirm ?? inside.confirm;
  const confirm = agent.confirm(ask ?? (() => null));
  const mine = viewed ? { ...zeph, ...outside } : zeph;
  const scope: AgentScope = {
    id,
    mind: agent.mind,
    catalogue: inside.openCatalogue(mine.tools),
    confirm,
    tell: (event) => void agent.tell(event),
    end: agent.close,
  };
  const background = inside.background.of(id);
  scopes.add(scope);
  return {
    inside: {
      ...inside,
      zeph: mine,
      background,
      call: (request, ctx) => inside.call(request, { ...ctx, confirm }),
      answer: (callId, answer, ctx) => inside.answer(callId, answer, { ...ctx, confirm }),
    },
    given: viewed ? createCallerZeph(zeph, outside as CallerView, viewed) : zeph,
    isShared: true,
    caller: { ...named, agent: id },
    accounts: account ? [account] : [],
    workspace: storedUnder(inside.cwd, viewed ?? {}),
    within: (work) => scopes.within(scope, work),
    // Its model is found by the scope.
    lend() {},
    restart: scope.catalogue.restart,
    async close() {
      await Promise.allSettled(background.list().map(({ runId }) => background.kill(runId)));
      background.takeCompletions();
      scopes.remove(scope);
    },
  };
}
