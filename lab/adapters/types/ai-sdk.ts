import { generateText, type LanguageModel, type ToolSet, tool } from "ai";
import { createRuntime, type Zeph } from "zeph";
import { govern, toAiSdkTools, toolApproval } from "zeph/ai-sdk";
import * as z from "zod";

export async function use(model: LanguageModel, prompt: string): Promise<string> {
  await using zeph: Zeph = await createRuntime();
  const own = govern(zeph, {
    deploy: tool({ inputSchema: z.object({ service: z.string() }), execute: async ({ service }) => service.trim() }),
  });
  const theirs: ToolSet = toAiSdkTools(zeph, { only: ["read"], onAsk: ({ why }) => void why.trim() });
  const tools = { ...own, ...theirs };
  // What a tool is keeps its type.
  own.deploy.inputSchema;
  // @ts-expect-error there is no such tool
  own.deplyo;
  // @ts-expect-error there is no such option
  govern(zeph, {}, { sesion: "x" });
  const view = toAiSdkTools(zeph.as({ id: "ada" }));
  const { text } = await generateText({ model, tools: { ...tools, ...view }, toolApproval: toolApproval(own), prompt });
  return text;
}
