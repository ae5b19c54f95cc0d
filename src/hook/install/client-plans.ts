import type { ClientName } from "../client.ts";
import type { ClientPlan } from "./client-plan.ts";
import { CLAUDE_PLAN } from "./clients/claude.ts";
import { CODEX_PLAN } from "./clients/codex.ts";
import { COPILOT_PLAN } from "./clients/copilot.ts";
import { CURSOR_PLAN } from "./clients/cursor.ts";
import { GEMINI_PLAN } from "./clients/gemini.ts";
import { OPENCODE_PLAN } from "./clients/opencode.ts";
import { PI_PLAN } from "./clients/pi.ts";
import { QWEN_PLAN } from "./clients/qwen.ts";

export const CLIENT_PLANS: Readonly<Record<ClientName, ClientPlan>> = {
  claude: CLAUDE_PLAN,
  codex: CODEX_PLAN,
  copilot: COPILOT_PLAN,
  gemini: GEMINI_PLAN,
  qwen: QWEN_PLAN,
  opencode: OPENCODE_PLAN,
  pi: PI_PLAN,
  cursor: CURSOR_PLAN,
};
