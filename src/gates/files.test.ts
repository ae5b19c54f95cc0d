import { expect, it } from "vitest";
import * as z from "zod";
import { ownFacets } from "../../test/own-facets.ts";
import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Facts, Refusal } from "../core/ports/facts.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { defineTool } from "../core/tool.ts";
import { createFilesGate } from "./files.ts";

const REFUSAL: Refusal = { rule: "deny_read secret", why: "secret may not be read." };
type Answer = Refusal | null | Promise<Refusal | null>;

/** What the gate says of a call that touches the paths, where the host answers like this. */
function judged(answers: Record<string, () => Answer>) {
  const tool = defineTool({
    name: "reader",
    description: "",
    effect: "reads",
    facets: ownFacets("reader"),
    input: z.strictObject({}),
    touches: () => Object.keys(answers).map((path) => ({ kind: "path", access: "read", path })),
    run: async () => ({ text: "" }),
  });
  const call = ToolCall.parse(ToolRequest.from({ id: "1", name: "reader", args: {} })!, new Map([["reader", tool]])) as ToolCall;
  const facts = { access: ({ path }: { path: string }) => answers[path]!() } as unknown as Facts;
  return async () => createFilesGate(facts).judge(call, createSession().current({}));
}

const ways: [string, (refusal: Refusal | null) => Answer][] = [
  ["at once", (refusal) => refusal],
  ["later", async (refusal) => refusal],
];

it.each(ways.flatMap(([first, a]) => ways.map(([second, b]) => [first, second, a, b] as const)))(
  "every path is asked about, where the host answers %s and %s",
  async (_first, _second, a, b) => {
    const denied = { kind: "deny", ...REFUSAL };
    expect(await judged({ open: () => a(null), secret: () => b(REFUSAL) })()).toEqual(denied);
    expect(await judged({ secret: () => a(REFUSAL), open: () => b(null) })()).toEqual(denied);
    expect(await judged({ open: () => a(null), other: () => b(null) })()).toEqual({ kind: "pass" });
  },
);

it("a path that cannot be resolved is left to the host, and what comes after it is not", async () => {
  const unresolved = new ToolError("permanent_failure", "a loop of links");
  const atOnce = () => {
    throw unresolved;
  };
  for (const loop of [atOnce, () => Promise.reject(unresolved)])
    expect(await judged({ loop, secret: () => REFUSAL })()).toMatchObject({ kind: "deny" });
});

it("any other failure is one of the gate, which denies", async () => {
  await expect(judged({ x: () => Promise.reject(new Error("the disk is gone")) })()).rejects.toThrow("the disk is gone");
  await expect(
    judged({
      x: () => {
        throw new Error("the disk is gone");
      },
    })(),
  ).rejects.toThrow("the disk is gone");
});
