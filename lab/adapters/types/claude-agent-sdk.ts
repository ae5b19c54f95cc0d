import { type CanUseTool, type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { createRuntime } from "zeph";
import { govern, toClaudeAgentTools } from "zeph/claude-agent-sdk";

const zeph = await createRuntime();
const canUseTool: CanUseTool = async (_tool, updatedInput) => ({ behavior: "allow", updatedInput });
export const options: Options = { cwd: "/tmp", ...govern(zeph, { canUseTool, tools: { only: ["read"], server: "files" } }) };
export const run = query({ prompt: "", options: toClaudeAgentTools(zeph, { canUseTool }) });
export const ofCaller: Options = toClaudeAgentTools(zeph.as({ id: "ada" }));
// @ts-expect-error there is no such option
govern(zeph, { canUsTool: canUseTool });
