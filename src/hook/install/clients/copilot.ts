import { CLIENT_WAIT_SECONDS, type ClientPlan, eventsOf } from "../client-plan.ts";

const EVENTS = { pre: "preToolUse", post: "postToolUse" } as const;

export const COPILOT_PLAN: ClientPlan = {
  name: "copilot",
  program: "copilot",
  package: "@github/copilot",
  files: { user: ".copilot/hooks/zeph.json", project: null, shared: ".github/hooks/zeph.json" },
  folder: { user: ".copilot", project: ".github", shared: ".github" },
  gaps: [],
  form: {
    kind: "settings",
    comments: "refused",
    top: [["version", 1]],
    entries: (command, { mode }) =>
      eventsOf(mode).map((event) => ({
        event: EVENTS[event],
        entry: { type: "command", bash: command(event), timeoutSec: CLIENT_WAIT_SECONDS },
      })),
  },
};
