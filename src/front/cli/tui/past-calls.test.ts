import { expect, it } from "vitest";
import { createPastCalls } from "./past-calls.ts";
import type { ShownCall } from "./view/call.ts";

it("calls that have ended are kept without the bytes of their images", () => {
  const image = { kind: "image", mediaType: "image/png", data: "AAAA", bytes: 3, sha256: "", width: 640, height: 480 };
  const outcome = { ok: true, callId: "1", output: { text: "[image 1]", media: [image] } } as unknown as ShownCall["outcome"];
  const past = createPastCalls();
  past.add({ request: { name: "look", args: {} }, outcome, ms: 1 });
  expect(past.all()[0]!.outcome.output).toEqual({ text: "[image 1]", media: [{ ...image, data: "" }] });
});
