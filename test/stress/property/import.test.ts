import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { SourceKind } from "../../../src/neighbours/import/convert-source.ts";
import type { ImportEntry } from "../../../src/neighbours/import/ledger.ts";
import { type ClientCall, type ClientVerdict, judgeClientCall } from "../../../src/neighbours/rules/judge-call.ts";
import { type JsonTextPath, parseJsonText } from "../../../src/text/formats/jsonc.ts";
import { createImportJudge } from "../../cases/import-judge.ts";
import { importAll, settingsOf } from "../../cases/import-samples.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "zeph-import-")));
const home = "/home/p";
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Few words, so that rules and commands often speak of each other. */
const listOf = (first: readonly string[], more: readonly string[], most: number) =>
  fc.tuple(fc.constantFrom(...first), fc.array(fc.constantFrom(...more), { maxLength: most })).map(([program, rest]) => [program, ...rest]);
const MORE = ["push", "status", "-C", "-rf", "--force", "{a,b}"];
const words = listOf(["git", "npm", "x?", "[a]"], MORE, 2);
const spoken = listOf(["git", "npm", "gitx", "x?", "xy", "[a]", "a", "'git'"], [...MORE, "pushy", "a"], 3);

/** Patterns as the agents write them, with everything that is special to us and not to them. */
const claudeCommand = fc.oneof(
  words.map((list) => `Bash(${list.join(" ")}:*)`),
  words.map((list) => `Bash(${list.join(" ")})`),
  words.map((list) => `Bash(${list.join(" ")}*)`),
  fc.tuple(words, words).map(([a, b]) => `Bash(${a.join(" ")} * ${b.join(" ")})`),
  words.map((list) => `Bash(${list.join(" ")} *)`),
  fc.constant("Bash"),
);
const segment = fc.constantFrom("src", "docs", ".env", "a.ts", "*", "**", "*.ts", "x?", "[ab]", "{a,b}", "key");
const path = fc
  .tuple(fc.constantFrom("", "./", "/", "//", "~/"), fc.array(segment, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "/"))
  .map(([lead, parts, end]) => `${lead}${parts.join("/")}${end}`);
const claudePath = fc.tuple(fc.constantFrom("Read", "Edit", "Write"), path).map(([tool, glob]) => `${tool}(${glob})`);
const claudeRule = fc.oneof(claudeCommand, claudePath);
const lists = (rule: fc.Arbitrary<string>) =>
  fc.record({ deny: fc.array(rule, { maxLength: 3 }), ask: fc.array(rule, { maxLength: 2 }), allow: fc.array(rule, { maxLength: 4 }) });

const action = fc.constantFrom("allow", "ask", "deny");
const opencodePattern = words.map((list) => list.join(" ").replaceAll("-C", "*"));
const sources: fc.Arbitrary<{ kind: SourceKind; text: string }> = fc.oneof(
  lists(claudeRule).map((permissions) => ({ kind: "claude settings" as const, text: JSON.stringify({ permissions }) })),
  lists(claudeRule).map((permissions) => ({ kind: "qwen settings" as const, text: JSON.stringify({ permissions }) })),
  fc
    .record({
      deny: fc.array(
        fc.oneof(
          words.map((list) => `Shell(${list[0]})`),
          path.map((glob) => `Write(${glob})`),
        ),
        { maxLength: 3 },
      ),
      allow: fc.array(
        words.map((list) => `Shell(${list.join(":")})`),
        { maxLength: 3 },
      ),
    })
    .map((permissions) => ({ kind: "cursor settings" as const, text: JSON.stringify({ permissions }) })),
  fc
    .array(fc.tuple(fc.oneof(opencodePattern, fc.constant("*")), action), { maxLength: 6 })
    .map((pairs) => ({ kind: "opencode settings" as const, text: JSON.stringify({ permission: { bash: Object.fromEntries(pairs) } }) })),
  fc.array(fc.tuple(words, fc.constantFrom("allow", "prompt", "forbidden")), { maxLength: 5 }).map((rules) => ({
    kind: "codex rules" as const,
    text: rules.map(([list, decision]) => `prefix_rule(pattern = ${JSON.stringify(list)}, decision = "${decision}")`).join("\n"),
  })),
  fc
    .array(fc.tuple(words, fc.constantFrom("allow", "ask_user", "deny"), fc.integer({ min: 0, max: 3 })), { maxLength: 5 })
    .map((rules) => ({
      kind: "gemini policies" as const,
      text: rules
        .map(
          ([list, decision, priority]) =>
            `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(list.join(" "))}\ndecision = "${decision}"\npriority = ${priority}\n`,
        )
        .join("\n"),
    })),
);

const simple = fc
  .tuple(fc.constantFrom("", "A=1 ", "env ", "bash -c ", "'git' "), spoken)
  .map(([lead, list]) => (lead === "bash -c " ? `bash -c '${list.join(" ").replaceAll("'", "")}'` : `${lead}${list.join(" ")}`));
