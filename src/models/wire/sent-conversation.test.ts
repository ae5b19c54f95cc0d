import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, MessagePart } from "../../core/ports/model.ts";
import { type AnswerExchange, exchangesOf, speakInTurns } from "./conversation.ts";
import { joinRequest } from "./request-bytes.ts";
import { createSentConversation } from "./sent-conversation.ts";

const OWN = "a/own";

/** As the strictest of our protocols: neighbours are joined, and the last two turns of ours are marked. */
function write(exchanges: readonly AnswerExchange[], which: "settled" | "newest"): string {
  const turns = speakInTurns(
    exchanges.flatMap(({ parts, calls, said }) => [
      ["model", parts.map((part) => JSON.stringify(part))] as const,
      ["user", [...calls.map((call) => JSON.stringify(call)), ...said.map((one) => JSON.stringify(one))]] as const,
    ]),
  );
  const marked = which === "newest" ? turns.filter(({ role }) => role === "user").slice(-2) : [];
  for (const { parts } of marked) parts.push('"mark"');
  return turns.map((turn) => JSON.stringify(turn.role).concat(":", turn.parts.join(","))).join(",");
}

const atOnce = (messages: readonly Message[]) => write(exchangesOf(messages, OWN), "newest");

const part = fc.oneof<fc.Arbitrary<MessagePart>[]>(
  fc.constantFrom<MessagePart>({ type: "text", text: "ä" }, { type: "text", text: " " }, { type: "thinking", text: "hm" }),
  fc.nat(3).map((n) => ({ type: "request", id: `${n}`, callId: "c", name: "read", args: { n } }) as const),
);
const message = fc.oneof<fc.Arbitrary<Message>[]>(
  fc.record({ role: fc.constant("user" as const), text: fc.constantFrom("go on", " ") }),
  fc.record({
    role: fc.constant("assistant" as const),
    model: fc.constantFrom(OWN, "b/other"),
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ role: fc.constant("tool" as const), id: fc.constantFrom("0", "1", "2"), text: fc.string({ maxLength: 5 }) }),
);
/** How a conversation goes on: more is said, the end is taken back, a message is another, or the beginning is left out. */
const step = fc.record({
  more: fc.array(message, { maxLength: 6 }),
  back: fc.nat(2),
  other: fc.nat(30),
  drop: fc.constantFrom(0, 0, 0, 1),
});

describe("A conversation that is sent again and again", () => {
  it("is each time what it would be if it was written at once", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const sent = createSentConversation({ own: OWN, write });
        let messages: Message[] = [{ role: "user", text: "go" }];
        for (const { more, back, other, drop } of steps) {
          messages = [...messages.slice(drop, Math.max(1, messages.length - back)), ...more];
          if (other < messages.length) messages[other] = { ...messages[other]! };
          expect(joinRequest(sent(messages).pieces).toString()).toBe(atOnce(messages));
        }
      }),
      { numRuns: 400 },
    );
  });

  it("is written only once where nothing can change any more, also when another one is led beside it", () => {
    let written = 0;
    const sent = createSentConversation({
      own: OWN,
      write(exchanges, which) {
        written += exchanges.length;
        return write(exchanges, which);
      },
    });
    const round = (n: number): Message[] => [
      { role: "assistant", model: OWN, parts: [{ type: "request", id: `${n}`, callId: "c", name: "read", args: {} }] },
      { role: "tool", id: `${n}`, text: "x" },
    ];
    const [one, other]: Message[][] = [[{ role: "user", text: "one" }], [{ role: "user", text: "other" }]];
    for (let n = 0; n < 100; n++)
      for (const messages of [one!, other!]) {
        messages.push(...round(n));
        expect(joinRequest(sent(messages).pieces).toString()).toBe(atOnce(messages));
      }
    expect(written).toBeLessThan(2 * 100 * 5);
  });
});
