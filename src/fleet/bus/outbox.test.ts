import { expect, it } from "vitest";
import { createOutbox } from "./outbox.ts";

it("an outbox keeps the newest thousand, and never more than 4 MB", () => {
  const outbox = createOutbox();
  for (let n = 0; n < 1500; n++) outbox.add({ subject: String(n), text: "" });
  expect(outbox.size).toBe(1000);
  expect(outbox.take(2)).toEqual([
    { subject: "500", text: "" },
    { subject: "501", text: "" },
  ]);
  for (let n = 0; n < 100; n++) outbox.add({ subject: "large", text: "x".repeat(64 * 1024) });
  expect(outbox.size).toBe(64);
  expect(outbox.take(100).length).toBe(64);
  outbox.add({ subject: "again", text: "x" });
  expect(outbox.size).toBe(1);
});
