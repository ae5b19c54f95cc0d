import { Agent, tool } from "@openai/agents";
import { createRuntime } from "zeph";
import { govern, toOpenAiAgentsTools } from "zeph/openai-agents";
import * as z from "zod";

const zeph = await createRuntime();
const own = [
  tool({ name: "deploy", description: "", parameters: z.object({ service: z.string() }), execute: async ({ service }) => service.trim() }),
];
export const agent = new Agent({
  name: "a",
  tools: [
    ...toOpenAiAgentsTools(zeph, { only: ["read"] }),
    ...govern(zeph, own, { as: { deploy: ({ service }) => ({ tool: "bash", args: { command: service } }) } }),
  ],
});
export const ofCaller = new Agent({ name: "b", tools: toOpenAiAgentsTools(zeph.as({ id: "ada" }), { approval: "confirm" }) });
// @ts-expect-error there is no such option
toOpenAiAgentsTools(zeph, { onyl: [] });
