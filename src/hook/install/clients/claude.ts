import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "PreToolUse", post: "PostToolUse" } as const;

export const CLAUDE_PLAN: ClientPlan = {
  name: "claude",
  program: "claude",
  package: "@anthropic-ai/claude-code",
  files: { user: ".claude/settings.json", project: ".claude/settings.local.json", shared: ".claude/settings.json" },
  folder: { user: ".claude", project: ".claude", shared: ".claude" },
  gaps: [
    "Before version 2.1.295 a hook that takes too long lets the call through.",
    "A file that is mentioned with @ is read without a hook.",
  ],
  form: {
    kind: "settings",
    comments: "refused",
    top: [],
    entries: (command, { mode, onFailure }) =>
      eventsOf(mode).map((event) => ({
        event: EVENTS[event],
        entry: {
          matcher: "*",
          hooks: [
            {
              type: "command",
              command: command(event),
              timeout: CLIENT_WAIT_SECONDS,
              ...(event === "pre" && onFailure === "deny" && { onFailure: "block" }),
            },
          ],
        },
      })),
  },
};
