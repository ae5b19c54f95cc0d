import fc from "fast-check";
import { expect, it } from "vitest";
import { createCapture } from "./capture.ts";

it("a capture keeps what fits, however it comes", () =>
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 20 })), (parts) => {
      const printed = createCapture(1000, 7);
      for (const part of parts) printed.add(Buffer.from(part));
      expect({ text: printed.text(), dropped: printed.dropped() }).toEqual({ text: parts.join(""), dropped: 0 });
      expect(printed.lines()).toBe(parts.join("").split("\n").length - 1);
    }),
  ));

it("of more, keeps beginning and end in a bounded number of blocks, and counts the rest", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 10, maxLength: 60 }), (sizes) => {
      const all = "abcdefghijklmnopqrstuvwxyz".repeat(200).slice(
        0,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      const printed = createCapture(4, 10);
      let at = 0;
      for (const size of sizes) {
        printed.add(Buffer.from(all.slice(at, at + size)));
        at += size;
      }
      const dropped = printed.dropped();
      fc.pre(dropped > 0);
      const [head = "", tail = ""] = printed.text().split(`\n[${dropped} bytes left out here]\n`);
      expect(all.startsWith(head) && all.endsWith(tail)).toBe(true);
      expect(head.length + tail.length + dropped).toBe(all.length);
      expect(head.length).toBe(20);
      expect(tail.length).toBeLessThanOrEqual(20);
    }),
  ));

it("a capture reads bytes that are no UTF-8, and characters that are cut by a block", () => {
  const printed = createCapture(10, 3);
  for (const byte of Buffer.concat([Buffer.from("äöü€"), Buffer.from([0xff]), Buffer.from("\ufeffz")])) printed.add(Buffer.from([byte]));
  expect(printed.text()).toBe("äöü€\ufffd\ufeffz");
});
