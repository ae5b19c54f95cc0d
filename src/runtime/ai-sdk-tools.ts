import { answerText } from "../core/answer.ts";
import type { Zeph } from "./create.ts";

/** A tool as the AI SDK takes it: `generateText({ tools: zeph.toAiSdkTools() })`. */
export interface AiSdkTool {
  readonly description: string;
  /** A `Schema` of the AI SDK. Its type has no name outside that package, which we do not depend on. */
  readonly inputSchema: any;
  readonly execute: (input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }) => Promise<string>;
}

/** The tools a model would be shown now, each a call through the door. A failed call is an answer the model reads, not an exception. */
export const aiSdkTools = (zeph: Pick<Zeph, "tools" | "call">): Record<string, AiSdkTool> =>
  Object.fromEntries(
    zeph.tools().map(({ name, description, parameters }) => [
      name,
      {
        description,
        inputSchema: schemaOf(parameters),
        execute: async (input, { abortSignal }) =>
          answerText(await zeph.call(name, input, { phase: "executor", ...(abortSignal && { signal: abortSignal }) })),
      } satisfies AiSdkTool,
    ]),
  );

/** How the AI SDK knows a schema of its own. Nothing is validated there: bad arguments come to the door, and their answer says what to do. */
const schemaOf = (jsonSchema: unknown) => ({ [Symbol.for("vercel.ai.schema")]: true, _type: undefined, jsonSchema, validate: undefined });
