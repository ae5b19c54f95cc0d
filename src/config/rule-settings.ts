/**
 * Settings, and whole tables of them, from which gates and blocklist are built, and what people may use. They count as soon as they are read again, and
 * the policy of a fleet may say them; what is started, and how commands are run, is each machine's own.
 */
export const RULE_SETTINGS: readonly string[] = [
  "autonomy",
  "tools.enabled",
  "tools.max_tool_calls_per_session",
  "tools.four_eyes",
  "tools.permissions",
  "tools.policy",
  "tools.authorization",
  "tools.scoped",
  // Only this one of its table: the others say as whom commands run, which is the host's.
  "tools.scope.require_capability",
  "tools.adversarial_policy",
  "tools.governance",
  "tools.anomaly",
  "tools.utility",
  // What a command may be. How it is run is the host's.
  "tools.shell.blocked_commands",
  "tools.shell.confirm_patterns",
  "tools.shell.constructs",
  // The proxy asks for these at each connection. All else of their table is built into the walls.
  "tools.sandbox.allow_domains",
  "tools.sandbox.deny_domains",
  "agent.hallucination_detection",
  "agent.reasoning_model_detection",
  // What a fleet's policy says of people. Each call, and each question, asks for it.
  "fleet.approval_secs",
  "fleet.trusted_repos",
  "fleet.quota",
];

/** Whether a setting is in a list of settings and tables. */
export const isAmong = (list: readonly string[], key: string): boolean => list.some((one) => key === one || key.startsWith(`${one}.`));
