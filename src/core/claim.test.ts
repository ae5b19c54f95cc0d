import { expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "./call.ts";
import { claimSource } from "./claim.ts";
import { ToolRequest } from "./request.ts";
import { defineTool, type Tool } from "./tool.ts";

const callOf = (args: object, tool: Partial<Tool> = {}) => {
  const whole = defineTool({
    name: "t",
    description: "",
    effect: "unknown",
    input: z.looseObject({}),
    touches: () => [],
    run: async () => ({ text: "" }),
    ...tool,
  });
  return ToolCall.parse(ToolRequest.from({ id: "1", name: whole.name, args })!, new Map([[whole.name, whole]])) as ToolCall;
};
const path = { kind: "path", access: "read", path: "a" } as const;
const url = { kind: "url", url: "https://example.com/" } as const;
const command = { kind: "command", argv: ["ls"], text: "ls" } as const;

it("believes a tool that says where its answers come from, then a server's name, then what is touched", () => {
  expect(claimSource(callOf({}, { claims: "memory", touches: () => [command] }))).toBe("memory");
  expect(claimSource(callOf({}, { name: "mcp__git__log", touches: () => [path] }))).toBe("mcp");
  expect(claimSource(callOf({}, { touches: () => [path, url, command] }))).toBe("shell");
  expect(claimSource(callOf({}, { touches: () => [path, url] }))).toBe("web");
  expect(claimSource(callOf({}, { touches: () => [path] }))).toBe("file_system");
});

it("takes a path in the arguments for a sign of files, however deep, and an address never", () => {
  expect(claimSource(callOf({ a: [{ b: "see src/main.rs" }] }))).toBe("file_system");
  expect(claimSource(callOf({ a: "/etc/hosts" }))).toBe("file_system");
  expect(claimSource(callOf({ a: "https://example.com/src/main.rs", n: 3, t: "hello" }))).toBe("user");
  expect(claimSource(callOf({}))).toBe("user");
});

it("looks at so much and no more", () => {
  expect(claimSource(callOf({ a: "x".repeat(20_000), b: "/etc/hosts" }))).toBe("user");
  expect(claimSource(callOf({ ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, "text"])), b: "/etc/hosts" }))).toBe(
    "user",
  );
});