const command = fc
  .tuple(simple, fc.constantFrom("&&", ";", "|", "||"), fc.option(simple))
  .map(([a, joint, b]) => (b === null ? a : `${a} ${joint} ${b}`));
const file = fc
  .array(fc.constantFrom("src", "docs", ".env", "a.ts", "xy", "a", "key", "{a,b}"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"));
const calls: fc.Arbitrary<{ mine: readonly [string, object]; theirs: ClientCall }> = fc.oneof(
  {
    weight: 3,
    arbitrary: command.map((text) => ({ mine: ["bash", { command: text }] as const, theirs: { kind: "command" as const, command: text } })),
  },
  {
    weight: 1,
    arbitrary: file.map((name) => ({
      mine: ["write", { path: name, content: "" }] as const,
      theirs: { kind: "path" as const, access: "write" as const, path: `${cwd}/${name}` },
    })),
  },
  {
    weight: 1,
    arbitrary: file.map((name) => ({
      mine: ["read", { path: name }] as const,
      theirs: { kind: "path" as const, access: "read" as const, path: `${cwd}/${name}` },
    })),
  },
);

/** The least that is as strict. Nobody rules reads: agents read their workspace unasked, and so do we. */
const AT_LEAST: Readonly<Record<ClientVerdict, number>> = { allow: 0, unruled: 1, unsure: 1, ask: 1, deny: 2 };
const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/** A line that forbids or asks and was not taken is told to the person; nothing is promised about the rest of such a file. */
const isLeftOut = ({ action, fate }: ImportEntry): boolean =>
  (action === "ask" || action === "deny") &&
  (fate.list === "not taken" ? !/never heard/.test(fate.why) : /not all of it/.test(fate.why ?? ""));

describe("What is imported", () => {
  const roots = { workspace: cwd, settings: `${home}/.claude`, home };

  it("is never looser than the file it comes from", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sources, { minLength: 1, maxLength: 2 }),
        fc.array(calls, { minLength: 1, maxLength: 8 }),
        async (given, asked) => {
          const plan = importAll(given.map((one, n) => ({ ...one, name: `~/${n}.json` })));
          const judge = createImportJudge(settingsOf(plan), cwd, home);
          for (const { mine, theirs } of asked) {
            const verdict = await judge(mine[0], mine[1]);
            const heard = plan.files.filter(({ entries }) => !entries.some(isLeftOut));
            const said = heard.flatMap(({ rules }) => rules.map((one) => judgeClientCall(one, theirs, roots)));
            // Files that say nothing about a call leave it to those that do.
            const ruled = said.filter((one) => one !== "unruled");
            const isRead = theirs.kind === "path" && theirs.access === "read";
            const least = Math.max(
              ...(ruled.length > 0 ? ruled.map((one) => AT_LEAST[one]) : [isRead || heard.length < plan.files.length ? 0 : 1]),
            );
            if (RANK[verdict] < least)
              throw new Error(
                `${JSON.stringify(theirs)}: ${said.join(", ")}, and Zeph: ${verdict}\n${JSON.stringify(given)}\n${plan.text}`,
              );
          }
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe("Every part of a file", () => {
  const key = fc.constantFrom(
    "permissions",
    "allow",
    "deny",
    "ask",
    "mcpServers",
    "permission",
    "bash",
    "tools",
    "core",
    "exclude",
    "command",
    "args",
    "env",
    "url",
    "headers",
    "trust",
    "hooks",
    "x",
    "projects",
    "rule",
    "mcp",
    "defaultMode",
    "",
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      claudeRule,
      fc.constantFrom("deny", "allow", "plan", "npx", "https://a.example/"),
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }));
  const kinds = fc.constantFrom<SourceKind>(
    "claude settings",
    "qwen settings",
    "gemini settings",
    "opencode settings",
    "cursor settings",
    "servers",
  );

  it("is taken, changed or not taken, and told once", () => {
    fc.assert(
      fc.property(kinds, fc.dictionary(key, value, { maxKeys: 6 }), fc.constantFrom("own", "stranger"), (kind, data, scope) => {
        const text = JSON.stringify(data, null, 1);
        const [{ entries } = { entries: [] }] = importAll([{ kind, text, scope: scope as "own" }]).files;
        const told = entries.flatMap(({ leaves }) => leaves.map((path: JsonTextPath) => JSON.stringify(path))).sort();
        const there = parseJsonText(text, "refused")
          .leaves.map(({ path }) => JSON.stringify(path))
          .sort();
        expect(told).toEqual(there);
        for (const { fate, line } of entries) {
          expect(line).toBeGreaterThan(0);
          if (fate.list !== "taken") expect(fate.why).not.toBe("");
        }
      }),
      { numRuns: 1500 },
    );
  });
});
