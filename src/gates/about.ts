/** One of those who decide, as docs/gates.md tells of it. A test holds each example to be true. */
export interface AboutGate {
  readonly name: string;
  /** What it asks about a call. */
  readonly asks: string;
  /** The settings it reads; none where there are none. */
  readonly settings: readonly string[];
  /** What holds when nothing is set. */
  readonly byDefault: string;
  /** What it looks at, which is what it costs. Measured numbers stand in the page's table. */
  readonly cost: string;
  readonly example: AboutExample;
}

export interface AboutExample {
  /** A configuration. */
  readonly toml: string;
  readonly call: AboutCall;
  /** Calls that came before. */
  readonly before?: readonly AboutCall[];
  readonly verdict: "ask" | "deny";
  readonly rule: string | null;
  /** What the person and the log read. The workspace is `~/project`. */
  readonly why: string;
  /** What the model reads, where that is less. */
  readonly told?: string;
  /** What it takes besides the configuration: a model's answer, a machine without walls. */
  readonly given?: string;
}

export interface AboutCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller?: Readonly<Record<string, string>>;
}

/** A call of a model, in a conversation. */
const MODEL = { phase: "executor", conversationId: "c" } as const;

/** In the order they are asked: the blocklist, the gates, the person's hooks. */
export const ABOUT_GATES: readonly AboutGate[] = [
  {
    name: "blocklist",
    asks: "Is it one of the things that are never done: Zeph's own files changed, `sudo`, a disk formatted, a fork bomb, an address inside the network, a blocked command?",
    settings: ["tools.shell.blocked_commands", "tools.shell.constructs", "tools.sandbox.allow_network"],
    byDefault: "always on; settings only add to it",
    cost: "a command is taken apart once, by whoever asks first; a path that is written is resolved",
    example: {
      toml: '[tools.shell]\nblocked_commands = ["docker push"]',
      call: { tool: "bash", args: { command: "cd app && docker push registry/app" } },
      verdict: "deny",
      rule: "blocked_commands: docker push",
      why: '"docker push registry/app" is never run: tools.shell.blocked_commands forbids it.',
    },
  },
  {
    name: "files",
    asks: "Are all paths of a file tool inside the allowed folders, and may they be read?",
    settings: ["tools.file.allowed_paths", "tools.file.deny_read", "tools.file.allow_read"],
    byDefault: "the working directory",
    cost: "asks the system where each path leads",
    example: {
      toml: '[tools.file]\ndeny_read = ["**/*.pem"]',
      call: { tool: "read", args: { path: "keys/server.pem" } },
      verdict: "deny",
      rule: "deny_read **/*.pem",
      why: '~/project/keys/server.pem may not be read: tools.file.deny_read lists "**/*.pem".',
    },
  },
  {
    name: "scope",
    asks: "May this caller do more than read?",
    settings: ["tools.scope.enabled", "tools.scope.require_capability"],
    byDefault: "everyone may",
    cost: "two comparisons",
    example: {
      toml: "[tools.scope]\nenabled = true\nrequire_capability = true",
      call: { tool: "write", args: { path: "a.txt", content: "a" }, caller: { trust: "provisional" } },
      verdict: "deny",
      rule: "tools.scope.require_capability",
      why: "write does more than read, and the caller is provisional. Only a trusted caller may use it.",
    },
  },
  {
    name: "scoped",
    asks: "Is the tool used here at all, and does the call stay within its limits: texts, folders, hosts, who calls?",
    settings: ["tools.scoped.enabled", "tools.scoped.denied_tools", "tools.scoped.allowed_tools", "tools.scoped.constraints"],
    byDefault: "off",
    cost: "a look into a table by the tool's name; only a tool with limits has its arguments searched and its paths resolved",
    example: {
      toml: '[tools.scoped]\nenabled = true\n\n[[tools.scoped.constraints]]\ntool = "fetch"\nallowed_domains = ["docs.example.org"]',
      call: { tool: "fetch", args: { url: "https://example.net/page" } },
      verdict: "deny",
      rule: "tools.scoped.constraints[0] (fetch): allowed_domains docs.example.org",
      why: "tools.scoped.constraints[0] (fetch): allowed_domains docs.example.org: https://example.net/page is elsewhere.",
    },
  },
  {
    name: "dependencies",
    asks: "Have the tools it requires succeeded in this session?",
    settings: ["tools.dependencies.enabled", "tools.dependencies.rules"],
    byDefault: "off",
    cost: "a look into a table",
    example: {
      toml: '[tools.dependencies]\nenabled = true\n\n[tools.dependencies.rules.write]\nrequires = ["read"]',
      call: { tool: "write", args: { path: "a.txt", content: "a" } },
      verdict: "deny",
      rule: "requires read",
      why: "write may be called once read has succeeded.",
    },
  },
  {
    name: "quota",
    asks: "Are calls left in this session?",
    settings: ["tools.max_tool_calls_per_session"],
    byDefault: "no limit",
    cost: "compares two numbers",
    example: {
      toml: "[tools]\nmax_tool_calls_per_session = 1",
      before: [{ tool: "list_directory", args: { path: "." } }],
      call: { tool: "list_directory", args: { path: "." } },
      verdict: "deny",
      rule: "max_tool_calls_per_session = 1",
      why: "quota_blocked: all 1 calls of this session are used.",
    },
  },
  {
    name: "policy",
    asks: "Which of your rules matches first, and what does it say?",
    settings: ["tools.policy.enabled", "tools.policy.default_effect", "tools.policy.rules", "tools.policy.policy_file"],
    byDefault: "off; once it is on, a call that no rule matches is denied",
    cost: "the rules that can speak of this tool, one after the other; all expressions are searched for together, once",
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
    asks: "The same, for rules somebody else hands out: they come after those of the policy, in one list.",
    settings: ["tools.authorization.enabled", "tools.authorization.rules"],
    byDefault: "off; once it is on, a call that no rule matches passes",
    cost: "nothing more where the policy has searched the list already",
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
    settings: [
      "tools.adversarial_policy.enabled",
      "tools.adversarial_policy.provider",
      "tools.adversarial_policy.policies",
      "tools.adversarial_policy.policy_file",
      "tools.adversarial_policy.fail_open",
      "tools.adversarial_policy.timeout_ms",
      "tools.adversarial_policy.exempt_tools",
    ],
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
    asks: "How far are the caller, the skills and servers the model has read, and the tool itself believed?",
    settings: [],
    byDefault:
      "you and your programs are trusted; a skill nobody vouched for asks for everything but reading; one that changed since may only read",
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
    asks: "Do your rules for this tool allow it?",
    settings: ["autonomy", "tools.enabled", "tools.permissions", "tools.shell.confirm_patterns"],
    byDefault: "reading passes; commands pass behind working walls; everything else asks",
    cost: "each path is resolved; the tool's rules, one after the other",
    example: {
      toml: '[[tools.permissions.write]]\npattern = "secrets/**"\naction = "deny"\n\n[[tools.permissions.write]]\npattern = "src/**"\naction = "allow"',
      call: { tool: "write", args: { path: "src/../secrets/key", content: "" } },
      verdict: "deny",
      rule: "write[0] deny secrets/**",
      why: 'The rule "secrets/**" for write forbids src/../secrets/key.',
    },
  },
  {
    name: "walls",
    asks: "Does a sandbox stand around commands?",
    settings: ["tools.sandbox.enabled", "tools.sandbox.fallback"],
    byDefault: "ask where none works",
    cost: "nothing: whether walls work is found out once",
    example: {
      toml: '[tools.sandbox]\nfallback = "deny"',
      call: { tool: "bash", args: { command: "make" } },
      verdict: "deny",
      rule: "tools.sandbox.fallback = deny",
      why: "No sandbox works here, so the command would run with all your rights: no reason is known",
      given: "a machine where no sandbox works",
    },
  },
  {
    name: "verifiers",
    asks: "Was the model given this address?",
    settings: ["agent.hallucination_detection", "agent.reasoning_model_detection"],
    byDefault:
      "an address that neither you nor a tool result named asks; a call of your own passes. A path or name a model may have made up is noted, and never refused",
    cost: "a look into the addresses of the conversation",
    example: {
      toml: '[[tools.permissions.fetch]]\npattern = "*"\naction = "allow"',
      call: { tool: "fetch", args: { url: "https://example.net/made-up" }, caller: MODEL },
      verdict: "ask",
      rule: "url grounding",
      why: "https://example.net/made-up was named neither by you nor in any result. The model may have made it up.",
    },
  },
  {
    name: "sentinel",
    asks: "Does it complete a sequence that is never to be completed, is it like one that ended badly, or could it carry something private out for a stranger?",
    settings: [
      "tools.governance.trajectory_enabled",
      "tools.governance.block_risky_patterns",
      "tools.governance.blocked_sequences",
      "tools.governance.allowlist",
      "tools.governance.private_paths",
    ],
    byDefault: "sequences are off; a way out asks once a model has read something private and a stranger's text",
    cost: "the words of the call against an index of what ended badly; more with embeddings, which have to be computed",
    example: {
      toml: '[tools.governance]\ntrajectory_enabled = true\nblocked_sequences = [["bash", "git", "reset", "--hard"]]',
      call: { tool: "bash", args: { command: "git reset --hard HEAD~3" } },
      verdict: "deny",
      rule: "blocked_sequences[0]",
      why: "This call would complete a blocked sequence: bash git reset --hard.",
      told: "denied by policy",
    },
  },
  {
    name: "anomaly",
    asks: "Does a tool fail again and again? It refuses nothing itself: the tool is not trusted any more, until `/unblock`.",
    settings: ["tools.anomaly.enabled", "tools.anomaly.window_size", "tools.anomaly.failure_threshold", "tools.anomaly.auto_block"],
    byDefault: "on: more than 70 % of a tool's last 20 calls, once there are 10",
    cost: "a look into a table; one number is counted after each call",
    example: {
      toml: "[tools.anomaly]\nwindow_size = 10\nfailure_threshold = 0.5",
      call: { tool: "read", args: { path: "a.txt" } },
      verdict: "deny",
      rule: "untrusted tool",
      why: "read itself is not trusted, so it is not used.",
      given: "ten calls of `read` of which more than half failed; then `trust` says",
    },
  },
  {
    name: "utility",
    asks: "Does a read promise enough to be worth its place in the context? One that is asked for again runs.",
    settings: [
      "tools.utility.enabled",
      "tools.utility.threshold",
      "tools.utility.exempt_tools",
      "tools.utility.gain_weight",
      "tools.utility.cost_weight",
      "tools.utility.redundancy_weight",
      "tools.utility.exploration_weight",
    ],
    byDefault: "off",
    cost: "the words of the call against those of the tool's last calls",
    example: {
      toml: "[tools.utility]\nenabled = true\nthreshold = 0.5",
      before: [{ tool: "read", args: { path: "a.txt" }, caller: MODEL }],
      call: { tool: "read", args: { path: "a.txt" }, caller: MODEL },
      verdict: "deny",
      rule: "score 0.43 < tools.utility.threshold = 0.5",
      why: 'skipped: read {"path":"a.txt"} was not run, because it was answered before and nothing has changed since. If it is needed, ask for it again as it is: then it runs.',
    },
  },
  {
    name: "hooks",
    asks: "Do your own programs agree? They are asked last, when everybody else has let the call in, and can only say no.",
    settings: ["hooks"],
    byDefault: "there are none",
    cost: "a process for each hook",
    example: {
      toml: '[[hooks.pre_tool]]\nmatch = "write"\ncommand = "echo not before the review >&2; exit 2"',
      call: { tool: "write", args: { path: "a.txt", content: "a" } },
      verdict: "deny",
      rule: null,
      why: "not before the review",
      given: "a yes to the question that `permissions` asks",
    },
  },
];
