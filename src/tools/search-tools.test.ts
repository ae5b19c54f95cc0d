import { expect, it } from "vitest";
import type { ApprovedCall } from "../core/door.ts";
import { outputOf } from "../core/draft.ts";
import type { FoundTool } from "../core/inputs/tool-results.ts";
import { NEVER } from "../core/tool.ts";
import { searchTools, type ToolSearch } from "./search-tools.ts";

const found: FoundTool = {
  name: "send_email",
  description: "Send a message.\n\nSecond  line.",
  parameters: { properties: { to: { type: "string" }, copies: { type: "array" }, odd: {} }, required: ["to"] },
  unmet: [],
};
const run = (answer: Awaited<ReturnType<ToolSearch["search"]>>, input: object = { query: "mail" }) => {
  const asked: unknown[] = [];
  const tool = searchTools({
    async search(query, limit) {
      asked.push([query, limit]);
      return answer;
    },
  });
  expect(tool.effect).toBe("reads");
  const permit = { input: tool.input.parse(input) } as ApprovedCall;
  return tool.run(permit, { signal: NEVER } as never).then((answer) => ({ text: outputOf(answer).text, asked }));
};

it("search_tools shows names, parameters and what they are for", async () => {
  const { text, asked } = await run({ found: [found, { ...found, name: "deploy", unmet: ["build"] }], offered: ["read"] });
  expect(text).toBe(
    [
      "send_email(to: string, copies?: array, odd?)\n  Send a message. Second line.",
      "deploy(to: string, copies?: array, odd?)\n  Send a message. Second line.\n  It can be called once build has succeeded.",
      "You can call them from now on.",
      "You have already: read.",
    ].join("\n\n"),
  );
  expect(asked).toEqual([["mail", 5]]);
});
it("search_tools says when there is none", async () => {
  expect((await run({ found: [], offered: [] })).text).toBe("No other tool fits. Try other words.");
  expect((await run({ found: [], offered: ["read"] }, { query: "x", limit: 20 })).asked).toEqual([["x", 20]]);
});
it("search_tools shows little of what is endless, and reads odd schemas", async () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, null]));
  const odd = { ...found, description: "x".repeat(100_000), parameters: { properties, required: "no" } };
  const { text } = await run({ found: [odd, { ...found, parameters: null }], offered: [] });
  expect(text.length).toBeLessThan(2000);
  expect(text).toContain("send_email()");
});
