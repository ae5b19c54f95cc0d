import { createAgent, type FakeToolCallingModel, tool } from "langchain";
import { createRuntime } from "zeph";
import { govern, toLangChainTools } from "zeph/langchain";
import * as z from "zod";

declare const model: FakeToolCallingModel;
const zeph = await createRuntime();
const own = tool(({ service }) => service.trim(), { name: "deploy", description: "", schema: z.object({ service: z.string() }) });
// In place of `tools` the list itself would not compile: createAgent takes no list with an array spread in it, not even of its own tools.
const tools = [...toLangChainTools(zeph, { only: ["read"] }), own];
export const agent = createAgent({ model, tools, middleware: [govern(zeph, { session: "a" })] });
// @ts-expect-error there is no such option
govern(zeph, { sesion: "a" });
