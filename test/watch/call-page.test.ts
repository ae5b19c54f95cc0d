import { load } from "cheerio";
import { expect, it } from "vitest";
import type { AuditEntry } from "../../src/core/ports/audit.ts";
import { callRoute } from "../../src/front/watch/pages/call.ts";
import type { WatchPage } from "../../src/front/watch/watch-route.ts";
import type { JudgedNow, WatchSources } from "../../src/front/watch/watch-sources.ts";
import { givenSources, requestOf } from "./given-sources.ts";

/** The page of this call, judged like this now. */
async function pageOf(entry: Partial<AuditEntry>, judged: JudgedNow) {
  const main = {
    file: "/s/audit.jsonl",
    line: 7,
    entry: { kind: "call" as const, ts: "2026-11-18T12:00:00.000Z", call_id: "c1", tool: "bash", ...entry },
  };
  const log = { call: async () => ({ main, lines: [main], around: [main], kept: [] }), judge: async () => judged };
  const sources = { ...givenSources(), log: log as unknown as WatchSources["log"] };
  const page = (await callRoute.render(sources, requestOf("/log/c1", { words: ["c1"] }))) as WatchPage;
  return load(String(page.body));
}

it("the page of a call shows every objection of then beside what the gates say now, with a word where the two differ", async () => {
  const $ = await pageOf(
    {
      outcome: "denied",
      gate: "policy",
      rule: "no-push",
      why: "Pushing is denied.",
      objections: [
        { gate: "permissions", kind: "ask", rule: null },
        { gate: "policy", kind: "deny", rule: "no-push" },
        { gate: "walls", kind: "ask", rule: "no walls" },
      ],
    },
    {
      verdict: "ask",
      gates: [
        { gate: "permissions", said: "ask", why: "no rule allows it" },
        { gate: "policy", said: "pass" },
        { gate: "files", said: "deny", why: "outside of the workspace" },
        { gate: "walls", said: "ask", rule: "no walls" },
      ],
    },
  );
  const then = $("dt:contains('objections') + dd div")
    .toArray()
    .map((one) => $(one).text());
  expect(then).toEqual(["ask permissions", "deny policy, rule no-push: Pushing is denied.", "ask walls, rule no walls"]);
  const now = $("ul.gates li")
    .toArray()
    .map((one) => $(one).text());
  expect(now).toEqual([
    expect.stringMatching(/^permissionsaskno rule allows it$/),
    expect.stringMatching(/^policypass.*then: deny no-push$/),
    expect.stringMatching(/^filesdenyoutside of the workspace then it raised no objection$/),
    expect.stringMatching(/^wallsask no walls$/),
  ]);
  expect($(".banner.warn").text()).toContain("Then: deny, now: ask.");
});
