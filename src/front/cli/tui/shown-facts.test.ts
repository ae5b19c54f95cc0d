import { afterAll, describe, expect, it } from "vitest";
import { agentIn, all, modelSaying, says } from "../../../../test/talking.ts";
import { workspace } from "../../../../test/workspace.ts";
import { createSessionCounts } from "./session-counts.ts";
import { resourceFacts, statusFacts } from "./shown-facts.ts";
import { chooseTheme } from "./theme.ts";
import { resourceLines } from "./view/resources.ts";

const place = workspace([]);
afterAll(() => place.remove());

describe("what the screen says of an agent", () => {
  it("names the day of the prices, and has an empty context once a new conversation begins", async () => {
    const model = { ...modelSaying([says("Said.")]), price: { input: 3, output: 15, date: "2026-08-23" } };
    const facts = createSessionCounts();
    const agent = await agentIn(place, model);
    await all(agent.send("Hello"));
    facts.add({
      type: "usage",
      usage: { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 },
      context: { used: 64_000, budget: 128_000 },
    });
    facts.add({
      type: "done",
      why: "answered",
      totals: {
        requests: 1,
        calls: 0,
        denied: 0,
        unanswered: 0,
        usage: { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 },
        cost: 3,
      },
    });
    const panel = () => resourceLines(resourceFacts(agent, facts), 100, chooseTheme({ LANG: "C.UTF-8" }, "none")).join("\n");
    expect(panel()).toMatch(/cost +\$3\.00, prices of 2026-08-23/);
    expect(panel()).toMatch(/context +50 %/);
    agent.restart();
    expect(panel()).toMatch(/context +empty/);
    expect(statusFacts(agent, facts, 100).context).toBeNull();
    await agent.close();
  });
});
