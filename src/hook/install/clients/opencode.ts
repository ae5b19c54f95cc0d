import type { ClientPlan } from "../client-plan.ts";
import { pluginText } from "../plugin-text.ts";

/**
 * opencode puts no question for a plugin. It can be made to ask about every command itself: the plugin then answers for those that Zeph lets pass, and
 * leaves the others to the person. That is done on its own screen only, for a run without one says no by itself, and only where its settings allow every
 * command: a rule of a person's that asks or denies must not be answered here. Everywhere else what is asked about is denied, with a way to lift it.
 */
const BODY = `
/** Whether this runs behind opencode's own screen. */
const HAS_SCREEN = /[\\/]tui[\\/]worker\\.[a-z]+$/.test(process.argv[1] ?? "");
const MOST_CALLS = 1000;

/** Whether these settings let every command run unasked. */
const allows = (given) => {
  if (given === undefined || given === "allow") return true;
  if (typeof given !== "object" || given === null) return false;
  return Object.entries(given).every(([name, rule]) => {
    if (name !== "*" && name !== "bash") return !name.includes("*") && !name.includes("?");
    return rule === "allow" || (typeof rule === "object" && rule !== null && Object.values(rule).every((one) => one === "allow"));
  });
};

export const Zeph = async ({ client, directory }) => {
  const passed = new Set();
  const folder = directory ?? process.cwd();
  let asks = false;
  return {
    config: async (config) => {
      const others = [...Object.values(config.agent ?? {}), ...Object.values(config.mode ?? {})];
      if (!HAS_SCREEN || PRE === null || ![config, ...others].every((one) => allows(one?.permission))) return;
      const { bash, ...rest } = typeof config.permission === "object" ? config.permission : { "*": "allow" };
      config.permission = { ...rest, bash: { "*": "ask" } };
      asks = true;
    },
    "tool.execute.before": async (input, output) => {
      const canAsk = asks && input.tool === "bash";
      const { verdict, reason, args } = await judge({ ev: "before", directory: folder, input, args: output.args, canAsk });
      if (verdict === "deny" || (verdict === "ask" && !canAsk)) throw new Error(reason);
      if (args) Object.assign(output.args, args);
      if (verdict === "ask") return void client.tui.showToast({ body: { message: reason, variant: "warning", duration: 60000 } }).catch(() => {});
      passed.add(input.sessionID + " " + input.callID);
      if (passed.size > MOST_CALLS) passed.delete(passed.values().next().value);
    },
    event: async ({ event }) => {
      if (!asks || event.type !== "permission.asked") return;
      const { id, sessionID, permission, tool } = event.properties;
      if (permission !== "bash" || !passed.has(sessionID + " " + tool?.callID)) return;
      await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response: "once" } });
    },
    "tool.execute.after": async (input, output) => {
      passed.delete(input.sessionID + " " + input.callID);
      const said = await filter({ ev: "after", directory: folder, input, output });
      if (typeof said?.output === "string") output.output = said.output;
    },
  };
};
`;

export const OPENCODE_PLAN: ClientPlan = {
  name: "opencode",
  program: "opencode",
  package: "opencode-ai",
  files: { user: ".config/opencode/plugins/zeph.js", project: null, shared: ".opencode/plugins/zeph.js" },
  folder: { user: ".config/opencode", project: ".opencode", shared: ".opencode" },
  gaps: [
    "opencode puts Zeph's questions about commands on its own screen, where its settings allow all commands. What else Zeph asks about is denied until `zeph hook approve` lifts it.",
    "Who answers such a question with `always` answers for that kind of command until opencode ends.",
    "A plugin that opencode cannot load, and `opencode --pure`, leave it without Zeph.",
  ],
  form: { kind: "plugin", text: (command, how) => pluginText("opencode", command, how, BODY) },
};
