export { type AiSdkOptions, fromAiSdk } from "./models/ai-sdk.ts";
export type { AiSdkApprovalStatus, AiSdkToolApproval, AnyAiSdkTool } from "./runtime/adapters/ai-sdk.ts";
export { aiSdkToolApproval as toolApproval, governAiSdkTools as govern, toAiSdkTools } from "./runtime/adapters/ai-sdk.ts";
export type { Governing, GovernOptions, JudgedAs } from "./runtime/adapters/governed-calls.ts";
export type { AdapterQuestion, OwnToolsOf } from "./runtime/adapters/own-tools.ts";
