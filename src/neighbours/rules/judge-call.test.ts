import { describe, expect, it } from "vitest";
import { readClaudeRules } from "./claude.ts";
import type { ClientRules } from "./client-rule.ts";
import { readCodexRules, readStatements } from "./codex.ts";
import { readCursorRules } from "./cursor.ts";
import { readGeminiPolicies, readGeminiRules } from "./gemini.ts";
import { judgeClientCall } from "./judge-call.ts";
import { readOpencodeRules } from "./opencode.ts";

const roots = { workspace: "/w", settings: "/w", home: "/home/p" };
const claude = (permissions: object) => readClaudeRules({ permissions });
const opencode = (permission: object) => readOpencodeRules({ permission });

describe("The rules of another agent", () => {
  it.each<[string, ClientRules, string, string]>([
    ["claude: a denial wins over what is allowed", claude({ deny: ["Bash(git push:*)"], allow: ["Bash(git:*)"] }), "git push", "deny"],
    ["claude: a question wins over what is allowed", claude({ ask: ["Bash(git push *)"], allow: ["Bash(git:*)"] }), "git push x", "ask"],
    ["claude: each part of a line counts", claude({ allow: ["Bash(git:*)"] }), "git log && make", "unruled"],
    ["claude: a denied part is enough", claude({ deny: ["Bash(make:*)"], allow: ["Bash(git:*)"] }), "git log | make", "deny"],
    ["claude: a part that is not known is not allowed", claude({ allow: ["Bash(git:*)"] }), "git log; $X", "unruled"],
    ["claude: a prefix ends at a word", claude({ allow: ["Bash(git diff:*)"] }), "git diffx", "unruled"],
    ["claude: a variable in front is not covered", claude({ allow: ["Bash(git:*)"] }), "GIT_SSH_COMMAND=x git fetch", "unruled"],
    ["claude: a rule for another tool leaves commands alone", claude({ deny: ["WebSearch"], allow: ["Bash(git:*)"] }), "git log", "allow"],
    ["claude: a list that is none leaves everything unsure", claude({ deny: "Bash", allow: ["Bash(git:*)"] }), "git log", "unsure"],
    [
      "codex: the strictest wins",
      readCodexRules(
        readStatements('prefix_rule(pattern=["git"], decision="allow")\nprefix_rule(pattern=["git","push"], decision="forbidden")'),
      ),
      "git push",
      "deny",
    ],
    [
      "codex: a statement that cannot be read leaves commands unsure",
      readCodexRules(readStatements('prefix_rule(pattern=["ls"])\nload("x")')),
      "ls",
      "unsure",
    ],
    ["opencode: the last wins", opencode({ bash: { "rm *": "deny", "rm -i *": "allow" } }), "rm -i x", "allow"],
    ["opencode: the last wins over all before it", opencode({ bash: { "rm *": "deny", "*": "ask" } }), "rm x", "ask"],
    ["opencode: a rule for all tools counts", opencode({ "*": "deny" }), "ls", "deny"],
    ["gemini: what is excluded is denied", readGeminiRules({ tools: { exclude: ["run_shell_command(rm)"] } }), "rm x", "deny"],
    ["gemini: what is not in the list is denied", readGeminiRules({ tools: { core: ["run_shell_command(git status)"] } }), "make", "deny"],
    [
      "gemini: the highest priority wins",
      readGeminiPolicies({
        rule: [
          { toolName: "run_shell_command", decision: "deny", priority: 1 },
          { toolName: "run_shell_command", commandPrefix: "ls", decision: "allow", priority: 2 },
        ],
      }),
      "ls",
      "allow",
    ],
    [
      "gemini: a rule for a mode allows nothing",
      readGeminiPolicies({ rule: [{ toolName: "run_shell_command", decision: "allow", modes: ["yolo"] }] }),
      "ls",
      "unruled",
    ],
    ["cursor: a program is meant with all its arguments", readCursorRules({ permissions: { deny: ["Shell(rm)"] } }), "rm -r x", "deny"],
  ])("%s", (_, rules, command, verdict) => {
    expect(judgeClientCall(rules, { kind: "command", command }, roots)).toBe(verdict);
  });
  it.each([
    ["Edit(src/**)", "/w/src/a/b", true],
    ["Edit(src/**)", "/w/x/src/a", false],
    ["Edit(*.key)", "/w/a/b.key", true],
    ["Edit(./x)", "/w/a/x", false],
    ["Edit(/docs)", "/w/docs/a", true],
    ["Edit(//etc/**)", "/etc/x", true],
    ["Edit(~/x)", "/home/p/x", true],
    ["Edit({a,b})", "/w/a", false],
    ["Edit", "/anywhere", true],
  ])("%s speaks of %s: %s", (rule, path, speaks) => {
    expect(judgeClientCall(claude({ deny: [rule] }), { kind: "path", access: "write", path }, roots)).toBe(speaks ? "deny" : "unruled");
  });
  it("speak of hosts and of tools of servers", () => {
    const rules = claude({ deny: ["WebFetch(domain:*.a.example)", "mcp__gh__drop", "mcp__db"] });
    const judge = (call: Parameters<typeof judgeClientCall>[1]) => judgeClientCall(rules, call, roots);
    expect(["https://x.a.example/", "https://a.example/", "https://x/.a.example/"].map((url) => judge({ kind: "address", url }))).toEqual([
      "deny",
      "unruled",
      "unruled",
    ]);
    expect(
      [
        ["gh", "drop"],
        ["gh", "list"],
        ["db", "any"],
      ].map(([server, tool]) => judge({ kind: "server", server: server!, tool: tool! })),
    ).toEqual(["deny", "unruled", "deny"]);
  });
});
