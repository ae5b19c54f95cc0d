import { type AboutGate, settingsIn } from "./gate.ts";

/** A call of a model, in a conversation. */
const MODEL = { phase: "executor", conversationId: "c" } as const;

/** The gates that watch what happens on the way. */
export const WATCH: readonly AboutGate[] = [
  {
    name: "walls",
    asks: "Does a sandbox stand around commands?",
    settings: settingsIn("tools.sandbox", "enabled fallback"),
    byDefault: "ask where none works",
    cost: "nothing: whether walls work is tested once",
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
    settings: settingsIn("agent", "hallucination_detection reasoning_model_detection"),
    byDefault:
      "an address that neither you nor a result named asks, and so does one that the model put together itself; a call of your own passes. A path or name a model may have made up is noted, and never refused",
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
    asks: "Does the call complete a forbidden sequence, is it similar to a sequence that ended badly, or could it send private data out?",
    settings: settingsIn("tools.governance", "trajectory_enabled block_risky_patterns blocked_sequences allowlist private_paths"),
    byDefault:
      "sequences are off. Once a model has read private data and a stranger's text, every call that could send data out asks. Once it has read a stranger's text, a task for later asks, too. A file that was written since then counts as a stranger's text in later conversations",
    cost: "compares the words of the call with an index of what ended badly; embeddings cost more, because they have to be computed",
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
    asks: "Does a tool fail again and again? A refusal by a rule, a wall or a person is not a failure. This gate refuses nothing itself: the gate `trust` refuses the tool for `cooldown_secs`, or until `/unblock`.",
    settings: settingsIn("tools.anomaly", "enabled window_size failure_threshold auto_block cooldown_secs"),
    byDefault: "on: more than 70 % of a tool's last 20 calls, once there are 10; a tool that was blocked comes back after 10 minutes",
    cost: "a look into a table; one number is counted after each call",
    example: {
      toml: "[tools.anomaly]\nwindow_size = 10\nfailure_threshold = 0.5",
      call: { tool: "read", args: { path: "a.txt" } },
      verdict: "deny",
      rule: "untrusted tool",
      why: "read failed too often and is not used for now. It comes back by itself in 10 minutes, or at once when the user types /unblock read. Find out what is wrong with it, then type `/unblock read`.",
      told: "read failed too often and is not used for now. It comes back by itself in 10 minutes, or at once when the user types /unblock read.",
      given: "ten calls of `read` of which more than half failed; then `trust` says",
    },
  },
  {
    name: "utility",
    asks: "Is a read worth its place in the context? A read that is asked for again runs.",
    settings: settingsIn("tools.utility", "enabled threshold exempt_tools gain_weight cost_weight redundancy_weight exploration_weight"),
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
    asks: "Do your own programs agree? They run last, after every gate has let the call in, and can only say no. A program that fails says no, unless its `on_error` is `warn`.",
    settings: ["hooks"],
    byDefault: "there are none",
    cost: "a process for each hook",
    example: {
      toml: '[[hooks.pre_tool]]\nmatch = "write"\ncommand = "echo not before the review >&2; exit 2"',
      call: { tool: "write", args: { path: "a.txt", content: "a" } },
      verdict: "deny",
      rule: "pre_tool",
      why: "not before the review",
      given: "a yes to the question that `permissions` asks",
    },
  },
];
