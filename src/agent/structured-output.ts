import type { StandardIssue, StandardSchema } from "../core/schema/schema.ts";
import { writeOutputSchema } from "../core/schema/schema-json.ts";
import { parseJson } from "../text/json.ts";
import { bounded } from "../text/visible.ts";

/** What the answer of a run has to be. */
export interface WantedOutput {
  /** What the model is told about it. */
  readonly told: string;
  /** What is wrong with an answer, in words for the model; null when it fits. */
  misfit(answer: string): Promise<string | null>;
  /** What the schema made of the answer that fitted. */
  value(): unknown;
}

/** Throws a TypeError for a schema that cannot be told to a model. */
export function createWantedOutput(schema: StandardSchema, jsonSchema: object = writeOutputSchema(schema)): WantedOutput {
  if (typeof schema["~standard"]?.validate !== "function")
    throw new TypeError("schema must be one of zod 4 or another library of Standard Schema.");
  let value: unknown;
  return {
    told: `[output] When you are done, answer with JSON that fits this JSON Schema, and with nothing else: no words before or after it.\n${JSON.stringify(jsonSchema)}`,
    async misfit(answer) {
      const given = readJsonAnswer(answer);
      if (given === undefined) return "The answer is not JSON.";
      try {
        const fit = await schema["~standard"].validate(given);
        if (fit.issues) return `The JSON does not fit the schema. ${fit.issues.slice(0, MOST_ISSUES).map(issueWords).join(" ")}`;
        value = fit.value;
        return null;
      } catch (error) {
        return `The schema could not be held against the JSON: ${bounded(error instanceof Error ? error.message : String(error), LONGEST)}.`;
      }
    },
    value: () => value,
  };
}

const MOST_ISSUES = 8;
const LONGEST = 300;

/** Models put JSON into a fenced block, sometimes with words around it. Where there are several blocks it is not guessed which is meant. */
function readJsonAnswer(answer: string): unknown {
  const whole = parseJson(answer);
  if (whole !== undefined) return whole;
  const blocks = answer.split(/^[ \t]*```(?:json)?[ \t]*$/im);
  return blocks.length === 3 ? parseJson(blocks[1]!) : undefined;
}

function issueWords({ path = [], message }: StandardIssue): string {
  const at = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  const words = bounded(message, LONGEST).replace(/\.$/, "");
  return at === "" ? `${words}.` : `${JSON.stringify(bounded(at, LONGEST))}: ${words}.`;
}

export const repairText = (misfit: string): string => `[output] ${misfit} Answer once more, with the corrected JSON and nothing else.`;
export const misfitText = (misfit: string): string =>
  `The model's answer is not what was asked for, also when it was asked again. ${misfit}`;
