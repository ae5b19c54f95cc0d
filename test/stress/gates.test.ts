import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type Zeph } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const MANY = 10_000;
const MOST = 7000;
const place = workspace([{ op: "file", path: "work/a.txt", content: "a" }]);
afterAll(() => place.remove());

const ran: number[] = [];
const counting = defineTool({
  name: "count",
  description: "Counts.",
  effect: "reads",
  input: z.strictObject({ n: z.int(), note: z.string().optional() }),
  touches: () => [],
  async run({ input }) {
    ran.push(input.n);
    return { text: String(input.n) };
  },
});

/** Every gate has something to do, and one of them has to wait. */
const config = {
  audit: { path: `${place.state}/audit.jsonl` },
  tools: {
    max_tool_calls_per_session: MOST,
    policy: {
      enabled: true,
      default_effect: "allow",
      rules: [
        { effect: "deny", tool: "count", args_match: "forbidden" },
        { effect: "deny", tool: "write", paths: ["**/*.lock"] },
      ],
    },
    authorization: { enabled: true, rules: [{ action: "allow", tools: ["count"] }] },
    scoped: { enabled: true, constraints: [{ tool: "count", deny_patterns: ["never"] }] },
    governance: { trajectory_enabled: true, blocked_sequences: [["count", "never"]] },
    permissions: { read: [{ pattern: "*", action: "allow" }] },
  },
};

describe(`${MANY.toLocaleString("en")} at once through one runtime`, () => {
  let zeph: Zeph;
  beforeAll(async () => {
    zeph = await place.runtime({ config, toolsets: [{ id: "t", list: () => [counting] }] });
  });
  afterAll(() => zeph.close());
  const numbers = Array.from({ length: MANY }, (_, n) => n);

  it("judgements: each is what it would be alone, and none uses up a call", async () => {
    const note = (n: number) => (n % 10 === 7 ? { note: "forbidden" } : {});
    const verdicts = await Promise.all(
      numbers.map((n) =>
        n % 2 === 0 ? zeph.judge("read", { path: n % 4 === 0 ? "a.txt" : "/etc/hosts" }) : zeph.judge("count", { n, ...note(n) }),
      ),
    );
    const wrong = numbers.filter((n) => {
      const { verdict, gate } = verdicts[n]!;
      if (n % 2 === 0) return n % 4 === 0 ? verdict !== "allow" : gate !== "files";
      return n % 10 === 7 ? gate !== "policy" : verdict !== "allow";
    });
    expect(wrong).toEqual([]);
    expect(zeph.governance.gates().find(({ gate }) => gate === "quota")).toMatchObject({ state: `0 of ${MOST} calls used`, passed: 0 });
  });

  it("calls: let in in the order they came, exactly as many as the quota has, and every one is in the log", async () => {
    const outcomes = await Promise.all(numbers.map((n) => zeph.call("count", { n })));
    expect(ran).toEqual(numbers.slice(0, MOST));
    const late = outcomes.slice(MOST);
    expect(outcomes.slice(0, MOST).every(({ ok }) => ok)).toBe(true);
    expect(late.every((one) => !one.ok && one.decision.gate === "quota" && one.error.message.startsWith("quota_blocked: "))).toBe(true);
    expect(zeph.governance.gates().find(({ gate }) => gate === "quota")).toMatchObject({ passed: MOST, denied: MANY - MOST });
    const lines = place
      .audit()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ outcome }) => outcome === "ok")).toHaveLength(MOST);
    expect(lines.filter(({ gate }) => gate === "quota")).toHaveLength(MANY - MOST);
  });
});
