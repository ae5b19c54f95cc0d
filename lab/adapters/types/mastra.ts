import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createRuntime } from "zeph";
import { govern, toMastraTools } from "zeph/mastra";
import * as z from "zod";

const zeph = await createRuntime();
const deploy = createTool({
  id: "deploy",
  description: "",
  inputSchema: z.object({ service: z.string() }),
  execute: async ({ service }) => ({ done: service.trim() }),
});
const tools = { ...toMastraTools(zeph, { only: ["read"] }), ...govern(zeph, { deploy }, { session: "a" }) };
export const agent = new Agent({ id: "a", name: "a", instructions: "", model: "openai/gpt-5", tools });
// What a tool is keeps its type.
export const same: typeof deploy = govern(zeph, { deploy }).deploy;
// @ts-expect-error there is no such option
toMastraTools(zeph, { onyl: [] });
