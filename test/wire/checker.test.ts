import { describe, expect, it } from "vitest";
import { anthropicFault, rememberThinking } from "./rules-anthropic.ts";
import { chatFault, rememberReasoning, responsesFault } from "./rules-openai.ts";

/** Every rule is seen to refuse what it is for, and to let its repaired twin through. */
describe("Messages API", () => {
  const user = (...content: object[]) => ({ role: "user", content });
  const assistant = (...content: object[]) => ({ role: "assistant", content });
  const text = (words: string) => ({ type: "text", text: words });
  const use = (id: string, input: unknown = {}, name = "read") => ({ type: "tool_use", id, name, input });
  const result = (tool_use_id: string) => ({ type: "tool_result", tool_use_id, content: "x" });
  const request = (messages: object[], more: object = {}) => ({ max_tokens: 10, tools: [{ name: "read" }], messages, ...more });
  const memory = new Map([["sig", "Hm."]]);
  const thinking = (words: string, signature: string) => ({ type: "thinking", thinking: words, signature });
  const hello = user(text("hello"));
  const marked = { ...text("x"), cache_control: { type: "ephemeral" } };

  it.each<[string, object, RegExp]>([
    ["no max_tokens", { messages: [hello] }, /max_tokens/],
    ["a bad tool name", request([hello], { tools: [{ name: "bad name!" }] }), /name/],
    ["five breakpoints", request([user(marked, marked, marked, marked, marked)]), /maximum of 4/],
    ["no message", request([]), /at least one/],
    ["an assistant first", request([assistant(text("hi"))]), /first message/],
    ["a message without content", request([user()]), /non-empty/],
    ["an empty text block", request([user(text(" \n"))]), /non-whitespace/],
    ["a call without result at the end", request([hello, assistant(use("a"))]), /without `tool_result`/],
    ["a call without result", request([hello, assistant(use("a"), use("b")), user(result("a"))]), /without `tool_result`.*b/],
    ["a result in a later message", request([hello, assistant(use("a")), hello, assistant(text("x")), user(result("a"))]), /without/],
    ["a result nobody asked for", request([hello, assistant(text("x")), user(result("a"))]), /unexpected/],
    ["two results for one call", request([hello, assistant(use("a")), user(result("a"), result("a"))]), /single/],
    ["results behind text", request([hello, assistant(use("a")), user(text("x"), result("a"))]), /first/],
    ["one id twice in a message", request([hello, assistant(use("a"), use("a")), user(result("a"))]), /unique/],
    [
      "one id twice in a conversation",
      request([hello, assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))]),
      /unique/,
    ],
    ["arguments that are no object", request([hello, assistant(use("a", "x")), user(result("a"))]), /dictionary/],
    ["changed thinking", request([hello, assistant(thinking("Ha.", "sig"), text("x")), hello]), /modified/],
    ["a changed signature", request([hello, assistant(thinking("Hm.", "gis"), text("x")), hello]), /modified/],
    ["an id of another kind", request([hello, assistant(use("a.b:0")), user(result("a.b:0"))]), /tool_use\.id/],
    ["a call by a name no tool has", request([hello, assistant(use("a", {}, "a b")), user(result("a"))]), /tool_use\.name/],
    ["calls without tools", request([hello, assistant(use("a")), user(result("a"))], { tools: [] }), /must define tools/],
    ["a thought at the end", request([hello, assistant(text("x"), thinking("Hm.", "sig")), hello]), /final block/],
    ["a marked thought", request([hello, assistant({ ...thinking("Hm.", "sig"), cache_control: {} }, text("x")), hello]), /cache_control/],
    [
      "thinking left out in a turn",
      request([hello, assistant(use("a")), user(result("a"))], { thinking: { type: "enabled" } }),
      /Expected/,
    ],
  ])("refuses %s", (_what, body, why) => expect(anthropicFault(body, memory)).toMatch(why));

  it("lets a legal conversation through", () =>
    expect(
      anthropicFault(
        request([hello, assistant(thinking("Hm.", "sig"), text("I look."), use("a"), use("b")), user(result("b"), result("a"), marked)], {
          thinking: { type: "enabled" },
        }),
        memory,
      ),
    ).toBeNull());

  it("remembers thinking from a stream", () => {
    const heard = new Map<string, string>();
    rememberThinking(
      [
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "H" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "m." } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
        { type: "content_block_stop", index: 0 },
      ],
      heard,
    );
    expect(heard).toEqual(memory);
  });
});

