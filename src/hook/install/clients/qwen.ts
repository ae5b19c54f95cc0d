import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "PreToolUse", post: "PostToolUse" } as const;

export const QWEN_PLAN: ClientPlan = {
  name: "qwen",
  program: "qwen",
  package: "@qwen-code/qwen-code",
  files: { user: ".qwen/settings.json", project: null, shared: ".qwen/settings.json" },
  folder: { user: ".qwen", project: ".qwen", shared: ".qwen" },
  gaps: [],
  form: {
    kind: "settings",
    comments: "allowed",
    top: [],
    entries: (command, { mode }) =>
      eventsOf(mode).map((event) => ({
        event: EVENTS[event],
        entry: {
          matcher: ".*",
          // In milliseconds: versions that count in seconds read a number as large as this in milliseconds too.
          hooks: [{ name: "zeph", type: "command", command: command(event), timeout: CLIENT_WAIT_SECONDS * 1000 }],
        },
      })),
  },
};
