import { assertLimits, createLedger } from "../../agent/budget.ts";
import { createWantedOutput } from "../../agent/structured-output.ts";
import { estimateTokens } from "../../agent/transcript.ts";
import type { SlashCommand } from "../../core/command.ts";
import type { Confirm, ZephEvent } from "../../core/event.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { Model } from "../../core/ports/model.ts";
import type { StandardSchema } from "../../core/schema/schema.ts";
import type { HandedTurn } from "../../core/session.ts";
import { whileHeld } from "../../text/abort.ts";
import { createAmbient } from "../../text/ambient.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { guarded } from "../calls.ts";
import { type Channel, createChannel } from "../events/channel.ts";
import { governanceCommands } from "../governance/commands.ts";
import { readImages } from "../person/images.ts";
import { readMentions } from "../person/mentions.ts";
import { personCommands } from "../person/person-commands.ts";
import { rewindConversation, rewindPoints } from "../person/rewind.ts";
import { undoLastTurn } from "../person/undo.ts";
import type { OpenOptions } from "../runtime.ts";
import { type AgentModels, createAgentModels } from "./agent-models.ts";
import { openAgentRuntime } from "./agent-runtime.ts";
import type { Agent, AgentOptions, OutputWish, SendOptions } from "./agent-types.ts";
import { createConversation } from "./current-conversation.ts";
import { assertWaiting, dropQuestions, openLatest } from "./left-questions.ts";
import { collectRun, type RunResult } from "./run-result.ts";
import { watchSchedule } from "./scheduled.ts";
import { taskRun } from "./scheduled-run.ts";
import { assertPriced, assertTurn } from "./turn-options.ts";
import { MOST_COMPLETIONS, type Opening, takeTurn } from "./turns.ts";
import { runUnattended } from "./unattended-task.ts";

/** How long the first turn waits for MCP servers of which nothing is known yet. */
const LONGEST_MEETING_MS = 10_000;
/** What summaries of the past may take of the context. */
const KNOWN = 0.2;

