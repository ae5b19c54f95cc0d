import { ModelError } from "../core/model-error.ts";
import type { Finish, Model, Usage } from "../core/ports/model.ts";
import type { Attributes, Span, Tracing } from "../core/ports/span.ts";

/** What spans say of a model, in the words of the GenAI conventions. */
export const modelAttributes = ({ id, made }: Model): Attributes => ({
  "gen_ai.provider.name": made?.provider ?? "custom",
  "gen_ai.request.model": made?.model ?? id,
});

/** The span around one request to a model. What the model failed of is named in it. */
export function traceChat<T>(tracing: Tracing, model: Model, more: Attributes, ask: (span: Span) => Promise<T>): Promise<T> {
  const named = () => ({ "gen_ai.operation.name": "chat", ...modelAttributes(model), ...more });
  return tracing.span(`chat ${model.made?.model ?? model.id}`, "client", named, async (span) => {
    try {
      return await ask(span);
    } catch (error) {
      if (error instanceof ModelError) span.fail(error.fault);
      throw error;
    }
  });
}

export const usageAttributes = ({ input, output, cacheRead, cacheWrite }: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
  "gen_ai.usage.cache_read.input_tokens": cacheRead,
  "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
});

export const FINISH_REASONS: Readonly<Record<Finish, string>> = {
  stop: "stop",
  calls: "tool_call",
  length: "length",
  refused: "content_filter",
  other: "other",
};
