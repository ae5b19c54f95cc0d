import type { ClientPlan, HookEntry } from "../client-plan.ts";

/** Calls that have an event of their own are judged there. The general event is for those that have none: otherwise a person is asked twice. */
const OWN_EVENTS = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile"];
const OTHER_TOOLS = "Write|StrReplace|Delete";

export const CURSOR_PLAN: ClientPlan = {
  name: "cursor",
  program: "cursor-agent",
  package: "cursor-agent",
  files: { user: ".cursor/hooks.json", project: null, shared: ".cursor/hooks.json" },
  folder: { user: ".cursor", project: ".cursor", shared: ".cursor" },
  gaps: ["Everything about Cursor is from its documentation; nothing was run."],
  form: {
    kind: "settings",
    comments: "refused",
    top: [["version", 1]],
    entries: (command, { onFailure }) => {
      const closed = onFailure === "deny" ? { failClosed: true } : {};
      const own = OWN_EVENTS.map((event): HookEntry => ({ event, entry: { command: command("pre"), ...closed } }));
      return [...own, { event: "preToolUse", entry: { command: command("pre"), matcher: OTHER_TOOLS, ...closed } }];
    },
  },
};
