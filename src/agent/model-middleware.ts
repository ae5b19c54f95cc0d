import type { Model, ModelMiddleware, Prompt } from "../core/ports/model.ts";
import { deepFreeze } from "../text/freeze.ts";

/** The model with a program's own functions around it, the first one outermost. What it says of itself stays. */
export function withMiddleware(model: Model, middleware: readonly ModelMiddleware[]): Model {
  if (middleware.length === 0) return model;
  return {
    ...aboutOf(model),
    async *stream(prompt, signal) {
      signal.throwIfAborted();
      const context = Object.freeze({ model: model.id, signal });
      const from = (n: number, asked: Prompt): ReturnType<Model["stream"]> => {
        const own = middleware[n];
        return own ? own(asked, (changed) => from(n + 1, changed), context) : model.stream(asked, signal);
      };
      yield* from(0, frozenPrompt(prompt));
    },
  };
}

/** What a program's own function is given is a copy: the conversation and the tools stay as they are whatever it does to it. */
const frozenPrompt = ({ system, tools, messages }: Prompt): Prompt =>
  Object.freeze({ system, tools: Object.freeze(tools.map(frozenCopy)), messages: Object.freeze(messages.map(frozenCopy)) });

/** A message is sent with every request after it, and copied once. */
const copies = new WeakMap<object, object>();

function frozenCopy<T extends object>(given: T): T {
  const known = (copies.get(given) as T | undefined) ?? deepFreeze(structuredClone(given));
  copies.set(given, known);
  return known;
}

/** Field by field: a model may be of a class whose fields are not its own. */
function aboutOf({ id, made, address, fenced, reasoning, images, audio, contextTokens, price }: Model): Omit<Model, "stream"> {
  return {
    id,
    ...(made && { made }),
    ...(address !== undefined && { address }),
    ...(fenced && { fenced }),
    ...(reasoning && { reasoning }),
    ...(images && { images }),
    ...(audio && { audio }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(price && { price }),
  };
}

/** Throws a TypeError for what cannot stand around a model. */
export function assertMiddleware(given: unknown): asserts given is readonly ModelMiddleware[] {
  if (!Array.isArray(given) || given.some((one) => typeof one !== "function"))
    throw new TypeError("middleware is a list of functions (prompt, next, context) that return events.");
}
