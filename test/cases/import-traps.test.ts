import { describe, expect, it } from "vitest";
import type { SourceKind } from "../../src/neighbours/import/convert-source.ts";
import { createImportJudge } from "./import-judge.ts";
import { type Given, importAll, settingsOf } from "./import-samples.ts";

const claude = (permissions: object, more: object = {}): Given => ({
  kind: "claude settings",
  text: JSON.stringify({ permissions, ...more }),
});
const opencode = (bash: object): Given => ({ kind: "opencode settings", text: JSON.stringify({ permission: { bash } }) });
const rules = (text: string): Given => ({ kind: "codex rules", text });
const policy = (text: string): Given => ({ kind: "gemini policies", text });

type Check = readonly [what: string, given: Given, tool: string, args: object, verdict: "allow" | "ask" | "deny"];
const bash = (command: string): readonly [string, object] => ["bash", { command }];

/** Without walls: what no rule allows is asked about. */
const CHECKS: readonly Check[] = [
  ["a denial holds inside sh -c", claude({ deny: ["Bash(npm publish:*)"] }), ...bash("sh -c 'npm publish'"), "deny"],
  ["a denial holds behind a pipe", claude({ deny: ["Bash(npm publish:*)"] }), ...bash("echo y | npm publish"), "deny"],
  ["a denial holds behind a variable", claude({ deny: ["Bash(git push:*)"] }), ...bash("GIT_TRACE=1 git push"), "deny"],
  ["a denial holds for quoted words", claude({ deny: ["Bash(git push:*)"] }), ...bash("git 'push' origin"), "deny"],
  ["a denial holds with options in front of the verb", claude({ deny: ["Bash(git push:*)"] }), ...bash("git -C /x push"), "deny"],
  ["an allowed command covers no other behind it", claude({ allow: ["Bash(git status:*)"] }), ...bash("git status; ./x"), "ask"],
  ["an allowed command covers no substitution", claude({ allow: ["Bash(git log:*)"] }), ...bash("git log $(cat f)"), "ask"],
  ["an allowed command covers no file elsewhere", claude({ allow: ["Bash(git log:*)"] }), ...bash("git log > /etc/x"), "ask"],
  ["a prefix ends at a word", claude({ allow: ["Bash(git:*)"] }), ...bash("gitk"), "ask"],
  ["an exact command is exact", claude({ allow: ["Bash(npm test)"] }), ...bash("npm test -- --fix"), "ask"],
  ["a question mark is itself", claude({ allow: ["Bash(ls x?)"] }), ...bash("ls xy"), "ask"],
  ["a bracket is itself", claude({ allow: ["Bash(ls [ab])"] }), ...bash("ls a"), "ask"],
  ["a bracket that is never closed is itself", claude({ deny: ["Bash(ls [a:*)"] }), ...bash("ls '[a' x"), "deny"],
  ["braces are themselves", claude({ allow: ["Bash(ls {a,b})"] }), ...bash("ls a"), "ask"],
  ["letters of any script are letters", claude({ deny: ["Bash(größe:*)"] }), ...bash("größe x"), "deny"],
  ["a rule for everything allows nothing", claude({ allow: ["Bash(*)"] }), ...bash("make"), "ask"],
  ["a rule of stars allows nothing", claude({ allow: ["Bash(** *)"] }), ...bash("make"), "ask"],
  ["a star in place of the program allows nothing", claude({ allow: ["Bash(* --version)"] }), ...bash("x --version"), "ask"],
  ["a denial of everything holds", claude({ deny: ["Bash"] }), ...bash("ls"), "deny"],
  ["a question wins over what is allowed", claude({ ask: ["Bash(git push:*)"], allow: ["Bash(git:*)"] }), ...bash("git push"), "ask"],
  ["a question about everything wins", claude({ ask: ["Bash"], allow: ["Bash(git:*)"] }), ...bash("git status"), "ask"],
  ["a script of a name that goes on is one of them", claude({ allow: ["Bash(npm run test:*)"] }), ...bash("npm run test:unit"), "allow"],
  ["a script of another name is none", claude({ allow: ["Bash(npm run test:*)"] }), ...bash("npm run tests"), "ask"],
  ["a file of that name is closed at any depth", claude({ deny: ["Edit(.env)"] }), "write", { path: "a/b/.env", content: "" }, "deny"],
  ["a folder is closed with what is in it", claude({ deny: ["Edit(secrets)"] }), "write", { path: "secrets/a/b", content: "" }, "deny"],
  ["a folder with a slash is one", claude({ deny: ["Edit(secrets/)"] }), "write", { path: "secrets/a", content: "" }, "deny"],
  ["a closed file is closed to a command", claude({ deny: ["Edit(infra/**)"] }), ...bash("tee infra/x"), "deny"],
  ["what is open below does not open above", claude({ allow: ["Edit(src/**)"] }), "write", { path: "src/../x", content: "" }, "ask"],
  ["a pattern of stars opens nothing elsewhere", claude({ allow: ["Edit(**/*.ts)"] }), "write", { path: "a.js", content: "" }, "ask"],
  ["a class of letters is one in a path", claude({ deny: ["Edit(f[ab].txt)"] }), "write", { path: "fa.txt", content: "" }, "deny"],
  ["the last rule of opencode wins", opencode({ "*": "allow", "rm *": "deny" }), ...bash("rm x"), "deny"],
  ["a closed list of opencode stays closed", opencode({ "*": "deny", "git status*": "allow" }), ...bash("make"), "deny"],
  [
    "a closed list of opencode stays open where it was",
    opencode({ "*": "deny", "git status*": "allow" }),
    ...bash("git status -s"),
    "allow",
  ],
  ["an exception of opencode stays one", opencode({ "rm *": "deny", "rm -i *": "ask" }), ...bash("rm -i x"), "ask"],
  ["a rule of opencode that is never heard denies nothing", opencode({ "rm *": "deny", "*": "ask" }), ...bash("rm x"), "ask"],
  [
    "alternatives of codex are all meant",
    rules('prefix_rule(pattern=["npm", ["ci", "publish"]], decision="forbidden")'),
    ...bash("npm publish"),
    "deny",
  ],
  ["a comment of codex is none", rules('# prefix_rule(pattern=["ls"], decision="allow")\n'), ...bash("ls"), "ask"],
  ["a rule of codex without a decision allows", rules('prefix_rule(pattern=["ls"])'), ...bash("ls -l"), "allow"],
  ["a word of codex with a space allows no two", rules('prefix_rule(pattern=["git", "a b"], decision="allow")'), ...bash("git a b"), "ask"],
  [
    "a rule of codex over lines is read",
    rules('prefix_rule(\n  pattern = ["git", "push"], # why\n  decision = "forbidden",\n)\n'),
    ...bash("git push"),
    "deny",
  ],
  [
    "the strictest rule of codex wins, wherever it stands",
    rules('prefix_rule(pattern=["x?"], decision="allow")\nprefix_rule(pattern=["x?"], decision="forbidden")'),
    ...bash("'x?' y"),
    "deny",
  ],
  [
    "the highest priority of gemini wins",
    policy(
      '[[rule]]\ntoolName="run_shell_command"\ncommandPrefix="git"\ndecision="deny"\npriority=1\n[[rule]]\ntoolName="run_shell_command"\ncommandPrefix="git log"\ndecision="allow"\npriority=2\n',
    ),
    ...bash("git log"),
    "allow",
  ],
  [
    "an expression of gemini denies",
    policy('[[rule]]\ntoolName="run_shell_command"\ncommandRegex="drop\\\\s+table"\ndecision="deny"\n'),
    ...bash("psql -c 'drop  table x'"),
    "deny",
  ],
  [
    "an expression that would have asked denies",
    policy('[[rule]]\ntoolName="run_shell_command"\ncommandRegex="^curl"\ndecision="ask_user"\n'),
    ...bash("curl x"),
    "deny",
  ],
  [
    "a program of cursor is denied with any argument",
    { kind: "cursor settings", text: '{"permissions":{"deny":["Shell(rm)"]}}' },
    ...bash("rm -r x"),
    "deny",
  ],
  ["a stranger's file allows nothing", { ...claude({ allow: ["Bash(ls:*)"] }), scope: "stranger" }, ...bash("ls"), "ask"],
  ["a stranger's file denies", { ...claude({ deny: ["Bash(ls:*)"] }), scope: "stranger" }, ...bash("ls"), "deny"],
];

