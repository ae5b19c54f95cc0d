import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "BeforeTool", post: "AfterTool" } as const;

export const GEMINI_PLAN: ClientPlan = {
  name: "gemini",
  program: "gemini",
  package: "@google/gemini-cli",
  files: { user: ".gemini/settings.json", project: null, shared: ".gemini/settings.json" },
  folder: { user: ".gemini", project: ".gemini", shared: ".gemini" },
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
          hooks: [{ name: "zeph", type: "command", command: command(event), timeout: CLIENT_WAIT_SECONDS * 1000 }],
        },
      })),
  },
};
