import { systemPrompt } from "../agent/prompt.ts";
import { estimateTokens } from "../agent/transcript.ts";
import { type Inside, openRuntime, type RuntimeOptions, type Zeph } from "../app.ts";
import { openKeys } from "../config/keyfile.ts";
import type { ZephEvent } from "../core/event.ts";
import type { Message, Model } from "../core/model.ts";
import { ModelError } from "../core/model-error.ts";
import { guarded } from "./calls.ts";
import { type Channel, channel } from "./channel.ts";
import { openTalk } from "./talk.ts";
import { type Turns, takeTurn } from "./turns.ts";

export interface AgentOptions extends RuntimeOptions {
  /** A model of your own, or the name of a provider in the configuration. Default: `llm.default`, else what is found on this machine. */
  readonly model?: Model | string;
  /** Goes on with a stored conversation: its id, or "last" for the last one of this workspace. Default: a new one. */
  readonly conversation?: string;
  /** Added to what every model is told at the beginning. */
  readonly system?: string;
  /** Who this agent works for, as the audit log names them. */
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
  /** The id of the conversation; null before anything was said. */
  readonly conversation: string | null;
  /** One turn: says something and tells what happens, up to `done`. Who stops reading stops the turn. One turn at a time. */
  send(text: string, options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** Waits until a background command has ended and lets the model hear of it, as a turn of its own. Nothing when none runs. */
  attend(options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** Background commands the model has not heard the end of. */
  pending(): number;
  /** The messages a model would be sent. */
  history(): Promise<readonly Message[]>;
  /** The next turn begins a new conversation; grants, quota and cache begin anew, too. */
  restart(): void;
  close(): Promise<void>;
}

const DEFAULT_CONTEXT = 128_000;

export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  const { model: chosen, conversation, system: more = "", callerId, confirm, ...rest } = options;
  let listener: Channel<ZephEvent> | null = null;
  const told = guarded(options.onEvent);
  /** Whoever iterates comes first; a listener that throws harms nobody. */
  const tell = (event: ZephEvent): void | Promise<void> => {
    const room = listener?.put(event);
    told(event);
    return room;
  };
  const inside = await openRuntime({
    ...rest,
    // A question comes after everything that led to it has been read.
    ...(confirm && { confirm: async (question) => listener?.read().then(() => confirm(question)) ?? confirm(question) }),
    onEvent: (event) => void tell(event),
  });
  try {
    const turns = { ...(await openTurns(inside, chosen, more)), ...(callerId !== undefined && { callerId }) };
    const { zeph, background, config } = inside;
    const fixedTokens = () => estimateTokens(turns.system) + estimateTokens(JSON.stringify(zeph.tools()));
    const talk = await openTalk(
      { store: inside.store, workspace: inside.cwd, fixedTokens, redact: inside.redact, heard: inside.heard },
      conversation,
    );

    let isClosed = false;
    let current: { readonly stop: AbortController; readonly work: Promise<void> } | null = null;
    /** Begins with the first event that is read. Who stops reading stops the turn and waits for its end: nothing goes on behind their back. */
    async function* turn(text: string | null, { signal, maxTurns = config.agent.max_tool_iterations }: SendOptions) {
      if (listener) throw new Error("This agent is in the middle of a turn. Wait for its end, or stop it first.");
      if (isClosed) throw new Error("This agent was closed.");
      if (text !== null && (typeof text !== "string" || text.trim() === "")) throw new TypeError("There is nothing to send: give a text.");
      if (!Number.isInteger(maxTurns) || maxTurns < 1) throw new TypeError(`maxTurns must be a whole number from 1 on, not ${maxTurns}.`);
      const events = channel<ZephEvent>();
      const stop = new AbortController();
      const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      listener = events;
      const work = inside.session
        .turn(async () => {
          if (text === null) {
            await background.ended(either);
            if (!background.hasEnded()) return;
          }
          // Opened first: what cannot be told must not be taken.
          const transcript = await talk.open(text ?? "background");
          await takeTurn(turns, transcript, { text, completions: background.takeCompletions(), maxTurns }, tell, either);
        })
        .then(() => events.end(), events.end);
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
    return {
      zeph,
      model: turns.model,
      get conversation() {
        return talk.id();
      },
      send: (text, options = {}) => turn(text ?? "", options),
      attend: (options = {}) => turn(null, options),
      pending: background.pending,
      history: async () => (talk.id() === null ? [] : (await talk.open("")).messages()),
      restart() {
        talk.restart();
        zeph.clear();
      },
      async close() {
        isClosed = true;
        current?.stop.abort();
        await current?.work;
        await zeph.close();
      },
    };
  } catch (error) {
    await inside.zeph.close();
    throw error;
  }
}

async function openTurns(inside: Inside, chosen: Model | string | undefined, more: string): Promise<Turns> {
  const { config, cwd } = inside;
  const { model, repairer } = await openModels(inside, chosen);
  return {
    inside,
    model,
    repairer,
    system: systemPrompt({ cwd, platform: process.platform }, model, `${config.agent.system_prompt}\n\n${more}`),
    contextTokens: config.agent.context_budget_tokens ?? model.contextTokens ?? DEFAULT_CONTEXT,
  };
}

/** The models an agent asks. Everything about providers is read only here, and only when one is named. */
async function openModels({ config, isWhole, home, warn, hide }: Inside, chosen: Model | string | undefined) {
  const repairs = config.tools.retry.parameter_reformat_provider;
  if (typeof chosen === "object" && repairs === "") return { model: chosen, repairer: null };
  const { findModel, openModel } = await import("./models.ts");
  // A configuration given as an object reads no file; the variables its providers name are part of it.
  const found = isWhole ? (name: string) => process.env[name]?.trim() || undefined : openKeys({ home, env: process.env });
  const keys = (name: string) => {
    const value = found(name);
    if (value) hide(value);
    return value;
  };
  const wish = { llm: config.llm, keys, warn };
  const named = (name: string) => openModel({ ...wish, name });
  const find = () => (isWhole && config.llm.providers.length === 0 ? null : findModel(wish));
  const model = typeof chosen === "object" ? chosen : chosen === undefined ? await find() : await named(chosen);
  if (!model) throw new ModelError("no_key", NO_MODEL);
  return { model, repairer: repairs === "" ? null : await named(repairs) };
}

const NO_MODEL =
  "No model was found. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, start a local Ollama, or add [[llm.providers]] to your configuration.";
