import type { ClientPlan } from "../client-plan.ts";
import { pluginText } from "../plugin-text.ts";

const BODY = `
export default function (pi) {
  const about = (event, ctx) => ({
    cwd: ctx?.cwd ?? process.cwd(),
    session_id: String(ctx?.sessionManager?.getSessionId?.() ?? process.pid),
    tool_name: event.toolName,
    tool_input: event.input,
    tool_use_id: String(event.toolCallId ?? ""),
  });
  pi.on("tool_call", async (event, ctx) => {
    const { decision, reason, tool_input } = await judge(about(event, ctx));
    if (decision === "deny") return { block: true, reason };
    if (decision === "ask" && !(ctx?.hasUI && (await ctx.ui.confirm("Zeph asks", reason)))) return { block: true, reason };
    if (tool_input) Object.assign(event.input, tool_input);
  });
  pi.on("tool_result", async (event, ctx) => {
    const texts = (event.content ?? []).filter((part) => part.type === "text").map((part) => part.text);
    const shown = await filter({ ...about(event, ctx), tool_response: texts.join("\\n"), is_error: event.isError === true });
    if (shown === null) return;
    return { content: [{ type: "text", text: shown }, ...event.content.filter((part) => part.type !== "text")] };
  });
}
`;

export const PI_PLAN: ClientPlan = {
  name: "pi",
  program: "pi",
  tested: ["0.87.1"],
  files: { user: ".pi/agent/extensions/zeph.ts", project: null, shared: ".pi/extensions/zeph.ts" },
  folder: { user: ".pi", project: ".pi", shared: ".pi" },
  cannot: {},
  gaps: ["pi asks nobody by itself: what Zeph does not hold back is run."],
  form: { kind: "plugin", text: (command, how) => pluginText("pi", command, how, BODY) },
};
