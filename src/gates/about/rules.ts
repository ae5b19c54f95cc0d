import { type AboutGate, settingsIn } from "./gate.ts";

/** The gates of written rules, and of trust. */
export const RULES: readonly AboutGate[] = [
  {
    name: "policy",
    asks: "Which of your rules matches first, and what does it say?",
    settings: settingsIn("tools.policy", "enabled default_effect rules policy_file"),
    byDefault: "off; once it is on, a call that no rule matches is denied",
    cost: "the rules that can speak of this tool, one after the other; an expression takes time linear in the text",
    example: {
      toml: '[tools.policy]\nenabled = true\ndefault_effect = "allow"\n\n[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "git push .*--force"',
      call: { tool: "bash", args: { command: "git push origin --force" } },
      verdict: "deny",
      rule: "rule[0] deny",
      why: 'rule[0] deny: tool=bash matched "bash", args_match "git push .*--force"',
      told: "denied by policy",
    },
  },
  {
    name: "authorization",
    asks: "The same, for a second list of rules, such as one that your company provides. The rules of `policy` come first.",
    settings: settingsIn("tools.authorization", "enabled rules"),
    byDefault: "off; once it is on, a call that no rule matches passes",
    cost: "as for `policy`: they are one list",
    example: {
      toml: '[tools.authorization]\nenabled = true\n\n[[tools.authorization.rules]]\naction = "deny"\ntools = ["write", "edit", "*_path"]\npaths = ["infra/**"]',
      call: { tool: "delete_path", args: { path: "infra/main.tf" } },
      verdict: "deny",
      rule: "rule[0] deny",
      why: 'rule[0] deny: tool=delete_path matched "*_path", paths "infra/**" matched infra/main.tf',
      told: "denied by policy",
    },
  },
  {
    name: "adversarial",
    asks: "Does another model think that the call keeps to your policies in plain words?",
    settings: settingsIn("tools.adversarial_policy", "enabled provider policies policy_file fail_open timeout_ms exempt_tools"),
    byDefault: "off",
    cost: "one request to a model for each call that nobody else denied; others do not wait for it",
    example: {
      toml: '[tools.adversarial_policy]\nenabled = true\npolicies = ["Nothing is ever deployed on a Friday."]',
      call: { tool: "bash", args: { command: "./deploy.sh" } },
      verdict: "deny",
      rule: "policies",
      why: "A model judged that this breaks a policy: it is Friday",
      told: "denied by policy",
      given: "a model that answers `DENY: it is Friday`",
    },
  },
  {
    name: "trust",
    asks: "How far are the caller, the tool, and the skills and servers behind the call trusted?",
    settings: [],
    byDefault:
      "you and your programs are trusted; a skill that you have not trusted asks for everything but reading; a trusted skill that changed may only read",
    cost: "a few comparisons",
    example: {
      toml: "",
      call: { tool: "write", args: { path: "a.txt", content: "a" }, caller: { trust: "untrusted", callerId: "visitor" } },
      verdict: "deny",
      rule: "untrusted caller",
      why: 'The caller "visitor" is untrusted and may only read. Its trust is set where the caller comes from.',
    },
  },
  {
    name: "permissions",
    asks: "Do your rules for this tool allow it? And would it change a protected file, which something outside the sandbox runs or obeys later?",
    settings: ["autonomy", "tools.enabled", "tools.permissions", "tools.shell.confirm_patterns"],
    byDefault:
      'reading passes; commands pass behind working walls; everything else asks. A protected file (git\'s settings and hooks, editor and agent settings, AGENTS.md, CI, rc files) asks whatever rule allows its folder, unless a rule without wildcards names it; `autonomy = "full"` refuses it',
    cost: "each path is resolved; the tool's rules, one after the other",
    example: {
      toml: '[[tools.permissions.write]]\npattern = "secrets/**"\naction = "deny"\n\n[[tools.permissions.write]]\npattern = "src/**"\naction = "allow"',
      call: { tool: "write", args: { path: "src/../secrets/key", content: "" } },
      verdict: "deny",
      rule: "write[0] deny secrets/**",
      why: 'The rule "secrets/**" for write forbids src/../secrets/key.',
    },
  },
];
