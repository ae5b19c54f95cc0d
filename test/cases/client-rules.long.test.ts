import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClientName, HookedCall } from "../../src/hook/client.ts";
import { findClient } from "../../src/hook/find-client.ts";
import { answerHook, type HookParts } from "../../src/runtime/hook/answer-hook.ts";
import { isRewritten, rewriteCall } from "../../src/runtime/hook/rewrite-call.ts";
import { standingOf } from "../../src/runtime/hook/standing/ask-client-rules.ts";
import { createClientFiles } from "../../src/runtime/hook/standing/client-files.ts";
import type { Standing } from "../../src/runtime/hook/standing/client-stand.ts";
import { createExecTickets } from "../../src/runtime/hook/tickets.ts";
import { mayRewrite } from "../../src/runtime/hook/walled-call.ts";
import type { RuntimeInternals } from "../../src/runtime/runtime.ts";
import { openRuled } from "../hook/client-inputs.ts";
import { workspace } from "../workspace.ts";

/** Rules of other agents that ask about a command or deny it. `free` is a command that they do not speak of; null where they speak of all. */
interface Case {
  readonly client: "claude" | "codex" | "gemini" | "opencode";
  readonly rule: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mode?: string;
  readonly free?: null;
}
const CASES = readFileSync(new URL("client-rules.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

/** How a command may stand in a longer one, so that its agent finds it there. */
const INSIDE: readonly string[] = [
  ...["ls && @", "ls; @", "ls || @", "ls | @", "ls\n@", "@ &", "@; true", "true && @ && true", "(@)", "{ @; }", "! @", "time @"],
  ...["FOO=1 @", "A=1 B='x y' @", "env FOO=1 @", "timeout 5 @", "nohup @", "nice -n 5 @", "command @", "sudo @", "xargs @"],
  ...["echo $(@)", "echo `@`", "diff <(@) b", "if true; then @; fi", "for i in a b; do @; done", "while @; do :; done", "f() { @; }; f"],
  ...["bash -c '@'", 'eval "@"', "cat <<E | @\nx\nE", "@ > out.txt", "@ 2>&1 | tail", "cd sub && @", "  @  ", "case x in x) @;; esac"],
];

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-rules-")));
const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
let runtime: RuntimeInternals;
beforeAll(async () => {
  runtime = await openRuled(place, "allow");
});
afterAll(async () => {
  await runtime.zeph.close();
  place.remove();
  rmSync(base, { recursive: true, force: true });
});

let count = 0;
const files = createClientFiles();
/** A machine with these files, and how the client stands on it. */
function machineOf({ client, files: texts, options = [], env = {}, mode }: Case) {
  const root = join(base, String(count++));
  const at = { $S: join(root, "system"), $H: join(root, "home"), $W: join(root, "up/work"), $U: join(root, "up") };
  const placed = (text: string) => text.replace(/\$[SHWU]/g, (name) => at[name as keyof typeof at]);
  for (const folder of Object.values(at)) mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(placed(path)), { recursive: true });
    writeFileSync(placed(path), text);
  }
  const call: HookedCall = {
    ...{ cwd: at.$W, session: "s", callId: "c", tool: "", args: {} },
    permissionMode: mode ?? "default",
    transcript: join(at.$H, ".claude/projects", at.$W.replace(/[^a-zA-Z0-9]/g, "-"), "x.jsonl"),
  };
  const side = {
    ...{ call, home: at.$H, system: at.$S, files, words: options.map(placed) },
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, placed(value)])),
  };
  return { cwd: at.$W, stands: (command: string): Standing => standingOf(client, side, command) };
}

const INPUTS: Readonly<Record<Case["client"], (command: string, cwd: string, mode: string) => object>> = {
  claude: (command, cwd, permission_mode) => hooked("PreToolUse", "Bash", command, { cwd, permission_mode, tool_use_id: "t" }),
  codex: (command, cwd, permission_mode) => hooked("PreToolUse", "Bash", command, { cwd, permission_mode, tool_use_id: "t" }),
  gemini: (command, cwd) => hooked("BeforeTool", "run_shell_command", command, { cwd }),
  opencode: (command, cwd) => ({
    ...{ ev: "before", directory: cwd, args: { command }, canAsk: false },
    input: { tool: "bash", sessionID: "s", callID: "c" },
  }),
};
const hooked = (hook_event_name: string, tool_name: string, command: string, more: object) => ({
  ...{ session_id: "s", hook_event_name, tool_name, tool_input: { command } },
  ...more,
});

