import type { ClientPlan } from "../client-plan.ts";
import { pluginText } from "../plugin-text.ts";

/** opencode puts no question for a plugin, so none can be asked here: Zeph answers with a no and a way to lift it. */
const BODY = `
export const Zeph = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const call = { ev: "before", directory: directory ?? process.cwd(), input, args: output.args, canAsk: false };
    const { verdict, reason, args } = await judge(call);
    if (verdict === "deny" || verdict === "ask") throw new Error(reason);
    if (args) Object.assign(output.args, args);
  },
  "tool.execute.after": async (input, output) => {
    const said = await filter({ ev: "after", directory: directory ?? process.cwd(), input, output });
    if (typeof said?.output === "string") output.output = said.output;
  },
});
`;

export const OPENCODE_PLAN: ClientPlan = {
  name: "opencode",
  program: "opencode",
  package: "opencode-ai",
  files: { user: ".config/opencode/plugins/zeph.js", project: null, shared: ".opencode/plugins/zeph.js" },
  folder: { user: ".config/opencode", project: ".opencode", shared: ".opencode" },
  gaps: ["A hook cannot put a question in opencode: what Zeph asks about is denied until `zeph hook approve` lifts it."],
  offSwitches: [],
  form: { kind: "plugin", text: (command, how) => pluginText("opencode", command, how, BODY) },
};
