import { basename } from "node:path";
import type { ClientName } from "../client.ts";
import { CLIENT_PLANS } from "./client-plans.ts";

/** How many words of a command line can name the program: an interpreter, its options, the script. */
const NAMING_WORDS = 4;

/** Whether these are the words of a process of that client. */
export function isProcessOf(client: ClientName, words: readonly string[]): boolean {
  const plan = CLIENT_PLANS[client];
  return words
    .slice(0, NAMING_WORDS)
    .some(
      (word, n) => (n < 2 && basename(word).replace(/\.[cm]?js$/, "") === plan.program) || word.includes(`/node_modules/${plan.package}/`),
    );
}

/** Variables that a client sets for the commands of its model, and for no person. */
const MARKS: Readonly<Record<ClientName, readonly string[]>> = {
  claude: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"],
  codex: ["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
  copilot: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  gemini: ["GEMINI_CLI"],
  qwen: ["QWEN_CODE"],
  opencode: ["OPENCODE", "OPENCODE_PID"],
  pi: ["PI_CODING_AGENT"],
  cursor: ["CURSOR_AGENT"],
};

/** Whether somebody with these variables was started for the model of that client. */
export const isMarkedBy = (client: ClientName, variables: Readonly<Record<string, string | undefined>>): boolean =>
  MARKS[client].some((name) => variables[name] !== undefined && variables[name] !== "");