const PROGRAM = "/opt/zeph/bin/zeph-hook";
/** What the hook answers in mode walls where Zeph itself allows everything. */
async function answered(client: ClientName, command: string, { cwd, stands }: ReturnType<typeof machineOf>, mode: string) {
  const tickets = createExecTickets();
  const parts: HookParts = {
    runtimeFor: async () => runtime,
    modeOf: () => "walls",
    standing: (_client, _call, text) => stands(text),
    walls: {
      isOwn: (text) => isRewritten(text, PROGRAM),
      rewrite: (judged) => rewriteCall({ ...judged, processes: ["1 1"] }, { tickets, program: PROGRAM, isFirst: () => false }),
    },
    limits: { openMs: 120_000, judgeMs: 120_000 },
  };
  const input = INPUTS[client as Case["client"]](command, cwd, mode);
  const { stdout } = await answerHook({ v: 1, client, event: "pre", cwd, input, tty: true }, parts);
  const isOurs = stdout.includes(PROGRAM);
  const kind = /"(?:permissionDecision|decision|verdict)":"(ask|deny|allow)"/.exec(stdout)?.[1] ?? (isOurs ? "rewritten" : "silent");
  return { kind, isOurs, stdout };
}

it.each(["claude", "codex", "gemini", "opencode"])("there are forty rules of %s", (client) => {
  expect(CASES.filter((one) => one.client === client).length).toBeGreaterThanOrEqual(40);
});

describe.each(CASES.map((one) => [one.client, one.rule, one] as const))("%s: %s", (client, _rule, one) => {
  const machine = machineOf(one);
  const mode = one.mode ?? "default";

  it("is not lost by a rewrite", async () => {
    const { kind, stdout } = await answered(client, one.command, machine, mode);
    // Silent: the client has the command as it was written, and its own rule.
    expect(["deny", "ask", "silent"], stdout).toContain(kind);
    const { verdict } = machine.stands(one.command);
    if (verdict === "deny") expect(kind).toBe("deny");
  });

  it("is not lost in a longer command", () => {
    const lost = INSIDE.map((text) => text.replace("@", () => one.command)).filter((command) => {
      const standing = machine.stands(command);
      const isLooser = standing.verdict === "allow" || standing.verdict === "unruled";
      return isLooser && mayRewrite(findClient(client)!, standing, false);
    });
    expect(lost).toEqual([]);
  });

  if (one.free === null) return;
  it("leaves other commands alone", async () => {
    const { isOurs, stdout } = await answered(client, "zz-free --now", machine, mode);
    expect(isOurs, stdout).toBe(true);
  });
});

describe("A rule more", () => {
  /** How far a client is let: by us, and, where it has the command as it was written, by its own rules. */
  const RANK = { allow: 0, unruled: 1, unsure: 2, ask: 3, deny: 4 } as const;
  const PROGRAMS = ["rm", "git push", "git", "npm", "ls"];
  const commands = fc
    .tuple(fc.constantFrom(...PROGRAMS), fc.constantFrom("", " x", " --force"), fc.constantFrom("@", ...INSIDE))
    .map(([program, rest, inside]) => inside.replace("@", () => `${program}${rest}`));
  const rule = fc
    .tuple(fc.constantFrom(...PROGRAMS), fc.constantFrom("NAME:*", "NAME *", "NAME", "*NAME*", "NAME*"))
    .map(([program, form]) => `Bash(${form.replace("NAME", program)})`);
  const lists = fc.record({
    deny: fc.array(rule, { maxLength: 3 }),
    ask: fc.array(rule, { maxLength: 3 }),
    allow: fc.array(rule, { maxLength: 3 }),
  });

  it("that asks or denies never makes the answer of claude looser", () => {
    fc.assert(
      fc.property(lists, fc.constantFrom("deny" as const, "ask" as const), rule, commands, (permissions, action, added, command) => {
        const stands = (given: object) =>
          machineOf({
            client: "claude",
            rule: "",
            command,
            files: { "$H/.claude/settings.json": JSON.stringify({ permissions: given }) },
          }).stands(command).verdict;
        const before = stands(permissions);
        const after = stands({ ...permissions, [action]: [...permissions[action], added] });
        // Unsure: the client decides by all of its own rules, and those have only become stricter.
        expect(after === "unsure" || RANK[after] >= RANK[before] || before === "unsure").toBe(true);
        if (before === "unsure") expect(["unsure", "ask", "deny"]).toContain(after);
      }),
      { numRuns: 50 },
    );
  });
});
