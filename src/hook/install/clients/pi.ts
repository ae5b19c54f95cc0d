import type { ClientPlan } from "../client-plan.ts";
import { pluginText } from "../plugin-text.ts";

const BODY = `
export default function (pi) {
  const about = (event, ctx) => ({
    ...(typeof ctx?.cwd === "string" ? { cwd: ctx.cwd } : {}),
    session: String(ctx?.sessionManager?.getSessionId?.() ?? process.pid),
    toolName: event.toolName,
    toolCallId: String(event.toolCallId ?? ""),
    input: event.input ?? {},
  });
  pi.on("tool_call", async (event, ctx) => {
    const hasUI = ctx?.hasUI === true;
    const { verdict, reason, args } = await judge({ ev: "tool_call", ...about(event, ctx), hasUI });
    if (verdict === "deny") return { block: true, reason };
    if (verdict === "ask" && !(hasUI && (await ctx.ui.confirm("Zeph asks", reason)) === true)) return { block: true, reason };
    if (args) Object.assign(event.input, args);
  });
  pi.on("tool_result", async (event, ctx) => {
    const { content = [], isError = false } = event;
    const said = await filter({ ev: "tool_result", ...about(event, ctx), content, isError });
    if (Array.isArray(said?.content)) return { content: said.content };
  });
}
`;

export const PI_PLAN: ClientPlan = {
  name: "pi",
  program: "pi",
  package: "@earendil-works/pi-coding-agent",
  files: { user: ".pi/agent/extensions/zeph.ts", project: null, shared: ".pi/extensions/zeph.ts" },
  folder: { user: ".pi", project: ".pi", shared: ".pi" },
  gaps: ["pi asks nobody by itself: what Zeph does not hold back is run."],
  form: { kind: "plugin", text: (command, how) => pluginText("pi", command, how, BODY) },
};
