import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "PreToolUse", post: "PostToolUse" } as const;

export const CODEX_PLAN: ClientPlan = {
  name: "codex",
  program: "codex",
  package: "@openai/codex",
  files: { user: ".codex/hooks.json", project: null, shared: ".codex/hooks.json" },
  folder: { user: ".codex", project: ".codex", shared: ".codex" },
  gaps: [
    "Codex runs no hook that nobody trusted, and says nothing about it.",
    "What is typed into a shell that runs already (write_stdin) passes no hook.",
  ],
  form: {
    kind: "settings",
    comments: "refused",
    top: [],
    entries: (command, { mode }) =>
      eventsOf(mode).map((event) => ({
        event: EVENTS[event],
        entry: { matcher: ".*", hooks: [{ type: "command", command: command(event), timeout: CLIENT_WAIT_SECONDS }] },
      })),
  },
};
