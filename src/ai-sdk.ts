export { type AiSdkOptions, fromAiSdk } from "./models/ai-sdk.ts";
