import { agent } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { Elicitation } from "../../src/core/ports/elicitation.ts";
import { askElicitation } from "../../src/front/acp/elicit.ts";
import type { Wire } from "../../src/front/acp/wire.ts";
import { editorOn, pair, type TestEditor } from "./editor.ts";

const FORM: Elicitation = {
  kind: "form",
  from: "mcp:shop",
  message: "Who are you?",
  fields: [
    { name: "name", type: "text", required: true, most: 20, format: "email" },
    { name: "age", type: "integer", required: false, least: 1 },
    { name: "size", type: "choice", required: true, options: [{ value: "s", label: "Small" }] },
    { name: "extras", type: "choices", required: false, options: [{ value: "x", label: "X" }] },
    { name: "yes", type: "boolean", required: false, default: true },
  ],
};
const NEVER = new AbortController().signal;

function wired(elicit: (asked: unknown) => unknown, can: Wire["can"]): { wire: Wire; editor: TestEditor } {
  const [ours, theirs] = pair();
  const { client } = agent({ name: "test" }).connect(ours);
  const editor = editorOn(theirs, { elicit });
  return { wire: { sessionId: "s", client, can, gone: NEVER, update: async () => {} }, editor };
}

test("a form is put as the editor understands it, and only what was asked for comes back", async () => {
  let asked: unknown;
  const { wire } = wired(
    (request) => {
      asked = request;
      return { action: "accept", content: { name: "a@b.c", age: 7, extras: ["x"], stranger: "no", size: "s" } };
    },
    { elicitation: { form: {} } },
  );
  expect(await askElicitation(wire, FORM, NEVER)).toEqual({
    action: "accept",
    content: { name: "a@b.c", age: 7, extras: ["x"], size: "s" },
  });
  expect(asked).toMatchObject({
    mode: "form",
    sessionId: "s",
    message: "mcp:shop asks: Who are you?",
    requestedSchema: {
      required: ["name", "size"],
      properties: {
        name: { type: "string", format: "email", maxLength: 20 },
        age: { type: "integer", minimum: 1 },
        size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
        extras: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
        yes: { type: "boolean", default: true },
      },
    },
  });
});

test("a no is a no; no answer, an error and an editor that cannot are none", async () => {
  const visit: Elicitation = { kind: "visit", from: "mcp:shop", message: "Sign in", url: "https://example.com/" };
  const said = async (answer: () => unknown, can: Wire["can"], asked: Elicitation = FORM) =>
    (await askElicitation(wired(answer, can).wire, asked, NEVER)).action;
  const form = { elicitation: { form: {} } };
  expect(await said(() => ({ action: "decline" }), form)).toBe("decline");
  expect(await said(() => ({ action: "cancel" }), form)).toBe("cancel");
  expect(await said(() => ({ action: "accept", content: {} }), {})).toBe("cancel");
  expect(await said(() => ({ action: "accept" }), form, visit)).toBe("cancel");
  expect(await said(() => ({ action: "accept" }), { elicitation: { url: {} } }, visit)).toBe("accept");
  const fails = () => {
    throw new Error("no");
  };
  expect(await said(fails, form)).toBe("cancel");
});

test("it ends with the signal", async () => {
  const stop = new AbortController();
  const { wire } = wired(() => new Promise(() => {}), { elicitation: { form: {} } });
  const answer = askElicitation(wire, FORM, stop.signal);
  setTimeout(() => stop.abort(), 20);
  expect(await answer).toEqual({ action: "cancel" });
});
