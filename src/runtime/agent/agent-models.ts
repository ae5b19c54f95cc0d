import type { Emit } from "../../agent/answer.ts";
import { answerSample } from "../../agent/aside/sampled-answer.ts";
import { askSideQuestion } from "../../agent/aside/side-question.ts";
import { overText } from "../../agent/budget.ts";
import { CompactionError, type Compactor, createCompactor } from "../../agent/compaction.ts";
import { assertMiddleware, withMiddleware } from "../../agent/model-middleware.ts";
import { systemPrompt } from "../../agent/prompt.ts";
import type { Transcript } from "../../agent/transcript.ts";
import { ModelError } from "../../core/model-error.ts";
import type { Model, ModelMiddleware } from "../../core/ports/model.ts";
import type { RuntimeInternals } from "../create.ts";
import { keysFor, modelVariables } from "../settings/keys.ts";
import type { CurrentConversation } from "./current-conversation.ts";
import type { LentModel } from "./lent-model.ts";
import { runSkillTask } from "./skill-task.ts";
import { openSpending } from "./spending.ts";
import type { Turns } from "./turn-loop.ts";

export interface AgentModelsParts {
  readonly inside: RuntimeInternals;
  readonly chosen: Model | string | undefined;
  /** The program's own functions around what is asked. */
  readonly middleware: readonly ModelMiddleware[];
  /** Added to what the model is told. */
  readonly more: string;
  readonly tell: Emit;
  /** The conversation the agent is in. */
  readonly talk: () => CurrentConversation;
  readonly confirm: Turns["confirm"];
  readonly caller: Turns["caller"];
  readonly accounts: Turns["accounts"];
}

export interface AgentModels {
  readonly turns: Turns;
  readonly mind: LentModel;
  /** The part of the system prompt that never changes. */
  readonly basis: string;
  /** A program's own model, and what stands around one, is the program's code, which may call what it likes. */
  readonly isPrograms: boolean;
}

const DEFAULT_CONTEXT = 128_000;
/** What stays word for word when the rest becomes a summary, as a share of the context. */
const KEPT = 0.2;

/** The models of an agent, and what they are asked besides answering. */
export async function createAgentModels({
  inside,
  chosen,
  middleware,
  more,
  tell,
  talk,
  confirm,
  caller,
  accounts,
}: AgentModelsParts): Promise<AgentModels> {
  const { config, cwd, store, tracing, parts } = inside;
  assertMiddleware(middleware);
  const opened = await openModels(inside, chosen);
  const model = withMiddleware(opened.model, middleware);
  const repairer = opened.repairer && withMiddleware(opened.repairer, middleware);
  const helper = withMiddleware(opened.helper, middleware);
  const spending = openSpending();
  const basis = systemPrompt({ cwd, platform: process.platform }, model, `${config.agent.system_prompt}\n\n${more}`);
  const contextTokens = config.agent.context_budget_tokens ?? model.contextTokens ?? DEFAULT_CONTEXT;
  const ask: LentModel["ask"] = (question, signal) =>
    askSideQuestion({ model: helper, tracing, used: (usage) => spending.add(usage, helper.price) }, question, signal);
  const compactorOf = onePerTranscript((transcript) =>
    createCompactor({
      transcript,
      summaries: store.summaries,
      ask(question, signal) {
        inside.note(`a summary of earlier messages of the conversation ${transcript.id} is made`, "autonomous");
        return ask(question, signal);
      },
      room: helper.contextTokens ?? DEFAULT_CONTEXT,
      keepTokens: KEPT * contextTokens,
      redact: inside.redact,
      seen() {
        const { untrusted, skill } = inside.session.current({ conversationId: transcript.id }).seen;
        return untrusted || skill?.trust === "untrusted" ? "strangers" : "own";
      },
    }),
  );
  const turns: Turns = {
    inside,
    model,
    repairer,
    contextTokens,
    spending,
    compactorOf,
    async system() {
      // What changes least comes first: the part before a change is not paid for again.
      return [basis, parts.instructions.told().text, await parts.skills.summary()].filter((text) => text !== "").join("\n\n");
    },
    confirm,
    caller,
    accounts,
  };
  const mind: LentModel = {
    // It judges calls: nothing that stands around it may turn a no into a yes.
    model: opened.model,
    conversation: () => talk().id(),
    ask,
    async sample(wish, signal) {
      const over = spending.budget()?.over();
      if (over) throw new ModelError("no_credit", overText(over));
      return answerSample({ model, tracing, used: (usage) => spending.add(usage, model.price) }, wish, signal);
    },
    spent: spending.add,
    follow: (errand, turn, signal) => runSkillTask(turns, errand, turn, signal),
    async compact(conversation, wish, signal) {
      if (conversation !== talk().id())
        throw new CompactionError("Only the conversation that goes on can be summarised, and this is another one.");
      const mine = compactorOf(await talk().open(""));
      // The model asks in the middle of a turn; the loop moves the window when the round is over, and tells of it.
      if (wish.method === "autonomous") return mine.prepare(wish, signal);
      const { made, takesEffect } = await mine.compact(wish, signal);
      if (takesEffect === "later") return made;
      parts.goals.forget(conversation);
      await tell({ type: "compacted", ...made });
      return made;
    },
  };
  return { turns, mind, basis, isPrograms: typeof chosen === "object" || middleware.length > 0 };
}

function onePerTranscript(make: (transcript: Transcript) => Compactor): (transcript: Transcript) => Compactor {
  const made = new WeakMap<Transcript, Compactor>();
  return (transcript) => {
    const known = made.get(transcript) ?? make(transcript);
    made.set(transcript, known);
    return known;
  };
}

/** The models an agent asks. Everything about providers is read only here, and only when one is named. */
async function openModels({ config, isWhole, home, warn, hide }: RuntimeInternals, chosen: Model | string | undefined) {
  const repairs = config.tools.retry.parameter_reformat_provider;
  const compresses = config.agent.compress_provider;
  if (typeof chosen === "object" && repairs === "" && compresses === "") return { model: chosen, repairer: null, helper: chosen };
  const { findModel, openModel } = await import("./models.ts");
  const wish = { llm: config.llm, keys: keysFor({ isWhole, home, hide }), env: modelVariables(isWhole), warn };
  const named = (name: string) => openModel({ ...wish, name });
  const find = () => (isWhole && config.llm.providers.length === 0 ? null : findModel(wish));
  const model = typeof chosen === "object" ? chosen : chosen === undefined ? await find() : await named(chosen);
  if (!model) throw new ModelError("no_key", NO_MODEL);
  return {
    model,
    repairer: repairs === "" ? null : await named(repairs),
    helper: compresses === "" ? model : await named(compresses),
  };
}

const NO_MODEL =
  "No model was found. Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, start a local Ollama, or add [[llm.providers]] to your configuration.";
