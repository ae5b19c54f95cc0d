import type { Quote, SlashCommand } from "../../core/command.ts";
import type { Answered, Limits, ZephEvent } from "../../core/event.ts";
import type { Message, Model, ModelMiddleware } from "../../core/ports/model.ts";
import type { Undone } from "../../core/ports/preimage.ts";
import type { BackgroundCommand } from "../../core/ports/shell.ts";
import type { OutputOf, StandardSchema } from "../../core/schema/schema.ts";
import type { CallerView } from "../callers/caller-view.ts";
import type { ImageInput } from "../person/images.ts";
import type { RewindPoint, Rewound } from "../person/rewind.ts";
import type { RuntimeOptions, Zeph } from "../runtime.ts";
import type { RunResult } from "./run-result.ts";
import type { Due } from "./scheduled.ts";
import type { OwnTask, OwnTaskEnd } from "./unattended-task.ts";

/** What `createAgent` takes: the options of `createRuntime`, a model and a conversation. */
export interface AgentOptions extends RuntimeOptions {
  /**
   * A runtime that is open already, or the view of one of its callers (`zeph.as()`), in place of one of the agent's own. Many agents may share it at once. What
   * belongs to a runtime cannot be given besides, except `confirm` and `onEvent`, which are then for this agent alone. Closing the agent does not close it.
   */
  readonly runtime?: Zeph | CallerView;
  /** A model of your own, or the name of a provider in the configuration. Default: `llm.default`, else what is found on this machine. */
  readonly model?: Model | string;
  /** Functions of your own around every model the agent asks, the first one outermost. The model that judges calls is asked without them. */
  readonly middleware?: readonly ModelMiddleware[];
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
  /** Most that all turns of this agent may use together. */
  readonly limits?: Limits;
}

/** What may be said about one turn. */
export interface SendOptions {
  readonly signal?: AbortSignal;
  /** In place of `agent.max_tool_iterations`. */
  readonly maxTurns?: number;
  /**
   * Images beside the text of `send` and `run`: png, jpeg, gif or webp, 5 MiB each and 8 at most. A path is read as the file tools would read it. They are
   * stored with the conversation. A model that takes none is not asked: `send` throws a TypeError.
   */
  readonly images?: readonly ImageInput[];
  /** Texts of strangers that go with the message. The conversation counts as one that has read a stranger's text. */
  readonly quotes?: readonly Quote[];
  /**
   * What a person typed of the message. A resource of an MCP server that it names as `@server:uri` is read through the door and goes with the message. One
   * that cannot be read throws a CommandError, and nothing is sent. Default: such words are words.
   */
  readonly mentions?: string;
  /** Most that this turn may use. It ends with the reason `budget`, and the `budget` event comes before. */
  readonly limits?: Limits;
}

/** What the answer of a run has to be. */
export interface OutputWish<S extends StandardSchema> {
  /** A schema of zod 4 or any library of Standard Schema. */
  readonly schema: S;
  /** Its JSON Schema, where its own library cannot write it. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
}

/** A model at work with the tools of a runtime, in one conversation. */
export interface Agent {
  /** Its runtime. Of an agent over a caller's view it is the runtime as that caller has it: what reaches beyond the caller throws a TypeError. */
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
  /** The same turn read to its end: what the model said, why it ended, what was called and what it cost. */
  run(text: string, options?: SendOptions): Promise<RunResult>;
  /**
   * The same with an answer that fits a schema: `output` is what the schema made of it. The model is told the JSON Schema, and asked once more where its answer
   * does not fit; if that does not either, `why` is `output`. Throws a TypeError for a schema that cannot be written as JSON Schema.
   */
  run<S extends StandardSchema>(text: string, options: SendOptions & OutputWish<S>): Promise<RunResult<OutputOf<S>>>;
  /**
   * Answers a question of this conversation that was left for later, and goes on when the last one of its message is answered. It may be another
   * process than the one that asked: give `createAgent` the conversation. The call is judged again. Whoever says something new with `send` instead
   * takes the question back: the model reads that the call was not run. Throws a ConversationError where no such question is open.
   */
  answer(callId: string, answer: Answered, options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** Waits until a background command has ended and tells the model about it, in a turn of its own. Yields nothing when no command runs. */
  attend(options?: SendOptions): AsyncGenerator<ZephEvent, void>;
  /** How many background commands have not been reported to the model. */
  pending(): number;
  /** The agent's background commands: those that run, and the last ones that ended, in the order they were started. */
  runs(): readonly BackgroundCommand[];
  /** Ends a background command and waits for its end. The model hears of it in the next turn. Throws a ToolError when there is none of this id. */
  endRun(id: string): Promise<BackgroundCommand>;
  /**
   * Puts back the files that the last turn changed which changed any and was not undone yet: again and again, one turn after the other. What somebody else
   * changed since is left alone. The audit log keeps it, and the model is told in the next turn. Null when there is nothing to undo. Cannot be called during a turn.
   */
  undo(): Promise<Undone | null>;
  /** The person's messages in this conversation that `rewind` can go back to, the last 200, oldest first. */
  rewindPoints(): Promise<readonly RewindPoint[]>;
  /**
   * Goes on from before an earlier message of the person's, by its id from `rewindPoints`. What came earlier is copied to a new conversation, in which the next
   * turn goes on; the one before stays stored with all it has. Files stay as they are. Cannot be called during a turn. Throws a ConversationError.
   */
  rewind(to: string): Promise<Rewound>;
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
  /** Waits for calls under way, ends background commands, closes log and store. A `runtime` that was given stays open. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
