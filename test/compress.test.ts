import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ModelEvent } from "../src/index.ts";
import { agentIn, all, asks, done, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const module = (n: number) => `export function part${n}(colour) {\n${"  const shade = mix(colour, sky);\n".repeat(10)}  return shade;\n}\n`;
const FILE = `${Array.from({ length: 12 }, (_, n) => module(n)).join("\n")}
export function retryPayment(order) {
  const attempts = 2;
  return send(order, attempts);
}
`;
const AUTH = [
  "import time",
  ...["login", "logout", "refresh", "rotate"].map(
    (name) => `
def ${name}(user, token):
    if token.expires < time.time():
        raise Expired(token)
${"    user.sessions.append(token.id)\n".repeat(9)}`,
  ),
].join("\n");
const place = workspace([
  { op: "file", path: "work/big.ts", content: FILE },
  { op: "file", path: "work/auth.py", content: AUTH },
  { op: "file", path: "work/fails.sh", content: 'for n in $(seq 200); do echo "plain line $n of a long output"; done; exit 3' },
]);
afterAll(() => place.remove());

const permissions = { bash: [{ pattern: "*", action: "allow" }] };
const agentWith = (goal: string, compression: object, ...calls: readonly (readonly ModelEvent[])[]) => {
  const model = modelSaying(...calls);
  const config = {
    audit: { path: join(place.state, "compress.jsonl") },
    agent: { goal_text: goal },
    tools: { compression, permissions, sandbox: { enabled: false } },
  };
  return agentIn(place, model, { config });
};
const GOAL = "Make the payment retry wait longer";
const readsBig = () => [asks("read", { path: "big.ts" })];

async function resultsOf(goal: string, compression: object, ...calls: readonly (readonly ModelEvent[])[]): Promise<string[]> {
  const agent = await agentWith(goal, compression, ...calls, [says("done")]);
  expect(done(await all(agent.send("go"))).why).toBe("answered");
  const texts = (await agent.history()).flatMap((message) => (message.role === "tool" ? [message.text] : []));
  await agent.close();
  return texts;
}

describe("while a goal is active", () => {
  it("a file is shown by what it has to do with the goal, and read_overflow shows the rest", async () => {
    const [short, whole] = await resultsOf(GOAL, {}, readsBig(), [asks("read_overflow", { id: "raw#1", pattern: "shade = mix" })]);
    expect(short).toContain("const attempts = 2;");
    expect(short).toMatch(/\[output filtered: \d+ lines not about the goal\]/);
    expect(short).not.toContain("shade = mix");
    expect(whole).toContain("const shade = mix(colour, sky);");
  });

  it("a file that is what the goal is about is shown whole by cat, and no line of it is left out", async () => {
    const goal = "Fix auth.py: login must refuse expired tokens";
    const [text] = await resultsOf(goal, {}, [asks("bash", { command: "cat auth.py" })]);
    expect(text!.split("\n").filter((line) => line.startsWith("def "))).toHaveLength(4);
    expect(text).toContain(AUTH.trimEnd());
  });

  it("and without one, everything is", async () => {
    const [text] = await resultsOf("", {}, readsBig());
    expect(text!.split("\n").filter((line) => line.includes("shade = mix"))).toHaveLength(120);
  });

  it("what was shortened for the goal is not given where there is none", async () => {
    const agent = await agentWith(GOAL, {}, readsBig(), [says("done")]);
    await all(agent.send("go"));
    const conversationId = agent.conversation!;
    const outcome = await agent.zeph.call("read", { path: "big.ts" }, { conversationId });
    expect(outcome.ok && outcome.output.text).toContain("shade = mix");
    await agent.close();
  });

  it("a command that failed is shown as the filter leaves it", async () => {
    const failing = () => [asks("bash", { command: "sh fails.sh" })];
    const [aware] = await resultsOf(GOAL, {}, failing());
    const [off] = await resultsOf(GOAL, { enabled: false }, failing());
    expect(aware!.split("\n").length).toBe(off!.split("\n").length);
    expect(aware).toContain("[exit code 3]");
  });

  it("lines that were asked for are shown whole", async () => {
    const [text] = await resultsOf(GOAL, {}, [asks("read", { path: "big.ts", offset: 1, limit: 100 })]);
    expect(text!.split("\n").length).toBeGreaterThanOrEqual(100);
  });
});
