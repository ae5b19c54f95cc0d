import { describe, expect, it } from "vitest";
import type { AnswerPart } from "./answer.ts";
import { onlyThoughts, readModelAnswer } from "./read-answer.ts";

const asks = (id: string, args: unknown, name = "read", problem?: string): AnswerPart => ({
  type: "request",
  request: { id, name, args, ...(problem && { problem }) },
});
const none = () => false;

describe("readAnswer", () => {
  it("keeps parts in their order and gives each call an id of its own", () => {
    const { parts, asked } = readModelAnswer(
      [{ type: "thinking", text: "hm", meta: { p: { signature: "s" } } }, { type: "text", text: "Look." }, asks("a", { path: "x" })],
      none,
    );
    expect(parts.map(({ type }) => type)).toEqual(["thinking", "text", "request"]);
    expect(parts[2]).toMatchObject({ id: "a", callId: asked[0]!.request.id, args: { path: "x" } });
    expect(asked[0]!.request.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("leaves out what a provider refuses: empty text, thoughts without a signature", () => {
    const { parts } = readModelAnswer(
      [
        { type: "text", text: " \n" },
        { type: "thinking", text: "" },
        { type: "thinking", text: "", meta: { a: 1 } },
      ],
      none,
    );
    expect(parts).toEqual([{ type: "thinking", text: "", meta: { a: 1 } }]);
  });

  it("runs only the first of two calls with one id", () => {
    const { parts, asked } = readModelAnswer([asks("a", { path: "x" }), asks("a", { path: "y" })], none);
    expect(asked.map(({ request }) => request.problem)).toEqual([undefined, expect.stringContaining('the id "a"')]);
    expect(new Set(parts.map((part) => part.type === "request" && part.id)).size).toBe(2);
    expect(asked[1]!.request.args).toEqual({});
  });

  it("gives an id that is taken, or that no provider takes back, a new one", () => {
    const { asked } = readModelAnswer(
      [asks("old", {}), asks("", {}), asks("no spaces", {}), asks("x".repeat(65), {})],
      (id) => id === "old",
    );
    for (const { id } of asked) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(asked.every(({ request }) => request.problem === undefined)).toBe(true);
  });

  it("strips think fields, and drops what was only thought", () => {
    const said = [asks("a", { _tafc_think: "hm", path: "x" }), asks("b", { _tafc_think: "hm" })];
    const { parts, asked } = readModelAnswer(said, none);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(parts)).not.toContain("hm");
    expect(onlyThoughts([said[1]!])).toContain("Your call of read held a thought");
    expect(onlyThoughts([{ type: "text", text: "x" }])).toBeNull();
  });

  it("asks for a tool without parameters even if there is nothing but a thought, and the thought is gone", () => {
    const tools = () => [
      { name: "ping", description: "", parameters: { type: "object", properties: {} } },
      { name: "read", description: "", parameters: { type: "object", properties: { path: {} } } },
    ];
    const said = [asks("a", { _Tafc_Think: "hm" }, "ping"), asks("b", { _tafc_think: "hm" }), asks("c", { _tafc_think: "hm" }, "other")];
    const { parts, asked } = readModelAnswer(said, none, tools);
    expect(asked.map(({ request }) => [request.name, request.args])).toEqual([["ping", {}]]);
    expect(JSON.stringify([parts, asked])).not.toContain("hm");
  });

  it.each([
    ["text", "{broken"],
    ["an array", [1]],
    ["nothing", undefined],
    ["a NUL", { path: "a\0" }],
    ["something very deep", JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`)],
  ])("keeps an empty object for arguments that are %s, and still asks, so that the model hears why not", (_what, args) => {
    const { parts, asked } = readModelAnswer([asks("a", args)], none);
    expect(parts[0]).toMatchObject({ args: {} });
    expect(asked).toHaveLength(1);
  });

  it("writes a name providers refuse so that they take it back; the door sees it as it was", () => {
    const { parts, asked } = readModelAnswer([asks("a", {}, "bad name!"), asks("b", {}, "")], none);
    expect(parts.map((part) => part.type === "request" && part.name)).toEqual(["bad_name_", "_"]);
    expect(asked.map(({ request }) => request.name)).toEqual(["bad name!", ""]);
  });
});
