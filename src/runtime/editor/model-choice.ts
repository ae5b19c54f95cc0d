import { ModelError } from "../../core/model-error.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Models } from "../../front/acp/editor-agents.ts";
import type { LlmConfig } from "../../models/config.ts";
import type { Agent } from "../agent/agent-types.ts";

/** The models a session can be answered by, and the one that does. */
export interface ModelChoice {
  readonly agent: Agent;
  models(): Models;
  /** At once, or before the next turn where one is under way. */
  use(value: string, isBusy: () => boolean): Promise<void>;
  /** What was put off is done now. A sentence when that went wrong. */
  settle(): Promise<string | null>;
}

/** Opens an agent. One that has no model yet is opened all the same: a person who tries it is told what to do. */
export async function createModelChoice(
  { providers, default: usual }: LlmConfig,
  wanted: Model | string | undefined,
  open: (model: Model | string | undefined) => Promise<Agent>,
): Promise<ModelChoice> {
  let missing: string | null = null;
  const agent = await open(wanted).catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    missing = error.message;
    return open(nobody(error));
  });
  const name = typeof wanted === "string" ? wanted : usual || providers[0]?.name;
  let current = typeof wanted !== "object" && name !== undefined && providers.some((one) => one.name === name) ? name : agent.model.id;
  let next: string | null = null;
  const options = providers.map(({ name, type, model }) => ({ value: name, name: `${name}: ${model}`, description: type }));
  const use = async (value: string) => {
    if (value === agent.model.id) return;
    await agent.useModel(value);
    current = value;
    missing = null;
  };
  return {
    agent,
    models: () => ({
      current: next ?? current,
      options: options.some(({ value }) => value === current)
        ? options
        : [{ value: current, name: missing === null ? current : "no model yet" }, ...options],
    }),
    async use(value, isBusy) {
      next = isBusy() ? value : null;
      if (next === null) await use(value);
    },
    async settle() {
      // A key may have been added since.
      const value = next ?? (missing !== null && options.some((one) => one.value === current) ? current : null);
      next = null;
      if (value === null) return null;
      return use(value).then(
        () => null,
        (error: Error) => (missing === null ? `${value} cannot be used: ${error.message}` : null),
      );
    },
  };
}

/** Stands where a model would: it answers everything with what is missing. */
const nobody = (error: ModelError): Model => ({
  id: "none",
  // biome-ignore lint/correctness/useYield: there is nothing to say.
  async *stream() {
    throw new ModelError(error.fault, `${error.message} Then begin a new session.`, { cause: error });
  },
});
