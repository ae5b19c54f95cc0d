import { AsyncLocalStorage } from "node:async_hooks";
import { estimateTokens } from "../../agent/transcript.ts";
import type { SlashCommand } from "../../core/command.ts";
import type { ZephEvent } from "../../core/event.ts";
import type { Message, Model } from "../../core/ports/model.ts";
import { waitAtMost } from "../../mcp/client/wait-at-most.ts";
import { whileHeld } from "../../text/abort.ts";
import { guarded } from "../calls.ts";
import { openRuntime, type RuntimeOptions, type Zeph } from "../create.ts";
import { type Channel, createChannel } from "../events/channel.ts";
import { governanceCommands } from "../governance/commands.ts";
import { createAgentModels } from "./agent-models.ts";
import { createConversation } from "./current-conversation.ts";
import { type Due, watchSchedule } from "./scheduled.ts";
import { taskRun } from "./scheduled-run.ts";
import { takeTurn } from "./turns.ts";
import { type OwnTask, type OwnTaskEnd, runUnattended } from "./unattended-task.ts";

export interface AgentOptions extends RuntimeOptions {
  /** A model of your own, or the name of a provider in the configuration. Default: `llm.default`, else what is found on this machine. */
  readonly model?: Model | string;
  /** Continues a stored conversation: its id, or "last" for the last one of this workspace. Default: a new one. */
  readonly conversation?: string;
  /** The id of a new conversation, if the program has given it to somebody already. */
  readonly newConversation?: string;
  /** Text that is added to the system prompt. */
  readonly system?: string;
  /** Receives the events outside turns; `send` and `attend` yield those of their turn. `onEvent` receives both. */
  readonly onEventBetweenTurns?: (event: ZephEvent) => void;
  /** The person or program this agent works for, as the audit log names it. */
  readonly callerId?: string;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** In place of `agent.max_tool_iterations`. */
  readonly maxTurns?: number;
}

