import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../../src/front/cli/program/commands.ts";
import { startStandIn } from "../hook/stand-in-client.ts";
import { box, letGoOfStores } from "./zeph.ts";

const STORE = ["--store", "postgres://nobody@127.0.0.1:1/none"];

/** Commands by which somebody says yes in a person's place, each as it is typed. The name is the command and its first word. */
const DECIDE: Readonly<Record<string, readonly string[]>> = {
  answer: ["answer", "abcd1234", "once"],
  watch: ["watch", "--answer", "--no-open", "--json"],
  trust: ["trust"],
  import: ["import", "claude", "--yes"],
  "skills trust": ["skills", "trust", "any"],
  "skills untrust": ["skills", "untrust", "any"],
  "skills forget": ["skills", "forget", "any"],
  "mcp diff": ["mcp", "diff", "any", "--accept", "--yes"],
  "fleet approve": ["fleet", "approve", "abcd1234", ...STORE],
  "fleet deny": ["fleet", "deny", "abcd1234", ...STORE],
  "fleet policy": ["fleet", "policy", "push", ".", ...STORE],
  "fleet token": ["fleet", "token", "add", "any", ...STORE],
  "hook install": ["hook", "install", "claude", "--mode", "filter", "--yes"],
  "hook approve": ["hook", "approve", "ffffffff"],
  "hook remove": ["hook", "remove", "codex"],
};

/** More ways of some of them. */
const DECIDE_TOO: readonly (readonly string[])[] = [
  ["trust", "--skill", "any"],
  ["trust", "--revoke"],
  ["fleet", "policy", "rollback", "1", ...STORE],
  ["fleet", "token", "revoke", "any", ...STORE],
  ["hook", "remove", "--all"],
];

/** Why the others are for anybody. A command that is new is put into one of the lists. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  "it only tells": [
    ...[
      "tools",
      "report",
      "audit tail",
      "audit verify",
      "audit stats",
      "config explain",
      "config path",
      "config schema",
      "completion bash",
    ],
    ...[
      "completion zsh",
      "completion fish",
      "doctor",
      "demo",
      "filter test",
      "filter rules",
      "filter savings",
      "policy status",
      "policy check",
    ],
    ...["policy replay", "policy test", "mcp list", "mcp tools", "mcp prompts", "mcp prompt", "mcp resources", "mcp read", "mcp test"],
    ...["mcp snippet", "skills list", "skills show", "memory list", "memory search", "memory show", "schedule list", "fleet status"],
    ...[
      "fleet workers",
      "fleet tasks",
      "fleet task",
      "fleet results",
      "fleet approvals",
      "fleet audit",
      "hook status",
      "hook test",
      "hook list",
    ],
  ],
  "each call of it is judged": ["run", "call", "acp", "exec", "hook run", "hookd", "schedule run", "worker", "serve", "submit"],
  "it takes away, or ends": [
    ...["hook deny", "mcp remove", "mcp logout", "sessions delete", "memory forget", "schedule remove", "fleet drain", "fleet cancel"],
  ],
  "it keeps words or settings, and says yes to nothing": ["mcp add", "memory save", "schedule add", "init", "store init", "store migrate"],
  "it copies or looks at a database": ["store check", "store copy"],
  "a person signs in with the server": ["mcp login"],
};

const named = Object.entries(COMMANDS).flatMap(([name, { first }]) => (first ? first.map((word) => `${name} ${word}`) : [name]));

it("each command either decides in a person's place, or is known not to", () => {
  // `zeph import <client>` is one command.
  const all = named.map((name) => name.replace(/^import .*/, "import"));
  const listed = [...Object.keys(DECIDE), ...Object.values(OTHERS).flat()];
  expect([...new Set(all)].sort()).toEqual(listed.sort());
});

describe.skipIf(process.platform !== "linux")("beside a governed agent whose commands have no walls", () => {
  // Each command is a process of its own, and a machine may be slow.
  it("none of the commands that decide does so, whatever it is about", { timeout: 120_000 }, async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    await here.run(["hook", "install", "claude", "--yes"]);
    await letGoOfStores();
    const claude = startStandIn("claude", { work: here.cwd, env: here.env });
    onTestFinished(claude.end);
    await claude.run("true");
    const refused = /^zeph [a-z -]+ is refused (?:while claude runs|now\.)|is running, and there is no terminal here/m;
    const commands = [...Object.values(DECIDE), ...DECIDE_TOO];
    const ends = await Promise.all(commands.map(async (words) => ({ words, ...(await here.runProcess(words)) })));
    for (const { words, code, stdout, stderr } of ends)
      expect({ words, code, stdout, stderr }).toEqual({ words, code: 2, stdout: "", stderr: expect.stringMatching(refused) });
  });
});
