import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { parseConfig } from "../src/config/load.ts";
import { ToolCall } from "../src/core/call.ts";
import { ToolError } from "../src/core/error.ts";
import type { Outcome } from "../src/core/layer.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { type AnyTool, defineTool } from "../src/core/tool.ts";
import { understandFrom } from "../src/gates/permissions/commands.ts";
import { createSaidWords } from "../src/gates/suspicion/words.ts";
import { createVerifiersGate, type VerifierMemory } from "../src/gates/verifiers.ts";
import { openLocalHost } from "../src/host/local.ts";
import { openModel } from "../src/runtime/agent/models.ts";
import { bash } from "../src/tools/bash.ts";
import { TOOLS } from "../src/tools/index.ts";
import { cpuMs } from "./cpu.ts";
import { NOWHERE } from "./offline-host.ts";
import { type Workspace, workspace } from "./workspace.ts";

const ticket = defineTool({
  name: "ticket",
  description: "Look up a ticket. Kinds: bug_report, feature_request.",
  effect: "unknown",
  input: z.strictObject({
    id: z.union([z.number(), z.string()]).optional(),
    kind: z.string().optional(),
    service: z.string().optional(),
    assignee: z.string().optional(),
    file: z.string().optional(),
    text: z.string().optional(),
  }),
  touches: () => [],
  run: async () => ({ text: "" }),
});
const shell = bash((command, at) => understandFrom(command, at).touches);
const TOOL_MAP = new Map<string, AnyTool>([shell, ticket, ...TOOLS].map((tool) => [tool.name, tool]));

