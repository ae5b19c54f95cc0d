import type { ClientName, HookClient } from "./client.ts";
import { claude } from "./clients/claude.ts";
import { codex } from "./clients/codex.ts";
import { copilot } from "./clients/copilot.ts";
import { cursor } from "./clients/cursor.ts";
import { gemini } from "./clients/gemini.ts";
import { opencode } from "./clients/opencode.ts";
import { pi } from "./clients/pi.ts";
import { qwen } from "./clients/qwen.ts";

export const HOOK_CLIENTS: Readonly<Record<ClientName, HookClient>> = { claude, codex, copilot, gemini, qwen, opencode, pi, cursor };

export const findClient = (name: string): HookClient | null =>
  Object.hasOwn(HOOK_CLIENTS, name) ? HOOK_CLIENTS[name as ClientName] : null;
