import { isRecord } from "../../../text/json.ts";
import { allText, LAST_WORD, type ModelWire, offeredTool, plainEvent, recordsIn } from "./model-wire.ts";

/** It is asked which model to take and who speaks next, and wants JSON back. */
const CHOICE = { reasoning: "x", model_choice: "flash", complexity_score: 1, complexity_reasoning: "x", next_speaker: "user" };

/** Google's generateContent. */
export const GEMINI_WIRE: ModelWire = {
  path: /:(?:streamGenerateContent|generateContent)$/,
  read: ({ tools, contents }) => ({
    tools: recordsIn(tools)
      .flatMap(({ functionDeclarations }) => recordsIn(functionDeclarations))
      .flatMap(({ name, parametersJsonSchema, parameters }) => offeredTool(name, parametersJsonSchema ?? parameters)),
    results: recordsIn(contents)
      .flatMap(({ parts }) => recordsIn(parts))
      .flatMap(({ functionResponse: said }) => (isRecord(said) ? [allText(said.response)] : [])),
  }),
  answer({ generationConfig }, call, { id, url }) {
    const wantsJson = isRecord(generationConfig) && generationConfig.responseMimeType === "application/json";
    const text = wantsJson ? JSON.stringify(CHOICE) : LAST_WORD;
    const part = call ? { functionCall: { id: `fc${id}`, name: call.name, args: call.args } } : { text };
    const value = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "m",
    };
    return url.includes("streamGenerateContent") ? { kind: "events", lines: [plainEvent(value)] } : { kind: "json", value };
  },
};