const places: Workspace[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

/** A conversation in a small project, with the gate as it is built for an agent. */
function talk({ suspects = (): boolean => true, memory = new Map() as VerifierMemory } = {}) {
  const place = workspace([
    { op: "file", path: "work/src/app.ts", content: "" },
    { op: "file", path: "work/src/core/door.ts", content: "" },
    { op: "file", path: "work/package.json", content: "{}" },
    { op: "mkdir", path: "work/out" },
    { op: "symlink", path: "work/src/leads-nowhere.ts", target: "gone" },
  ]);
  places.push(place);
  const { file, shell, sandbox, scope } = parseConfig({}).tools;
  const { facts } = openLocalHost({
    cwd: place.work,
    file,
    shell,
    sandbox,
    scope,
    ...NOWHERE,
    own: [],
    keys: [],
    notes: join(place.state, "n"),
  });
  const warned: string[] = [];
  const gate = createVerifiersGate("supervised", memory, { suspects, facts, warn: (message) => void warned.push(message) });
  const session = createSession();
  const turn = (conversationId = "c") => session.current({ phase: "executor", conversationId });
  const call = (name: string, args: object): ToolCall => {
    const parsed = ToolCall.parse(ToolRequest.from({ id: "1", name, args })!, TOOL_MAP);
    if (parsed instanceof ToolError) throw parsed;
    return parsed;
  };
  return {
    gate,
    memory,
    warned,
    turn,
    call,
    says: (text: string) => gate.heard("c", "person", text),
    suspect: async (name: string, args: object, at = turn()) => (await gate.judge(call(name, args), at)).noted?.suspect ?? null,
  };
}

const decision = { verdict: "allow", by: "rules" } as const;
const ended = (text: string): Outcome => ({
  ok: true,
  callId: "1",
  output: { text },
  grant: { kind: "preapproved" },
  decision,
  cached: false,
});
const failed = (text: string): Outcome => ({ ok: false, callId: "1", error: new ToolError("permanent_failure", text), decision });

const SAID = `Please look at the login flow. The bug is in src/auth/session.ts, see ticket 4821937 and commit 9fceb02.
The UserService is slow; ask jo@example.com. The user repository in packages/db might matter.`;

/** What agents really call, after a person said the above. None of it is made up. */
const HONEST: [string, object][] = [
  ["read", { path: "src/app.ts" }],
  ["read", { path: "src/auth/session.ts" }],
  ["read", { path: "session.ts" }],
  ["read", { path: "package.json" }],
  ["delete_path", { path: "src/leads-nowhere.ts" }],
  ["read", { path: "README.md" }],
  ["read", { path: "tsconfig.json" }],
  ["list_directory", { path: "." }],
  ["list_directory", { path: "src" }],
  ["list_directory", { path: "packages/db" }],
  ["grep", { pattern: "validateSessionToken", path: "src" }],
  ["grep", { pattern: "import .* from '../missing/thing.ts'" }],
  ["find_path", { path: ".", pattern: "**/*Session*.ts" }],
  ["search_code", { query: "where is loginHandler defined" }],
  ["write", { path: "src/core/brand-new-helper.ts", content: "export class SomethingNobodySaid { x = require('./never/there.js') }" }],
  ["write", { path: "notes.md", content: "see /nowhere/at/all.txt" }],
  ["create_directory", { path: "src/widgets" }],
  ["copy_path", { source: "src/app.ts", destination: "out/copy-of-app.ts" }],
  ["move_path", { source: "src/app.ts", destination: "src/main-entry.ts" }],
  ["edit", { path: "src/app.ts", old_string: "const service = new UserService(user_repository)", new_string: "const otherMadeUpName = 2" }],
  ["bash", { command: "grep -rn order_ledger src && rg PaymentGateway" }],
  ["bash", { command: "git commit -m 'rename order_ledger' && git checkout -b fix_order_ledger" }],
  ["bash", { command: "npm run build && docker logs user_service" }],
  ["bash", { command: "mkdir new_folder && touch other_file" }],
  ["bash", { command: "echo order_ledger | tee notes" }],
  ["bash", { command: "psql -c 'select * from user_repository'" }],
  ["bash", { command: "npm test" }],
  ["bash", { command: "git status --short && git log --oneline -5" }],
  ["bash", { command: "git show 9fceb02 --stat" }],
  ["bash", { command: "mkdir -p build/cache && cp src/app.ts build/cache/app.ts && cat build/cache/app.ts" }],
  ["bash", { command: "test -f config/local.yml && cat config/local.yml" }],
  ["bash", { command: "cat .eslintrc.json 2>/dev/null || true" }],
  ["bash", { command: "sed -i 's/foo\\/bar.ts/baz\\/qux.ts/' src/app.ts" }],
  ["bash", { command: "find . -name '*.spec.ts' | xargs grep -l someHelperFunction" }],
  ["bash", { command: "docker build -t acme/web:1.2.3 . && docker run --memory 536870912 acme/web:1.2.3" }],
  ["bash", { command: "node -e 'console.log(process.versions.node)'" }],
  ["bash", { command: "go test ./... -run TestSomething -timeout 120s" }],
  ["bash", { command: "git diff origin/main...HEAD -- src" }],
  ["bash", { command: "echo hello > out/hello.txt" }],
  ["bash", { command: "rm -rf coverage dist" }],
  ["bash", { command: "tar xzf package.tgz && ls package/lib" }],
  ["bash", { command: "npx tsc --noEmit -p tsconfig.json" }],
  ["fetch", { url: "https://example.com/docs/unknown_page/Foo" }],
  ["diagnostics", { kind: "check" }],
  ["ticket", { id: 4821937 }],
  ["ticket", { kind: "feature_request" }],
  ["ticket", { service: "UserService" }],
  ["ticket", { service: "user_repository" }],
  ["ticket", { assignee: "jo@example.com" }],
  ["ticket", { text: "The fooBarBaz in lib/x/y.ts for ticket 9999917 is broken" }],
];

/** The same calls with one thing in them that nobody said and that is not there. */
const INVENTED: [string, object, string][] = [
  ["read", { path: "src/auth/tokenStore.ts" }, "path src/auth/tokenStore.ts"],
  ["read", { path: "/opt/acme/settings.yaml" }, "path /opt/acme/settings.yaml"],
  ["edit", { path: "src/legacy-router.ts", old_string: "a", new_string: "b" }, "path src/legacy-router.ts"],
  ["write", { path: "modules/billing/invoice.ts", content: "x" }, "path modules/billing/invoice.ts"],
  ["copy_path", { source: "src/template.tsx", destination: "out/x.tsx" }, "path src/template.tsx"],
  ["list_directory", { path: "services/gateway" }, "path services/gateway"],
  ["bash", { command: "cat src/billing/ledger.ts" }, "path src/billing/ledger.ts"],
  ["bash", { command: "python3 scripts/migrate_users.py" }, "path scripts/migrate_users.py"],
  ["bash", { command: "git show deadbee1 --stat" }, "name deadbee1"],
  ["bash", { command: "kill 482913" }, "name 482913"],
  ["edit", { path: "src/app.ts", old_string: "const made_up_name = 1", new_string: "x" }, "name made_up_name"],
  ["bash", { command: "docker restart order_ledger" }, "name order_ledger"],
  ["bash", { command: "npm run deployStaging" }, "name deployStaging"],
  ["bash", { command: "cd src && git checkout feature_billing" }, "name feature_billing"],
  ["bash", { command: 'psql -c "select * from customer_orders"' }, "name customer_orders"],
  ["ticket", { id: 7712345 }, "name 7712345"],
  ["ticket", { id: "3f2504e0-4f89-11d3-9a0c-0305e82c3301" }, "name 3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
  ["ticket", { service: "PaymentGatewayV2" }, "name PaymentGatewayV2"],
  ["ticket", { service: "order_ledger" }, "name order_ledger"],
  ["ticket", { assignee: "kim@acme.example" }, "name kim@acme.example"],
  ["ticket", { file: "lib/billing/ledger.rb" }, "path lib/billing/ledger.rb"],
];

describe("what a model may have made up", () => {
  it.each(HONEST)("is not said of %s %o", async (name, args) => {
    const { says, suspect } = talk();
    says(SAID);
    expect(await suspect(name, args)).toBeNull();
  });

  it.each(INVENTED)("is said of %s %o", async (name, args, expected) => {
    const { says, suspect } = talk();
    says(SAID);
    expect(await suspect(name, args)).toBe(expected);
  });

  it("is known as soon as somebody speaks of it, or a result holds it", async () => {
    const { says, suspect, gate, call, turn } = talk();
    says("hello");
    const args = { path: "src/legacy-router.ts" };
    expect(await suspect("read", args)).toBe("path src/legacy-router.ts");
    gate.settled!(call("list_directory", { path: "src" }), ended("app.ts\nlegacy-router.ts"), turn());
    expect(await suspect("read", args)).toBeNull();
  });

  it("is no address, whatever program is given it", async () => {
    const { says, suspect } = talk();
    says("hello");
    for (const command of [
      "cat https://x.com/a/b",
      "cat 'https://x.com/a/b.txt'",
      "cp https://x.com/a/b.ts .",
      "cat file://h/a/b.ts",
      "cat file:///a/b.ts",
    ])
      expect([command, await suspect("bash", { command })]).toEqual([command, null]);
    expect(await suspect("bash", { command: "cat x.com/a/b.txt" })).toBe("path x.com/a/b.txt");
  });

  it("is not known because an error repeats it", async () => {
    const { says, suspect, gate, call, turn } = talk();
    says("hello");
    const args = { path: "src/legacy-router.ts" };
    gate.settled!(call("read", args), failed("src/legacy-router.ts: there is no such file. Did you mean src/other-router.ts?"), turn());
    expect(await suspect("read", args)).toBe("path src/legacy-router.ts");
    expect(await suspect("read", { path: "src/other-router.ts" })).toBeNull();
  });

  it("changes no verdict, and is told of once, when the call is let in", async () => {
    const { says, gate, call, turn, warned } = talk();
    says("hello");
    const made = call("read", { path: "src/nope.ts" });
    expect(await gate.judge(made, turn())).toEqual({ kind: "pass", noted: { suspect: "path src/nope.ts" } });
    expect(await gate.judge(call("fetch", { url: "https://example.com/" }), turn())).toMatchObject({ kind: "ask", rule: "url grounding" });
    expect(warned).toEqual([]);
    gate.admitted!(made, turn());
    gate.admitted!(made, turn());
    expect(warned).toEqual(["The model may have made up the path src/nope.ts: it does not exist, and nobody mentioned it."]);
    gate.admitted!(made, turn("another"));
    expect(warned).toHaveLength(1);
  });

  it("is told so often and no more, and without characters that a terminal obeys", async () => {
    const { says, gate, call, turn, warned } = talk();
    says("hello");
    gate.admitted!(call("read", { path: "src/\u001bcx/yyy.ts" }), turn());
    expect(warned[0]).toContain("src/?cx/yyy.ts");
    for (let n = 0; n < 200; n++) gate.admitted!(call("read", { path: `src/made-${n}x.ts` }), turn());
    expect(warned).toHaveLength(30);
  });

  it("is nobody's business but a model's, and not a skill's", async () => {
    const { says, gate, call, turn } = talk();
    says("hello");
    const made = call("read", { path: "src/nope.ts" });
    for (const phase of ["planner", "verifier", "autonomous"] as const)
      expect(await gate.judge(made, { ...turn(), phase })).toEqual({ kind: "pass" });
    expect(await gate.judge(made, { ...turn(), skillName: "pdf" })).toEqual({ kind: "pass" });
  });

  it("is not looked for where nothing was said, or not all of it was heard", async () => {
    let on = false;
    const { says, suspect, gate, call, turn, memory } = talk({ suspects: () => on });
    const args = { path: "src/nope.ts" };
    says("hello");
    expect(await suspect("read", args)).toBeNull();
    on = true;
    says("and more");
    expect(await suspect("read", args)).toBeNull();
    expect(memory.get("c")!.hearing.words).toBeNull();
    gate.settled!(call("list_directory", { path: "." }), ended("x"), turn("silent"));
    expect(await suspect("read", args, turn("silent"))).toBeNull();
    gate.heard("fresh", "person", "hi");
    expect(await suspect("read", args, turn("fresh"))).toBe("path src/nope.ts");
    on = false;
    gate.heard("fresh", "person", "look at nope.ts and others.ts");
    on = true;
    gate.heard("fresh", "person", "well?");
    expect(await suspect("read", { path: "src/others.ts" }, turn("fresh"))).toBeNull();
  });

  it("counts what a model was told besides, which is no address it may go to", async () => {
    const { gate, suspect, call, turn } = talk();
    gate.heard("c", "known", "Our services: PaymentGatewayV2, see https://acme.example/docs");
    expect(await suspect("ticket", { service: "PaymentGatewayV2" })).toBeNull();
    expect(await gate.judge(call("fetch", { url: "https://acme.example/docs" }), turn())).toMatchObject({ kind: "ask" });
  });

  it("is remembered by the memory alone, so that new rules know it, too", async () => {
    const first = talk();
    first.says("look at src/ghost-file.ts");
    const second = talk({ memory: first.memory });
    expect(await second.suspect("read", { path: "src/ghost-file.ts" })).toBeNull();
    expect(await second.suspect("read", { path: "src/other-ghost.ts" })).toBe("path src/other-ghost.ts");
  });
});

describe("words that were heard", () => {
  it("holds every word of a text, in pieces and in other cases", () => {
    const heard = createSaidWords();
    heard.add("The `UserService.findById` in src/core/door.test.ts, and the payment gateway; see Größe-Tabelle.");
    for (const word of ["userservice", "findById", "door.test.ts", "door.test", "src"]) expect(heard.has(word)).toBe(true);
    for (const name of ["UserServices", "payment_gateway", "PaymentGateway", "größe"]) expect(heard.holds(name)).toBe(true);
    for (const name of ["PaymentLedger", "find_by_name", "other.ts"]) expect(heard.holds(name)).toBe(false);
  });

  it("errs towards silence only, however much was said, and does not grow", () => {
    const heard = createSaidWords();
    const said = Array.from({ length: 60_000 }, (_, n) => `word${n}x`);
    heard.add(said.join(" "));
    expect(said.slice(0, 5000).every((word) => heard.has(word))).toBe(true);
    const wrong = Array.from({ length: 5000 }, (_, n) => `never${n}y`).filter((word) => heard.has(word));
    expect(wrong.length).toBeLessThan(500);
  });

  it("hears a megabyte without delay", () => {
    const heard = createSaidWords();
    const text = "const someValue = otherModule.callFunction(src/core/file-name.ts);\n".repeat(16_000);
    const start = cpuMs();
    heard.add(text);
    expect(cpuMs() - start).toBeLessThan(4000);
  });
});

it("a model says that it reasons when its configuration does, and never because of its name", async () => {
  for (const reasoning of [true, false])
    for (const type of ["anthropic", "openai", "compatible", "ollama"] as const)
      for (const tool_use of [true, false]) {
        const provider = {
          name: "p",
          type,
          model: "o3-thinking",
          base_url: "http://127.0.0.1:9/v1",
          api_key_env: "K",
          reasoning,
          tool_use,
        };
        const model = await openModel({ llm: parseConfig({ llm: { providers: [provider] } }).llm, keys: () => "key", env: {} });
        expect(model.reasoning).toBe(reasoning ? true : undefined);
      }
});