/** A model at work with the tools of a runtime, in one conversation. */
export interface Agent {
  readonly zeph: Zeph;
  readonly model: Model;
  /** Another model answers from the next turn on: one of your own, or the name of a provider. Cannot be called during a turn. Throws a ModelError. */
  useModel(model: Model | string): Promise<void>;
  /** Whether a turn is under way. */
  readonly isBusy: boolean;
  /** The id of the conversation; null before anything was said. */
  readonly conversation: string | null;
  /** Runs one turn and yields its events, up to `done`. The turn stops when you stop reading. One turn runs at a time. */
  send(text: string, options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** Waits until a background command has ended and tells the model about it, in a turn of its own. Yields nothing when no command runs. */
  attend(options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** How many background commands have not been reported to the model. */
  pending(): number;
  /** The messages of the next request to the model. */
  history(): Promise<readonly Message[]>;
  /** The slash commands of the agent's features. */
  commands(): readonly SlashCommand[];
  /** The state of the agent's features: a name, and one line. */
  status(): Promise<Readonly<Record<string, string>>>;
  /** Runs a task in a conversation of its own. Nobody is asked: a call that needs a yes is refused. */
  runTask(task: OwnTask, signal: AbortSignal): Promise<OwnTaskEnd>;
  /** The next turn begins a new conversation; grants, quota and cache start again, too. */
  restart(): void;
  /** Runs the scheduled tasks of this workspace when they are due, each with `runTask`, until it is closed. */
  watchSchedule(told: Pick<Due, "began" | "ended" | "warn">): { close(): Promise<void> };
  close(): Promise<void>;
}

/** How long the first turn waits for MCP servers of which nothing is known yet. */
const LONGEST_MEETING_MS = 10_000;
/** What summaries of the past may take of the context. */
const KNOWN = 0.2;

export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  const {
    model: chosen,
    conversation,
    newConversation,
    system: more = "",
    callerId,
    confirm,
    elicit,
    onEventBetweenTurns,
    ...rest
  } = options;
  let listener: Channel<ZephEvent> | null = null;
  /** Inside a task of its own nobody listens, and nobody is asked. */
  const apart = new AsyncLocalStorage<(event: ZephEvent) => void>();
  const tellAll = guarded(options.onEvent);
  const tellBetween = guarded(onEventBetweenTurns);
  /** Every event comes here. The reader of a turn comes first; a listener that throws harms nobody. */
  const tell = (event: ZephEvent): void | Promise<void> => {
    const alone = apart.getStore();
    if (alone) return alone(event);
    const room = listener ? listener.put(event) : tellBetween(event);
    tellAll(event);
    return room;
  };
  const inside = await openRuntime({
    ...rest,
    servers: "later",
    // A question comes after everything that led to it has been read.
    ...(confirm && {
      confirm: async (question) => (apart.getStore() ? null : (listener?.read().then(() => confirm(question)) ?? confirm(question))),
    }),
    ...(elicit && {
      elicit: async (asked, signal) =>
        apart.getStore() ? { action: "cancel" } : (listener?.read().then(() => elicit(asked, signal)) ?? elicit(asked, signal)),
    }),
    onEvent: (event) => void tell(event),
  });
  try {
    const { zeph, background, config, parts, catalogue } = inside;
    const think = (chosen: Model | string | undefined) =>
      createAgentModels({ inside, chosen, more, tell, talk: () => talk, ...(callerId !== undefined && { callerId }) });
    let brains = await think(chosen);
    const fixedTokens = () =>
      estimateTokens(brains.basis) + estimateTokens(parts.instructions.told().text) + estimateTokens(JSON.stringify(catalogue.tools()));
    const talk = await createConversation(
      {
        store: inside.store,
        workspace: inside.cwd,
        fixedTokens,
        knowledgeTokens: brains.turns.contextTokens * KNOWN,
        redact: inside.redact,
        recall: inside.recall,
        heard: inside.heard,
      },
      conversation,
      newConversation,
    );
    inside.lend(brains.mind);
    // Their tools are there with the first turn, unless one takes too long.
    const servers = waitAtMost(zeph.mcp.meet(), LONGEST_MEETING_MS);

    let isClosed = false;
    let current: { readonly stop: AbortController; readonly work: Promise<void> } | null = null;
    /** Begins with the first event that is read. Who stops reading stops the turn and waits for its end: nothing goes on behind their back. */
    async function* turn(text: string | null, { signal, maxTurns = config.agent.max_tool_iterations }: SendOptions) {
      if (listener) throw new Error("This agent is in the middle of a turn. Wait for its end, or stop it first.");
      if (isClosed) throw new Error("This agent was closed.");
      if (text !== null && (typeof text !== "string" || text.trim() === "")) throw new TypeError("There is nothing to send: give a text.");
      if (!Number.isInteger(maxTurns) || maxTurns < 1) throw new TypeError(`maxTurns must be a whole number from 1 on, not ${maxTurns}.`);
      const events = createChannel<ZephEvent>();
      const stop = new AbortController();
      const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      listener = events;
      const take = async () => {
        if (text === null) {
          await background.ended(either);
          if (!background.hasEnded()) return;
        }
        await servers;
        // Opened first: what cannot be told must not be taken.
        const transcript = await talk.open(text ?? "background");
        const completions = background.takeCompletions(MOST_COMPLETIONS);
        await takeTurn(
          brains.turns,
          transcript,
          { text, completions, unheard: background.unheard(), maxTurns, kind: "conversation" },
          tell,
          either,
        );
      };
      const work = whileHeld(signal ?? stop.signal, () => inside.session.turn(take)).then(() => events.end(), events.end);
      current = { stop, work };
      try {
        yield* events.items();
      } finally {
        stop.abort();
        await work;
        listener = null;
        current = null;
      }
    }
    const ending = new AbortController();
    const tasks = new Set<Promise<unknown>>();
    const runTask: Agent["runTask"] = async (task, signal) => {
      if (isClosed) throw new Error("This agent was closed.");
      const either = AbortSignal.any([signal, ending.signal]);
      const work = whileHeld(signal, () =>
        runUnattended(brains.turns, task, (listen, work) => apart.run(listen, () => inside.session.turn(work)), either),
      );
      tasks.add(work);
      return work.finally(() => tasks.delete(work));
    };
    return {
      zeph,
      get model() {
        return brains.turns.model;
      },
      get isBusy() {
        return listener !== null;
      },
      async useModel(model) {
        if (listener) throw new Error("This agent is in the middle of a turn. Wait for its end, or stop it first.");
        brains = await think(model);
        inside.lend(brains.mind);
      },
      get conversation() {
        return talk.id();
      },
      send: (text, options = {}) => turn(text ?? "", options),
      attend: (options = {}) => turn(null, options),
      pending: background.pending,
      history: async () => (talk.id() === null ? [] : (await talk.open("")).messages()),
      commands: () => [...parts.commands, ...governanceCommands(zeph.governance, zeph)],
      status: parts.status,
      runTask,
      watchSchedule: (told) =>
        watchSchedule(
          { schedule: inside.store.schedule, workspace: inside.cwd, now: Date.now, run: taskRun({ runTask }), ...told },
          ending.signal,
        ),
      restart() {
        talk.restart();
        parts.instructions.forget();
        zeph.clear();
      },
      async close() {
        isClosed = true;
        ending.abort();
        current?.stop.abort();
        await Promise.allSettled([current?.work, ...tasks]);
        await zeph.close();
      },
    };
  } catch (error) {
    await inside.zeph.close();
    throw error;
  }
}

/** A turn hears of so many background commands; a thousand outputs at once would fill any context. */
const MOST_COMPLETIONS = 10;
