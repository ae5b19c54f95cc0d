import type { ClientPlan } from "../client-plan.ts";
import { pluginText } from "../plugin-text.ts";

const BODY = `
export const Zeph = async ({ directory }) => {
  const about = ({ tool, sessionID, callID }, args) => ({
    cwd: directory ?? process.cwd(),
    session_id: String(sessionID),
    tool_name: tool,
    tool_input: args,
    tool_use_id: String(callID),
  });
  return {
    "tool.execute.before": async (input, output) => {
      const { decision, reason, tool_input } = await judge(about(input, output.args));
      if (decision !== "allow") throw new Error(reason);
      if (tool_input) Object.assign(output.args, tool_input);
    },
    "tool.execute.after": async (input, output) => {
      const shown = await filter({ ...about(input, input.args ?? {}), tool_response: output.output });
      if (shown !== null) output.output = shown;
    },
  };
};
`;

export const OPENCODE_PLAN: ClientPlan = {
  name: "opencode",
  program: "opencode",
  tested: ["1.18.33"],
  files: { user: ".config/opencode/plugins/zeph.js", project: null, shared: ".opencode/plugins/zeph.js" },
  folder: { user: ".config/opencode", project: ".opencode", shared: ".opencode" },
  cannot: {},
  gaps: ["A hook cannot put a question in opencode: what Zeph asks about is denied until `zeph hook approve` lifts it."],
  form: { kind: "plugin", text: (command, how) => pluginText("opencode", command, how, BODY) },
};