describe("After an import", () => {
  it.each(CHECKS)("%s", async (_, given, tool, args, verdict) => {
    const plan = importAll([given]);
    expect(await createImportJudge(settingsOf(plan), "/tmp", "/home/p")(tool, args), plan.text).toBe(verdict);
  });
});

const told = (given: Given) =>
  importAll([given]).files.flatMap(({ entries }) =>
    entries.map(({ line, written, fate }) => `${line} ${written} ${fate.list}${fate.why === undefined ? "" : `: ${fate.why}`}`),
  );

describe("An import", () => {
  it("reads CRLF and a byte order mark, and counts lines", () => {
    const text = '\ufeff{\r\n "permissions": {\r\n  "deny": [\r\n   "Bash(rm:*)"\r\n  ]\r\n }\r\n}\r\n';
    expect(told({ kind: "claude settings", text })).toEqual(["4 Bash(rm:*) taken"]);
  });
  it("reads comments and trailing commas where the agent does, and refuses them where it does not", () => {
    const text = '{ // why\n "permission": { "edit": "deny", /* x */ },\n}';
    expect(told({ kind: "opencode settings", text })).toEqual(["2 edit(*) taken"]);
    expect(() => told({ kind: "claude settings", text })).toThrow(/not valid JSON/);
  });
  it("takes the last of two keys, and tells the first", () => {
    const text = '{"permissions":{"deny":["Bash(a:*)"],\n"deny":["Bash(b:*)"]}}';
    expect(told({ kind: "claude settings", text })).toEqual([
      "1 permissions.deny.0 not taken: the same key stands again below it, and that one counts",
      "2 Bash(b:*) taken",
    ]);
  });
  it.each<[SourceKind, string]>([
    ["claude settings", ""],
    ["claude settings", "{}"],
    ["codex settings", ""],
    ["codex rules", "\n# nothing\n"],
    ["servers", "{}"],
  ])("finds nothing in an empty file of %s: %j", (kind, text) => {
    const plan = importAll([{ kind, text }], "# mine\n");
    expect([plan.text, plan.files[0]?.entries.length ?? 0]).toEqual(["# mine\n", text === "{}" ? 1 : 0]);
  });
  it.each<[SourceKind, string]>([
    ["claude settings", "{"],
    ["claude settings", "[]"],
    ["claude settings", '{"a":1} x'],
    ["claude settings", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`],
    ["codex settings", "a = "],
    ["gemini policies", "[[rule]\n"],
  ])("refuses a file of %s that does not parse: %j", (kind, text) => expect(() => told({ kind, text })).toThrow(/not valid|no table/));
  it("reads a file of five megabytes", () => {
    const text = JSON.stringify({
      permissions: { deny: ["Bash(rm:*)"] },
      history: Array.from({ length: 50_000 }, (_, n) => `${n}${"x".repeat(95)}`),
    });
    expect(told({ kind: "claude settings", text })).toEqual([
      "1 Bash(rm:*) taken",
      "1 history (50000 values) not taken: Zeph has nothing that this would set",
    ]);
  });
  it("names a key it does not know, and never its value", () => {
    const lines = told(claude({}, { token: "sk-ant-very-secret", future: { a: 1 } }));
    expect(lines).toContain("1 token not taken: Zeph has nothing that this would set");
    expect(lines.join("\n")).not.toContain("sk-ant");
  });
  it("takes the others where an entry is no text", () => {
    const lines = told(claude({ deny: [{ x: 1 }, null, ["y"], "Bash(rm:*)"] }));
    expect(lines).toContain("1 Bash(rm:*) taken");
    expect(lines.filter((line) => line.endsWith("not taken: not a text"))).toHaveLength(3);
  });
  it("tells an expression that RE2 cannot read", () => {
    expect(told(policy('[[rule]]\ntoolName="run_shell_command"\ncommandRegex="^(?!git)"\ndecision="deny"\n')).join()).toMatch(
      /not taken: .*look-around/,
    );
  });
  it.each([
    ["permissions", { defaultMode: "bypassPermissions" }],
    ["permissions", { defaultMode: "dontAsk" }],
    ["enableAllProjectMcpServers", true],
    ["apiKeyHelper", "./x.sh"],
    ["hooks", { PreToolUse: [] }],
    ["env", { A: "b" }],
  ])("does not take %s %j", (key, value) => {
    const plan = importAll([{ kind: "claude settings", text: JSON.stringify({ [key]: value }) }]);
    expect(plan.text).toBe("");
    expect(plan.files[0]!.entries.every(({ fate }) => fate.list === "not taken")).toBe(true);
  });
});
