import fc from "fast-check";
import { expect, it } from "vitest";
import { createOutputCapture } from "./capture.ts";

it("keeps everything within the cap, in the order it came", async () => {
  const kept = createOutputCapture(100);
  kept.add("stdout", Buffer.from("one "));
  kept.add("stderr", Buffer.from("two "));
  kept.add("stdout", Buffer.from("three"));
  expect(await kept.result()).toEqual({ stdout: "one three", stderr: "two ", text: "one two three", truncated: false });
});

it("keeps the first and last half beyond it and counts the middle", async () => {
  const kept = createOutputCapture(10);
  for (const letter of "abcdefghijklmnopqrstuvwxyz") kept.add("stdout", Buffer.from(letter));
  expect(await kept.result()).toMatchObject({ text: "abcde\n[16 bytes left out here]\nvwxyz", truncated: true });
});

it("loses no byte and invents none, however the chunks fall", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 30 }),
      fc.integer({ min: 2, max: 200 }),
      async (chunks, most) => {
        const kept = createOutputCapture(most);
        for (const chunk of chunks) kept.add("stdout", Buffer.from(chunk.map((byte) => 97 + (byte % 26))));
        const all = chunks.map((chunk) => String.fromCharCode(...chunk.map((byte) => 97 + (byte % 26)))).join("");
        const { text, truncated } = await kept.result();
        if (!truncated) {
          expect(text).toBe(all);
          return;
        }
        const [head, gap, tail] = text.split("\n");
        const dropped = Number(/\d+/.exec(gap!)![0]);
        expect(head! + all.slice(head!.length, head!.length + dropped) + tail!).toBe(all);
        expect(head!.length + tail!.length).toBeLessThanOrEqual(most);
      },
    ),
  ));

it("decodes a character that was cut between chunks, also when the other stream spoke in between", async () => {
  const kept = createOutputCapture(100);
  const bytes = Buffer.from("ü");
  kept.add("stdout", bytes.subarray(0, 1));
  kept.add("stderr", Buffer.from("!"));
  kept.add("stdout", bytes.subarray(1));
  expect(await kept.result()).toMatchObject({ stdout: "ü", stderr: "!" });
});
