import type { WatchSources } from "../../src/front/watch/watch-sources.ts";

type Stored = Pick<WatchSources, "rules" | "kept" | "conversations">;

const START = Date.parse("2026-11-15T21:58:00Z");

/** What is kept besides the log. */
export function sampleStored(text: (plain: string) => string): Stored {
  const kept = { id: "kept-1", handle: 7, chars: 48_210, createdAt: START, callId: "call-3", conversation: text("talk-1") };
  const conversation = {
    id: "talk-1",
    workspace: text("/home/maria/projects/app"),
    title: text("Prepare the release"),
    createdAt: START,
    updatedAt: START + 60_000,
    length: 3,
    windowStart: 0,
    elidedUntil: 0,
    counted: { position: 0, tokens: 0 },
    seen: { untrusted: false },
  };
  return {
    rules: {
      gates: async () => [
        { gate: text("blocklist"), state: text("on"), asked: 0, denied: 3 },
        { gate: text("policy"), state: text("on, 2 rules"), asked: 4, denied: 12 },
        { gate: text("scope"), state: text("off"), asked: 0, denied: 0 },
      ],
      tryRules: async (toml) =>
        toml.includes("broken")
          ? { problem: text("line 1: this is no TOML") }
          : {
              calls: 2012,
              same: 1990,
              notComparable: { [text("no tool of this name")]: 5 },
              changed: [
                {
                  callId: "call-4",
                  tool: text("bash"),
                  args: { command: text("tail -400 logs/app.log") },
                  times: 17,
                  was: "allow",
                  would: "deny",
                  gate: text("policy"),
                  rule: text("rule[2] deny"),
                },
              ],
              ms: 1400,
            },
    },
    kept: {
      list: async ({ text: wanted }) => (wanted === "nothing" ? [] : [kept]),
      totals: async () => ({ texts: 1, chars: kept.chars }),
      text: async (id) => (id === kept.id ? { entry: kept, text: text("FAIL src/parser.test.ts\nexpected: null\nreceived: []\n") } : null),
    },
    conversations: {
      list: async () => [conversation],
      get: async (id) => (id === conversation.id ? conversation : null),
      messages: async (_, { after }) =>
        after > 0
          ? []
          : [
              { position: 1, message: { role: "user", text: text("Why does the parser test fail?") } },
              {
                position: 2,
                message: {
                  role: "assistant",
                  model: text("anthropic/claude-sonnet-5"),
                  parts: [{ type: "text", text: text("I look at the parser.") }] as never,
                },
              },
              { position: 3, message: { role: "tool", id: "call-2", text: text("function parse(line) {}") } },
            ],
    },
  };
}