export async function openAgent(
  options: AgentOptions & Pick<OpenOptions, "shared" | "held" | "ship" | "fleet" | "live"> = {},
): Promise<Agent> {
  const {
    model: chosen,
    middleware = [],
    conversation,
    newConversation,
    system: more = "",
    limits = {},
    elicit,
    onEventBetweenTurns,
  } = options;
  assertLimits(limits);
  let listener: Channel<ZephEvent> | null = null;
  /** Inside a task of its own nobody listens, and nobody is asked. */
  const apart = createAmbient<(event: ZephEvent) => void>();
  /** What a program's own code calls while it is asked belongs to the turn. */
  let carried: HandedTurn["carry"] = (work) => work();
  const tellAll = guarded(options.onEvent);
  const tellBetween = guarded(onEventBetweenTurns);
  /** Every event comes here. The reader of a turn comes first; a listener that throws harms nobody. */
  const tell = (event: ZephEvent): void | Promise<void> => {
    const alone = apart.current();
    if (alone) return alone(event);
    const room = listener ? listener.put(event) : tellBetween(event);
    tellAll(event);
    return room;
  };
  /** A question comes after everything that led to it has been read. */
  const afterReading = async <T>(nobody: T, put: () => T | Promise<T>): Promise<T> => {
    if (apart.current()) return nobody;
    await listener?.read();
    return carried(put);
  };
  const runtime = await openAgentRuntime(options, {
    tell,
    mind: () => brains.mind,
    close: () => agent.close(),
    confirm: (ask: Confirm) => (question, context) => afterReading(null, () => ask(question, context)),
    elicit: elicit && ((asked, signal) => afterReading({ action: "cancel" }, () => elicit(asked, signal))),
  });
  const { inside, caller, within, isShared } = runtime;
  const isOnHost = options.host !== undefined;
  // The first turn tells the model of them, and a probe takes a while.
  inside.walls().catch(() => {});
  /** What a turn itself says, which the runtime has not heard. */
  const say = (event: ZephEvent) => {
    inside.live.event(event);
    return tell(event);
  };
  let brains: AgentModels;
  let agent: Agent;
  try {
    const { zeph, background, config, parts, catalogue } = inside;
    const accounts = [{ limits, ledger: createLedger() }, ...runtime.accounts];
    const think = (chosen: Model | string | undefined) =>
      createAgentModels({
        inside,
        chosen,
        middleware,
        more,
        tell: say,
        talk: () => talk,
        confirm: options.confirm ?? (isShared ? inside.confirm : undefined),
        caller,
        accounts,
      });
    brains = await think(chosen);
    const fixedTokens = () =>
      estimateTokens(brains.basis) + estimateTokens(parts.instructions.told().text) + estimateTokens(JSON.stringify(catalogue.tools()));
    const talk = await createConversation(
      {
        store: inside.store,
        workspace: runtime.workspace,
        fixedTokens,
        knowledgeTokens: brains.turns.contextTokens * KNOWN,
        redact: inside.redact,
        recall: inside.recall,
        heard: inside.heard,
        fateOf: options.held?.fateOf,
      },
      conversation,
      newConversation,
    );
    runtime.lend(brains.mind);
    // Their tools are there with the first turn, unless one takes too long.
    const servers = waitAtMost(zeph.mcp.meet(), LONGEST_MEETING_MS);

    /** What happened elsewhere is told once. */
    let untold = options.held;
    let isClosed = false;
    const assertIdle = () => {
      if (listener) throw new Error("This agent is in the middle of a turn. Wait for its end, or stop it first.");
      if (isClosed) throw new Error("This agent was closed.");
    };
    let current: { readonly stop: AbortController; readonly work: Promise<void> } | null = null;
    /** Begins with the first event that is read. Who stops reading stops the turn and waits for its end: nothing goes on behind their back. */
    async function* turn(begun: Pick<Opening, "text" | "answered" | "output">, options: SendOptions) {
      assertKnownOptions("A turn", options, ["signal", "maxTurns", "limits", "images", "quotes", "mentions"]);
      assertIdle();
      const { text, answered } = begun;
      const { signal, maxTurns = config.agent.max_tool_iterations, limits: own = {}, images: given = [], quotes = [], mentions } = options;
      assertTurn({ text, maxTurns, limits: own, images: given.length, quotes, mentions });
      assertPriced([own, ...accounts.map(({ limits }) => limits)], brains.turns.model);
      const images = await readImages(inside, brains.turns.model, given);
      assertIdle();
      const events = createChannel<ZephEvent>();
      const stop = new AbortController();
      const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      listener = events;
      const take = async ({ current = inside.session.current }: Partial<HandedTurn>) => {
        if (text === null && !answered) {
          await background.ended(either);
          if (!background.hasEnded()) return;
        }
        await servers;
        // Opened first: what cannot be told must not be taken.
        const transcript = await openLatest(talk, inside.store, text ?? "background");
        // Before anything is taken: one that cannot be read ends the turn.
        const asked = current({ phase: "executor", conversationId: transcript.id, ...caller });
        const along = [...quotes, ...(await readMentions(inside, asked, mentions, say, either))];
        if (answered) await assertWaiting(inside.store.openQuestions, transcript, answered.callId);
        else if (text !== null) await dropQuestions(inside.store.openQuestions, transcript);
        // A model hears of commands when the call before has its result.
        else if (transcript.waiting().length > 0) return;
        const completions = answered ? [] : background.takeCompletions(MOST_COMPLETIONS);
        const accounts = [{ limits: own, ledger: createLedger() }];
        const held = untold;
        untold = undefined;
        const unheard = answered ? 0 : background.unheard();
        const opening = { ...begun, held, images, quotes: along, completions, unheard, maxTurns, accounts, kind: "conversation" as const };
        await takeTurn(brains.turns, transcript, opening, say, either, current);
      };
      const takeHanded = (mine: HandedTurn) => {
        carried = mine.carry;
        return take(mine);
      };
      const begin = () =>
        isShared
          ? within(() => inside.session.ownTurn(() => take({})))
          : brains.isPrograms || isOnHost
            ? inside.session.turn(() => take({}))
            : inside.session.handedTurn(takeHanded);
      const work = whileHeld(signal ?? stop.signal, begin).then(() => events.end(), events.end);
      current = { stop, work };
      try {
        yield* events.items();
      } finally {
        stop.abort();
        await work;
        carried = (work) => work();
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
        within(() =>
          runUnattended(
            brains.turns,
            task,
            (listen, work) => apart.run(listen, () => (isShared ? inside.session.ownTurn : inside.session.turn)(work)),
            either,
          ),
        ),
      );
      tasks.add(work);
      return work.finally(() => tasks.delete(work));
    };
    agent = {
      zeph: runtime.given,
      get model() {
        return brains.turns.model;
      },
      get isBusy() {
        return listener !== null;
      },
      async useModel(model) {
        assertIdle();
        brains = await think(model);
        runtime.lend(brains.mind);
      },
      get conversation() {
        return talk.id();
      },
      send: (text, options = {}) => turn({ text: text ?? "" }, options),
      async run(text: string, { schema, jsonSchema, ...options }: SendOptions & Partial<OutputWish<StandardSchema>> = {}) {
        if (jsonSchema && !schema) throw new TypeError("jsonSchema stands beside a schema, and there is none.");
        const output = schema && createWantedOutput(schema, jsonSchema);
        const result = await collectRun(turn({ text: text ?? "", output }, options));
        return { ...result, output: output?.value() } as RunResult<never>;
      },
      answer: (callId, answer, options = {}) => turn({ text: null, answered: { callId, answer } }, options),
      attend: (options = {}) => turn({ text: null }, options),
      pending: background.pending,
      runs: background.runs,
      async endRun(id) {
        const wasRunning = background.list().some(({ runId }) => runId === id);
        const ended = await background.stop(id);
        if (wasRunning) inside.note(`the person ended the background command ${id}`);
        return ended;
      },
      async undo() {
        assertIdle();
        return within(() => undoLastTurn(inside, talk));
      },
      rewindPoints: () => within(() => rewindPoints(inside.store, talk.id())),
      async rewind(to) {
        assertIdle();
        return within(() => rewindConversation(inside, talk, to));
      },
      history: () => within(async () => (talk.id() === null ? [] : (await talk.open("")).messages())),
      commands: () =>
        // The rules are those of whoever opened the runtime.
        firstOfName([...ofPerson, ...(caller.rights ? [] : governanceCommands(zeph.governance, zeph)), ...parts.commands]).map(
          (command) => ({
            ...command,
            run: (...given) => within(() => command.run(...given)),
          }),
        ),
      status: () => within(parts.status),
      runTask,
      watchSchedule: (told) =>
        watchSchedule(
          { schedule: inside.store.schedule, workspace: runtime.workspace, now: Date.now, run: taskRun({ runTask }), ...told },
          ending.signal,
        ),
      restart() {
        talk.restart();
        parts.instructions.forget();
        runtime.restart();
      },
      async close() {
        isClosed = true;
        ending.abort();
        current?.stop.abort();
        await Promise.allSettled([current?.work, ...tasks]);
        await runtime.close();
      },
      [Symbol.asyncDispose]: () => agent.close(),
    };
    const ofPerson = personCommands(agent, inside.cwd);
    return agent;
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** A command of a file takes no name that is taken. */
const firstOfName = (commands: readonly SlashCommand[]): SlashCommand[] =>
  commands.filter(({ name }, at) => commands.findIndex((other) => other.name === name) === at);