describe("Chat Completions API", () => {
  const user = { role: "user", content: "hello" };
  const asks = (...ids: string[]) => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
  });
  const tool = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "x" });

  it.each<[string, object, RegExp]>([
    ["no message", { messages: [] }, /empty/],
    ["a bad tool name", { messages: [user], tools: [{ function: { name: "a b" } }] }, /pattern/],
    ["a result nobody asked for", { messages: [user, tool("a")] }, /preceding/],
    ["a result behind something else", { messages: [user, asks("a"), user, tool("a")] }, /followed/],
    ["a second result", { messages: [user, asks("a"), tool("a"), tool("a")] }, /preceding/],
    ["a missing result", { messages: [user, asks("a", "b"), tool("a"), user] }, /Missing: b/],
    ["a missing result at the end", { messages: [user, asks("a")] }, /Missing: a/],
    ["one id twice", { messages: [user, asks("a"), tool("a"), asks("a"), tool("a")] }, /Duplicate/],
    [
      "a call by a name no tool has",
      { messages: [user, { role: "assistant", tool_calls: [{ id: "a", function: { name: "a b", arguments: "{}" } }] }] },
      /pattern/,
    ],
    ["an empty message", { messages: [{ role: "user", content: "" }] }, /empty/],
    ["an empty answer", { messages: [user, { role: "assistant", content: "" }] }, /nothing/],
    [
      "arguments that are no object",
      { messages: [user, { role: "assistant", tool_calls: [{ id: "a", function: { name: "read", arguments: "[]" } }] }] },
      /object/,
    ],
  ])("refuses %s", (_what, body, why) => expect(chatFault(body)).toMatch(why));

  it("lets a legal conversation through", () =>
    expect(chatFault({ messages: [{ role: "system", content: "x" }, user, asks("a", "b"), tool("b"), tool("a"), user] })).toBeNull());
});

describe("Responses API", () => {
  const user = { role: "user", content: [{ type: "input_text", text: "hello" }] };
  const call = (call_id: string, args = "{}") => ({ type: "function_call", call_id, name: "read", arguments: args });
  const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "x" });
  const thought = (id: string, encrypted_content: string) => ({ type: "reasoning", id, encrypted_content, summary: [] });
  const request = (...input: object[]) => ({ store: false, input });
  const memory = new Map([["rs", "sealed"]]);

  it.each<[string, object, RegExp]>([
    ["what would be stored", { input: [user] }, /stored/],
    ["a bad tool name", { ...request(user), tools: [{ name: "a b", strict: false }] }, /pattern/],
    ["a tool taken for strict", { ...request(user), tools: [{ name: "read" }] }, /additionalProperties/],
    ["a reference to nothing", request({ type: "item_reference", id: "x" }), /not found/],
    ["an output without call", request(user, output("a")), /No tool call/],
    ["an output before its call", request(user, output("a"), call("a")), /No tool call/],
    ["two outputs", request(user, call("a"), output("a"), output("a")), /No tool call/],
    ["a call without output", request(user, call("a"), call("b"), output("a")), /No tool output.*b/],
    ["one id twice", request(user, call("a"), call("a"), output("a")), /Duplicate/],
    ["arguments that are no object", request(user, call("a", "x")), /arguments/],
    ["a call by a name no tool has", request(user, { ...call("a"), name: "" }), /pattern/],
    ["a changed seal", request(user, thought("rs", "other"), call("a"), output("a")), /verified/],
    ["an unknown thought", request(user, thought("xx", "sealed"), call("a"), output("a")), /verified/],
    ["a thought that leads nowhere", request(user, thought("rs", "sealed"), user), /following/],
    ["an empty text", request({ role: "user", content: [{ type: "input_text", text: "" }] }), /empty/],
  ])("refuses %s", (_what, body, why) => expect(responsesFault(body, memory)).toMatch(why));

  it("lets a legal conversation through", () =>
    expect(responsesFault(request(user, thought("rs", "sealed"), call("a"), call("b"), output("b"), output("a")), memory)).toBeNull());

  it("remembers sealed thinking from a stream", () => {
    const heard = new Map<string, string>();
    rememberReasoning([{ type: "response.output_item.done", item: { type: "reasoning", id: "rs", encrypted_content: "sealed" } }], heard);
    expect(heard).toEqual(memory);
  });
});
