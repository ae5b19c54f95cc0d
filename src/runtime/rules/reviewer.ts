import { askSideQuestion } from "../../agent/aside/side-question.ts";
import type { KeyReader } from "../../config/api-keys.ts";
import { ModelError } from "../../core/model-error.ts";
import type { Model, Price, Usage } from "../../core/ports/model.ts";
import type { Tracing } from "../../core/ports/span.ts";
import type { AdversarialParts } from "../../gates/adversarial/adversarial.ts";
import type { LlmConfig } from "../../models/config.ts";
import { modelVariables } from "../settings/keys.ts";

export interface ReviewerParts {
  /** As they are now: rules can be exchanged while a runtime is open. */
  readonly llm: () => LlmConfig;
  /** The provider that judges; "" is the model that answers. */
  readonly provider: () => string;
  /** The model of the agent that is there; null where there is none. */
  readonly own: () => Model | null;
  /** The configuration was given as an object: nothing is looked for beyond it. */
  readonly isWhole: boolean;
  readonly keys: KeyReader;
  readonly warn: (message: string) => void;
  readonly tracing: Tracing;
  /** Told what each answer cost. */
  readonly used: (usage: Usage | null, price: Price | undefined) => void;
}

/** The model that judges calls. It is opened when it is first asked, and again when another one is named. Throws when there is none. */
export function createReviewer({ llm, provider, own, isWhole, keys, warn, tracing, used }: ReviewerParts): AdversarialParts["ask"] {
  let opened: { readonly from: LlmConfig; readonly name: string; readonly model: Promise<Model> } | null = null;

  const model = (): Promise<Model> => {
    const name = provider();
    const mine = name === "" ? own() : null;
    if (mine) return Promise.resolve(mine);
    const from = llm();
    if (opened?.from === from && opened.name === name) return opened.model;
    const opening = open(from, name);
    const entry = { from, name, model: opening };
    opened = entry;
    // What could not be opened is tried again.
    opening.catch(() => {
      if (opened === entry) opened = null;
    });
    return opening;
  };
  const open = async (from: LlmConfig, name: string): Promise<Model> => {
    const { findModel, openModel } = await import("../agent/models.ts");
    const wish = { llm: from, keys, env: modelVariables(isWhole), warn };
    const found = name !== "" ? await openModel({ ...wish, name }) : isWhole && from.providers.length === 0 ? null : await findModel(wish);
    if (!found) throw new ModelError("no_key", "There is no model to judge calls. Name one with tools.adversarial_policy.provider.");
    return found;
  };
  return async (prompt, signal) => {
    const judge = await model();
    return askSideQuestion({ model: judge, tracing, used: (usage) => used(usage, judge.price) }, prompt, signal);
  };
}
