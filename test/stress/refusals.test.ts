import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConfigInput } from "../../src/core/inputs/config-input.ts";
import type { Effect } from "../../src/core/tool.ts";
import { type Answer, createRuntime, defineTool, type Outcome } from "../../src/index.ts";
import { createAuditReader } from "../../src/store/audit/audit-reader.ts";
import { openStore } from "../../src/store/open.ts";
import { workspace } from "../workspace.ts";

const MANY = 10_000;
const AT_ONCE = 50;
const place = workspace([
  { op: "file", path: "work/src/a.ts", content: "a" },
  { op: "file", path: "work/.env", content: "NAME=1" },
  { op: "mkdir", path: "work/docs" },
]);
const audit = join(place.state, "audit.jsonl");
const store = join(place.state, "zeph.db");
afterAll(() => place.remove());

const random = randomFrom(Number(process.env.SEED ?? 1));
const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const maybe = <T extends object>(value: T): T | Record<string, never> => (random() < 0.5 ? value : {});

/** One tool for each effect, so that nothing is started and nobody is called. One of them fails often. */
const EFFECTS: readonly Effect[] = ["reads", "stores", "writes", "runs", "fetches", "unknown"];
const TOOLS = EFFECTS.map((effect) =>
  defineTool({
    name: `${effect}_it`,
    description: "Does nothing.",
    effect,
    input: z.strictObject({ text: z.string().max(50), url: z.string().optional() }),
    touches: ({ url }) => (url === undefined ? [] : [{ kind: "url", url }]),
    async run({ input }) {
      if (input.text === "fail") throw new Error("it failed");
      return { text: input.text };
    },
  }),
);

const PHRASE = "the-word-of-the-rule";
const config = {
  audit: { path: audit },
  tools: {
    max_tool_calls_per_session: 60,
    policy: {
      enabled: true,
      default_effect: "allow",
      rules: [
        { effect: "deny", tool: "*", args_match: PHRASE },
        { effect: "deny", tool: "read", paths: ["**/.env"] },
        { action: "deny", tools: ["stores_it"], trust_level: "untrusted" },
        { effect: "deny", tool: "unknown_it" },
      ],
    },
    authorization: { enabled: true, rules: [{ action: "deny", tools: ["write"], paths: ["docs/**"] }] },
    scoped: {
      enabled: true,
      denied_tools: ["copy_path"],
      constraints: [
        { tool: "reads_it", deny_patterns: ["forbidden"] },
        { tool: "fetches_it", allowed_domains: ["example.org"], min_trust: "trusted" },
      ],
    },
    scope: { enabled: true, require_capability: true },
    governance: { trajectory_enabled: true, block_risky_patterns: true, blocked_sequences: [["reads_it", "secret", "fetches_it"]] },
    // There is no model to ask here, so whoever has to be asked about is refused.
    adversarial_policy: { enabled: true, policies: [{ text: `Never say ${PHRASE}.`, phases: ["verifier"] }] },
    utility: { enabled: true, threshold: 0.4 },
    anomaly: { window_size: 20, failure_threshold: 0.9 },
    permissions: {
      write: [
        { pattern: "src/**", action: "allow" },
        { pattern: "secrets/**", action: "deny" },
      ],
      bash: [{ pattern: "*", action: "deny" }],
    },
  },
};

const aCall = (): readonly [string, unknown] =>
  pick<() => readonly [string, unknown]>(
    () => ["read", { path: pick("src/a.ts", ".env", "/etc/hosts", "no-such-file", "src/../.env") }],
    () => ["write", { path: pick("src/b.ts", "docs/x.md", "secrets/key", "top.txt", "../out"), content: "x" }],
    () => ["bash", { command: pick("sudo id", "ls", "rm -rf /", "echo $(id)") }],
    () => ["reads_it", { text: pick("fine", "again", "more") }],
    () => [pick("reads_it", "stores_it"), { text: pick("fine", "again", "more") }],
    () => ["copy_path", { source: "src/a.ts", destination: "b" }],
    () => [
      pick(...TOOLS).name,
      {
        text: pick("fine", "fail", "forbidden", "secret", PHRASE, String(random())),
        ...maybe({ url: pick("https://example.org/a", "https://other.net/") }),
      },
    ],
    () => [pick("reads_it", "read", "write"), pick<unknown>({}, { text: 7 }, null, "{", { path: ["x"] }, [])],
    () => [pick("no_such_tool", "", "READ "), { path: "src/a.ts" }],
  )();

const aCaller = () => ({
  ...maybe({ trust: pick("trusted", "trusted", "trusted", "provisional", "untrusted") }),
  ...maybe({ phase: pick("planner", "executor", "executor", "verifier", "autonomous") }),
  ...maybe({ callerId: pick("one", "two") }),
  ...maybe({ conversationId: pick("a", "b", "c") }),
  ...maybe({ skillName: "tidy" }),
});

interface Line {
  readonly kind: string;
  readonly call_id: string;
  readonly tool: string;
  readonly outcome: string;
  readonly gate?: string;
  readonly rule?: string;
  readonly why?: string;
  readonly error?: string;
  readonly error_category?: string;
  readonly policy_match?: string;
  readonly adversarial_policy_decision?: string;
  readonly refused_by?: string;
}

