import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import type { Message, MessagePart } from "../core/ports/model.ts";
import { createAnthropicModel, mayThink } from "./anthropic.ts";
import { exchangesOf } from "./wire/conversation.ts";

const user: Message = { role: "user", text: "go" };
const call = { type: "request", id: "1", callId: "c", name: "read", args: {} } as const;
const thought = { type: "thinking", text: "hm" } as const;
const said = { type: "text", text: "ok" } as const;
const answer = (...parts: MessagePart[]): Message => ({ role: "assistant", model: "own", parts });

it.each<[string, Message[], boolean]>([
  ["at the beginning", [user], true],
  ["behind an answer without calls", [user, answer(said), user], true],
  ["behind calls that began with a thought", [user, answer(thought, call), user], true],
  ["behind calls of another model, whose thoughts are not sent", [user, answer(call), user], false],
  ["behind calls that began with text", [user, answer(said, call), user], false],
  ["when such calls lie further back", [user, answer(call), user, answer(said), user], true],
])("thinking is asked for %s", (_when, messages, expected) => {
  expect(mayThink(exchangesOf(messages, "own"))).toBe(expected);
});

it("asks for thinking on the wire only where it may", async () => {
  const bodies: { thinking?: object }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(JSON.parse(String(Buffer.concat(chunks))));
    response
      .writeHead(400, { "content-type": "application/json" })
      .end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = { name: "a", type: "anthropic", model: "m", url, key: { from: "K", value: "none" } };
  const model = createAnthropicModel({ asked, contextTokens: 1000, timeoutMs: 5000, reasoning: true, thinkingTokens: 2048 });
  const taken: Message[] = [
    { role: "user", text: "go" },
    { role: "assistant", model: "another/model", parts: [{ type: "request", id: "1", callId: "c", name: "read", args: {} }] },
    { role: "tool", id: "1", text: "x" },
    { role: "user", text: "go on" },
  ];
  const tools = [{ name: "read", description: "", parameters: { type: "object", properties: {} } }];
  for (const messages of [taken.slice(0, 1), taken])
    await expect(
      (async () => {
        for await (const _ of model.stream({ system: "s", tools, messages }, new AbortController().signal));
      })(),
    ).rejects.toThrow();
  server.close();
  expect(bodies.map(({ thinking }) => thinking !== undefined)).toEqual([true, false]);
});
