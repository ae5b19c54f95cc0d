import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "BeforeTool", post: "AfterTool" } as const;

export const GEMINI_PLAN: ClientPlan = {
  name: "gemini",
  program: "gemini",
  package: "@google/gemini-cli",
  tested: ["0.61.0"],
  files: { user: ".gemini/settings.json", project: null, shared: ".gemini/settings.json" },
  folder: { user: ".gemini", project: ".gemini", shared: ".gemini" },
  cannot: { filter: "Gemini shows the model an output that a hook replaced as an error." },
  gaps: ["A hook that takes longer than the limit of Gemini lets the call through."],
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