describe(`${MANY.toLocaleString("en")} calls of every kind, with every gate on`, () => {
  const outcomes: Outcome[] = [];
  const lines: Line[] = [];
  let refused: (Outcome & { ok: false })[] = [];
  const byId = new Map<string, readonly Line[]>();

  beforeAll(async () => {
    const answer = (): Answer | null => pick("once", "session", "no", null);
    const zeph = await createRuntime({
      cwd: place.work,
      config: config as ConfigInput,
      store,
      confirm: answer,
      toolsets: [{ id: "t", list: () => TOOLS }],
    });
    while (outcomes.length < MANY) {
      const some = Array.from({ length: AT_ONCE }, () => zeph.call(...aCall(), aCaller() as object));
      outcomes.push(...(await Promise.all(some)));
      // The session begins anew now and then, or the quota would answer for everybody.
      if (outcomes.length % 500 === 0) {
        zeph.clear();
        for (const { name } of zeph.tools()) zeph.governance.unblock(name);
      }
    }
    await zeph.close();
    for (const text of place.audit().trimEnd().split("\n")) lines.push(JSON.parse(text));
    refused = outcomes.filter((one): one is Outcome & { ok: false } => !one.ok);
    for (const line of lines) if (line.kind === "call") byId.set(line.call_id, [...(byId.get(line.call_id) ?? []), line]);
  });

  it("one line for each, and it says how the call ended", () => {
    const word = (one: Outcome) =>
      one.ok ? "ok" : ({ deny: "denied", ask: "unanswered", allow: "failed", none: "failed" } as const)[one.decision.verdict];
    expect(byId.size).toBe(MANY);
    const wrong = outcomes.filter((one) => {
      const [line, ...more] = byId.get(one.callId) ?? [];
      return !line || more.length > 0 || line.outcome !== word(one);
    });
    expect(wrong).toEqual([]);
  });

  it("every refusal with who refused, by which rule and why", () => {
    const wrong = refused.filter(({ callId, decision, error }) => {
      const line = byId.get(callId)?.[0];
      if (decision.verdict !== "deny" && decision.verdict !== "ask") return line?.error_category !== error.category || !line?.error;
      // Somebody may say no to what no rule speaks of; the log has a word for that.
      const rule = decision.rule ?? (decision.verdict === "deny" ? "no rule" : undefined);
      const said = `${line?.error ?? ""} ${line?.why ?? ""}`;
      const isSaid = line?.refused_by !== undefined || said.includes(decision.why!.slice(0, 60));
      return line?.gate !== decision.gate || line?.rule !== rule || !isSaid || line?.error_category !== error.category;
    });
    expect(wrong.map(({ decision }) => decision)).toEqual([]);
  });

  it("and every gate that can refuse had its say, so that this says something", () => {
    const spoke = new Set(refused.map(({ decision }) => decision.gate));
    for (const gate of [
      "blocklist",
      "files",
      "scope",
      "scoped",
      "quota",
      "policy",
      "authorization",
      "adversarial",
      "trust",
      "permissions",
      "sentinel",
      "utility",
      "verifiers",
    ])
      expect(spoke).toContain(gate);
  });

  it("a model reads no rule and no score of those who keep theirs to themselves", () => {
    const quiet = refused.filter(({ decision }) => ["policy", "authorization", "adversarial", "sentinel"].includes(decision.gate ?? ""));
    const read = new Set(
      quiet.filter(({ decision }) => decision.by === undefined).map(({ decision, error }) => `${decision.gate}: ${error.message}`),
    );
    expect(read.size).toBeGreaterThan(0);
    for (const text of read) {
      expect(text).not.toMatch(/rule\[|\d|similar|score|sequence|trajector|blocked_/i);
      expect(text).not.toContain(PHRASE);
    }
    expect([...read].filter((text) => !text.startsWith("sentinel: The user")).sort()).toEqual([
      "adversarial: denied: the policy check failed",
      "authorization: denied by policy",
      "policy: denied by policy",
      "sentinel: denied by policy",
    ]);
  });

  it("the rule that spoke is in the log all the same", () => {
    const by = (gate: string) => refused.filter(({ decision }) => decision.verdict === "deny" && decision.gate === gate);
    const lineOf = ({ callId }: Outcome) => byId.get(callId)?.[0];
    expect(by("policy").filter((one) => !/^rule\[\d+\] deny/.test(lineOf(one)?.policy_match ?? ""))).toEqual([]);
    expect(by("adversarial").filter((one) => !lineOf(one)?.adversarial_policy_decision?.startsWith("error: "))).toEqual([]);
    expect(by("sentinel").filter((one) => !lineOf(one)?.rule)).toEqual([]);
  });

  it("the log is whole", async () => {
    const opened = openStore(store);
    const [found, ...others] = await createAuditReader(audit, opened.anchors).verify();
    await opened.close();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ intact: true, anchored: true, problems: [], lines: lines.length });
  });
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}
